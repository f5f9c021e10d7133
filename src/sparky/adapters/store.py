"""The store: runs, attempts, claims and refusals in SQLite. A projection of what the engine recorded."""

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sparky.adapters.locks import FileLocks
from sparky.domain.attempt import Attempt
from sparky.domain.errors import UserError
from sparky.domain.run import RunRow, Take
from sparky.domain.state import Outcome, PipelineState
from sparky.formats.state_json import decode, decode_state, encode

_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, issue_key TEXT NOT NULL, repository TEXT NOT NULL, repo_path TEXT NOT NULL,
    issue_id TEXT NOT NULL, title TEXT NOT NULL, base TEXT NOT NULL, branch TEXT NOT NULL,
    executor TEXT NOT NULL, segment INTEGER NOT NULL, outcome TEXT, reason TEXT NOT NULL DEFAULT '',
    created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ')),
    updated TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ')),
    cancelled INTEGER NOT NULL DEFAULT 0, state BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS runs_by_repository ON runs (repository, created);
CREATE INDEX IF NOT EXISTS runs_by_created ON runs (created);
CREATE INDEX IF NOT EXISTS runs_open ON runs (run_id) WHERE outcome IS NULL;
CREATE TABLE IF NOT EXISTS attempts (
    run_id TEXT NOT NULL, ordinal INTEGER NOT NULL, stage TEXT NOT NULL, attempt BLOB NOT NULL,
    PRIMARY KEY (run_id, ordinal)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS forgotten (
    run_id TEXT PRIMARY KEY, issue_key TEXT NOT NULL, base TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (issue_key TEXT PRIMARY KEY, run_id TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS refusals (
    repository TEXT NOT NULL, fingerprint TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (repository, fingerprint)
) WITHOUT ROWID;
"""

_ROW = """
SELECT run_id, issue_key, repository, repo_path, issue_id, title, base, branch, executor, segment, outcome,
    reason, created, updated, cancelled,
    coalesce((SELECT stage FROM attempts a WHERE a.run_id = r.run_id ORDER BY ordinal DESC LIMIT 1), '')
FROM runs r
"""
_HOLDER = "WHERE run_id = (SELECT run_id FROM claims WHERE issue_key = ?)"


class StoreError(UserError):
    """The store can't be read or written; the text says where it is and what to do."""


class SqliteStore:
    """One SQLite file in write-ahead mode; any number of threads and processes at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._local = threading.local()

    def prepare(self) -> None:
        """Make the file and the tables where they are missing."""
        try:
            # SQLite does not wait, but fails, where two processes change the journal's mode at once.
            with FileLocks(self._path.parent).hold(self._path.name), self._errors():
                connection = self._connection()
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(_SCHEMA)
        except OSError as error:
            said = f"cannot write in {self._path.parent}: {error.strerror}"
            raise StoreError(f"{said}; make it writable, or set SPARKY_STATE_DIR") from error

    def claim(self, state: PipelineState, executor: str, judge: Callable[[RunRow | None], Take]) -> Take:
        """Take the issue for a new run, unless `judge` says to join or adopt the run that holds it.

        One transaction: of several processes that ask at once for one issue, exactly one starts.
        """
        with self._transaction() as connection:
            held = connection.execute(_ROW + _HOLDER, (state.issue.key,)).fetchone()
            decision = judge(_row(held) if held else None)
            if decision is not Take.START:
                return decision
            if connection.execute("SELECT 1 FROM runs WHERE run_id = ?", (state.run_id,)).fetchone():
                raise StoreError(f"{state.run_id} was started and ended meanwhile: ask once more")
            connection.execute(
                "INSERT OR REPLACE INTO claims (issue_key, run_id) VALUES (?, ?)",
                (state.issue.key, state.run_id),
            )
            self._insert(connection, state, executor)
        return decision

    def holder(self, issue_key: str) -> RunRow | None:
        """The run that holds the claim on an issue."""
        return next(iter(self._rows(_HOLDER, (issue_key,))), None)

    def continue_run(self, state: PipelineState, executor: str) -> None:
        """Note that a new segment of the run starts, driven by `executor`; raises StoreError if one has."""
        with self._transaction() as connection:
            query = "SELECT segment, outcome FROM runs WHERE run_id = ?"
            found = connection.execute(query, (state.run_id,)).fetchone()
            if found is None or found[0] != state.segment - 1 or found[1] is None:
                raise StoreError(f"another process is at {state.run_id}: `sparky show {state.run_id}`")
            self._insert(connection, state, executor)

    def adopt(self, run_id: str, executor: str) -> None:
        """Note who drives the run from now on."""
        with self._transaction() as connection:
            connection.execute("UPDATE runs SET executor = ? WHERE run_id = ?", (executor, run_id))

    def count_at(self, issue_key: str, base: str) -> int:
        """How many runs of the issue at that base there have been, those that were forgotten among them."""
        query = """SELECT count(*) FROM
            (SELECT issue_key, base FROM runs UNION ALL SELECT issue_key, base FROM forgotten)
            WHERE issue_key = ? AND base = ?"""
        with self._errors():
            return int(self._connection().execute(query, (issue_key, base)).fetchone()[0])

    def save_attempt(self, run_id: str, ordinal: int, attempt: Attempt) -> None:
        """Keep an attempt; the same ordinal again replaces it."""
        with self._errors():
            self._connection().execute(
                "INSERT OR REPLACE INTO attempts (run_id, ordinal, stage, attempt) VALUES (?, ?, ?, ?)",
                (run_id, ordinal, attempt.stage.value, encode(attempt)),
            )

    def save_end(self, state: PipelineState) -> None:
        """Keep how the segment ended, with the whole state. Only a ready run goes on holding its claim."""
        end = state.ends[-1]
        with self._transaction() as connection:
            connection.execute(
                "UPDATE runs SET outcome = ?, reason = ?, updated = strftime('%Y-%m-%dT%H:%M:%SZ'), "
                "state = ? WHERE run_id = ?",
                (end.outcome.value, end.reason, encode(state), state.run_id),
            )
            if end.outcome is not Outcome.READY:
                connection.execute("DELETE FROM claims WHERE run_id = ?", (state.run_id,))

    def cancel(self, run_id: str) -> None:
        """Ask for the run's end."""
        with self._transaction() as connection:
            connection.execute("UPDATE runs SET cancelled = 1 WHERE run_id = ?", (run_id,))

    def cancelled(self, run_id: str) -> bool:
        """Whether a person asked for the run's end."""
        with self._errors():
            query = "SELECT cancelled FROM runs WHERE run_id = ?"
            found = self._connection().execute(query, (run_id,)).fetchone()
            return bool(found and found[0])

    def state(self, run_id: str) -> PipelineState:
        """The run so far: its state as it was last written whole, and the attempts since."""
        with self._errors():
            connection = self._connection()
            found = connection.execute("SELECT state FROM runs WHERE run_id = ?", (run_id,)).fetchone()
            if found is None:
                raise StoreError(f"no run {run_id}")
            state = decode_state(found[0])
            later = connection.execute(
                "SELECT attempt FROM attempts WHERE run_id = ? AND ordinal >= ? ORDER BY ordinal",
                (run_id, len(state.attempts)),
            ).fetchall()
        for (attempt,) in later:
            state = state.record(decode(attempt, Attempt))
        return state

    def row(self, run_id: str) -> RunRow | None:
        """One run."""
        return next(iter(self._rows("WHERE run_id = ?", (run_id,))), None)

    def find(self, prefix: str) -> list[RunRow]:
        """The runs whose id starts so; the one whose id is just that comes alone."""
        exact = self.row(prefix)
        if exact is not None:
            return [exact]
        pattern = prefix.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        return list(self._rows(r"WHERE run_id LIKE ? ESCAPE '\' ORDER BY created DESC", (pattern,)))

    def rows(self, repository: str | None = None, limit: int = 50) -> list[RunRow]:
        """The newest runs, newest first; of one repository if it is given."""
        if repository is None:
            return list(self._rows("ORDER BY created DESC, rowid DESC LIMIT ?", (limit,)))
        where = "WHERE repository = ? ORDER BY created DESC, rowid DESC LIMIT ?"
        return list(self._rows(where, (repository, limit)))

    def unfinished(self) -> list[RunRow]:
        """The runs without an end, oldest first."""
        return list(self._rows("WHERE outcome IS NULL ORDER BY created, rowid", ()))

    def refuse(self, repository: str, reasons: Mapping[str, str]) -> None:
        """Remember, by fingerprint, the findings whose fix was withdrawn, and why."""
        with self._transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO refusals (repository, fingerprint, reason) VALUES (?, ?, ?)",
                [(repository, mark, reason) for mark, reason in reasons.items()],
            )

    def forgive(self, repository: str) -> None:
        """Forget what was withdrawn in a repository, so that it is tried again."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM refusals WHERE repository = ?", (repository,))

    def refusals(self, repository: str) -> dict[str, str]:
        """Fingerprint to reason, for all findings of the repository whose fix was withdrawn."""
        query = "SELECT fingerprint, reason FROM refusals WHERE repository = ?"
        with self._errors():
            return dict(self._connection().execute(query, (repository,)).fetchall())

    def forget(self, runs: Iterable[str]) -> None:
        """Remove runs and their attempts. Their ids stay taken: the engine knows what ran under them."""
        keep = "INSERT OR REPLACE INTO forgotten SELECT run_id, issue_key, base FROM runs WHERE run_id = ?"
        with self._transaction() as connection:
            for run in runs:
                connection.execute(keep, (run,))
                connection.execute("DELETE FROM attempts WHERE run_id = ?", (run,))
                connection.execute("DELETE FROM claims WHERE run_id = ?", (run,))
                connection.execute("DELETE FROM runs WHERE run_id = ?", (run,))

    def _insert(self, connection: sqlite3.Connection, state: PipelineState, executor: str) -> None:
        issue, context = state.issue, state.context
        connection.execute(
            "INSERT INTO runs (run_id, issue_key, repository, repo_path, issue_id, title, base, branch, "
            "executor, segment, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (run_id) DO UPDATE SET executor = excluded.executor, segment = excluded.segment, "
            "state = excluded.state, outcome = NULL, reason = '', cancelled = 0",
            (
                state.run_id,
                issue.key,
                context.git_dir,
                context.repo_path,
                issue.id,
                issue.title,
                context.base,
                context.branch,
                executor,
                state.segment,
                encode(state),
            ),
        )

    def _rows(self, where: str, values: tuple[object, ...]) -> list[RunRow]:
        with self._errors():
            return [_row(found) for found in self._connection().execute(_ROW + where, values)]

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(self._path, timeout=30.0, isolation_level=None)
            connection.execute("PRAGMA synchronous = NORMAL")
            self._local.connection = connection
        return connection

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._errors():
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # where the disk is full, SQLite itself has rolled back
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(
                f"{self._path}: {error}; look at its permissions and the disk's free space, then "
                "`sparky resume`. A corrupt file can be moved away: branches and worktrees stay."
            ) from error


def _row(found: tuple[object, ...]) -> RunRow:
    (run, key, repository, path, issue, title, base, branch, executor, segment, outcome, *rest) = found
    reason, created, updated, cancelled, stage = rest
    return RunRow(
        run_id=str(run),
        issue_key=str(key),
        repository=str(repository),
        repo_path=str(path),
        issue_id=str(issue),
        title=str(title),
        base=str(base),
        branch=str(branch),
        executor=str(executor),
        segment=int(str(segment)),
        outcome=Outcome(outcome) if outcome is not None else None,
        reason=str(reason),
        stage=str(stage),
        created=str(created),
        updated=str(updated),
        cancelled=bool(cancelled),
    )
