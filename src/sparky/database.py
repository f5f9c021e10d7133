"""SQLite files: one connection a thread, whole transactions, and errors as words that help."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sparky.domain.errors import UserError


class SqliteFile:
    """One SQLite file; any number of threads and processes at once. `trouble` words what fails."""

    def __init__(self, path: Path, trouble: Callable[[Path, sqlite3.Error], UserError]) -> None:
        self._path = path
        self._trouble = trouble
        self._local = threading.local()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(self._path, timeout=30.0, isolation_level=None)
            connection.execute("PRAGMA synchronous = NORMAL")
            self._look(connection)
            self._local.connection = connection
        return connection

    def _look(self, connection: sqlite3.Connection) -> None:
        """Raise where the file is not to be used."""

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
            raise self._trouble(self._path, error) from error
