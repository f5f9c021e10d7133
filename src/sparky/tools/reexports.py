"""IMPORT_ERROR in an `__init__.py`: what is imported there for others; ruff finds it, and has no fix."""

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from msgspec import structs

from sparky.tools.programs.exports import Import, bound, imports, listed, own, public, start, told
from sparky.tools.programs.sources import tree_of
from sparky.tools.ruff_json import Diagnostic, Edit, Remedy
from sparky.tools.tool import Read

_PACKAGES = frozenset({"__init__.py", "__init__.pyi"})
_UNUSED, _STAR = "F401", "F403"
_FILES = lru_cache(maxsize=256)
"""A file of a package may have hundreds of findings, each of which asks for the same of it."""


def is_re_export(rule: str, path: str) -> bool:
    """Whether a rule speaks of what is imported for others: such an import is never taken away."""
    return rule in {_UNUSED, _STAR} and PurePosixPath(path).name in _PACKAGES


def with_fix(one: Diagnostic, path: str, read: Read, width: int) -> Diagnostic:
    """What ruff says of a re-export in a file, with sparky's fix, if there is one, in place of ruff's.

    An import from the same package gets an alias that is its name; not in a stub, where that tells more than
    it did. A star gives way to the names of the module that it imports; that module may be about to be
    imported itself, so it is for the tests to say whether it has them by then.
    """
    edits: tuple[Edit, ...] = ()
    if path.endswith(".py") and one.location is not None:
        make = _marked if one.code == _UNUSED else _named
        edits = make(one, path, read, width)
    how = "safe" if one.code == _UNUSED else "unsafe"
    return structs.replace(one, fix=Remedy(applicability=how, edits=edits) if edits else None)


def _marked(one: Diagnostic, path: str, read: Read, width: int) -> tuple[Edit, ...]:
    """The edits that give an import from the same package its own name as an alias."""
    source = read(path) or b""
    there = _by_row(source, _top(path, read).name).get(one.location.row if one.location else 0, ())
    return next((told(source, each, width) for each in there if start(source, each[1]) == one.location), ())


def _named(one: Diagnostic, path: str, read: Read, width: int) -> tuple[Edit, ...]:
    """The edit that puts its names for a star: if no other binds one of these."""
    source, top = read(path) or b"", _top(path, read)
    stars = {each: _names(each, path, top, read) for each in _stars(source)}
    here = next((each for each in stars if start(source, each[0]) == one.location), None)
    if here is None or not stars[here]:
        return ()
    others = {name for each, names in stars.items() if each is not here for name in names}
    clash = others | _bound(source)
    return listed(source, here, stars[here], width) if clash.isdisjoint(stars[here]) else ()


@_FILES
def _tree(source: bytes) -> ast.Module | None:
    return tree_of(source)


@_FILES
def _by_row(source: bytes, package: str) -> Mapping[int, Sequence[Import]]:
    """What a file imports from its package, by the lines of the names."""
    found: dict[int, list[Import]] = defaultdict(list)
    tree = _tree(source)
    for each in own(tree, {package}) if tree is not None else ():
        found[each[1].lineno].append(each)
    return found


@_FILES
def _stars(source: bytes) -> tuple[Import, ...]:
    tree = _tree(source)
    return tuple(each for each in imports(tree) if each[1].name == "*") if tree is not None else ()


@_FILES
def _bound(source: bytes) -> frozenset[str]:
    tree = _tree(source)
    return frozenset(bound(tree)) if tree is not None else frozenset()


@_FILES
def _public(source: bytes) -> tuple[str, ...]:
    tree = _tree(source)
    return tuple(public(tree)) if tree is not None else ()


def _top(path: str, read: Read) -> PurePosixPath:
    """The directory of the topmost package that a package is in."""
    folder = PurePosixPath(path).parent
    while folder.parent.name and read(str(folder.parent / "__init__.py")) is not None:
        folder = folder.parent
    return folder


def _names(star: Import, path: str, top: PurePosixPath, read: Read) -> tuple[str, ...]:
    """The names that a star imports from a module of the target; none where that can't be told."""
    node, _ = star
    parts = (node.module or "").split(".")
    if node.level:
        above = PurePosixPath(path).parents
        start_at = above[node.level - 1] if node.level <= len(above) else None
    else:
        start_at = top.parent if parts[0] == top.name else None
    if start_at is None or not node.module:
        return ()
    module = start_at.joinpath(*parts)
    sources = [read(f"{module}{end}") for end in (".py", "/__init__.py")]
    found = [source for source in sources if source is not None]
    return _public(found[0]) if len(found) == 1 else ()
