"""What is known of transcripts: where they lie, what was marked in them, what a person said."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Protocol


class FeedbackKind(Enum):
    """In which way a person said something."""

    MESSAGE = "message"
    COMMAND = "command"
    REJECTION = "rejection"
    APPROVAL = "approval"
    ANSWER = "answer"
    QUEUED = "queued"
    STOP = "stop"
    PLAN_EDIT = "plan_edit"


class Note(Enum):
    """What a transcript notes that no person said, but that decides what becomes of what one said."""

    TAKEN_OFF = "taken_off"
    STARTED = "started"
    TAKEN_BACK = "taken_back"


class EndState(Enum):
    """How a transcript ends."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    KILLED = "killed"
    RUNNING = "running"
    EMPTY = "empty"


@dataclass(frozen=True, kw_only=True)
class End:
    """How a transcript ends, and what shows it. `open`: no end is shown; it is killed, or still running."""

    state: EndState
    why: str
    open: bool = False


class Source(NamedTuple):
    """One transcript as it is found, unread; a tuple, since each refresh makes one of every file.

    `stamp` is (inode, size, time of change in nanoseconds): equal stamps mean that nothing has changed.
    `session` and `agent` are what the place says, "" where it says nothing; `meta` tells of a description
    beside it.
    """

    reader: str
    path: str
    stamp: tuple[int, int, int]
    session: str = ""
    agent: str = ""
    meta: bool = False


@dataclass(frozen=True, kw_only=True)
class Head:
    """Who speaks in a transcript. `session` is what it claims: a session, or an agent that it works for.

    `agent` is "" for a session's own transcript; `parent` is the agent above, `call` the tool call that
    started it, "" where that is not told. `started` is ISO 8601.
    """

    session: str = ""
    agent: str = ""
    parent: str = ""
    call: str = ""
    title: str = ""
    cwd: str = ""
    started: str = ""


class Said(NamedTuple):
    """Words of a person within one entry, or a note; `call` is the id of the call that they are about.

    A tuple, as marks and tokens are: they are many, and it is made in a fraction of the time.
    """

    kind: FeedbackKind | Note
    text: str = ""
    call: str = ""


class Mark(NamedTuple):
    """Where a transcript says something: its place, and what is needed to tell it from others; not the words.

    `offset` and `length` are bytes, or the ordinal of a message and 0 where a file is not made of lines.
    `key` is the same for copies of one entry in several files.
    """

    kind: FeedbackKind | Note
    offset: int
    length: int
    ordinal: int
    key: str
    at: str
    call: str
    digest: str


class Usage(NamedTuple):
    """Tokens of one message. `cache_write` counts all writes, `cache_write_1h` those kept an hour."""

    message: str
    model: str
    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    cache_read: int = 0


@dataclass(frozen=True, kw_only=True)
class Link:
    """What a transcript says of a sub-agent: the call that started it, its state ("" where not told)."""

    agent: str
    call: str = ""
    status: str = ""


@dataclass(frozen=True, kw_only=True)
class Scan:
    """What was read of a transcript from one offset on.

    `offset` is where to go on reading: the end of the last whole line. `bad` are the offsets of lines that
    can't be read, `unknown` the types that no rule knows, with their number. `own_cost_usd` is what the
    agent itself counts for the session so far, None where it tells nothing. `head` is None where it was read
    before.
    """

    offset: int
    end: End
    head: Head | None = None
    marks: tuple[Mark, ...] = ()
    usage: tuple[Usage, ...] = ()
    links: tuple[Link, ...] = ()
    bad: tuple[int, ...] = ()
    unknown: Mapping[str, int] = field(default_factory=dict)
    own_cost_usd: float | None = None


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call: its name, and the file, command or other word that tells it from others."""

    name: str
    target: str = ""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One step of a conversation. `by` is person, agent, parent (the agent above), tool or system.

    `kind` is set where a person spoke; `call` with its `input` where an agent calls a tool.
    """

    by: str
    at: str = ""
    text: str = ""
    kind: FeedbackKind | None = None
    model: str = ""
    call_id: str = ""
    call: Call | None = None
    input: object = None
    usage: Usage | None = None


class Reader(Protocol):
    """What one tool's transcripts need. Paths are strings, since some name a place within a file."""

    name: str

    def discover(self, home: Path) -> Iterable[Source]:
        """Every transcript below the tool's own directory; nothing where there is none."""
        ...

    def recognise(self, path: Path) -> Iterable[Source]:
        """The transcripts that a file holds, if it is one of this tool's; else nothing."""
        ...

    def scan(self, source: Source, start: int) -> Scan:
        """What it says from `start` on, an offset that an earlier scan gave. Raises OSError."""
        ...

    def words(self, path: str, marks: Sequence[Mark]) -> Sequence[tuple[str, Call | None]]:
        """For each mark the words, and the call they are about. ("", None) where the file has changed."""
        ...

    def turns(self, path: str) -> Iterator[Turn]:
        """The whole conversation in order. Raises OSError."""
        ...


@dataclass(frozen=True, kw_only=True)
class Feedback:
    """What a person said, and where.

    `agents` is the way from the session down to the sub-agent that it was said to, empty for the session
    itself. `reason` is, for a stop, what the person said next. `offset` is as in Mark.
    """

    kind: FeedbackKind
    at: str
    text: str
    reader: str
    session: str
    agents: tuple[str, ...]
    call: Call | None
    reason: str
    path: str
    offset: int
    call_id: str = ""


Warn = Callable[[str], None]
"""Takes one line for the person."""


def digest(text: str) -> str:
    """What words are known by where they are not kept."""
    return sha256(text.strip().encode()).hexdigest()[:20]


def mark(said: Said, *, offset: int, length: int, ordinal: int, key: str, at: str) -> Mark:
    """The mark of what was said. Where an entry has no id, its time and words are its key."""
    mine = digest(said.text)
    return Mark(
        kind=said.kind,
        offset=offset,
        length=length,
        ordinal=ordinal,
        key=f"{key or at + mine}:{ordinal}",
        at=at,
        call=said.call,
        digest=mine,
    )
