"""Lines of Claude Code transcripts, and a project to put them in."""

import json
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from sparky.api import get_project_history_dir

SESSION = "11111111-2222-4333-8444-555555555555"
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file "
    "edit, the new_string was NOT written to the file). "
)
BARE = REFUSED + "STOP what you are doing and wait for the user to tell you how to proceed."
_numbers = count(1)


def at(second: float) -> str:
    return f"2026-03-01T10:{int(second) // 60:02}:{second % 60:06.3f}Z"


def entry(kind: str, second: float = 0.0, **more: Any) -> dict[str, Any]:
    """An entry with an id of its own; a field that is None is left out."""
    number = next(_numbers)
    fields = {
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": SESSION,
        "version": "2.1.100",
        "cwd": "/work/shop",
        "type": kind,
        "uuid": f"u-{number}",
        "timestamp": at(second),
    }
    return {
        key: value for key, value in {**fields, **more}.items() if value is not None or key == "parentUuid"
    }


def user(content: object, second: float = 0.0, **more: Any) -> dict[str, Any]:
    return entry("user", second, message={"role": "user", "content": content}, **more)


def result(
    call: str, text: object, second: float = 0.0, *, error: bool = False, **more: Any
) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": error}
    return user([block], second, **more)


def answer(
    *blocks: object, second: float = 0.0, name: str = "m", output: int = 1, **more: Any
) -> dict[str, Any]:
    tokens = {"input_tokens": 2, "output_tokens": output, "cache_read_input_tokens": 3}
    message = {
        "id": name,
        "role": "assistant",
        "type": "message",
        "model": "claude-haiku-4-5-20251001",
        "content": list(blocks),
        "usage": tokens,
        "stop_reason": "end_turn",
    }
    return entry("assistant", second, message=message, **more)


def words(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def call(name: str, tool: str = "Bash", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": tool, "input": given}


def agent(name: str, session: str = SESSION) -> dict[str, Any]:
    """The fields by which an entry is one of a sub-agent."""
    return {"isSidechain": True, "agentId": name, "sessionId": session}


def text_of(*lines: object) -> str:
    """The lines as Claude Code writes them; text stands as it is."""
    rows = (x if isinstance(x, str) else json.dumps(x, separators=(",", ":")) for x in lines)
    return "".join(f"{row}\n" for row in rows)


@dataclass(frozen=True, kw_only=True)
class Project:
    """A project directory, and where Claude Code keeps its transcripts."""

    path: Path

    @property
    def history(self) -> Path:
        return get_project_history_dir(self.path)

    def write(self, name: str, *lines: object) -> Path:
        path = self.history / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text_of(*lines), encoding="utf-8")
        return path
