"""Imports of the project's own that lead nowhere: the edits that lead them to where their names went."""

import ast
import re
from collections.abc import Iterator, Sequence

from sparky.tools.failing.tree import Tree, name_of
from sparky.tools.programs.sources import column, lines, place, tree_of
from sparky.tools.ruff_json import Edit, Place

_FROM = re.compile(r"from\s+([.\w]+)")

_IMPORT = ast.ImportFrom | ast.Import
_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef

Gone = dict[ast.alias, tuple[str, str] | None]
"""What of a statement is not there, and the module and name that each became; None: nobody knows."""


def lost(tree: Tree, path: str) -> list[tuple[ast.ImportFrom | ast.Import, Gone]]:
    """The statements of a file that import what is not there; not those that are ready for that."""
    module = tree_of(tree.sources[path])
    if module is None:
        return []
    ready = {inner for node in ast.walk(module) if isinstance(node, ast.Try) for inner in ast.walk(node)}
    found = []
    for node in ast.walk(module):
        if isinstance(node, _IMPORT) and node not in ready:
            gone = _from(tree, path, node) if isinstance(node, ast.ImportFrom) else _whole(tree, node)
            found += [(node, gone)] if gone else []
    return found


def mended(tree: Tree, path: str) -> tuple[Edit, ...]:
    """The edits that mend the imports of a file that lead nowhere.

    None where one can't be mended without which the file can't be imported; in a function it stops no other.
    """
    source = tree.sources[path]
    later = _later(source)
    edits: list[Edit] = []
    for node, gone in lost(tree, path):
        known = {alias: went for alias, went in gone.items() if went is not None}
        if isinstance(node, ast.ImportFrom):
            made = _rewritten(source, absolute(path, node), node, known) if len(known) == len(gone) else []
        else:
            made = _renamed(source, known)
        if made and len(known) == len(gone):
            edits += made
        elif (node.lineno, node.col_offset) not in later:
            return ()
    return tuple(edits)


def _later(source: bytes) -> frozenset[tuple[int, int]]:
    """Where imports stand that are made when a function is called: line and offset."""
    functions = (one for one in ast.walk(tree_of(source) or ast.Module([], [])) if isinstance(one, _FUNCTION))
    inner = (node for one in functions for node in ast.walk(one) if isinstance(node, _IMPORT))
    return frozenset((node.lineno, node.col_offset) for node in inner)


def absolute(path: str, node: ast.ImportFrom) -> str:
    """The absolute name of the module that a statement imports from."""
    if not node.level:
        return node.module or ""
    parts = name_of(path).split(".")
    parts = parts if path.endswith("/__init__.py") else parts[:-1]
    return ".".join((*parts[: len(parts) - node.level + 1], *([node.module] if node.module else ())))


