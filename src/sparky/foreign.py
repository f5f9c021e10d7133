"""What others wrote: reading a file never waits, whatever they put in its place; parsing it warns nobody."""

import ast
import os
import stat
import threading
import tomllib
import warnings
from errno import EINVAL
from io import FileIO
from pathlib import Path
from typing import Any

_WARNINGS = threading.Lock()


def open_foreign(path: Path) -> FileIO:
    """A regular file, to be read without a buffer.

    Raises OSError for what is none: a link, a pipe, a device. What is in it may be without measure: whoever
    reads it says how much of it.
    """
    return FileIO(path, opener=_regular)


def parse_foreign(source: bytes) -> ast.Module:
    """The tree of the source. Raises SyntaxError, or ValueError, RecursionError or MemoryError."""
    # An invalid escape in the target's source makes the parser warn: not our warning, and not to be shown.
    # Filters are the process's, so two threads must not save and restore them crosswise.
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def toml_foreign(data: bytes) -> dict[str, Any]:
    """The tables of a TOML file; raises ValueError, which says what is wrong, if it can't be read."""
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def is_database(path: Path) -> bool:
    """Whether SQLite can open a database there, and read regular files alone."""
    beside = (path.with_name(f"{path.name}-{one}") for one in ("wal", "shm", "journal"))
    return _mode(path) == stat.S_IFREG and all(_mode(one) in {stat.S_IFREG, None} for one in beside)


def _mode(path: Path) -> int | None:
    """What stands there; None for nothing that can be seen."""
    try:
        return stat.S_IFMT(path.lstat().st_mode)
    except OSError:
        return None


def _regular(path: str, flags: int) -> int:
    # A pipe that nobody writes to would be waited for without O_NONBLOCK.
    opened = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(opened).st_mode):
        return opened
    os.close(opened)
    raise OSError(EINVAL, "it is no regular file", path)
