"""A person's wish that a run ends: whoever waits, or runs foreign code, looks whether it is there."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Thread

from sparky.adapters.store_file import StoreError

_LOOK_S = 0.2
"""How often it is looked."""


@dataclass(frozen=True, kw_only=True)
class Cancellation:
    """`asked` tells whether a person asked for the end."""

    asked: Callable[[], bool]

    def waited(self, is_so: Callable[[], bool]) -> bool:
        """Wait until it is so; False if the end is asked for before."""
        while not is_so():
            if self.asked():
                return False
            time.sleep(_LOOK_S)
        return True

    @contextmanager
    def halting(self, halt: Callable[[], None]) -> Iterator[None]:
        """Call `halt`, which ends the foreign commands of the block, as soon as the end is asked for."""
        done = Event()

        def look() -> None:
            while not done.wait(_LOOK_S):
                with suppress(StoreError):  # the run itself will meet it, too, or it passes
                    if self.asked():
                        halt()
                        return

        watcher = Thread(target=look, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()
