"""Codex: a rollout per thread. Sub-agents and forks are threads that replay their parent first."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sparky.transcripts.jsonl import entry_at, numbered
from sparky.transcripts.model import (
    Call,
    End,
    EndState,
    FeedbackKind,
    Head,
    Mark,
    Said,
    Scan,
    Source,
    Turn,
    Usage,
    mark,
)
from sparky.transcripts.plain import Entry, count, parse, rows, table, texts, word
from sparky.transcripts.target import call_of

NAME = "codex"
_PLACES = ("sessions", "archived_sessions")
_TYPES = frozenset({
    "session_meta",
    "turn_context",
    "response_item",
    "event_msg",
    "compacted",
    "world_state",
    "inter_agent_communication_metadata",
})  # fmt: skip
_REFUSED = frozenset({"exec command rejected by user", "patch rejected by user"})
_COUNTED = ("input_tokens", "cached_input_tokens", "output_tokens")


class CodexReader:
    """Codex's rollouts below its home."""

    name = NAME

    def discover(self, home: Path) -> Iterator[Source]:
        """Every rollout, those that were archived, too."""
        for place in _PLACES:
            for folder, _, names in os.walk(home / place):
                for name in names:
                    path = Path(folder, name)
                    if name.startswith("rollout-") and name.endswith(".jsonl") and not path.is_symlink():
                        yield _source(path)

    def recognise(self, path: Path) -> Iterable[Source]:
        """The rollout that a file is: it begins with what the session is."""
        if path.suffix == ".jsonl":
            first = next((entry for _, _, entry in numbered(path)), None)
            if first is not None and word(first.get("type")) == "session_meta":
                yield _source(path)

    def scan(self, source: Source, start: int) -> Scan:
        """What the thread says; always the whole: its parent's rollout tells how much of it is a replay."""
        del start
        path = Path(source.path)
        reading = _Reading(path=path, head=_head(path))
        for offset, length, entry in numbered(path, reading.bad):
            reading.take(entry, offset, length)
        return reading.scan()

    def words(self, path: str, marks: Sequence[Mark]) -> Sequence[tuple[str, Call | None]]:
        """The words of each mark, and the call that they are about."""
        wanted = {one.call for one in marks if one.call}
        calls = {}
        for _, _, entry in numbered(Path(path)) if wanted else ():
            payload = table(entry.get("payload"))
            name = word(payload.get("call_id"))
            if name in wanted and "name" in payload:
                calls[name] = _call(payload)
        found = []
        for one in marks:
            said = _said(entry_at(Path(path), one.offset, one.length))
            found.append((said.text if said else "", calls.get(one.call)))
        return found

    def turns(self, path: str) -> Iterator[Turn]:
        """The conversation without what was replayed."""
        reading = _Reading(path=Path(path), head=_head(Path(path)))
        for offset, length, entry in numbered(Path(path)):
            if reading.take(entry, offset, length):
                yield from _turns(entry, inner=bool(reading.head.agent))


def _source(path: Path) -> Source:
    info = path.stat()
    return Source(reader=NAME, path=str(path), stamp=(0, info.st_size, info.st_mtime_ns))


def _meta(path: Path) -> Entry:
    for _, _, entry in numbered(path):
        return table(entry.get("payload")) if word(entry.get("type")) == "session_meta" else table(None)
    return table(None)


def _head(path: Path) -> Head:
    meta = _meta(path)
    source = meta.get("source")
    spawn = table(table(table(source).get("subagent")).get("thread_spawn"))
    parent = word(spawn.get("parent_thread_id"))
    if not parent and meta.get("thread_source") == "subagent":
        parent = word(meta.get("parent_thread_id"))
    name = word(meta.get("id")) or path.stem
    return Head(
        session=parent or name,
        agent=name if parent else "",
        title=word(spawn.get("agent_path")) or word(spawn.get("agent_nickname")),
        cwd=word(meta.get("cwd")),
        started=word(meta.get("timestamp")),
    )


def _turns_above(path: Path) -> frozenset[str]:
    """The turns of the thread that this one was forked from or spawned by; none if that is not there."""
    meta = _meta(path)
    above = word(meta.get("forked_from_id")) or _head(path).session
    if above in {word(meta.get("id")), ""}:
        return frozenset()
    root = next((p.parent for p in path.parents if p.name in _PLACES), path.parent)
    found = (file for place in (*_PLACES, ".") for file in (root / place).rglob(f"rollout-*-{above}.jsonl"))
    for file in found:
        return frozenset(name for _, _, entry in numbered(file) if (name := _turn(entry)))
    return frozenset()


def _turn(entry: Entry) -> str:
    return word(table(entry.get("payload")).get("turn_id")) if entry.get("type") == "turn_context" else ""


