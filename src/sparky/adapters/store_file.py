"""The file under the store: its tables, and what is said when it fails."""

import sqlite3
from pathlib import Path

from sparky.adapters.locks import FileLocks
from sparky.database import SqliteFile
from sparky.domain.errors import UserError, database_trouble

_LAYOUT = 1
"""To be raised with any change of the tables that an older or a newer sparky can't live with."""

# `days`: what a run has cost, by day; the parts of a plan count for themselves. `past_days`: the same of runs
# that were forgotten.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, pipeline_id TEXT NOT NULL, issue_key TEXT NOT NULL,
    repository TEXT NOT NULL, repo_path TEXT NOT NULL, issue_id TEXT NOT NULL,
    title TEXT NOT NULL, base TEXT NOT NULL, branch TEXT NOT NULL,
    executor TEXT NOT NULL, segment INTEGER NOT NULL, outcome TEXT, reason TEXT NOT NULL DEFAULT '',
    created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ')),
    updated TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ')),
    cancelled INTEGER NOT NULL DEFAULT 0, asks INTEGER NOT NULL DEFAULT 0, state BLOB NOT NULL
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
CREATE TABLE IF NOT EXISTS past_days (
    run_id TEXT NOT NULL, repository TEXT NOT NULL, day TEXT NOT NULL,
    usd REAL NOT NULL, tokens INTEGER NOT NULL, seconds REAL NOT NULL, turns INTEGER NOT NULL,
    PRIMARY KEY (run_id, day)
) WITHOUT ROWID;
CREATE VIEW IF NOT EXISTS days AS
    SELECT run_id, repository, coalesce(substr(json_extract(plain, '$.started'), 1, 10), '') AS day,
        total(json_extract(plain, '$.cost_usd')) AS usd, total(json_extract(plain, '$.tokens')) AS tokens,
        total(json_extract(plain, '$.seconds')) AS seconds, total(json_extract(plain, '$.turns')) AS turns
    FROM (SELECT run_id, stage, CAST(attempt AS TEXT) AS plain FROM attempts) JOIN runs USING (run_id)
    WHERE stage != 'child' GROUP BY run_id, day;
CREATE TABLE IF NOT EXISTS claims (issue_key TEXT PRIMARY KEY, run_id TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS refusals (
    repository TEXT NOT NULL, fingerprint TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (repository, fingerprint)
) WITHOUT ROWID;
"""


class StoreError(UserError):
    """The store can't be read or written; the text says where it is and what to do."""


class StoreFile(SqliteFile):
    """The store's own file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, lambda path, error: StoreError(database_trouble(path, error)))

    def _look(self, connection: sqlite3.Connection) -> None:
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'runs'").fetchone()
        if tables and found != _LAYOUT:
            said = f"{self._path} is another sparky's: its tables have layout {found}, here it is {_LAYOUT}"
            raise StoreError(f"{said}; use that sparky, or set SPARKY_STATE_DIR to a new directory")

    def prepare(self) -> None:
        """Make the file and the tables where they are missing."""
        try:
            # SQLite does not wait, but fails, where two processes change the journal's mode at once.
            with FileLocks(self._path.parent).hold(self._path.name), self._errors():
                connection = self._connection()
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(f"PRAGMA user_version = {_LAYOUT};{_SCHEMA}")
        except OSError as error:
            said = f"cannot write in {self._path.parent}: {error.strerror}"
            raise StoreError(f"{said}; make it writable, or set SPARKY_STATE_DIR") from error
