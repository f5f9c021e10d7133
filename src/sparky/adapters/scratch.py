"""Directories for one piece of foreign work, removed when it is over, or when its process is found dead."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_AGE_S = 60.0
_BARRIERS = ("pytest.ini", "uv.toml")


@contextmanager
def scratch(root: Path) -> Iterator[Path]:
    """A new directory with empty `tree`, `tmp` and `out`, locked for as long as it is used.

    Tools that look for their configuration upwards from `tree` find an empty one here and look no further.
    """
    root.mkdir(parents=True, exist_ok=True)
    sweep(root)
    path = Path(tempfile.mkdtemp(dir=root))
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        for name in ("tree", "tmp", "out"):
            (path / name).mkdir()
        for name in _BARRIERS:
            (path / name).touch()
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(handle)


def sweep(root: Path) -> None:
    """Remove the directories of processes that died. Too young ones may be about to be locked."""
    for path in root.iterdir():
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if time.time() - os.fstat(handle).st_mtime > _AGE_S:
                shutil.rmtree(path, ignore_errors=True)
        except BlockingIOError:
            continue
        finally:
            os.close(handle)
