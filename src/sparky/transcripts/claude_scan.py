"""Claude Code's lines at disk speed: what can't concern us is passed over without being parsed.

An unescaped quote never stands within a JSON string, so a needle with quotes finds structure only: words
that look like a transcript inside a tool's output do not match. What a needle finds is parsed; what none
finds is neither a person's words nor tokens. `read_whole` parses everything, and a test holds the two
against each other. They differ in one thing: what an answer says is not looked at by the fast one, so that a
model's answer in the usual shape whose content is broken has its tokens counted, and is not reported as bad.

Needles are looked for by StringZilla, the only use of it: Python's own search takes six times as long.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from stringzilla import find, rfind  # type: ignore[import-not-found]  # it is C alone

from sparky.foreign import open_foreign
from sparky.transcripts.claude_end import EMPTY, end_of
from sparky.transcripts.claude_entry import QUIET, SYNTHETIC, key_of, kind_of, links, said, strange, usage
from sparky.transcripts.claude_text import REJECTED, STOPPED
from sparky.transcripts.jsonl import NEWLINE, backwards, pieces
from sparky.transcripts.model import Head, Link, Mark, Scan, Usage, mark
from sparky.transcripts.plain import Entry, parse, word

Lines = Callable[["Reading", bytes, int, int, int], None]
"""Reads the whole lines between two places of some bytes, whose first has an offset in the file."""

_QUOTE, _OPEN, _CLOSE = b'"', ord("{"), ord("}")
_TYPE = b'"type":"'
_TYPE_LENGTH = len(_TYPE)
_MESSAGE, _USAGE = b'"message":{', b'"usage":'
_NAMES = slice(len(_MESSAGE), -_TYPE_LENGTH)
"""What of a message's beginning is before its type: its id and its model."""
_BEFORE = (b'"stop_sequence":null,', b'"stop_details":null,')
"""What stands before the tokens of a message, if they are its own and none that a tool was given."""
_PARENT = b'"parentUuid":'
"""A line that has it twice was torn by a kill, and went on as another one."""
_RESULT = b'"tool_result"'
_HEAD = 400
"""The bytes after an entry's type that hold the kind of its first block, and the start of its text."""
_TELLING = (b"agentId: ", b"answered", b"approved your plan", b"[Request interrupted")
_SOON = 20
"""The entries that are read whole in search of the directory that a session works in."""
_BESIDE, _ERROR = b'{"type":"text","text":', b'"is_error":true'
_REFUSALS = (b'"toolDenialKind"', *(words.encode() for words in (*REJECTED, STOPPED)))
"""What an error has that is a person's: else it is a tool's own."""
_USER, _ANSWER = b"user", frozenset({b"message", b"assistant"})
_QUIET = frozenset(kind.encode() for kind in QUIET)


class _Spent(msgspec.Struct, gc=False):
    ephemeral_1h_input_tokens: int | None = None


class _Tokens(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int = 0
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation: _Spent | None = None


class _Message(msgspec.Struct, gc=False):
    """The parts of a message that cost: the rest is checked, but never built."""

    id: str = ""
    model: str = ""
    usage: _Tokens | None = None


class _Assistant(msgspec.Struct, gc=False):
    type: str
    message: _Message


_decode = msgspec.json.Decoder(_Assistant).decode
_decode_name = msgspec.json.Decoder(_Message).decode


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
    answers: dict[str, tuple[str, _Tokens]] = field(default_factory=dict)
    beginning: bytes = b""
    name: _Message = field(default_factory=_Message)
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

    def answer(self, run: bytes, begin: int, at: int, stop: int, offset: int) -> None:
        """Read the tokens of a model's answer, and nothing else of it: its content is passed over.

        `at` is where the first type of the line begins. Of a line of another shape all is read.
        """
        try:
            name, found = self._answer(run, begin, at, stop)
        except (ValueError, RecursionError):
            self.entry(run[begin:stop], offset)
            return
        spent = found.message.usage
        if found.type != "assistant":
            self.entry(run[begin:stop], offset)
        elif spent is not None and name.id and name.model != SYNTHETIC:
            known = self.answers.get(name.id)
            if known is None or spent.output_tokens >= known[1].output_tokens:
                self.answers[name.id] = name.model, spent

    def _answer(self, run: bytes, begin: int, at: int, stop: int) -> tuple[_Message, _Assistant]:
        """Whose answer it is, and what it cost; raises ValueError for what is no JSON."""
        first, tokens = rfind(run, _MESSAGE, begin, at), find(run, _USAGE, at, stop)
        if (
            first >= 0
            and run.endswith(_BEFORE, at, max(tokens, at))
            and find(run, _PARENT, begin + 2, stop) < 0
        ):
            beginning = run[first:at]
            if beginning != self.beginning:  # most answers are several lines
                name = _decode_name(b"{" + beginning[_NAMES].rstrip(b",") + b"}")
                self.beginning, self.name = beginning, name
            if self.name.id and self.name.model:
                # As if there was no content. Were they another's tokens, braces would be left over.
                return self.name, _decode(b'{"message":{' + run[tokens:stop])
        found = _decode(run[begin:stop])
        return found.message, found

    def spend(self, spent: Usage) -> None:
        """Keep the largest snapshot of each message."""
        known = self.usage.get(spent.message)
        if known is None or spent.output >= known.output:
            self.usage[spent.message] = spent

    def spent(self) -> tuple[Usage, ...]:
        """The tokens of every message."""
        for name, (model, tokens) in self.answers.items():
            self.spend(_usage(name, model, tokens))
        return tuple(self.usage.values())


def _usage(name: str, model: str, tokens: _Tokens) -> Usage:
    return Usage(
        message=name,
        model=model,
        input=tokens.input_tokens or 0,
        output=tokens.output_tokens or 0,
        cache_write=tokens.cache_creation_input_tokens or 0,
        cache_write_1h=(tokens.cache_creation.ephemeral_1h_input_tokens or 0) if tokens.cache_creation else 0,
        cache_read=tokens.cache_read_input_tokens or 0,
    )


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
        bad=tuple(reading.bad),
        unknown=reading.unknown,
        own_cost_usd=reading.cost,
    )


def _fast(reading: Reading, run: bytes, begin: int, end: int, offset: int) -> None:
    entry, answer, nameless = reading.entry, reading.answer, reading.nameless
    while begin < end:
        stop = find(run, NEWLINE, begin, end)
        at = find(run, _TYPE, begin, stop) + _TYPE_LENGTH
        kind = run[at : find(run, _QUOTE, at, stop)] if at >= _TYPE_LENGTH else b""
        if nameless or run[begin] != _OPEN or run[stop - 1] != _CLOSE:
            entry(run[begin:stop], offset + begin)
            nameless = reading.nameless
        elif kind in _ANSWER:
            answer(run, begin, at, stop, offset + begin)
        elif kind == _USER:
            if (
                _speaks(run, at, min(at + _HEAD, stop))
                or find(run, _BESIDE, at, stop) >= 0
                or (
                    find(run, _ERROR, at, stop) >= 0
                    and any(find(run, one, at, stop) >= 0 for one in _REFUSALS)
                )
            ):
                entry(run[begin:stop], offset + begin)
        elif kind not in _QUIET:
            entry(run[begin:stop], offset + begin)
        begin = stop + 1


def _speaks(run: bytes, at: int, stop: int) -> bool:
    """Whether the first words of a user's line may be a person's, or tell of a sub-agent."""
    return find(run, _RESULT, at, stop) < 0 or any(find(run, one, at, stop) >= 0 for one in _TELLING)


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
