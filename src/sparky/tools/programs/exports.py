"""What a module imports for others to import from there: `import x as x` says so, and does nothing else."""

import ast
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise

from sparky.tools.programs.signatures import Function
from sparky.tools.programs.sources import is_utf8, lines, place
from sparky.tools.ruff_json import Edit, Place

ALL = "__all__"
Import = tuple[ast.ImportFrom, ast.alias]
"""A name that a module imports, with the statement that does."""


def imports(tree: ast.Module) -> Iterator[Import]:
    """The names that a module imports from others, "*" among them; none of those in functions and classes."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.ImportFrom):
            yield from ((node, alias) for alias in node.names)
        elif not isinstance(node, Function | ast.ClassDef | ast.expr):
            todo.extend(ast.iter_child_nodes(node))


def own(tree: ast.Module, packages: Container[str]) -> Iterator[Import]:
    """Those by their own names from the same package, or from top-level `packages`."""
    for node, alias in imports(tree):
        is_own = node.level or (node.module or "").partition(".")[0] in packages
        if is_own and alias.asname is None and alias.name != "*":
            yield node, alias


def start(source: bytes, node: ast.alias | ast.ImportFrom) -> Place:
    """Where an imported name or a statement stands."""
    return place(source, node.lineno, node.col_offset)


def told(source: bytes, found: Import, width: int) -> tuple[Edit, ...]:
    """The edits that say that an import is for others, too, in lines of this width; none in odd encodings."""
    node, alias = found
    if not is_utf8(source):
        return ()
    end = place(source, alias.end_lineno or 0, alias.end_col_offset or 0)
    return (_insert(f" as {alias.name}", end), *_wrapped(source, node, width))


def _wrapped(source: bytes, node: ast.ImportFrom, width: int) -> Iterator[Edit]:
    """The edits that give each name its line, the same for all of a statement, if its one would be too long.

    They reckon with all of its names, and leave alone what stands in parentheses or in several lines already.
    """
    row = lines(source)[node.lineno - 1]
    last = node.names[-1]
    bare = (node.end_lineno, node.end_col_offset) == (last.end_lineno, last.end_col_offset)
    added = sum(len(f" as {one.name}") for one in node.names if one.asname is None)
    if not bare or node.end_lineno != node.lineno or len(row) + added <= width:
        return
    first, final = _gap(source, row)
    yield _insert(f"({first}", start(source, node.names[0]))
    ends = [place(source, one.end_lineno or 0, one.end_col_offset or 0) for one in node.names]
    for end, (_, after) in zip(ends, pairwise(node.names), strict=False):
        yield Edit(content=f",{first}", location=end, end_location=start(source, after))
    yield _insert(f",{final})", ends[-1])


def _gap(source: bytes, row: str) -> tuple[str, str]:
    """What begins a line in the parentheses of a statement that stands in a row, and the line of the last."""
    newline = "\r\n" if b"\r\n" in source else "\n"
    indent = row[: len(row) - len(row.lstrip())]
    return f"{newline}{indent}    ", f"{newline}{indent}"


def listed(source: bytes, found: Import, names: Sequence[str], width: int) -> tuple[Edit, ...]:
    """The edit that puts these names, each told to be for others, for a star; none in odd encodings."""
    if not is_utf8(source):
        return ()
    star = found[1]
    row = lines(source)[star.lineno - 1]
    first, last = _gap(source, row)
    written = [f"{name} as {name}" for name in names]
    text = ", ".join(written)
    if len(row) + len(text) > width:
        text = f"({''.join(f'{first}{one},' for one in written)}{last})"
    at = start(source, star)
    return (Edit(content=text, location=at, end_location=Place(row=at.row, column=at.column + 1)),)


def public(tree: ast.Module) -> list[str]:
    """What a star imports from a module that says so in one plain list of what it binds; else nothing."""
    there = bound(tree)
    given = [value for node in tree.body if (value := _all(node))]
    if there.count(ALL) != 1 or len(given) != 1:
        return []
    names = [one.value if isinstance(one, ast.Constant) else None for one in given[0].elts]
    plain = [one for one in names if isinstance(one, str) and one in there]
    return [*dict.fromkeys(plain)] if len(plain) == len(names) else []


def _all(node: ast.stmt) -> ast.List | ast.Tuple | None:
    """The list that a statement makes `__all__`; None if it makes none, or anything else."""
    match node:
        case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List() | ast.Tuple() as value):
            return value
        case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.List() | ast.Tuple() as value):
            return value
    return None


def bound(tree: ast.Module) -> list[str]:
    """The names that anything in a module binds, or uses as `__all__` is used, as often as it does."""
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=how) if name == ALL or not isinstance(how, ast.Load):
                found.append(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.append(name)
            case ast.alias(name=name, asname=other):
                found.append(other or name.partition(".")[0])
    return found


def _insert(text: str, at: Place) -> Edit:
    return Edit(content=text, location=at, end_location=at)
