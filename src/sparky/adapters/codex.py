"""Codex, headless: `codex exec --json`."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sparky.adapters.cli_session import by_lines
from sparky.adapters.heard import Heard
from sparky.adapters.ledgers import CodexLedger, Ledger
from sparky.adapters.session_room import Launch, Place
from sparky.domain.command import Command, Completed
from sparky.events import Ended, Event, Failure, FileEdit, SessionRequest, SubAgent, Text, ToolCall
from sparky.ports import Shell

GIVEN = ("CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL")
"""Variables that the agent may know."""

_LIMIT = re.compile(r"\b429\b|rate limit|usage limit|quota", re.IGNORECASE)
_LOGIN = re.compile(r"\b40[13]\b|unauthorized|forbidden|not logged in", re.IGNORECASE)
_OUTAGE = re.compile(
    r"\b5\d\d\b|high demand|stream|connect|timed? ?out|network|overloaded|malformed", re.IGNORECASE
)


class Codex:
    """How Codex is called, and what its lines mean."""

    program = "codex"
    hosts = frozenset({"api.openai.com"})

    def base_url(self, given: Mapping[str, str]) -> str:
        """`OPENAI_BASE_URL`."""
        return given.get("OPENAI_BASE_URL", "")

    def launch(self, request: SessionRequest, place: Place, given: Mapping[str, str]) -> Launch:
        """A session under sparky's confinement; under Codex's own where sparky was told to have none."""
        own = ["--sandbox", "workspace-write"]
        words = ["exec", "--json", "--skip-git-repo-check"]
        words += ["--dangerously-bypass-approvals-and-sandbox"] if place.confined else own
        env = codex_env(request, place, given)
        return Launch(argv=(*words, "-"), env=env, config=place.room.config, stdin=request.prompt.encode())

    def talk(self, shell: Shell, command: Command, request: SessionRequest, heard: Heard) -> Completed:
        """It tells its events by lines of JSON."""
        del request
        return by_lines(shell, command, heard, self.events)

    def events(self, line: dict[str, Any]) -> Iterator[Event]:
        """What one line says."""
        match line.get("type"):
            case "item.started" | "item.completed" as when:
                yield from _item(line.get("item") or {}, done=when == "item.completed")
            case "turn.failed":
                message = str((line.get("error") or {}).get("message", ""))
                yield Ended(text=message, failure=failure_in(message))
            case "error":
                yield ToolCall(tool="the model", about=str(line.get("message", "")))
            case "turn.completed":
                yield Ended(text="")
            case _:
                return

    def ledger(self, config: Path) -> Ledger:
        """Its rollouts."""
        return CodexLedger(config)


def codex_env(request: SessionRequest, place: Place, given: Mapping[str, str]) -> dict[str, str]:
    """What Codex is told by its environment, headless or by ACP, and by the settings in its room.

    sparky itself waits and tries again. The model's name is left to Codex where none is asked for.
    """
    known = {name: given[name] for name in ("CODEX_API_KEY", "OPENAI_API_KEY") if name in given}
    settings = f"model = {json.dumps(request.model)}\n" if request.model else ""
    if place.model_url:
        key = next(iter(known), "OPENAI_API_KEY")
        lines = {
            "name": "the model's endpoint, by sparky's proxy",
            "base_url": place.model_url,
            "wire_api": "responses",
            "env_key": key,
            "request_max_retries": 1,
            "stream_max_retries": 1,
        }
        table = "".join(f"{name} = {json.dumps(value)}\n" for name, value in lines.items())
        settings += f'model_provider = "sparky"\n[model_providers.sparky]\n{table}'
    (place.room.config / "config.toml").write_text(settings, encoding="utf-8")
    proxy = {} if place.model_url else {"HTTPS_PROXY": place.proxy}
    return known | {"CODEX_HOME": str(place.room.config)} | proxy


def _item(item: dict[str, Any], *, done: bool) -> Iterator[Event]:
    match item.get("type"):
        case "agent_message" if done:
            yield Text(text=str(item.get("text", "")))
        case "command_execution" if not done:
            yield ToolCall(tool="shell", about=str(item.get("command", "")))
        case "file_change" if done:
            yield from (FileEdit(path=str(change.get("path", ""))) for change in item.get("changes") or ())
        case "collab_tool_call" if done:
            states = item.get("agents_states") or {}
            for name, state in states.items():
                yield SubAgent(name=str(name), does=str((state or {}).get("status", "")))
        case "mcp_tool_call" | "web_search" if not done:
            yield ToolCall(tool=str(item["type"]), about=str(item.get("tool") or item.get("query") or ""))
        case _:
            return


def failure_in(message: str) -> Failure:
    """From words: some agents print no codes."""
    for pattern, failure in (
        (_LIMIT, Failure.RATE_LIMIT),
        (_LOGIN, Failure.LOGIN),
        (_OUTAGE, Failure.OUTAGE),
    ):
        if pattern.search(message):
            return failure
    return Failure.OTHER


AGENTS = {"codex": Codex()}
"""By the names that users call them."""
