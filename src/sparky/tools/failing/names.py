"""Names that were renamed where they are: the edits of a file that still uses the old ones."""

import ast
import re

from sparky.tools.failing.imports import absolute, dotted
from sparky.tools.failing.tree import Tree, bound, definitions
from sparky.tools.programs.sources import place, tree_of
from sparky.tools.ruff_json import Edit


def of_module(tree: Tree, path: str, module: str, name: str) -> tuple[Edit, ...]:
    """What a file asks a module for that the module calls otherwise now; none where nobody knows how."""
    there = tree.find(module)
    went = tree.went(there, name) if there else None
    if went is None or went[0] != there:
        return ()
    source = tree.sources[path]
    known = _names_of(path, tree_of(source), module)
    return _attributes(source, name, went[1], known)


def of_object(tree: Tree, path: str, owner: str, name: str) -> tuple[Edit, ...]:
    """What a file asks objects of a class for; none where the old name still is, or nobody knows."""
    places = [there for there, source in tree.sources.items() if owner in definitions(source)]
    went = tree.went(places[0], f"{owner}.{name}") if len(places) == 1 else None
    still = re.compile(rf"\bdef {name}\b|\.{name}\s*=(?!=)|^\s+{name}\s*[:=]".encode(), re.MULTILINE)
    if went is None or any(still.search(source) for source in tree.sources.values()):
        return ()
    return _attributes(tree.sources[path], name, went[1].rpartition(".")[2], None)


def of_file(tree: Tree, path: str, name: str) -> tuple[Edit, ...]:
    """What a file itself calls otherwise now; none where nobody knows how, or it has both."""
    source = tree.sources[path]
    went = tree.went(path, name)
    module = tree_of(source)
    if went is None or went[0] != path or module is None or name in bound(source):
        return ()
    nodes = list(ast.walk(module))
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
    other = any(isinstance(node, ast.arg) and node.arg == name for node in nodes)
    if other or not all(isinstance(node.ctx, ast.Load) for node in uses):
        return ()
    return tuple(_edit(source, node, len(name), went[1]) for node in uses)


def _names_of(path: str, tree: ast.Module | None, module: str) -> frozenset[str]:
    """By what a file knows a module."""
    names = set()
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Import(aliases):
                names |= {a.asname or a.name for a in aliases if a.name == module}
            case ast.ImportFrom(_, aliases):
                whole = absolute(path, node)
                names |= {a.asname or a.name for a in aliases if f"{whole}.{a.name}" == module}
    return frozenset(names)


def _attributes(source: bytes, old: str, new: str, owners: frozenset[str] | None) -> tuple[Edit, ...]:
    """The attributes of that name, of these owners; None: of any."""
    module = tree_of(source)
    nodes = [
        node
        for node in (ast.walk(module) if module else ())
        if isinstance(node, ast.Attribute) and node.attr == old
        if owners is None or dotted(node.value) in owners
    ]
    return tuple(_edit(source, node, len(old), new) for node in nodes)


def _edit(source: bytes, node: ast.expr, length: int, new: str) -> Edit:
    """The last `length` characters of an expression, by others."""
    line, end = node.end_lineno or 0, node.end_col_offset or 0
    start = place(source, line, end - length)
    return Edit(content=new, location=start, end_location=place(source, line, end))
