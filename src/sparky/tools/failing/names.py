"""Names that were renamed where they are: the edits of a file that still uses the old ones."""

import ast
import re

from sparky.tools.failing.imports import absolute, dotted
from sparky.tools.failing.tree import Tree, binds, bound, definitions
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
    asked = (node for node in _asked(tree_of(source), name) if dotted(node.value) in known)
    return tuple(_edit(source, node, len(name), went[1]) for node in asked)


def of_object(tree: Tree, path: str, owner: str, name: str, line: int) -> tuple[Edit, ...]:
    """What the function that failed at a line asks the object there for; none where the old name still is.

    `line` 0: nobody said where, so the file may ask no more than once. None, too, where nobody knows the new
    name, or the line asks several objects.
    """
    places = [there for there, source in tree.sources.items() if owner in definitions(source)]
    went = tree.went(places[0], f"{owner}.{name}") if len(places) == 1 else None
    still = re.compile(rf"\bdef {name}\b|\.{name}\s*=(?!=)|^\s+{name}\s*[:=]".encode(), re.MULTILINE)
    if went is None or any(still.search(source) for source in tree.sources.values()):
        return ()
    there, _, new = went[1].rpartition(".")
    source = tree.sources[path]
    uses = _of_one(tree_of(source), name, line) if (went[0], there) == (places[0], owner) else []
    return tuple(_edit(source, node, len(name), new) for node in uses)


def of_file(tree: Tree, path: str, name: str) -> tuple[Edit, ...]:
    """What a file itself calls otherwise now; none where nobody knows how, or it has both."""
    source = tree.sources[path]
    went = tree.went(path, name)
    module = tree_of(source)
    if went is None or went[0] != path or module is None or name in bound(source):
        return ()
    nodes = list(ast.walk(module))
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
    other = any(name in binds(node) for node in nodes)
    if other or not all(isinstance(node.ctx, ast.Load) for node in uses):
        return ()
    return tuple(_edit(source, node, len(name), went[1]) for node in uses)


def _names_of(path: str, tree: ast.Module | None, module: str) -> frozenset[str]:
    """By what a file knows a module; not the names that stand for something else in it, too."""
    names: set[str] = set()
    others: set[str] = set()
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Import(aliases):
                names |= {a.asname or a.name for a in aliases if a.name == module}
                tops = {a.asname or a.name.partition(".")[0] for a in aliases if a.name != module}
                others |= tops - {module.partition(".")[0]}
            case ast.ImportFrom(_, aliases):
                whole = absolute(path, node)
                mine = {a.asname or a.name for a in aliases if f"{whole}.{a.name}" == module}
                names |= mine
                others |= {*binds(node)} - mine
            case _:
                others |= {*binds(node)}
    return frozenset(name for name in names if name.partition(".")[0] not in others)


def _asked(scope: ast.AST | None, name: str) -> list[ast.Attribute]:
    """Where a part of a file asks anything for a name."""
    nodes = ast.walk(scope) if scope else ()
    return [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == name]


def _of_one(module: ast.Module | None, name: str, line: int) -> list[ast.Attribute]:
    """Where the function of a line asks the one object for a name that the line asks."""
    if not line:
        asked = _asked(module, name)
        return asked if len(asked) == 1 else []
    inner = [node for node in (ast.walk(module) if module else ()) if _is_function_at(node, line)]
    scope = max(inner, key=lambda node: getattr(node, "lineno", 0), default=module)
    asked = _asked(scope, name)
    here = [node for node in asked if node.lineno <= line <= (node.end_lineno or 0)]
    known = {dotted(node.value) for node in here}
    if len(here) > 1 and (len(known) > 1 or "" in known):
        return []
    root = "".join(known).partition(".")[0]
    bindings = [one for node in (ast.walk(scope) if scope else ()) for one in binds(node) if one == root]
    if not root or not inner or len(bindings) > 1:
        return here
    return [node for node in asked if dotted(node.value) in known]


def _is_function_at(node: ast.AST, line: int) -> bool:
    functions = ast.FunctionDef | ast.AsyncFunctionDef
    return isinstance(node, functions) and node.lineno <= line <= (node.end_lineno or 0)


def _edit(source: bytes, node: ast.expr, length: int, new: str) -> Edit:
    """The last `length` characters of an expression, by others."""
    line, end = node.end_lineno or 0, node.end_col_offset or 0
    start = place(source, line, end - length)
    return Edit(content=new, location=start, end_location=place(source, line, end))
