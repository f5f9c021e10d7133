"""Claude Code's lines at disk speed: what can't concern us is passed over without being parsed.

An unescaped quote never stands within a JSON string, so a needle with quotes finds structure only: words
that look like a transcript inside a tool's output do not match. What a needle finds is parsed; what none
finds is neither a person's words nor tokens. `read_whole` parses everything, and a test holds the two
against each other. They differ in one thing: what an answer says is not looked at by the fast one, so that a
model's answer in the usual shape whose content is broken has its tokens counted, and is not reported as bad.

Needles are looked for by StringZilla: Python's own search takes six times as long.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from stringzilla import find  # type: ignore[import-not-found]  # it is C alone

from sparky.foreign import open_foreign
from sparky.transcripts.claude_end import EMPTY, end_of
from sparky.transcripts.claude_entry import QUIET, key_of, kind_of, links, said, strange, usage
from sparky.transcripts.claude_text import REJECTED, STOPPED
from sparky.transcripts.claude_tokens import TYPE, Answers
from sparky.transcripts.jsonl import NEWLINE, backwards, pieces
from sparky.transcripts.model import Head, Link, Mark, Scan, Usage, mark
from sparky.transcripts.plain import Entry, parse, word

Lines = Callable[["Reading", bytes, int, int, int], None]
"""Reads the whole lines between two places of some bytes, whose first has an offset in the file."""

_QUOTE, _OPEN, _CLOSE = b'"', ord("{"), ord("}")
_TYPE_LENGTH = len(TYPE)
_RESULT = b'"tool_result"'
_HEAD = 400
"""The bytes after an entry's type that hold the kind of its first block, and the start of its text."""
_SOON = 20
"""The entries that are read whole in search of the directory that a session works in."""
_BESIDE, _ERROR = b'{"type":"text","text":', b'"is_error":true'
_REFUSALS = (b'"toolDenialKind"', *(words.encode() for words in (*REJECTED, STOPPED)))
"""What an error has that is a person's: else it is a tool's own."""
_LIKELY = 9
_USER, _ANSWER, _PROGRESS = b'user"', (b'message",', b"assistant"), b'progress"'
"""How the likely types begin, that many bytes of them."""
_QUIET = frozenset(kind.encode() for kind in QUIET)


@dataclass(kw_only=True)
class Reading:
    """What has been read of one transcript so far. It grows, and is handed on as a Scan.

    `headless`: it began in the middle, and who speaks is known.
    """

    headless: bool = False
    read: int = 0
    head: Head | None = None
    cost: float | None = None
    marks: list[Mark] = field(default_factory=list)
    usage: dict[str, Usage] = field(default_factory=dict)
    answers: Answers = field(default_factory=Answers)
    links: list[Link] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)

    @property
    def nameless(self) -> bool:
        """Whether it is not known yet who speaks, or still may become known where."""
        if self.headless or (self.head and self.head.cwd):
            return False
        return self.head is None or self.read < _SOON

    def entry(self, line: bytes, offset: int) -> None:
        """Read one line whole, whatever it is. A blank line is none."""
        if not line.strip():
            return
        try:
            entry = parse(line)
        except ValueError:
            entry = None
        if not isinstance(entry, dict):
            self.bad.append(offset)
            return
        odd = strange(entry)
        if odd:
            self.unknown[odd] += 1
        if self.nameless:
            self.head = head_of(entry, self.head)
        self.read += 1
        if kind_of(entry) == "cost-state" and isinstance(entry.get("totalCostUSD"), int | float):
            self.cost = float(entry["totalCostUSD"])
        spent = usage(entry)
        if spent:
            self.spend(spent)
        self.links.extend(links(entry))
        at, key = word(entry.get("timestamp")), key_of(entry, offset)
        for ordinal, one in enumerate(said(entry)):
            self.marks.append(mark(one, offset=offset, length=len(line), ordinal=ordinal, key=key, at=at))

    def spend(self, spent: Usage) -> None:
        """Keep the largest snapshot of each message."""
        known = self.usage.get(spent.message)
        if known is None or spent.output >= known.output:
            self.usage[spent.message] = spent

    def spent(self) -> tuple[Usage, ...]:
        """The tokens of every message."""
        if not self.usage:
            return tuple(self.answers.usage())
        for one in self.answers.usage():
            self.spend(one)
        return tuple(self.usage.values())


