"""Rows of the index: its tables, and how what was read of one transcript becomes rows."""

import sqlite3
from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from sparky.foreign import open_foreign
from sparky.transcripts.feedback import kept
from sparky.transcripts.model import End, EndState, FeedbackKind, Head, Mark, Note, Scan, Source
from sparky.transcripts.tree import Leaf

_HEAD = 256
_PARTS = ("mark", "usage", "link", "odd", "bad", "heard")
_KINDS: dict[str, FeedbackKind | Note] = {kind.value: kind for kind in (*FeedbackKind, *Note)}

SCHEMA = """
CREATE TABLE file (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, reader TEXT NOT NULL,
    inode INTEGER NOT NULL, size INTEGER NOT NULL, changed INTEGER NOT NULL, offset INTEGER NOT NULL, head
    BLOB NOT NULL, session TEXT NOT NULL, agent TEXT NOT NULL, parent TEXT NOT NULL, call TEXT NOT NULL,
    title TEXT NOT NULL, cwd TEXT NOT NULL, started TEXT NOT NULL, state TEXT NOT NULL, why TEXT NOT NULL,
    open INTEGER NOT NULL, cost REAL, root TEXT, settled INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE mark (
    file INTEGER NOT NULL, offset INTEGER NOT NULL, ordinal INTEGER NOT NULL, length INTEGER NOT NULL,
    kind TEXT NOT NULL, key TEXT NOT NULL, at TEXT NOT NULL, call TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (file, offset, ordinal)
) WITHOUT ROWID;
CREATE INDEX mark_by_key ON mark (key);
CREATE TABLE heard (
    file INTEGER NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (file, kind)
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
"""`file.root` is the session that a transcript stands below, NULL while that has to be found out; `heard`
counts what persons said, and holds where `file.settled` says so."""

_FRESH = """
SELECT '', offset, length, ordinal, kind, key, at, call, digest FROM mark AS mine
WHERE file = ? AND NOT EXISTS
    (SELECT 1 FROM mark AS other WHERE other.key = mine.key AND other.file < mine.file)
ORDER BY offset, ordinal
"""


class Known(NamedTuple):
    """A transcript as it was when it was read last; a tuple, since each refresh makes one of every file."""

    path: str
    number: int
    inode: int
    size: int
    changed: int
    offset: int
    head: bytes

    @property
    def stamp(self) -> tuple[int, int, int]:
        """What a source's stamp is equal to while nothing has changed."""
        return self.inode, self.size, self.changed


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
    if known is None or not inode or known.inode != inode or size < known.offset:
        return 0
    return known.offset if head_of(source, known.offset) == known.head else 0


def head_of(source: Source, offset: int) -> bytes:
    """A digest of the first bytes up to an offset, and of the one before it, which ends a line."""
    if not source.stamp[0]:
        return b""
    with open_foreign(Path(source.path)) as file:
        first = file.read(min(_HEAD, offset)) or b""
        file.seek(max(0, offset - 1))
        return sha256(first + (file.read(1) or b"")).digest()[:16]


def store(db: sqlite3.Connection, read: Read) -> None:
    """Write what was read. Written twice it is the same: every row is keyed by its place."""
    source, scan = read.source, read.scan
    number = _number(db, source)
    fresh = number is None
    if number is None or read.start == 0:
        number = _begin(db, source, scan.head, number)
    elif scan.links:
        db.execute("UPDATE file SET root = NULL")
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
    if not fresh:  # of entries that are in several files the first counts: the last takes nothing from others
        _unsettle(db, number)


def forget(db: sqlite3.Connection, number: int) -> None:
    """Remove what was read of a transcript."""
    _unsettle(db, number)
    for part in _PARTS:
        db.execute(f"DELETE FROM {part} WHERE file = ?", (number,))  # noqa: S608 - our own names


def _unsettle(db: sqlite3.Connection, number: int) -> None:
    """What was said has to be counted again in a transcript, and in those that have copies of its entries."""
    copies = "SELECT file FROM mark WHERE key IN (SELECT key FROM mark WHERE file = ?1)"
    db.execute(f"UPDATE file SET settled = 0 WHERE id = ?1 OR id IN ({copies})", (number,))  # noqa: S608 - ours


def settle(db: sqlite3.Connection, number: int, sent: AbstractSet[str]) -> None:
    """Count what persons said in a transcript; what an earlier one says, too, counts there."""
    fresh: dict[str, Mark] = {}
    for row in db.execute(_FRESH, (number,)):
        mark = mark_of(row)
        fresh.setdefault(mark.key, mark)
    counts = Counter(one.kind.value for one in kept(list(fresh.values())) if one.digest not in sent)
    db.execute("DELETE FROM heard WHERE file = ?", (number,))
    db.executemany("INSERT INTO heard VALUES (?, ?, ?)", [(number, *pair) for pair in counts.items()])
    db.execute("UPDATE file SET settled = 1 WHERE id = ?", (number,))


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


def _number(db: sqlite3.Connection, source: Source) -> int | None:
    row = db.execute("SELECT id FROM file WHERE path = ?", (source.path,)).fetchone()
    return int(row[0]) if row else None


def _begin(db: sqlite3.Connection, source: Source, head: Head | None, number: int | None) -> int:
    """The number of a transcript that is read from its start, with who speaks in it and nothing else."""
    if number is not None:
        forget(db, number)
    fresh = head or Head(session=source.session, agent=source.agent)
    values = (fresh.session, fresh.agent, fresh.parent, fresh.call, fresh.title, fresh.cwd, fresh.started)
    done = db.execute(
        "INSERT INTO file (id, path, reader, inode, size, changed, offset, head, session, agent, parent, "
        "call, title, cwd, started, state, why, open) "
        "VALUES (?, ?, ?, 0, 0, 0, 0, x'', ?, ?, ?, ?, ?, ?, ?, '', '', 0) "
        "ON CONFLICT (id) DO UPDATE SET session = excluded.session, agent = excluded.agent, "
        "parent = excluded.parent, call = excluded.call, title = excluded.title, cwd = excluded.cwd, "
        "started = excluded.started, root = NULL",
        (number, source.path, source.reader, *values),
    )
    return number or int(done.lastrowid or 0)
