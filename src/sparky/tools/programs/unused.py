"""Private functions and classes that nothing names, and code that nothing reaches: what vulture is sure of.

What is public may be used by others: most of what vulture finds there is no fault. In a target of more than
1,000 files nothing is looked for, since vulture may have to read all of them at a look.
"""

import ast
import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path

from vulture.core import Item, Vulture  # type: ignore[import-untyped]  # it ships no types

from sparky.tools.programs.sources import SKIPPED, diagnostic, sources, tree_of
from sparky.tools.ruff_json import Diagnostic, Edit, Place

FILES = 1_000
_LARGE = 2_000_000
"""A file of more bytes is data."""
_OPENED = re.compile(rb"\b(?:globals|locals|vars|eval|exec)\s*\(|\b__dict__\b|sys\.modules")
"""What reaches the names of a module without naming them."""
_PIECE = re.compile(rb"[\"'](_\w+)(?=[\"'{%])")
"""A literal that may be the beginning of a private name: the rest is put behind it at run time."""


def _unused(asked: Sequence[str], beside: Sequence[str]) -> Iterator[Diagnostic]:
    """The findings in the files that are asked for; with those beside them they form one program.

    What is beside names more, and makes nothing unused: it is read only if something is.
    """
    looked, files = _Reader(ignore_names=["__*"]), _Files()
    looked.scavenge([Path(path) for path in asked])
    if any(map(_is_private, looked.get_unused_code(min_confidence=60))):
        looked.scavenge([Path(path) for path in beside])
    here = {*asked}
    for item in looked.get_unused_code(min_confidence=60):
        path = item.filename.relative_to(Path.cwd()).as_posix()
        where = Place(row=item.first_lineno, column=1)
        if path in here and item.typ == "unreachable_code":
            yield diagnostic("unreachable-code", path, item.message, where)
        elif path in here and _is_private(item):
            edits = _removal(path, item.name) if files.is_alone(item.name) else ()
            yield diagnostic("unused-private", path, f"unused {item.typ} `{item.name}`", where, *edits)


def _is_private(item: Item) -> bool:
    return item.typ in {"function", "class"} and item.name.startswith("_")


class _Reader(Vulture):  # type: ignore[misc]  # it ships no types
    """vulture, which a file that is nested too deep does not end: what such a one names it does not know."""

    def scan(self, code: str, filename: Path | str = "") -> None:
        with contextlib.suppress(RecursionError, MemoryError):
            super().scan(code, filename)


class _Files:
    """All that the target has: any file may name a definition, whatever it is written in."""

    @cached_property
    def _texts(self) -> list[bytes]:
        found = []
        for place, folders, names in os.walk("."):
            folders[:] = sorted({*folders} - SKIPPED)
            paths = (Path(place, name) for name in names)
            plain = (path for path in paths if path.is_file() and not path.is_symlink())
            found += [path.read_bytes() for path in plain if path.stat().st_size <= _LARGE]
        return found

    @cached_property
    def _pieces(self) -> set[bytes]:
        return {piece for text in self._texts for piece in _PIECE.findall(text)}

    def is_alone(self, name: str) -> bool:
        """Whether nothing has the name but its definition, nor a beginning that the rest could be put to."""
        word = re.compile(rb"(?<!\w)%s(?!\w)" % re.escape(name.encode()))
        once = sum(len(word.findall(text)) for text in self._texts) == 1
        return once and not any(name.encode().startswith(piece) for piece in self._pieces)


def _removal(path: str, name: str) -> tuple[Edit, ...]:
    """The edit that takes a top-level definition away; none for what something else may know, or speak of.

    That is a definition that is decorated, a class that another may register, one with a comment above it,
    and any of a module that reaches its names by a dictionary.
    """
    source = Path(path).read_bytes()
    tree = tree_of(source)
    body = tree.body if tree and not _OPENED.search(source) else []
    node = next((node for node in body if getattr(node, "name", "") == name), None)
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or body == [node]:
        return ()
    registered = isinstance(node, ast.ClassDef) and (node.bases or node.keywords)
    above = source.splitlines()[node.lineno - 2] if node.lineno > 1 else b""
    if registered or node.decorator_list or above.lstrip().startswith(b"#"):
        return ()
    end = Place(row=node.end_lineno or 0, column=(node.end_col_offset or 0) + 1)
    return (Edit(content="", location=Place(row=node.lineno, column=1), end_location=end),)


def found(files: Sequence[str]) -> Iterator[Diagnostic]:
    """What is unused in the files of the current directory; all that it has is read where that matters."""
    there, asked = list(islice(sources(["."]), FILES + 1)), {*files}
    if len(there) > FILES:
        return iter(())
    return _unused([path for path in there if path in asked], [path for path in there if path not in asked])
