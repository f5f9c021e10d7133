"""Functions of a module that do the same: equal parameters, equal bodies, and so equal free variables."""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from sparky.tools.programs.sources import diagnostic, place, tree_of
from sparky.tools.ruff_json import Diagnostic, Edit

RULE = "repeated-function"
_LINES = 3
"""How many lines a body has at least: shorter ones are alike by chance."""
_OWN = frozenset(
    {
        *("locals", "super", "__class__", "eval", "exec", "vars", "dir", "globals"),
        *("warnings", "warn", "inspect", "sys", "traceback", "stacklevel", "_getframe", "currentframe"),
    }
)
"""Names by which a body can tell whose it is, or who called it."""
_KEPT = (ast.Yield, ast.YieldFrom, ast.Await, ast.Nonlocal, ast.Global)


def repeated(path: str, source: bytes) -> Iterator[Diagnostic]:
    """A finding for each top-level function whose body an earlier one of the module has, too."""
    tree = tree_of(source) if _may_repeat(source) else None
    first: dict[str, ast.FunctionDef] = {}
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and _size(node) >= _LINES:
            original = first.setdefault(_key(node), node)
            if tree is not None and original is not node:
                yield _finding(path, source, tree, original, node)


def _may_repeat(source: bytes) -> bool:
    """Whether some lines in a row come twice: most files need not be parsed."""
    lines = [line.strip() for line in source.splitlines()]
    rows = [row for row in zip(lines, lines[1:], lines[2:], strict=False) if all(row)]
    return len(set(rows)) < len(rows)


def _body(node: ast.FunctionDef) -> list[ast.stmt]:
    return node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body


def _size(node: ast.FunctionDef) -> int:
    body = _body(node)
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def _key(node: ast.FunctionDef) -> str:
    spec = node.args
    names = [[arg.arg for arg in row] for row in (spec.posonlyargs, spec.args, spec.kwonlyargs)]
    rest = [arg.arg if arg else None for arg in (spec.vararg, spec.kwarg)]
    try:
        return f"{names}{rest}{''.join(ast.dump(statement) for statement in _body(node))}"
    except RecursionError:  # nested too deep to be told: like no other
        return f"{node.lineno}"


def _finding(
    path: str, source: bytes, tree: ast.Module, original: ast.FunctionDef, node: ast.FunctionDef
) -> Diagnostic:
    message = f"`{node.name}` has the same body as `{original.name}`"
    where = place(source, node.lineno, node.col_offset)
    body = _body(node)
    start, end = body[0], body[-1]
    lines = source.splitlines()[start.lineno - 1 : end.end_lineno]
    if not _is_replaceable(tree, original, node) or any(b"#" in line for line in lines):
        return diagnostic(RULE, path, message, where)
    edit = Edit(
        content=_call(original, returns=any(isinstance(n, ast.Return) and n.value for n in ast.walk(node))),
        location=place(source, start.lineno, start.col_offset),
        end_location=place(source, end.end_lineno or 0, end.end_col_offset or 0),
    )
    return diagnostic(RULE, path, message, where, edit)


def _is_replaceable(tree: ast.Module, original: ast.FunctionDef, node: ast.FunctionDef) -> bool:
    """Whether a call of the one can stand for the body of the other."""
    bound = Counter(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef))
    bound.update(n.asname or n.name.partition(".")[0] for n in ast.walk(tree) if isinstance(n, ast.alias))
    bound.update(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    inside = [n for statement in _body(node) for n in ast.walk(statement)]
    names = {n.id for n in inside if isinstance(n, ast.Name)}
    names |= {n.attr for n in inside if isinstance(n, ast.Attribute)}
    names |= {n.arg for n in inside if isinstance(n, ast.keyword) and n.arg}
    shadowed = original.name in {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
    return (
        bound[original.name] == 1
        and not original.decorator_list
        and not shadowed
        and not names & {*_OWN, node.name, original.name}
        and not any(isinstance(n, _KEPT) for n in inside)
        and node.body[0].lineno > node.lineno
    )


def _call(original: ast.FunctionDef, *, returns: bool) -> str:
    spec = original.args
    words = [
        *(arg.arg for arg in (*spec.posonlyargs, *spec.args)),
        *((f"*{spec.vararg.arg}",) if spec.vararg else ()),
        *(f"{arg.arg}={arg.arg}" for arg in spec.kwonlyargs),
        *((f"**{spec.kwarg.arg}",) if spec.kwarg else ()),
    ]
    return f"{'return ' if returns else ''}{original.name}({', '.join(words)})"


def found(files: Sequence[str]) -> Iterator[Diagnostic]:
    """The repeated functions in the files."""
    return (one for path in files for one in repeated(path, Path(path).read_bytes()))
