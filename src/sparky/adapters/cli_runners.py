"""The coding agents that sessions can be had with, by the names that users call them."""

from collections.abc import Mapping
from importlib import import_module

from sparky.adapters.session_room import Grounds
from sparky.ports import Runner, SessionRequest, SessionResult

MODULES = {"claude": "claude", "codex": "codex", "claude-acp": "acp", "codex-acp": "acp", "opencode": "acp"}
"""Where each is told of, in its module's `AGENTS`."""


def cli_runners(grounds: Grounds) -> Mapping[str, Runner]:
    """Every one of them, installed or not."""
    return {name: _WhenAsked(grounds, name) for name in MODULES}


class _WhenAsked:
    """Loads what a session needs when one begins: the protocol's library alone takes a second."""

    def __init__(self, grounds: Grounds, name: str) -> None:
        self._grounds = grounds
        self._name = name

    def run(self, request: SessionRequest) -> SessionResult:
        """One session, to its end."""
        agent = import_module(f"sparky.adapters.{MODULES[self._name]}").AGENTS[self._name]
        runner: Runner = import_module("sparky.adapters.cli_session").CliRunner(self._grounds, agent)
        return runner.run(request)
