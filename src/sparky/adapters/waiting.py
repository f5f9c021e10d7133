"""Which tools a person waits for: a line now and then, of those that take long."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread

from sparky.ports import Waiting

LONG_S = 15.0


def told(say: Callable[[str], None], long_s: float = LONG_S) -> Waiting:
    """Says it after some seconds, and again each time that it took twice as long."""

    @contextmanager
    def waiting(pending: Callable[[], Sequence[str]]) -> Iterator[None]:
        began, ended = time.monotonic(), Event()

        def tell() -> None:
            wait_s = long_s
            while not ended.wait(wait_s):
                wait_s = time.monotonic() - began
                if names := pending():
                    say(line(names, wait_s))

        teller = Thread(target=tell, daemon=True)
        teller.start()
        try:
            yield
        finally:
            ended.set()
            teller.join()

    return waiting


def line(names: Sequence[str], seconds: float) -> str:
    """Whom a person waits for, and how long already, if that is a second or more."""
    since = f" ({seconds:.0f} s)" if seconds >= 1 else ""
    return f"waiting for {', '.join(names)}{since}"
