"""Receipts of attempts whose effects lie outside the database: commits, sessions paid for, merges.

A power failure may take the database's last commits, but not the effect. A stage that finds its own receipt
does not do the work again.
"""

import shutil
from collections.abc import Container, Iterator
from pathlib import Path

from sparky.adapters.blobs import write_whole
from sparky.domain.attempt import Attempt
from sparky.formats.values_json import UnreadableStateError, decode, encode


class FileReceipts:
    """One JSON file for each attempt, named by run and ordinal."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def find(self, run: str, ordinal: int) -> Attempt | None:
        """The attempt as it was done; None if it never came to its end."""
        try:
            return decode(self._path(run, ordinal).read_bytes(), Attempt)
        except (FileNotFoundError, UnreadableStateError):
            return None

    def put(self, run: str, ordinal: int, attempt: Attempt) -> None:
        """Keep the attempt, on disk when this returns."""
        write_whole(self._path(run, ordinal), encode(attempt))

    def texts(self, but: Container[str]) -> Iterator[bytes]:
        """The receipts of all runs, `but` for these, as they were encoded."""
        paths = self._root.glob("*/*.json")
        return (path.read_bytes() for path in paths if path.parent.name not in but)

    def drop(self, run: str) -> None:
        """Remove all receipts of a run."""
        shutil.rmtree(self._root / run, ignore_errors=True)

    def _path(self, run: str, ordinal: int) -> Path:
        return self._root / run / f"{ordinal:04}.json"
