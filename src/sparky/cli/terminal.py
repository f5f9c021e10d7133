"""Standard output, and words of others on it."""

import sys

from rich.console import Console
from rich.markup import escape

from sparky.adapters.progress import one_line

_WIDE = 1000


def out() -> Console:
    """Standard output; plain where it is no terminal, and then as wide as what is written."""
    return Console(highlight=False, emoji=False, soft_wrap=True, width=None if sys.stdout.isatty() else _WIDE)


def text(words: str) -> str:
    """Words of an issue, an agent or a tool, as one line without markup that moves no cursor."""
    return escape(one_line(words))
