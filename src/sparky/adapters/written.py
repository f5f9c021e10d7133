"""The reports that a command wrote into a tree: what was there before, as it was, is none of them."""

import os
import stat
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from sparky.foreign import open_foreign
from sparky.targets.suite import Written

_LEFT_OUT = frozenset({".git", "node_modules"})
_USUAL = "*.xml"
_BEGINNING = 4096

Stamps = Mapping[str, tuple[int, int, int]]


def stamps(tree: Path, pattern: str = "") -> dict[str, tuple[int, int, int]]:
    """The files of a tree that may be reports, each with what no change of it leaves alone.

    `pattern` is for paths from the tree's top, `*` is for any part of it; "" stands for all XML files. Links
    are never followed: what they lead to is not the command's.
    """
    found = {}
    for path in _files(tree):
        name = path.relative_to(tree).as_posix()
        if fnmatchcase(name, pattern or _USUAL):
            try:
                seen = path.lstat()
            except OSError:  # gone in this moment, or out of reach
                continue
            if stat.S_ISREG(seen.st_mode):
                found[name] = (seen.st_ino, seen.st_size, seen.st_ctime_ns)
    return found


def written(tree: Path, before: Stamps, pattern: str, limit: int) -> dict[str, Written]:
    """The files that are new or changed since `before`, by path; beyond `limit` bytes, their beginnings."""
    now = stamps(tree, pattern)
    found = {}
    for name in sorted(name for name, stamp in now.items() if before.get(name) != stamp):
        size = now[name][1]
        try:
            with open_foreign(tree / name) as file:  # no link that came since
                data = file.read(size if size <= limit else _BEGINNING)
        except OSError:
            continue
        found[name] = Written(data=data, whole=size <= limit)
        limit -= min(limit, len(data))
    return found


def _files(tree: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if name not in _LEFT_OUT]
        yield from (Path(folder, name) for name in names)
