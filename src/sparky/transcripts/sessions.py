"""The list of sessions: what one line of it says of a session and of all its agents."""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sparky.domain.errors import UsageError
from sparky.transcripts.claude_walk import PROJECTS, slug
from sparky.transcripts.model import End, EndState
from sparky.transcripts.tree import MISSING, settle


class SessionNotFoundError(UsageError):
    """No session, or several, answer to what was asked for; the text says which there are."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which sessions: of one project, whose id starts so, written to since (seconds since 1970)."""

    project: Path | None = None
    session: str = ""
    since: float = 0.0


class Sheet(NamedTuple):
    """One transcript as a list of sessions needs it: `changed` in nanoseconds, else as in Leaf and Head.

    A tuple, since there are thousands, and the list is asked for often.
    """

    root: str
    path: str
    reader: str
    changed: int
    state: str
    why: str
    open: int
    agent: str
    cwd: str
    started: str


@dataclass(frozen=True, kw_only=True)
class SessionLine:
    """One session in a list. `said` counts what persons said, by kind, at any depth; times are ISO 8601."""

    session: str
    reader: str
    project: str
    started: str
    updated: str
    state: EndState
    why: str
    agents: int
    said: Mapping[str, int]


def session_lines(
    sheets: Iterable[Sheet], counts: Mapping[str, Mapping[str, int]], wanted: Wanted, now: float
) -> Iterator[SessionLine]:
    """The sessions that are asked for, newest first; raises SessionNotFoundError where a prefix fits none."""
    groups: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        groups.setdefault(sheet.root, []).append(sheet)
    written = {name: max(sheet.changed for sheet in group) for name, group in groups.items()}
    newest = sorted(groups, key=lambda name: (-written[name], name))
    chosen = [
        name
        for name in newest
        if name.startswith(wanted.session)
        and written[name] / 1e9 >= wanted.since
        and (not wanted.project or any(of_project(one.cwd, one.path, wanted.project) for one in groups[name]))
    ]
    require(wanted, chosen, newest)
    for name in chosen:
        yield _line(name, groups[name], counts.get(name, {}), now)


def require(wanted: Wanted, found: list[str], newest: list[str]) -> None:
    """Raise SessionNotFoundError if a session is asked for and none is found."""
    if wanted.session and not found:
        listed = ", ".join(name[:8] for name in newest[:3])
        raise SessionNotFoundError(
            f"no session starts with {wanted.session!r}; the newest are: {listed or '(there are none)'}"
        )


def of_project(cwd: str, path: str, project: Path) -> bool:
    """Whether a transcript is of work in the project, or kept as one of the project's: a session can move."""
    return Path(cwd or "/dev/null").is_relative_to(project) or f"/{PROJECTS}/{slug(str(project))}/" in path


def _line(name: str, group: list[Sheet], said: Mapping[str, int], now: float) -> SessionLine:
    # The session's own transcript first, then its agents as they began.
    group.sort(key=lambda one: (one.agent != "", one.started, one.agent))
    first, agents = group[0], sum(one.agent != "" for one in group)
    updated = max(one.changed for one in group) / 1e9
    end = MISSING
    if not first.agent:
        own = End(state=EndState(first.state), why=first.why, open=bool(first.open))
        end = settle(own, first.changed / 1e9, "", now)
    return SessionLine(
        session=name,
        reader=first.reader,
        project=next((one.cwd for one in group if one.cwd), ""),
        started=min((one.started for one in group if one.started), default=""),
        updated=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(updated)),
        state=end.state,
        why=end.why,
        agents=agents,
        said=said,
    )
