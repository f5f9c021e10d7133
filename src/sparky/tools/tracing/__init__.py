"""What the functions of a project are called with, and what they give: seen while its tests run.

The package is copied as it is beside foreign tests: standard library only, Python >= 3.8.
`start(roots, out)` watches the functions whose files lie below `roots`; at the end of each process a file of
JSON lies in `out`: `functions` (path below a root, qualified name, which of those of that name, and the types
by parameter, "return" and "yield") and `classes` (the bases of each class that was seen, nearest first).

From Python 3.12 on we are told of what we ask for, and of nothing else. Before, it takes longer than most
tests to be told of every call there is; so modules are compiled with calls of ours in them, and only a
script, which Python compiles by itself, is watched that way.
"""

from __future__ import annotations

import atexit
import sys

from .compiled import rewrite
from .seen import Tracer
from .told import monitor, profile


def start(roots: list[str], out: str) -> None:
    """Watch this process to its end."""
    tracer = Tracer(roots, out)
    atexit.register(tracer.write)
    watch = getattr(sys, "monitoring", None)
    if watch is not None:
        monitor(tracer, watch)
        return
    rewrite(tracer)
    if tracer.script:
        profile(tracer)
