"""The coding agents that sessions can be had with, by the names that users call them."""

from collections.abc import Mapping

from sparky.adapters.claude import Claude
from sparky.adapters.cli_session import CliRunner
from sparky.adapters.codex import Codex
from sparky.adapters.session_room import Grounds
from sparky.ports import Runner

__all__ = ["Grounds", "cli_runners"]


def cli_runners(grounds: Grounds) -> Mapping[str, Runner]:
    """Every one of them, installed or not."""
    return {"claude": CliRunner(grounds, Claude()), "codex": CliRunner(grounds, Codex())}
