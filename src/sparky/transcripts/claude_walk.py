"""Where Claude Code keeps its transcripts: found in one walk that follows no link."""

import os
from collections.abc import Iterator
from pathlib import Path

from sparky.transcripts.model import Source

NAME = "claude"
PROJECTS = "projects"
END = ".jsonl"
META = ".meta.json"
AGENT = "agent-"
_LONG, _DIGITS = 200, "0123456789abcdefghijklmnopqrstuvwxyz"


def slug(project: str) -> str:
    """The name of a project's directory: only ASCII letters and digits stay, a long one ends in a hash."""
    units = project.encode("utf-16-le")
    characters = [int.from_bytes(units[i : i + 2], "little") for i in range(0, len(units), 2)]
    name = "".join(chr(c) if chr(c).isascii() and chr(c).isalnum() else "-" for c in characters)
    if len(name) <= _LONG:
        return name
    number = 0
    for character in characters:
        number = (number * 31 + character) & 0xFFFFFFFF
    return f"{name[:_LONG]}-{_base36(abs(number - (1 << 32) if number >> 31 else number))}"


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"


def sources(home: Path) -> Iterator[Source]:
    """Every transcript of every project."""
    for project in _directories(home / PROJECTS):
        yield from project_sources(Path(project))


def project_sources(project: Path) -> Iterator[Source]:
    """The transcripts of one project's directory; nothing if it can't be read."""
    for entry in _scan(project):
        if entry.is_dir(follow_symlinks=False):
            yield from _agents(f"{entry.path}/subagents", entry.name)
        elif entry.name.endswith(END) and entry.is_file(follow_symlinks=False):
            stem = entry.name.removesuffix(END)
            if stem.startswith(AGENT):
                yield _source(entry, agent=stem.removeprefix(AGENT))
            else:
                yield _source(entry, session=stem)


def _agents(directory: str, session: str) -> Iterator[Source]:
    """The sub-agents of a session, those of its workflows among them."""
    found = list(_scan(directory))
    names = {entry.name for entry in found}
    for entry in found:
        if entry.name.startswith(AGENT) and entry.name.endswith(END) and entry.is_file(follow_symlinks=False):
            stem = entry.name.removesuffix(END)
            yield _source(entry, session, stem.removeprefix(AGENT), meta=stem + META in names)
        elif entry.name == "workflows" and entry.is_dir(follow_symlinks=False):
            for run in _directories(entry.path):
                yield from _agents(run, session)


def _source(entry: os.DirEntry[str], session: str = "", agent: str = "", *, meta: bool = False) -> Source:
    info = entry.stat(follow_symlinks=False)
    stamp = (info.st_ino, info.st_size, info.st_mtime_ns)
    return Source(reader=NAME, path=entry.path, stamp=stamp, session=session, agent=agent, meta=meta)


def _directories(path: str | Path) -> list[str]:
    return [entry.path for entry in _scan(path) if entry.is_dir(follow_symlinks=False)]


def _scan(path: str | Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as found:
            return list(found)
    except OSError:  # it is not there, or not ours to read
        return []
