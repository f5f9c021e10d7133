"""A run's lines of progress: a file that the driver appends to and that others follow."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

_BREAK = re.compile(r"\s*[^\S ]\s*")


class FileProgress:
    """One text file a run: a time and a line each."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def say(self, run: str, text: str) -> None:
        """Append the text as one line."""
        self._root.mkdir(parents=True, exist_ok=True)
        stamp = datetime.now(UTC).strftime("%H:%M:%S")
        with self._path(run).open("a", encoding="utf-8") as file:
            file.write(f"{stamp} {one_line(text)}\n")

    def lines(self, run: str) -> list[str]:
        """All lines so far."""
        try:
            return self._path(run).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []

    def follow(self, run: str, ended: Event, start: int = 0) -> Iterator[str]:
        """Lines from number `start` on, as they come, until `ended` is set and all are read."""
        while True:
            last = ended.is_set()
            fresh = self.lines(run)[start:]
            yield from fresh
            start += len(fresh)
            if last:
                return
            ended.wait(0.1)

    def drop(self, run: str) -> None:
        """Remove the lines of a run."""
        self._path(run).unlink(missing_ok=True)

    def _path(self, run: str) -> Path:
        return self._root / f"{run}.log"


def one_line(text: str) -> str:
    """The text as one line that moves no cursor: agents and issues have their words in it."""
    flat = _BREAK.sub(" ", text.strip())
    return "".join(char if char.isprintable() else "\ufffd" for char in flat)
