"""A run's turn to be merged: a place in a queue between processes."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from sparky.adapters.locks import FileLocks
from sparky.domain.state import Context

Waiting = Callable[[Callable[[], bool]], bool]
"""Waits until something is so; False if it gave up before."""


class Turn:
    """A run's turn to be merged into its target: one at a time, rebased and tested again in peace.

    Who asked first has it first. It lasts from the run's first MERGE to its end, or to that of the process.
    """

    def __init__(self, locks: FileLocks) -> None:
        self._locks = locks
        self._held = ExitStack()
        self._taken = False

    def take(self, context: Context, say: Callable[[str], None], waited: Waiting) -> bool:
        """Wait for the turn, and have it; False if `waited` gives up first."""
        if self._taken:
            return True
        is_first = self._held.enter_context(self._locks.queue(f"{context.target} {context.git_dir}"))
        if not is_first():
            say(f"waiting: another run is being merged into {context.target}")
        self._taken = waited(is_first)
        if not self._taken:
            self.end()
        return self._taken

    def end(self) -> None:
        """Let the next one have it."""
        self._held.close()
        self._taken = False

    @contextmanager
    def ended_by_errors(self) -> Iterator[None]:
        """End the turn if an error is raised meanwhile."""
        try:
            yield
        except BaseException:
            self.end()
            raise
