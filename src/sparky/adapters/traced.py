"""Watching what functions are called with: our tracer, put beside the tests in every Python they start."""

import importlib.resources
import json
import os
from collections.abc import Iterable
from errno import EFBIG
from pathlib import Path

import msgspec

from sparky.foreign import open_foreign

_LIMIT = 256_000_000
"""How many bytes are read of all files."""
_START = "import sparky_tracing\n\nsparky_tracing.start({roots!r}, {out!r})\n"


def start(place: Path, roots: Iterable[Path]) -> None:
    """Have the functions below `roots` watched in a run in a scratch `place`."""
    plugin = place / "plugin"
    (plugin / "sparky_tracing").mkdir()
    for name, source in sources().items():
        (plugin / "sparky_tracing" / name).write_bytes(source)
    told = _START.format(roots=[str(root) for root in roots], out=str(place / "out"))
    (plugin / "sitecustomize.py").write_text(told, encoding="utf-8")


def sources() -> dict[str, bytes]:
    """The files of the tracer, by name."""
    files = (importlib.resources.files("sparky") / "tools" / "tracing").iterdir()
    return {file.name: file.read_bytes() for file in files if file.name.endswith(".py")}


class _Told(msgspec.Struct, frozen=True, kw_only=True):
    """What the tracer writes."""

    functions: list[tuple[str, str, int, dict[str, list[object]]]]
    classes: dict[str, list[str]]


def gathered(out: Path) -> bytes:
    """What all processes saw, as one; a file that a process did not finish counts for nothing.

    Nor does what anything else left in its place: the tests may write there.
    """
    functions: list[object] = []
    classes: dict[str, object] = {}
    left = _LIMIT
    for file in sorted(out.glob("calls-*.json")):
        try:
            data = _read(file, left)
            told = msgspec.json.decode(data, type=_Told)
        except (OSError, ValueError, RecursionError):
            continue
        left -= len(data)
        if all(map(_is_shape, (one for row in told.functions for seen in row[3].values() for one in seen))):
            functions += told.functions
            classes |= told.classes
    return json.dumps({"functions": functions, "classes": classes}).encode()


def _read(file: Path, limit: int) -> bytes:
    with open_foreign(file) as opened:
        if os.fstat(opened.fileno()).st_size > limit:
            raise OSError(EFBIG, "it is too large", str(file))
        return opened.read(limit)


def _is_shape(told: object) -> bool:
    """Whether it is made as `sparky.tools.programs.shapes` reads it."""
    match told:
        case [str(), *args]:
            return all(isinstance(seen, list) and all(map(_is_shape, seen)) for seen in args)
    return False
