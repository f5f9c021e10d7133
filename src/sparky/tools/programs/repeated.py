"""Functions of a module that do the same: equal parameters, equal bodies, and so equal free variables.

So do methods of one class. The later one calls the first by the name of the class, `Cart.total(self)`, since
`self.total()` may be a subclass's. Between two classes nothing is said: that would be a call with a stranger.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
    """A finding for each function whose body an earlier one of its module, or of its class, has, too."""
    tree = tree_of(source) if _may_repeat(source) else None
    if tree is None:
        return
    homes: list[ast.Module | ast.ClassDef] = [tree]
    homes += (node for node in tree.body if isinstance(node, ast.ClassDef))
    for home in homes:
        first: dict[str, ast.FunctionDef] = {}
        for node in home.body:
            if isinstance(node, ast.FunctionDef) and _size(node) >= _LINES:
                original = first.setdefault(_key(node), node)
                if original is not node:
                    yield _finding(path, source, _Pair(tree=tree, home=home, original=original, node=node))


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """Two functions with equal bodies, of a module or of a class in it; the later one is `node`."""

    tree: ast.Module
    home: ast.Module | ast.ClassDef
    original: ast.FunctionDef
    node: ast.FunctionDef

    @property
    def owner(self) -> str:
        """The class, "" for none."""
        return self.home.name if isinstance(self.home, ast.ClassDef) else ""


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


def _finding(path: str, source: bytes, pair: _Pair) -> Diagnostic:
    original, node = pair.original, pair.node
    message = f"`{node.name}` has the same body as `{original.name}`"
    where = place(source, node.lineno, node.col_offset)
    body = _body(node)
    start, end = body[0], body[-1]
    lines = source.splitlines()[start.lineno - 1 : end.end_lineno]
    if not _is_replaceable(pair) or any(b"#" in line for line in lines):
        return diagnostic(RULE, path, message, where)
    edit = Edit(
        content=_call(pair),
        location=place(source, start.lineno, start.col_offset),
        end_location=place(source, end.end_lineno or 0, end.end_col_offset or 0),
    )
    return diagnostic(RULE, path, message, where, edit)


def _is_replaceable(pair: _Pair) -> bool:
    """Whether a call of the one can stand for the body of the other."""
    original, node = pair.original, pair.node
    called = pair.owner or original.name
    inside = [n for statement in _body(node) for n in ast.walk(statement)]
    names = {n.id for n in inside if isinstance(n, ast.Name)}
    names |= {n.attr for n in inside if isinstance(n, ast.Attribute)}
    names |= {n.arg for n in inside if isinstance(n, ast.keyword) and n.arg}
    shadowed = called in {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
    return (
        _bound(pair.tree)[called] == 1
        and (not pair.owner or _is_method(pair))
        and not original.decorator_list
        and not shadowed
        and not names & {*_OWN, node.name, original.name}
        and not any(isinstance(n, _KEPT) for n in inside)
        and node.body[0].lineno > node.lineno
    )


def _bound(tree: ast.AST) -> Counter[str]:
    """How often a name is bound or deleted, wherever that is."""
    nodes = list(ast.walk(tree))
    bound = Counter(n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef))
    bound.update(n.asname or n.name.partition(".")[0] for n in nodes if isinstance(n, ast.alias))
    bound.update(n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
    return bound


def _is_method(pair: _Pair) -> bool:
    """Whether the class's name leads to that one function, which nothing of the module sets; and no test."""
    spec, name = pair.node.args, pair.original.name
    stored = (
        n.attr for n in ast.walk(pair.tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
    )
    return (
        bool(spec.posonlyargs or spec.args)
        and _bound(pair.home)[name] == 1
        and name not in stored
        and not pair.node.name.startswith("test")
        and not pair.node.decorator_list
        and isinstance(pair.home, ast.ClassDef)
        and not pair.home.decorator_list
        and name != "__class_getitem__"  # has its class by itself
        and not _is_mangled(pair)
        # Nor is the method used while its class is made, which has no name yet.
        and pair.node.name not in {n.id for n in ast.walk(pair.home) if isinstance(n, ast.Name)}
    )


def _is_mangled(pair: _Pair) -> bool:
    """Whether Python changes a name of the call within the class, and not the one that is called."""
    return pair.owner.startswith("__") or any(arg.arg.startswith("__") for arg in pair.node.args.kwonlyargs)


def _call(pair: _Pair) -> str:
    spec = pair.original.args
    returns = any(isinstance(n, ast.Return) and n.value for n in ast.walk(pair.node))
    words = [
        *(arg.arg for arg in (*spec.posonlyargs, *spec.args)),
        *((f"*{spec.vararg.arg}",) if spec.vararg else ()),
        *(f"{arg.arg}={arg.arg}" for arg in spec.kwonlyargs),
        *((f"**{spec.kwarg.arg}",) if spec.kwarg else ()),
    ]
    called = f"{pair.owner}.{pair.original.name}" if pair.owner else pair.original.name
    return f"{'return ' if returns else ''}{called}({', '.join(words)})"


def found(files: Sequence[str]) -> Iterator[Diagnostic]:
    """The repeated functions in the files."""
    return (one for path in files for one in repeated(path, Path(path).read_bytes()))
