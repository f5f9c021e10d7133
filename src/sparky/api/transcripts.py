"""The names that older programs import, thin over what sparky has now."""

import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparky.environment import read_environment
from sparky.transcripts.claude import ClaudeReader
from sparky.transcripts.claude_entry import said
from sparky.transcripts.claude_walk import NAME, PROJECTS, project_sources, slug
from sparky.transcripts.feedback import heard
from sparky.transcripts.jsonl import entries, entry_at
from sparky.transcripts.model import FeedbackKind, Mark, Source
from sparky.transcripts.plain import word
from sparky.transcripts.tree import Place

_log = logging.getLogger(__name__)

_OLD_WORDS = {FeedbackKind.REJECTION: "tool_denial", FeedbackKind.STOP: "interruption"}


@dataclass(frozen=True, kw_only=True)
class FeedbackItem:
    """What a person said. `timestamp` is ISO 8601; the last three are None where there is none.

    `feedback_type` is `tool_denial`, `interruption`, or a word of FeedbackKind for what had no name before.
    """

    timestamp: str
    session_id: str
    feedback_type: str
    content: str
    agent_id: str | None = None
    slug: str | None = None
    tool_use_id: str | None = None


def get_project_history_dir(project_dir: Path | str) -> Path:
    """Where Claude Code keeps a project's transcripts; the directory need not be there."""
    home = read_environment().agents[NAME]
    whole = os.path.abspath(project_dir)  # noqa: PTH100 - Claude Code follows no links here
    return home / PROJECTS / slug(whole)


def find_related_agent_files(session_id: str, project_dir: Path | str) -> list[Path]:
    """The transcripts of agents whose first readable entry with a session names this one, sorted.

    What can't be read is passed over with a warning. Raises FileNotFoundError if the project has no
    transcripts.
    """
    return sorted(path for path, claimed in _agents(project_dir) if claimed == session_id)


def extract_feedback_from_entry(entry: Mapping[str, Any]) -> FeedbackItem | None:
    """What a person said in one entry; None if nobody did."""
    return next(_items(entry), None)


def extract_feedback_recursively(session_id: str, project_dir: Path | str) -> list[FeedbackItem]:
    """What persons said in a session and in all agents below it, by time.

    An agent is below if its session is this one, or an agent that is below. Raises FileNotFoundError.
    """
    history = _history(project_dir)
    claims = _agents(project_dir)
    names, paths = [session_id], [history / f"{session_id}.jsonl"]
    for name in names:  # it grows while it is walked; each agent once, so that a circle ends
        below = sorted(path for path, claimed in claims if claimed == name and path not in paths)
        paths += below
        names += [path.stem.removeprefix("agent-") for path in below]
    marks = {str(path): _marks(path) for path in paths if path.is_file()}
    where = dict.fromkeys(marks, Place(session=session_id))
    found = []
    for one in heard(marks, where, frozenset()):
        entry = entry_at(Path(one.path), one.mark.offset, one.mark.length)
        found += list(_items(entry))[one.mark.ordinal : one.mark.ordinal + 1]
    return found


def _history(project_dir: Path | str) -> Path:
    history = get_project_history_dir(project_dir)
    if not history.is_dir():
        raise FileNotFoundError(f"{history}: {project_dir} has no transcripts there")
    return history


def _agents(project_dir: Path | str) -> list[tuple[Path, str]]:
    """The agents' transcripts of a project, with the session that each claims."""
    sources = [source for source in project_sources(_history(project_dir)) if source.agent]
    claims = ((Path(source.path), _claim(Path(source.path))) for source in sources)
    return [(path, claimed) for path, claimed in claims if claimed]


def _claim(path: Path) -> str:
    try:
        found = next((word(e.get("sessionId")) for e in entries(path) if e.get("sessionId")), "")
    except OSError as error:
        _log.warning("%s is passed over: %s", path, error.strerror)
        return ""
    if not found:
        _log.warning("%s is passed over: no entry names a session", path)
    return found


def _marks(path: Path) -> tuple[Mark, ...]:
    try:
        scan = ClaudeReader().scan(Source(reader=NAME, path=str(path), stamp=(0, 0, 0)), 0)
    except OSError as error:
        _log.warning("%s is passed over: %s", path, error.strerror)
        return ()
    for offset in scan.bad:
        _log.warning("%s: the line at byte %d can't be read, and is passed over", path, offset)
    return scan.marks


def _items(entry: Mapping[str, Any]) -> Iterator[FeedbackItem]:
    for one in said(entry):
        if isinstance(one.kind, FeedbackKind):
            yield FeedbackItem(
                timestamp=word(entry.get("timestamp")),
                session_id=word(entry.get("sessionId")),
                feedback_type=_OLD_WORDS.get(one.kind, one.kind.value),
                content=one.text,
                agent_id=word(entry.get("agentId")) or None,
                slug=word(entry.get("slug")) or None,
                tool_use_id=one.call or None,
            )
