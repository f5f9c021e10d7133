"""What programs read and print: the target's Python files, and findings as ruff prints them."""

import ast
import codecs
import io
import os
import sys
import tokenize
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NoReturn

import msgspec

from sparky.foreign import parse_foreign
from sparky.tools.ruff_json import Diagnostic, Edit, Place, Remedy

_TOOLS = ".direnv .eggs .ipynb_checkpoints .mypy_cache .nox .pants.d .pytest_cache .ruff_cache .tox"
_BUILT = "__pypackages__ _build build dist node_modules site-packages venv"
_OTHERS = "_extern _vendor extern third-party third_party thirdparty vendor vendored"
SKIPPED = frozenset(f".bzr .git .hg .svn .venv {_TOOLS} {_BUILT} {_OTHERS}".split())
"""Directories with code that is not the target's own: what ruff leaves out, and vendored trees."""


def arguments() -> list[str]:
    """The paths of the command line: what stands after `--`."""
    return sys.argv[sys.argv.index("--") + 1 :]


def sources(paths: Iterable[str], *suffixes: str) -> Iterator[str]:
    """The Python files among the paths and below them, relative to the current directory, no links.

    `suffixes`: how the names of others end that count as well.
    """
    for path in paths:
        if not Path(path).is_dir():
            yield path
            continue
        for place, folders, names in os.walk(path):
            folders[:] = sorted(set(folders) - SKIPPED)
            files = (Path(place, name) for name in sorted(names) if name.endswith((".py", *suffixes)))
            yield from (file.as_posix() for file in files if not file.is_symlink())


def tree_of(source: bytes) -> ast.Module | None:
    """The parsed source, None if it is none: such a file is ruff's to name."""
    try:
        return parse_foreign(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_utf8(source: bytes) -> bool:
    """Whether the bytes of source that parses are those that `ast` counts."""
    return source.isascii() or tokenize.detect_encoding(io.BytesIO(source).readline)[0].startswith("utf-8")


@lru_cache(maxsize=1)
def lines(source: bytes) -> list[str]:
    """The lines as Python counts them (a form feed ends none), without their ends and a byte order mark."""
    return [row.decode("utf-8", "surrogateescape") for row in rows(source)]


@lru_cache(maxsize=1)
def rows(source: bytes) -> list[bytes]:
    """The same, not decoded; the places of a file are asked for one after the other."""
    # Bytes are split at \n, \r and \r\n only; text would be at more.
    return source.removeprefix(codecs.BOM_UTF8).splitlines()


def column(source: bytes, line: int, offset: int) -> int:
    """The column (characters from 1) of a byte offset that `ast` gives, which counts in UTF-8."""
    return len(rows(source)[line - 1][:offset].decode("utf-8", "surrogateescape")) + 1


def segment(source: bytes, node: ast.expr) -> str:
    """An expression as it stands in the source, its lines ended by newlines."""
    found = rows(source)[node.lineno - 1 : node.end_lineno]
    found[-1] = found[-1][: node.end_col_offset]
    found[0] = found[0][node.col_offset :]
    return b"\n".join(found).decode("utf-8", "surrogateescape")


def place(source: bytes, line: int, offset: int) -> Place:
    """A place as ruff names it, from what `ast` says."""
    return Place(row=line, column=column(source, line, offset))


def diagnostic(code: str, path: str, message: str, where: Place, *edits: Edit) -> Diagnostic:
    """A finding; with edits it can be mended, the tests decide whether it stays so."""
    fix = Remedy(applicability="safe", edits=edits) if edits else None
    return Diagnostic(code=code, filename=path, message=message, location=where, fix=fix)


def put(found: Iterable[Diagnostic]) -> None:
    """Print findings on standard output."""
    sys.stdout.buffer.write(msgspec.json.encode(list(found)))


def leave() -> NoReturn:
    """End the process, its output written: taking apart what mypy knows costs a third of its time."""
    sys.stdout.flush()
    os._exit(0)
