"""The coding agents that sessions can be had with, by the names that users call them."""

from collections.abc import Mapping

from sparky.adapters.acp import AGENTS
from sparky.adapters.claude import Claude
from sparky.adapters.cli_session import Agent, CliRunner
from sparky.adapters.codex import Codex
from sparky.adapters.session_room import Grounds
from sparky.ports import Runner

__all__ = ["Grounds", "cli_runners"]


def cli_runners(grounds: Grounds) -> Mapping[str, Runner]:
    """Every one of them, installed or not."""
    agents: dict[str, Agent] = {"claude": Claude(), "codex": Codex(), **AGENTS}
    return {name: CliRunner(grounds, agent) for name, agent in agents.items()}