@dataclass(kw_only=True)
class _Reading:
    """What has been read of a rollout. What its parent said before is replayed first, and passed over."""

    path: Path
    head: Head
    replaying: bool = False
    above: frozenset[str] = frozenset()
    model: str = ""
    before: tuple[int, ...] = (0, 0, 0)
    spent: dict[str, list[int]] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    bad: list[int] = field(default_factory=list)
    end: End = field(default_factory=lambda: End(state=EndState.EMPTY, why="no turn"))

    def __post_init__(self) -> None:
        self.above = _turns_above(self.path)
        self.replaying = bool(self.above)

    def take(self, entry: Entry, offset: int, length: int) -> bool:
        """Read an entry; whether it is the thread's own."""
        kind, payload = word(entry.get("type")), table(entry.get("payload"))
        if kind not in _TYPES:
            self.unknown[kind or "(no type)"] += 1
        if kind == "turn_context":
            self.model = word(payload.get("model")) or self.model
            self.replaying = self.replaying and _turn(entry) in self.above
        if word(payload.get("type")) == "token_count":
            self._count(payload)
        if self.replaying:
            return False
        self._ends(kind, payload)
        said = _said(entry)
        if said and not (self.head.agent and said.kind is FeedbackKind.MESSAGE):
            key = f"{self.head.agent or self.head.session}/{offset}"
            at = word(entry.get("timestamp"))
            self.marks.append(mark(said, offset=offset, length=length, ordinal=0, key=key, at=at))
        return True

    def _count(self, payload: Entry) -> None:
        """Add what a count, which sums up the thread so far, is more than the one before."""
        total = table(table(payload.get("info")).get("total_token_usage"))
        if total:
            now = tuple(count(total.get(name)) for name in _COUNTED)
            if not self.replaying:
                sums = self.spent.setdefault(self.model, [0, 0, 0])
                for place, (new, old) in enumerate(zip(now, self.before, strict=True)):
                    sums[place] += max(0, new - old)
            self.before = now

    def _ends(self, kind: str, payload: Entry) -> None:
        name = word(payload.get("type"))
        if kind == "turn_context":
            self.end = End(state=EndState.KILLED, why="its turn did not end", open=True)
        elif kind == "event_msg" and name in {"task_complete", "turn_complete"}:
            self.end = End(state=EndState.FINISHED, why="its turn was completed")
        elif kind == "event_msg" and name == "turn_aborted":
            self.end = End(
                state=EndState.INTERRUPTED, why=f"its turn was aborted ({word(payload.get('reason'))})"
            )
        elif kind == "event_msg" and name == "error":
            self.end = End(state=EndState.FAILED, why=word(payload.get("message"))[:80])

    def scan(self) -> Scan:
        """What was read."""
        thread = self.head.agent or self.head.session
        usage = (
            Usage(f"{thread}/{model}", model, max(0, put - cached), got, cache_read=cached)
            for model, (put, cached, got) in self.spent.items()
        )
        return Scan(
            offset=0,
            end=self.end,
            head=self.head,
            marks=tuple(self.marks),
            usage=tuple(usage),
            bad=tuple(self.bad),
            unknown=self.unknown,
        )


def _said(entry: Entry) -> Said | None:
    kind, payload = word(entry.get("type")), table(entry.get("payload"))
    name = word(payload.get("type"))
    if kind == "event_msg" and name == "user_message":
        text = word(payload.get("message")).strip()
        return Said(kind=FeedbackKind.MESSAGE, text=text) if text else None
    if kind == "event_msg" and name == "turn_aborted" and payload.get("reason") == "interrupted":
        return Said(kind=FeedbackKind.STOP)
    if kind == "response_item" and name.endswith("_call_output") and _output(payload).strip() in _REFUSED:
        return Said(kind=FeedbackKind.REJECTION, call=word(payload.get("call_id")))
    return None


def _output(payload: Entry) -> str:
    output = payload.get("output")
    return "\n".join(texts(table(output).get("content") if isinstance(output, dict) else output))


def _call(payload: Entry) -> Call:
    given = payload.get("arguments", payload.get("input"))
    try:
        return call_of(word(payload.get("name")), parse(word(given).encode()))
    except ValueError:
        return Call(name=word(payload.get("name")), target=word(given))


def _turns(entry: Entry, *, inner: bool) -> Iterator[Turn]:
    at, payload = word(entry.get("timestamp")), table(entry.get("payload"))
    name, kind = word(payload.get("type")), word(entry.get("type"))
    said = _said(entry)
    if said and isinstance(said.kind, FeedbackKind):
        by = "parent" if inner and said.kind is FeedbackKind.MESSAGE else "person"
        yield Turn(
            by=by, at=at, text=said.text, kind=said.kind if by == "person" else None, call_id=said.call
        )
    elif kind == "response_item" and name == "message" and payload.get("role") == "assistant":
        text = "\n".join(word(block.get("text")) for block in rows(payload.get("content")))
        yield Turn(by="agent", at=at, text=text)
    elif kind == "response_item" and name.endswith("_call_output"):
        yield Turn(by="tool", at=at, call_id=word(payload.get("call_id")), text=_output(payload))
    elif kind == "response_item" and name.endswith("_call") and "name" in payload:
        call = _call(payload)
        given = payload.get("arguments", payload.get("input"))
        yield Turn(by="agent", at=at, call_id=word(payload.get("call_id")), call=call, input=given)