def head_of(entry: Entry, known: Head | None) -> Head | None:
    """Who speaks, as far as the entry or the ones before it say so; None while no session is named."""
    session = known.session if known else word(entry.get("sessionId"))
    if not session:
        return None
    agent = word(entry.get("agentId")) if entry.get("isSidechain") else ""
    started = (known.started if known else "") or word(entry.get("timestamp"))
    return Head(session=session, agent=agent, cwd=word(entry.get("cwd")), started=started)


def read_fast(path: Path, start: int) -> Scan:
    """What a transcript says from `start` on. Raises OSError."""
    return _read(path, start, _fast)


def read_whole(path: Path, start: int) -> Scan:
    """The same, with every line parsed."""
    return _read(path, start, _whole)


def _read(path: Path, start: int, lines: Lines) -> Scan:
    reading = Reading(headless=start > 0)
    torn = False
    offset = start
    with open_foreign(path) as file:
        for place, run, begin, end in pieces(file, start):
            if not run:
                reading.bad.append(place)
            elif run[end - 1 : end] == NEWLINE:
                lines(reading, run, begin, end, place)
                offset = place + end
            else:
                torn = not _last(reading, run, place)
        size = file.seek(0, 2)
        end_state = EMPTY if size == 0 else end_of(backwards(file, offset if torn else size), torn=torn)
    return Scan(
        offset=offset,
        end=end_state,
        head=None if reading.headless else reading.head or Head(),
        marks=tuple(reading.marks),
        usage=reading.spent(),
        links=tuple(reading.links),
        bad=tuple(sorted(reading.bad)),
        unknown=reading.unknown,
        own_cost_usd=reading.cost,
    )


def _fast(reading: Reading, run: bytes, begin: int, end: int, offset: int) -> None:
    entry, note, nameless = reading.entry, reading.answers.note, reading.nameless
    while begin < end:
        stop = find(run, NEWLINE, begin, end)
        at = find(run, TYPE, begin, stop) + _TYPE_LENGTH
        kind = run[at : at + _LIKELY]
        if nameless or at < _TYPE_LENGTH or run[begin] != _OPEN or run[stop - 1] != _CLOSE:
            entry(run[begin:stop], offset + begin)
            nameless = reading.nameless
        elif kind in _ANSWER:
            note(run, begin, at, stop)
        elif kind.startswith(_USER):
            if _speaks(run, at, stop):
                entry(run[begin:stop], offset + begin)
        elif kind != _PROGRESS and run[at : find(run, _QUOTE, at, stop)] not in _QUIET:
            entry(run[begin:stop], offset + begin)
        begin = stop + 1
    for start, stop in reading.answers.settle(run):
        entry(run[start:stop], offset + start)


def _speaks(run: bytes, at: int, stop: int) -> bool:
    """Whether a user's line may hold a person's words, or tell of a sub-agent."""
    near = at + _HEAD  # where the line is shorter, the next one may cost it a parse
    return (
        not at < find(run, _RESULT, at, stop) < near
        or find(run, _BESIDE, at, stop) >= 0
        # Not a loop: it is asked of every result of a tool.
        or find(run, b"agentId: ", at, near) >= 0
        or find(run, b"answered", at, near) >= 0
        or find(run, b"approved your plan", at, near) >= 0
        or find(run, b"[Request interrupted", at, near) >= 0
        or (find(run, _ERROR, at, stop) >= 0 and any(find(run, one, at, stop) >= 0 for one in _REFUSALS))
    )


def _whole(reading: Reading, run: bytes, begin: int, end: int, offset: int) -> None:
    for line in run[begin : end - 1].split(NEWLINE):
        reading.entry(line, offset + begin)
        begin += len(line) + 1


def _last(reading: Reading, line: bytes, offset: int) -> bool:
    """Whether a last line without a newline is an entry all the same; then it is read."""
    try:
        whole = isinstance(parse(line), dict)
    except ValueError:
        whole = False
    if whole:
        reading.entry(line, offset)
    return whole
