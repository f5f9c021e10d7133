"""Which tools a person waits for: on a terminal one line that goes again, else lines for what takes long."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from sparky.adapters.waiting import line, told
from sparky.cli.output import say
from sparky.ports import Waiting


def waiting() -> Waiting:
    """As suits standard error."""
    return live(Console(stderr=True)) if sys.stderr.isatty() else told(say)


def live(console: Console) -> Waiting:
    """Shows it on a terminal."""

    @contextmanager
    def shown(pending: Callable[[], Sequence[str]]) -> Iterator[None]:
        with console.status(_Line(pending)):
            yield

    return shown


class _Line:
    """What is true each time that it is shown."""

    def __init__(self, pending: Callable[[], Sequence[str]]) -> None:
        self._pending, self._began = pending, time.monotonic()

    def __rich__(self) -> Text:
        names = self._pending()
        return Text(line(names, time.monotonic() - self._began) if names else "", style="dim")
