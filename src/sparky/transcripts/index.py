"""The index of transcripts: what was read of each, in SQLite beside the store. Words stay in the files.

It is made anew from the files whenever it is lost, or of another schema.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from sparky.database import SqliteFile
from sparky.domain.errors import UserError
from sparky.transcripts.index_rows import (
    SCHEMA,
    Known,
    Read,
    begin_of,
    forget,
    head_of,
    leaf_of,
    mark_of,
    settle,
    store,
)
from sparky.transcripts.model import Link, Mark, Reader, Source, Usage, Warn
from sparky.transcripts.sessions import Sheet
from sparky.transcripts.tree import Leaf, places

_VERSION = 2
_BATCH = 1 << 25
"""Bytes of transcripts that are read between two commits: what a kill costs at most."""


class BrokenIndexError(UserError):
    """The index can't be read or written; the text says where it is and what to do."""


@dataclass(frozen=True, kw_only=True)
class Refreshed:
    """What a refresh did: how many transcripts were read, in whole or further on, how many forgotten."""

    read: int = 0
    removed: int = 0


class TranscriptIndex(SqliteFile):
    """One SQLite file in write-ahead mode; any number of processes read it, and may refresh it at once."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, _broken)

    def prepare(self) -> None:
        """Make the file and its tables where they are missing or old. Hold a lock: one process at a time."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BrokenIndexError(f"cannot write in {self._path.parent}: {error.strerror}") from error
        with self._errors():
            db = self._connection()
            if db.execute("PRAGMA user_version").fetchone()[0] == _VERSION:
                return
            db.execute("PRAGMA journal_mode = WAL")
            tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
            drops = "".join(f"DROP TABLE {name};" for name in tables)
            db.executescript(f"BEGIN IMMEDIATE;{drops}{SCHEMA}PRAGMA user_version = {_VERSION};COMMIT;")

    def refresh(self, sources: Iterable[Source], readers: Mapping[str, Reader], warn: Warn) -> Refreshed:
        """Read what is new, forget transcripts that are gone, warn of what can't be read."""
        with self._errors():
            known = self._known()
            gone = dict(known)
            changed = [
                one for one in sources if (was := gone.pop(one.path, None)) is None or was.stamp != one.stamp
            ]
            # The oldest first, so that what was forked has a lower number than its fork.
            changed.sort(key=lambda source: source.stamp[2])
            batch: list[Read] = []
            done, waiting = 0, 0
            for source in changed:
                try:
                    start = begin_of(source, known.get(source.path))
                    scan = readers[source.reader].scan(source, start)
                    batch.append(
                        Read(source=source, start=start, scan=scan, head=head_of(source, scan.offset))
                    )
                except OSError as error:
                    warn(f"{source.path} is passed over: {error.strerror or error}")
                    continue
                done, waiting = done + 1, waiting + max(0, source.stamp[1] - start)
                if waiting >= _BATCH:
                    self._store(batch)
                    batch, waiting = [], 0
            self._store(batch)
            self._forget([one.number for one in gone.values()])
            self._settle()
        return Refreshed(read=done, removed=len(gone))

    def leaves(self) -> list[Leaf]:
        """Every transcript, in the order in which they were first read."""
        rows = self._rows(
            "SELECT path, reader, changed, state, why, open, session, agent, parent, call, title, cwd, "
            "started FROM file ORDER BY id"
        )
        return [leaf_of(row) for row in rows]

    def sheets(self) -> list[Sheet]:
        """Every transcript as a list of sessions needs it, as of the last refresh."""
        rows = self._rows(
            "SELECT root, path, reader, changed, state, why, open, agent, cwd, started FROM file ORDER BY id"
        )
        return [Sheet._make(row) for row in rows]

    def counts(self) -> dict[str, dict[str, int]]:
        """How often persons said something, by session and kind, as of the last refresh."""
        found: dict[str, dict[str, int]] = {}
        rows = self._rows(
            "SELECT root, kind, sum(number) FROM heard JOIN file ON file.id = heard.file GROUP BY root, kind"
        )
        for session, kind, number in rows:
            found.setdefault(session, {})[kind] = number
        return found

    def marks(self) -> dict[str, list[Mark]]:
        """The marks of each transcript that has any, in the order in which these were first read."""
        rows = self._rows(
            "SELECT path, mark.offset, length, ordinal, kind, key, at, mark.call, digest "
            "FROM mark JOIN file ON file.id = mark.file ORDER BY mark.file, mark.offset, ordinal"
        )
        return {path: [mark_of(row) for row in mine] for path, mine in groupby(rows, key=itemgetter(0))}

    def links(self) -> dict[str, list[Link]]:
        """What each transcript tells of sub-agents, the newest last."""
        found: dict[str, list[Link]] = {}
        rows = self._rows(
            "SELECT path, link.agent, link.call, status FROM link JOIN file ON file.id = link.file "
            "ORDER BY link.rowid"
        )
        for path, agent, call, status in rows:
            found.setdefault(path, []).append(Link(agent=agent, call=call, status=status))
        return found

    def usage(self) -> Iterator[tuple[str, Usage]]:
        """The tokens of every message once: its largest snapshot, with the first transcript that has it."""
        rows = self._rows(
            "SELECT path, message, model, input, output, cache_write, cache_write_1h, cache_read "
            "FROM usage JOIN file ON file.id = usage.file ORDER BY output DESC, usage.file"
        )
        seen: set[str] = set()
        for path, message, *rest in rows:
            if message not in seen:
                seen.add(message)
                yield path, Usage(message, *rest)

    def own_costs(self) -> dict[str, float]:
        """What agents themselves count, in USD, by transcript."""
        return dict(self._rows("SELECT path, cost FROM file WHERE cost IS NOT NULL"))

    def odd(self) -> dict[str, int]:
        """What no rule knows, with how often it is there."""
        return dict(self._rows("SELECT what, sum(number) FROM odd GROUP BY what ORDER BY what"))

    def bad(self) -> list[tuple[str, int]]:
        """The lines that can't be read: transcript and offset."""
        return list(
            self._rows("SELECT path, bad.offset FROM bad JOIN file ON file.id = bad.file ORDER BY path, 2")
        )

    def note_sent(self, digest: str) -> None:
        """Remember a prompt that sparky itself sends, so that it does not count as a person's."""
        with self._transaction() as db:
            db.execute("INSERT OR IGNORE INTO sent (digest) VALUES (?)", (digest,))
            db.execute(
                "UPDATE file SET settled = 0 WHERE id IN (SELECT file FROM mark WHERE digest = ?)", (digest,)
            )

    def sent(self) -> frozenset[str]:
        """The digests of prompts that sparky itself sent."""
        return frozenset(digest for (digest,) in self._rows("SELECT digest FROM sent"))

    def _known(self) -> dict[str, Known]:
        rows = self._connection().execute("SELECT path, id, inode, size, changed, offset, head FROM file")
        return {row[0]: Known._make(row) for row in rows}

    def _store(self, batch: list[Read]) -> None:
        if batch:
            with self._transaction() as db:
                for one in batch:
                    store(db, one)

    def _forget(self, numbers: list[int]) -> None:
        if numbers:
            with self._transaction() as db:
                for number in numbers:
                    forget(db, number)
                    db.execute("DELETE FROM file WHERE id = ?", (number,))
                db.execute("UPDATE file SET root = NULL")

    def _settle(self) -> None:
        """Find out anew what may have changed with what was read: counts, and who stands below whom."""
        if not self._rows("SELECT 1 FROM file WHERE NOT settled OR root IS NULL LIMIT 1"):
            return
        with self._transaction() as db:
            sent = self.sent()
            for (number,) in db.execute("SELECT id FROM file WHERE NOT settled").fetchall():
                settle(db, number, sent)
            if db.execute("SELECT 1 FROM file WHERE root IS NULL LIMIT 1").fetchone():
                where = places(self.leaves(), self.links())
                roots = [(place.session, path) for path, place in where.items()]
                db.executemany("UPDATE file SET root = ?1 WHERE path = ?2 AND root IS NOT ?1", roots)

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        with self._errors():
            return self._connection().execute(query).fetchall()


def _broken(path: Path, error: sqlite3.Error) -> BrokenIndexError:
    return BrokenIndexError(
        f"{path}: {error}; look at its permissions and the disk's free space. All that it holds is in the "
        "transcripts: it can be removed, and is made anew."
    )
