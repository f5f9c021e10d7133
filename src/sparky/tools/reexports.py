"""IMPORT_ERROR in an `__init__.py`: what is imported there for others; ruff finds it, and has no fix."""

import ast
from functools import lru_cache
from pathlib import PurePosixPath

from msgspec import structs

from sparky.tools.programs.exports import Import, bound, imports, listed, own, public, start, told
from sparky.tools.programs.sources import tree_of
from sparky.tools.ruff_json import Diagnostic, Edit, Remedy
from sparky.tools.tool import Read

_PACKAGES = frozenset({"__init__.py", "__init__.pyi"})
_UNUSED, _STAR = "F401", "F403"


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
    source = read(path) or b""
    tree = _tree(source) if path.endswith(".py") else None
    top = _top(path, read)
    if tree is not None and one.code == _UNUSED:
        found = (each for each in own(tree, {top.name}) if start(source, each[1]) == one.location)
        edits = next((told(source, each, width) for each in found), ())
    elif tree is not None and one.location is not None:
        stars = {each: _names(each, path, top, read) for each in imports(tree) if each[1].name == "*"}
        here = next((each for each in stars if start(source, each[0]) == one.location), None)
        others = [*bound(tree), *(name for each, names in stars.items() if each != here for name in names)]
        if here is not None and stars[here] and not {*stars[here]} & {*others}:
            edits = listed(source, here, stars[here], width)
    how = "safe" if one.code == _UNUSED else "unsafe"
    return structs.replace(one, fix=Remedy(applicability=how, edits=edits) if edits else None)


@lru_cache(maxsize=64)
def _tree(source: bytes) -> ast.Module | None:
    return tree_of(source)


def _top(path: str, read: Read) -> PurePosixPath:
    """The directory of the topmost package that a package is in."""
    folder = PurePosixPath(path).parent
    while folder.parent.name and read(str(folder.parent / "__init__.py")) is not None:
        folder = folder.parent
    return folder


def _names(star: Import, path: str, top: PurePosixPath, read: Read) -> list[str]:
    """The names that a star imports from a module of the target; none where that can't be told."""
    node, _ = star
    parts = (node.module or "").split(".")
    if node.level:
        above = PurePosixPath(path).parents
        start_at = above[node.level - 1] if node.level <= len(above) else None
    else:
        start_at = top.parent if parts[0] == top.name else None
    if start_at is None or not node.module:
        return []
    module = start_at.joinpath(*parts)
    sources = [read(f"{module}{end}") for end in (".py", "/__init__.py")]
    found = [source for source in sources if source is not None]
    tree = _tree(found[0]) if len(found) == 1 else None
    return public(tree) if tree is not None else []
