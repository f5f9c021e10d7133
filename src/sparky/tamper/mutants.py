"""Small faults put into code, to see whether tests notice them."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sparky.tamper.expressions import parsed

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_JOINED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """Source with one fault, where it is, and what was done."""

    path: str
    line: int
    what: str
    source: str


def mutants(path: str, source: str, limit: int) -> tuple[Mutant, ...]:
    """At most `limit` mutants, evenly over the module; none if it does not parse."""
    tree = parsed(source)
    if tree is None:
        return ()
    spots = list(_spots(tree))
    step = max(1.0, len(spots) / limit)
    chosen = [spots[int(n * step)] for n in range(min(limit, len(spots)))]
    return tuple(_made(path, tree, spot) for spot in chosen)


@dataclass(frozen=True, kw_only=True)
class _Spot:
    line: int
    what: str
    apply: Callable[[], None]
    undo: Callable[[], None]


def _made(path: str, tree: ast.Module, spot: _Spot) -> Mutant:
    spot.apply()
    source = ast.unparse(tree)
    spot.undo()
    return Mutant(path=path, line=spot.line, what=spot.what, source=source)


def _spots(tree: ast.Module) -> Iterator[_Spot]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in function.body:
                for node in ast.walk(statement):
                    yield from _of(node)


def _of(node: ast.AST) -> Iterator[_Spot]:
    line = getattr(node, "lineno", 0)
    match node:
        case ast.Compare(_, [op, *_]) if type(op) in _COMPARED:
            yield _spot(line, node.ops, 0, _COMPARED[type(op)]())
        case ast.BinOp(_, op) | ast.BoolOp(op) if type(op) in _JOINED:
            yield _attribute(line, node, "op", _JOINED[type(op)]())
        case ast.Constant(bool() as value):
            yield _attribute(line, node, "value", not value)
        case ast.Constant(int() | float() as value):
            yield _attribute(line, node, "value", value + 1)
        case ast.Return(ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield _attribute(line, node, "value", ast.Constant(None))
        case ast.If(test):
            yield _attribute(line, node, "test", ast.UnaryOp(ast.Not(), test))


def _spot(line: int, where: list[ast.cmpop], index: int, new: ast.cmpop) -> _Spot:
    old = where[index]

    def put(value: ast.cmpop) -> Callable[[], None]:
        return lambda: where.__setitem__(index, value)

    return _Spot(
        line=line, what=f"{type(old).__name__} becomes {type(new).__name__}", apply=put(new), undo=put(old)
    )


def _attribute(line: int, node: ast.AST, name: str, new: object) -> _Spot:
    old = getattr(node, name)
    what = f"{type(node).__name__}.{name} is another"
    return _Spot(
        line=line, what=what, apply=lambda: setattr(node, name, new), undo=lambda: setattr(node, name, old)
    )
