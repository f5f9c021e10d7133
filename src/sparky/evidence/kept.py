"""Files of answers that are kept by what they depend on, the newest few of them."""

import hashlib
import os
import secrets
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from sparky.tools.programs import sources

_CHECKERS = ("mypy", "pyrefly")
"""What answers, besides sparky's own programs, and what is told in the words of a command."""


def key_of(words: Iterable[str], contents: Iterable[bytes]) -> str:
    """What names an answer that depends on these, and on what is installed here."""
    installed = (sys.version, sys.prefix, *map(version, _CHECKERS))
    said = hashlib.sha256("\0".join((*installed, *words)).encode("utf-8", "surrogateescape"))
    for program in sorted(Path(sources.__file__).parent.glob("*.py")):
        said.update(program.read_bytes())
    for content in contents:
        said.update(content)
    return said.hexdigest()


def is_kept(file: Path) -> bool:
    """Whether it is there; what is asked for counts as new."""
    with suppress(FileNotFoundError):
        os.utime(file)
        return True
    return False


def keep(file: Path, data: bytes, *, at_most: int) -> None:
    """Write a file, which is there whole or not at all, as one of `at_most` of its sort in its directory."""
    file.parent.mkdir(parents=True, exist_ok=True)
    for old in sorted(file.parent.glob(f"*{file.suffix}"), key=_age)[: -at_most + 1]:
        old.unlink(missing_ok=True)
    part = file.with_suffix(f".{secrets.token_hex(4)}.part")
    part.write_bytes(data)
    part.rename(file)


def _age(file: Path) -> float:
    """When a file was written, in seconds since the epoch; 0 if another process has removed it."""
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0
