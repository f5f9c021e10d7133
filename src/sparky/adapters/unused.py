"""What sparky's own directories hold that nothing needs any more, and removing it."""

import re
import shutil
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sparky.adapters.environment import RECORDS

UNUSED_DAYS = 30
"""How long an environment stays that no run has used, and a result or a lock that was not written anew."""

_YOUNG_S = 3600.0
"""A blob that is younger may belong to a run that is about to be stored."""

_DIGEST = re.compile(rb"\b[0-9a-f]{64}\b")


@dataclass(frozen=True, kw_only=True)
class Unused:
    """Blobs that no stored run refers to, environments (with what is installed for them), and small files.

    `small` are cached results of tests, what they showed, what programs said, and files of locks.
    """

    blobs: tuple[Path, ...] = ()
    environments: tuple[tuple[Path, ...], ...] = ()
    small: tuple[Path, ...] = ()

    @property
    def bytes(self) -> int:
        """How much room they take."""
        return sum(map(_size, self._paths()))

    def remove(self) -> None:
        """Remove them all. An environment's record goes first: without it the rest counts for nothing."""
        for path in self._paths():
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)

    def _paths(self) -> Iterable[Path]:
        return (*self.blobs, *self.small, *(path for paths in self.environments for path in paths))


def find_unused(blobs: Path, cache: Path, texts: Iterable[bytes]) -> Unused:
    """What can go. `texts` are all that refer to blobs; no run may be driven meanwhile."""
    needed = _needed(blobs, texts)
    now = time.time()
    oldest = now - UNUSED_DAYS * 86400
    return Unused(
        blobs=tuple(
            path
            for path in sorted(blobs.glob("??/*"))
            if path.parent.name + path.name not in needed and now - path.stat().st_mtime > _YOUNG_S
        ),
        environments=tuple(
            (record, *homes, *(cache / "installs" / home.name for home in homes))
            for record in sorted((cache / RECORDS).glob("*.json"))
            if record.stat().st_mtime < oldest
            for homes in [sorted(record.parent.glob(f"{record.stem}-*"))]
        ),
        small=tuple(
            path
            for pattern in ("tests/*", "traces/*", "rewritten/*", "kept/*/*", "locks/*.lock")
            for path in sorted(cache.glob(pattern))
            if path.stat().st_mtime < oldest
        ),
    )


def _needed(blobs: Path, texts: Iterable[bytes]) -> set[str]:
    """The digests in the texts, and in the blobs that they name."""
    needed: set[str] = set()
    fresh = _digests(texts)
    while fresh:
        needed |= fresh
        paths = (blobs / digest[:2] / digest[2:] for digest in fresh)
        fresh = _digests(path.read_bytes() for path in paths if path.is_file()) - needed
    return needed


def _digests(texts: Iterable[bytes]) -> set[str]:
    return {digest.decode() for text in texts for digest in _DIGEST.findall(text)}


def _size(path: Path) -> int:
    """Bytes of a file, or of all files of a directory; 0 if it is not there."""
    files = (path, *path.rglob("*")) if path.exists() else ()
    return sum(file.lstat().st_size for file in files if file.is_symlink() or file.is_file())
