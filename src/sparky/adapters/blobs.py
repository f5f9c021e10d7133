"""Bytes by digest, as files: what is too large for a recorded step."""

import os
import tempfile
from pathlib import Path

from sparky.domain.command import digest


class FileBlobs:
    """Blobs under one directory. A blob is complete or not there: it is written aside and renamed."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, data: bytes) -> str:
        """Keep the bytes; returns their digest."""
        name = digest(data)
        path = self._path(name)
        try:
            os.utime(path)  # what is wanted again is young again, and not pruned
        except FileNotFoundError:
            write_whole(path, data)
        return name

    def get(self, digest: str) -> bytes:
        """The bytes; raises KeyError if they are not there."""
        try:
            return self._path(digest).read_bytes()
        except (FileNotFoundError, IsADirectoryError) as error:
            raise KeyError(digest) from error

    def _path(self, name: str) -> Path:
        return self._root / name[:2] / name[2:]


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that, whatever happens, it is either there whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".")
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    Path(temporary).replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
