"""The coding agents that sessions can be had with, by the names that users call them."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from sparky.adapters.session_room import Grounds, unable
from sparky.events import SessionRequest, SessionResult
from sparky.ports import Runner


@dataclass(frozen=True, kw_only=True)
class Known:
    """A runner: the module whose `AGENTS` has it, its program, npm's package, the variables of its login."""

    module: str
    program: str
    package: str
    keys: tuple[str, ...]


_CLAUDE = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
_CODEX = ("OPENAI_API_KEY", "CODEX_API_KEY")
_ACP = "@agentclientprotocol"

KNOWN: Mapping[str, Known] = {
    "claude": Known(module="claude", program="claude", package="@anthropic-ai/claude-code", keys=_CLAUDE),
    "codex": Known(module="codex", program="codex", package="@openai/codex", keys=_CODEX),
    "claude-acp": Known(
        module="acp", program="claude-agent-acp", package=f"{_ACP}/claude-agent-acp", keys=_CLAUDE
    ),
    "codex-acp": Known(module="acp", program="codex-acp", package=f"{_ACP}/codex-acp", keys=_CODEX),
    "opencode": Known(
        module="acp", program="opencode", package="opencode-ai", keys=("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
    ),
}
"""By the names of `config.RUNNERS`."""


MODEL, EXTRA = "model", "sparky-agents[model]"
"""The runner that is no program, and what has to be installed for it."""


def cli_runners(grounds: Grounds) -> Mapping[str, Runner]:
    """Every one of them, installed or not."""
    return {**{name: _WhenAsked(grounds, name) for name in KNOWN}, MODEL: _InProcess(grounds)}


class _WhenAsked:
    """Loads what a session needs when one begins: the protocol's library alone takes a second."""

    def __init__(self, grounds: Grounds, name: str) -> None:
        self._grounds = grounds
        self._name = name

    def run(self, request: SessionRequest) -> SessionResult:
        """One session, to its end."""
        agent = import_module(f"sparky.adapters.{KNOWN[self._name].module}").AGENTS[self._name]
        runner: Runner = import_module("sparky.adapters.cli_session").CliRunner(self._grounds, agent)
        return runner.run(request)


class _InProcess:
    """The same for the model: its library is an extra."""

    def __init__(self, grounds: Grounds) -> None:
        self._grounds = grounds

    def run(self, request: SessionRequest) -> SessionResult:
        """One session, to its end."""
        try:
            module = import_module("sparky.adapters.model")
        except ImportError as error:
            return unable(f"{error}: pip install '{EXTRA}'")
        runner: Runner = module.ModelRunner(self._grounds)
        return runner.run(request)