def dotted(node: ast.AST) -> str:
    """A name, or a chain of them, as it is written; "" for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(names))) if isinstance(node, ast.Name) else ""


def _from(tree: Tree, path: str, node: ast.ImportFrom) -> Gone:
    module = absolute(path, node)
    if not tree.owns(module):
        return {}
    there = tree.knows(module)
    names = (a for a in node.names if not there or (a.name != "*" and not tree.has(module, a.name)))
    return {alias: _place(tree, module, alias.name) for alias in names}


def _place(tree: Tree, module: str, name: str) -> tuple[str, str] | None:
    """Module and name by which a name can be imported now."""
    path = tree.find(module) or tree.lost(module)
    went = tree.went(path, name) if path else None
    if went is not None:
        return name_of(went[0]), went[1]
    new = (tree.moved(f"{module}.{name}") or "").rpartition(".")
    return (new[0], new[2]) if new[0] else None


def _whole(tree: Tree, node: ast.Import) -> Gone:
    mine = (alias for alias in node.names if not tree.knows(alias.name) and tree.owns(alias.name))
    return {alias: (new, "") if (new := tree.moved(alias.name)) else None for alias in mine}


def _renamed(source: bytes, known: dict[ast.alias, tuple[str, str]]) -> list[Edit]:
    """`import a.b` and all that is reached by this name; None of it where it has no other."""
    edits = []
    module = tree_of(source)
    for alias, (new, _) in known.items():
        text = f"{new} as {alias.asname}" if alias.asname else new
        edits.append(_edit(source, alias, text))
        chains = (node for node in ast.walk(module) if dotted(node) == alias.name) if module else ()
        edits += [_edit(source, node, new) for node in chains if not alias.asname]
    return edits


def _rewritten(
    source: bytes, module: str, node: ast.ImportFrom, known: dict[ast.alias, tuple[str, str]]
) -> list[Edit]:
    """One statement whose names, some or all, are elsewhere, each with the name that the file knows it by."""
    targets = {went[0] for went in known.values()}
    row = lines(source)[node.lineno - 1]
    start = column(source, node.lineno, node.col_offset) - 1
    written = _FROM.match(row, start)
    if targets == {module} or (len(known) == len(node.names) and len(targets) == 1):
        (target,) = targets
        if written is None:
            return []
        here = [Place(row=node.lineno, column=at + 1) for at in written.span(1)]
        said = _as_written(written[1], module, target)
        moved = [Edit(content=said, location=here[0], end_location=here[1])] if said != written[1] else []
        return [*moved, *(_edit(source, a, _alias(a, name)) for a, (_, name) in known.items())]
    return _split(source, module, node, known) if not row[:start].strip() else []


def _split(
    source: bytes, module: str, node: ast.ImportFrom, known: dict[ast.alias, tuple[str, str]]
) -> list[Edit]:
    """The names that left, each imported before the statement, which keeps the others."""
    first, last = node.names[0], node.names[-1]
    rows = lines(source)[first.lineno - 1 : last.end_lineno]
    stay = [alias for alias in node.names if known.get(alias, (module, ""))[0] == module]
    rows[-1] = rows[-1][: column(source, last.end_lineno or 0, last.end_col_offset or 0) - 1]
    if any("#" in row for row in rows) or not stay:
        return []
    margin = lines(source)[first.lineno - 1][: column(source, first.lineno, first.col_offset) - 1]
    between = f",\n{_blank(margin)}" if len(rows) > 1 else ", "
    ending = "\r\n" if b"\r\n" in source else "\n"
    kept = between.replace("\n", ending).join(_alias(a, known[a][1] if a in known else a.name) for a in stay)
    leave = [f"from {known[a][0]} import {_alias(a, known[a][1])}" for a in known if a not in stay]
    indent = ending + lines(source)[node.lineno - 1][: column(source, node.lineno, node.col_offset) - 1]
    before = place(source, node.lineno, node.col_offset)
    new = "".join(f"{line}{indent}" for line in sorted(leave))
    span = place(source, first.lineno, first.col_offset), _end(source, last)
    return [
        Edit(content=new, location=before, end_location=before),
        Edit(content=kept, location=span[0], end_location=span[1]),
    ]


def _blank(text: str) -> str:
    """As much room as a text takes."""
    return re.sub(r"[^\t]", " ", text)


def _as_written(written: str, module: str, target: str) -> str:
    """The new module in the manner of the old one: relative where only its last part is another."""
    parent, _, last = target.rpartition(".")
    if target == module or not written.startswith("."):
        return written if target == module else target
    same = parent == module.rpartition(".")[0] and not written.endswith(".")
    return written[: len(written) - len(module.rpartition(".")[2])] + last if same else target


def _alias(alias: ast.alias, name: str) -> str:
    known = alias.asname or alias.name
    return name if known == name and not alias.asname else f"{name} as {known}"


def _edit(source: bytes, node: ast.alias | ast.AST, text: str) -> Edit:
    line, offset = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    return Edit(content=text, location=place(source, line, offset), end_location=_end(source, node))


def _end(source: bytes, node: ast.AST) -> Place:
    return place(source, getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0))


def importers(tree: Tree, wanted: str, paths: Sequence[str]) -> Iterator[str]:
    """Those of the files that import a module, or a name of it, which is not there."""
    for path in paths:
        if wanted.rpartition(".")[2].encode() in tree.sources[path]:
            said = {name for node, gone in lost(tree, path) for name in _told(path, node, gone)}
            if any(name == wanted or name.startswith(f"{wanted}.") for name in said):
                yield path


def _told(path: str, node: ast.ImportFrom | ast.Import, gone: Gone) -> Iterator[str]:
    prefix = f"{absolute(path, node)}." if isinstance(node, ast.ImportFrom) else ""
    return (f"{prefix}{alias.name}" for alias in gone)
