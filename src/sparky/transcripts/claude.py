"""Claude Code: a directory per project, a file per session, sub-agents beside or below it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sparky.foreign import open_foreign
from sparky.transcripts.claude_entry import kind_of, said, usage
from sparky.transcripts.claude_scan import read_fast
from sparky.transcripts.claude_walk import AGENT, END, META, NAME, sources
from sparky.transcripts.jsonl import entries, entry_at
from sparky.transcripts.model import Call, FeedbackKind, Head, Mark, Scan, Source, Turn
from sparky.transcripts.plain import Entry, parse, rows, table, texts, word
from sparky.transcripts.target import call_of

_INTERNAL = ("acompact-", "aside_question-")
"""Agents of the programme's own: their entries are copies of the session's."""
_BACK = 1 << 16
_DESCRIPTION = 1 << 20
"""Bytes that a description has at most."""


class ClaudeReader:
    """Claude Code's transcripts below its configuration directory."""

    name = NAME

    def discover(self, home: Path) -> Iterator[Source]:
        """Every transcript of every project, in one walk that follows no link."""
        return sources(home)

    def recognise(self, path: Path) -> Iterable[Source]:
        """The transcript that a file is, if its first entry that can be read is one of Claude Code's."""
        if path.suffix != END:
            return
        for entry in entries(path):
            if "sessionId" in entry or kind_of(entry) in {"summary", "file-history-snapshot"}:
                agent = path.stem.removeprefix(AGENT) if path.name.startswith(AGENT) else ""
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
            head = _described(head, Path(source.path.removesuffix(END) + META))
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


def _described(head: Head, path: Path) -> Head:
    """The head with what the description beside the transcript says."""
    try:
        with open_foreign(path) as file:
            meta = table(parse(file.read(_DESCRIPTION) or b""))
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
    with open_foreign(path) as file:
        while end:
            begin = max(0, end - size)
            file.seek(begin)
            tail = (file.read(end - begin) or b"") + tail
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
