"""Claude Code: a directory per project, a file per session, sub-agents beside or below it."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sparky.transcripts.claude_entry import kind_of, said, usage
from sparky.transcripts.claude_scan import read_fast
from sparky.transcripts.jsonl import entries, entry_at
from sparky.transcripts.model import Call, FeedbackKind, Head, Mark, Scan, Source, Turn
from sparky.transcripts.plain import Entry, parse, rows, table, texts, word
from sparky.transcripts.target import call_of

NAME = "claude"
PROJECTS = "projects"
_END = ".jsonl"
_META = ".meta.json"
_AGENT = "agent-"
_INTERNAL = ("acompact-", "aside_question-")
"""Agents of the programme's own: their entries are copies of the session's."""
_LONG, _DIGITS = 200, "0123456789abcdefghijklmnopqrstuvwxyz"
_BACK = 1 << 16


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


class ClaudeReader:
    """Claude Code's transcripts below its configuration directory."""

    name = NAME

    def discover(self, home: Path) -> Iterator[Source]:
        """Every transcript of every project, in one walk that follows no link."""
        for project in _directories(home / PROJECTS):
            yield from project_sources(Path(project))

    def recognise(self, path: Path) -> Iterable[Source]:
        """The transcript that a file is, if its first entry that can be read is one of Claude Code's."""
        if path.suffix != _END:
            return
        for entry in entries(path):
            if "sessionId" in entry or kind_of(entry) in {"summary", "file-history-snapshot"}:
                agent = path.stem.removeprefix(_AGENT) if path.name.startswith(_AGENT) else ""
                info = path.stat()
                stamp = (info.st_ino, info.st_size, info.st_mtime_ns)
                yield Source(reader=NAME, path=str(path), stamp=stamp, agent=agent)
            return

    def scan(self, source: Source, start: int) -> Scan:
        """What the transcript says from `start` on."""
        found = read_fast(Path(source.path), start)
        if found.head is None:
            return found
        head = replace(found.head, session=source.session or found.head.session, agent=source.agent)
        if source.meta:
            head = _described(head, Path(source.path.removesuffix(_END) + _META))
        # What an agent of the programme's own holds was said in the session, and is found there.
        marks = () if source.agent.startswith(_INTERNAL) else found.marks
        return replace(found, head=head, marks=marks)

    def words(self, path: str, marks: Sequence[Mark]) -> Sequence[tuple[str, Call | None]]:
        """The words of each mark, and the call that they are about."""
        return [_words(Path(path), mark) for mark in marks]

    def turns(self, path: str) -> Iterator[Turn]:
        """The conversation in the order in which it was written."""
        for entry in entries(Path(path)):
            yield from _turns(entry)


def project_sources(project: Path) -> Iterator[Source]:
    """The transcripts of one project's directory; nothing if it can't be read."""
    for entry in _scan(project):
        if entry.is_dir(follow_symlinks=False):
            yield from _agents(f"{entry.path}/subagents", entry.name)
        elif entry.name.endswith(_END) and entry.is_file(follow_symlinks=False):
            stem = entry.name.removesuffix(_END)
            if stem.startswith(_AGENT):
                yield _source(entry, agent=stem.removeprefix(_AGENT))
            else:
                yield _source(entry, session=stem)


def _agents(directory: str, session: str) -> Iterator[Source]:
    """The sub-agents of a session, those of its workflows among them."""
    found = list(_scan(directory))
    names = {entry.name for entry in found}
    for entry in found:
        if (
            entry.name.startswith(_AGENT)
            and entry.name.endswith(_END)
            and entry.is_file(follow_symlinks=False)
        ):
            stem = entry.name.removesuffix(_END)
            yield _source(entry, session, stem.removeprefix(_AGENT), meta=stem + _META in names)
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


def _described(head: Head, path: Path) -> Head:
    """The head with what the description beside the transcript says."""
    try:
        meta = table(parse(path.read_bytes()))
    except (OSError, ValueError):
        return head
    title = word(meta.get("description")) or word(meta.get("agentType"))
    return replace(
        head, parent=word(meta.get("parentAgentId")), call=word(meta.get("toolUseId")), title=title
    )


def _words(path: Path, mark: Mark) -> tuple[str, Call | None]:
    try:
        entry = entry_at(path, mark.offset, mark.length)
        call = _call(path, mark.offset, mark.call) if mark.call else None
    except OSError:
        return "", None
    found = list(said(entry))
    if mark.ordinal >= len(found) or found[mark.ordinal].kind is not mark.kind:
        return "", None
    return found[mark.ordinal].text, call


def _call(path: Path, before: int, name: str) -> Call | None:
    """The call of that id: it stands before its result, most often just before."""
    needle = re.compile(rb'"id"\s*:\s*"' + re.escape(name.encode()) + b'"')
    tail, end, size = b"", before, _BACK
    with path.open("rb") as file:
        while end:
            begin = max(0, end - size)
            file.seek(begin)
            tail = file.read(end - begin) + tail
            lines = tail.split(b"\n")
            tail = lines.pop(0) if begin else b""
            end, size = begin, size * 2
            for line in reversed(lines):
                if needle.search(line) and (call := _called(line, name)):
                    return call
    return None


def _called(line: bytes, name: str) -> Call | None:
    try:
        message = table(table(parse(line)).get("message"))
    except ValueError:
        return None
    for block in rows(message.get("content")):
        if block.get("type") == "tool_use" and block.get("id") == name:
            return call_of(word(block.get("name")), block.get("input"))
    return None


def _turns(entry: Entry) -> Iterator[Turn]:
    at, kind = word(entry.get("timestamp")), kind_of(entry)
    message = table(entry.get("message"))
    content = message.get("content")
    for one in said(entry):
        if isinstance(one.kind, FeedbackKind):
            yield Turn(by="person", at=at, text=one.text, kind=one.kind, call_id=one.call)
    if kind == "assistant":
        yield from _answer(entry, at)
    elif kind == "user":
        results = [block for block in rows(content) if block.get("type") == "tool_result"]
        for block in results:
            text = "\n".join(texts(block.get("content")))
            yield Turn(by="tool", at=at, text=text, call_id=word(block.get("tool_use_id")))
        if not results and not any(True for _ in said(entry)):
            by = "parent" if entry.get("isSidechain") else "system"
            yield Turn(by=by, at=at, text="\n".join(texts(content)))


def _answer(entry: Entry, at: str) -> Iterator[Turn]:
    message = table(entry.get("message"))
    model, spent = word(message.get("model")), usage(entry)
    for block in rows(message.get("content")):
        if block.get("type") == "text":
            yield Turn(by="agent", at=at, text=word(block.get("text")), model=model, usage=spent)
        elif block.get("type") == "tool_use":
            given = block.get("input")
            call, name = call_of(word(block.get("name")), given), word(block.get("id"))
            yield Turn(by="agent", at=at, model=model, call_id=name, call=call, input=given, usage=spent)
