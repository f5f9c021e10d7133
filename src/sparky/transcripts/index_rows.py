"""Rows of the index: its tables, and how what was read of one transcript becomes rows."""

import sqlite3
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from sparky.transcripts.model import End, EndState, FeedbackKind, Head, Mark, Note, Scan, Source
from sparky.transcripts.tree import Leaf

_HEAD = 256
_PARTS = ("mark", "usage", "link", "odd", "bad")
_KINDS: dict[str, FeedbackKind | Note] = {kind.value: kind for kind in (*FeedbackKind, *Note)}

SCHEMA = """
CREATE TABLE file (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, reader TEXT NOT NULL,
    inode INTEGER NOT NULL, size INTEGER NOT NULL, changed INTEGER NOT NULL, offset INTEGER NOT NULL, head
    BLOB NOT NULL, session TEXT NOT NULL, agent TEXT NOT NULL, parent TEXT NOT NULL, call TEXT NOT NULL,
    title TEXT NOT NULL, cwd TEXT NOT NULL, started TEXT NOT NULL, state TEXT NOT NULL, why TEXT NOT NULL,
    open INTEGER NOT NULL, cost REAL
);
CREATE TABLE mark (
    file INTEGER NOT NULL, offset INTEGER NOT NULL, ordinal INTEGER NOT NULL, length INTEGER NOT NULL,
    kind TEXT NOT NULL, key TEXT NOT NULL, at TEXT NOT NULL, call TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (file, offset, ordinal)
) WITHOUT ROWID;
CREATE TABLE usage (
    file INTEGER NOT NULL, message TEXT NOT NULL, model TEXT NOT NULL, input INTEGER NOT NULL, output INTEGER
    NOT NULL, cache_write INTEGER NOT NULL, cache_write_1h INTEGER NOT NULL, cache_read INTEGER NOT NULL,
    PRIMARY KEY (file, message)
) WITHOUT ROWID;
CREATE TABLE link (
    file INTEGER NOT NULL, agent TEXT NOT NULL, call TEXT NOT NULL, status TEXT NOT NULL,
    UNIQUE (file, agent, call)
);
CREATE TABLE odd (
    file INTEGER NOT NULL, what TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (file, what)
) WITHOUT ROWID;
CREATE TABLE bad (file INTEGER NOT NULL, offset INTEGER NOT NULL, PRIMARY KEY (file, offset)) WITHOUT ROWID;
CREATE TABLE sent (digest TEXT PRIMARY KEY) WITHOUT ROWID;
"""


@dataclass(frozen=True, kw_only=True)
class Known:
    """A transcript as it was when it was read last."""

    number: int
    stamp: tuple[int, int, int]
    offset: int
    head: bytes


@dataclass(frozen=True, kw_only=True)
class Read:
    """What was read of a transcript from `start` on; `head` is the digest of its first bytes."""

    source: Source
    start: int
    scan: Scan
    head: bytes


def begin_of(source: Source, known: Known | None) -> int:
    """Where to go on reading; 0 for what is new, cut, replaced, or no file of lines. Raises OSError."""
    inode, size, _ = source.stamp
    if known is None or not inode or known.stamp[0] != inode or size < known.offset:
        return 0
    return known.offset if head_of(source, known.offset) == known.head else 0


def head_of(source: Source, offset: int) -> bytes:
    """A digest of the first bytes up to an offset, and of the one before it, which ends a line."""
    if not source.stamp[0]:
        return b""
    with Path(source.path).open("rb", buffering=0) as file:
        first = file.read(min(_HEAD, offset)) or b""
        file.seek(max(0, offset - 1))
        return sha256(first + (file.read(1) or b"")).digest()[:16]


def store(db: sqlite3.Connection, read: Read) -> None:
    """Write what was read. Written twice it is the same: every row is keyed by its place."""
    source, scan = read.source, read.scan
    number = _file(db, source, scan.head)
    if read.start == 0:
        forget(db, number)
    end, stamp = scan.end, source.stamp
    db.execute(
        "UPDATE file SET inode = ?, size = ?, changed = ?, offset = ?, head = ?, state = ?, why = ?, "
        "open = ?, cost = coalesce(?, cost) WHERE id = ?",
        (*stamp, scan.offset, read.head, end.state.value, end.why, end.open, scan.own_cost_usd, number),
    )
    db.executemany(
        "INSERT OR REPLACE INTO mark VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (number, m.offset, m.ordinal, m.length, m.kind.value, m.key, m.at, m.call, m.digest)
            for m in scan.marks
        ],
    )
    db.executemany(
        "INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
        "output = excluded.output, input = excluded.input, cache_write = excluded.cache_write, "
        "cache_write_1h = excluded.cache_write_1h, cache_read = excluded.cache_read "
        "WHERE excluded.output >= output",
        [(number, *one) for one in scan.usage],
    )
    db.executemany(
        "INSERT OR REPLACE INTO link VALUES (?, ?, ?, ?)",
        [(number, one.agent, one.call, one.status) for one in scan.links],
    )
    db.executemany(
        "INSERT INTO odd VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET number = number + excluded.number",
        [(number, what, times) for what, times in scan.unknown.items()],
    )
    db.executemany("INSERT OR REPLACE INTO bad VALUES (?, ?)", [(number, offset) for offset in scan.bad])


def forget(db: sqlite3.Connection, number: int) -> None:
    """Remove what was read of a transcript."""
    for part in _PARTS:
        db.execute(f"DELETE FROM {part} WHERE file = ?", (number,))  # noqa: S608 - our own names


def mark_of(row: tuple[Any, ...]) -> Mark:
    """The mark of a row: path, offset, length, ordinal, kind, key, at, call, digest."""
    _, offset, length, ordinal, kind, key, at, call, digest = row
    return Mark(
        kind=_KINDS[kind],
        offset=offset,
        length=length,
        ordinal=ordinal,
        key=key,
        at=at,
        call=call,
        digest=digest,
    )


def leaf_of(row: tuple[Any, ...]) -> Leaf:
    """The transcript of a row: path, reader, time of change, state, why, open, and the fields of a head."""
    path, reader, changed, state, why, still, session, agent, parent, call, title, cwd, started = row
    return Leaf(
        path=path,
        reader=reader,
        written=changed / 1e9,
        end=End(state=EndState(state), why=why, open=bool(still)),
        head=Head(
            session=session, agent=agent, parent=parent, call=call, title=title, cwd=cwd, started=started
        ),
    )


def _file(db: sqlite3.Connection, source: Source, head: Head | None) -> int:
    """The number of a transcript, with who speaks in it as far as that was read now."""
    fresh = head or Head(session=source.session, agent=source.agent)
    values = (fresh.session, fresh.agent, fresh.parent, fresh.call, fresh.title, fresh.cwd, fresh.started)
    insert = (
        "INSERT INTO file (path, reader, inode, size, changed, offset, head, session, agent, parent, call, "
        "title, cwd, started, state, why, open) "
        "VALUES (?, ?, 0, 0, 0, 0, x'', ?, ?, ?, ?, ?, ?, ?, '', '', 0) "
    )
    again = (
        "ON CONFLICT (path) DO UPDATE SET session = excluded.session, agent = excluded.agent, "
        "parent = excluded.parent, call = excluded.call, title = excluded.title, cwd = excluded.cwd, "
        "started = excluded.started"
    )
    db.execute(insert + (again if head else "ON CONFLICT DO NOTHING"), (source.path, source.reader, *values))
    return int(db.execute("SELECT id FROM file WHERE path = ?", (source.path,)).fetchone()[0])
