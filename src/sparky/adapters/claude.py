"""Claude Code, headless: `claude -p --output-format stream-json`."""

import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sparky.adapters.cli_session import by_lines
from sparky.adapters.heard import Heard, failure_of
from sparky.adapters.ledgers import ClaudeLedger, Ledger
from sparky.adapters.session_room import Launch, Place
from sparky.domain.command import Command, Completed
from sparky.events import (
    Ended,
    Event,
    Failure,
    FileEdit,
    Limited,
    Permission,
    SessionRequest,
    SubAgent,
    Text,
    ToolCall,
)
from sparky.ports import Shell

GIVEN = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "CLAUDE_CODE_OAUTH_TOKEN",
)
"""Variables that the agent may know."""

_EDITS = {"Write": "file_path", "Edit": "file_path", "NotebookEdit": "notebook_path"}
_ABOUT = ("command", "file_path", "pattern", "description", "url", "query", "prompt")


class Claude:
    """How Claude Code is called, and what its lines mean."""

    program = "claude"
    hosts = frozenset({"api.anthropic.com"})

    def base_url(self, given: Mapping[str, str]) -> str:
        """`ANTHROPIC_BASE_URL`."""
        return given.get("ANTHROPIC_BASE_URL", "")

    def launch(self, request: SessionRequest, place: Place, given: Mapping[str, str]) -> Launch:
        """A session with an id of its own; it may do all that its confinement lets it."""
        words = ["-p", "--output-format", "stream-json", "--verbose"]
        words += [
            "--session-id",
            str(uuid.uuid4()),
            "--permission-mode",
            "bypassPermissions",
            "--strict-mcp-config",
        ]
        words += ["--model", request.model] if request.model else []
        words += ["--max-turns", str(request.turns)] if request.turns else []
        words += ["--allowedTools", ",".join(request.tools)] if request.tools else []
        env = claude_env(place, given)
        return Launch(argv=tuple(words), env=env, config=place.room.config, stdin=request.prompt.encode())

    def talk(self, shell: Shell, command: Command, request: SessionRequest, heard: Heard) -> Completed:
        """It tells its events by lines of JSON."""
        del request
        return by_lines(shell, command, heard, self.events)

    def events(self, line: dict[str, Any]) -> Iterator[Event]:
        """What one line says."""
        by = str(line.get("agent_id") or "")
        match line.get("type"):
            case "assistant":
                for part in (line.get("message") or {}).get("content") or ():
                    yield from _part(part, by)
            case "system":
                yield from _system(line)
            case "rate_limit_event":
                yield from _limit(line.get("rate_limit_info") or {})
            case "result":
                yield from _result(line)
            case _:
                return

    def ledger(self, config: Path) -> Ledger:
        """Its transcripts."""
        return ClaudeLedger(config)


def claude_env(place: Place, given: Mapping[str, str]) -> dict[str, str]:
    """What Claude Code is told by its environment, headless or by ACP; sparky waits and tries again."""
    known = {name: given[name] for name in GIVEN if name in given}
    # IS_SANDBOX: root may let it do all only where it is told that it is confined; sparky shows the level.
    return known | {
        "CLAUDE_CONFIG_DIR": str(place.room.config),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "2",
        "IS_SANDBOX": "1",
        **({"ANTHROPIC_BASE_URL": place.model_url} if place.model_url else {"HTTPS_PROXY": place.proxy}),
    }


def _part(part: dict[str, Any], by: str) -> Iterator[Event]:
    if part.get("type") == "text":
        yield Text(text=str(part.get("text", "")), by=by)
    if part.get("type") == "tool_use":
        name, given = str(part.get("name", "")), part.get("input") or {}
        if name in _EDITS:
            yield FileEdit(path=str(given.get(_EDITS[name], "")), by=by)
        else:
            about = next((str(given[key]) for key in _ABOUT if key in given), "")
            yield ToolCall(tool=name, about=about, by=by)


def _system(line: dict[str, Any]) -> Iterator[Event]:
    match line.get("subtype"):
        case "task_started":
            yield SubAgent(name=str(line.get("task_id", "")), does="started")
        case "task_notification":
            yield SubAgent(name=str(line.get("task_id", "")), does=str(line.get("status", "")))
        case "api_retry":
            yield ToolCall(tool="the model", about=f"asked again after {line.get('error')}")
        case _:
            return


def _limit(info: dict[str, Any]) -> Iterator[Event]:
    if info.get("status") == "rejected":
        until = info.get("resetsAt")
        yield Limited(until=float(until) if isinstance(until, int | float) else None)


def _result(line: dict[str, Any]) -> Iterator[Event]:
    """The subtype says "success" of an error of the API, too: `is_error` is what counts."""
    for denied in line.get("permission_denials") or ():
        yield Permission(about=str(denied.get("tool_name", "")), given=False)
    text = str(line.get("result") or "; ".join(map(str, line.get("errors") or ())))
    failure = failure_of(line.get("api_error_status")) if line.get("is_error") else None
    if line.get("subtype") == "error_max_turns":
        failure = Failure.BUDGET
    yield Ended(text=text, failure=failure)


AGENTS = {"claude": Claude()}
"""By the names that users call them."""
