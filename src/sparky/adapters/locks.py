"""Locks between processes: who is alive, who may touch what is shared. The kernel lets go for the dead."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sparky.domain.issue import slug

_PLACE = "turn {:08}"
"""How the name of a place in a queue begins, by its number."""


class FileLocks:
    """Named locks, each a file that is locked for as long as it is held."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """Wait for the lock and hold it."""
        handle = self._open(name)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    @contextmanager
    def attempt(self, name: str, mode: int = fcntl.LOCK_EX) -> Iterator[bool]:
        """Hold the lock if it is free; yields whether it is held."""
        handle = self._open(name)
        try:
            try:
                fcntl.flock(handle, mode | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(handle)

    def is_held(self, name: str) -> bool:
        """Whether some process holds it; never held if its file is not there."""
        if not self._path(name).exists():
            return False
        with self.attempt(name, fcntl.LOCK_SH) as free:
            return not free

    @contextmanager
    def executor(self) -> Iterator[str]:
        """Be an executor: yields its unique id, whose lock is held until the end, or the process's."""
        name = f"executor-{os.urandom(8).hex()}"
        with self.hold(name):
            yield name
            self._path(name).unlink(missing_ok=True)

    @contextmanager
    def queue(self, name: str) -> Iterator[Callable[[], bool]]:
        """Stand in a queue for the block; yields what tells whether all who came before are gone."""
        with ExitStack() as held:
            with self.hold(f"queue {name}"):
                for number in self._places(name):
                    if not self.is_held(_place(name, number)):  # its process was killed
                        self._path(_place(name, number)).unlink(missing_ok=True)
                mine = 1 + max(self._places(name), default=0)
                held.enter_context(self.hold(_place(name, mine)))
                held.callback(self._path(_place(name, mine)).unlink)
            yield (
                lambda: (
                    not any(
                        self.is_held(_place(name, number)) for number in self._places(name) if number < mine
                    )
                )
            )

    def _places(self, name: str) -> list[int]:
        """The numbers of the places in a queue, those of the dead among them."""
        pattern = self._path(_place(name, 0)).name.replace("0" * 8, "[0-9]" * 8, 1)
        return [int(path.name[5:13]) for path in self._root.glob(pattern)]

    def _open(self, name: str) -> int:
        self._root.mkdir(parents=True, exist_ok=True)
        return os.open(self._path(name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def _path(self, name: str) -> Path:
        return self._root / f"{slug(name, 120)}.lock"


def _place(name: str, number: int) -> str:
    return f"{_PLACE.format(number)} {name}"
