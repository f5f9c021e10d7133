"""The cases of a test, and the markers that take it out."""

import ast
from collections.abc import Iterator

from sparky.tamper.expressions import call_name, dotted, put, text, truth
from sparky.tamper.walk import Env, Function

_SKIPS = (
    "skip",
    "skipif",
    "skipunless",
    "xfail",
    "expectedfailure",
    "skiptest",
    "flaky",
    "disabled",
    "ignore",
)
_CASES = 200


def cases_of(node: Function, env: Env) -> Iterator[tuple[Env, tuple[str, ...]]]:
    """What the parameters stand for in every case of `parametrize`, and the markers that can't be read."""
    found: list[tuple[Env, tuple[str, ...]]] = [(env, ())]
    for mark in node.decorator_list:
        if not (
            isinstance(mark, ast.Call) and call_name(mark).endswith(("parametrize", "parameterized.expand"))
        ):
            continue
        rows = _rows(mark, env, node)
        if rows is None:
            found = [(e, (*g, text(mark))) for e, g in found]
        else:
            found = [({**e, **row}, (*g, *more)) for e, g in found for row, more in rows][:_CASES]
    yield from found


def _rows(mark: ast.Call, env: Env, node: Function) -> list[tuple[Env, tuple[str, ...]]] | None:
    args = [put(arg, env) for arg in (*mark.args, *(k.value for k in mark.keywords if k.arg == "argvalues"))]
    names: list[str]
    match args:
        case [ast.Constant(str() as said), ast.List(values) | ast.Tuple(values), *_]:
            names = [name.strip() for name in said.split(",") if name.strip()]
        case [ast.List(words) | ast.Tuple(words), ast.List(values) | ast.Tuple(values), *_]:
            names = [str(word.value) for word in words if isinstance(word, ast.Constant)]
        case [ast.List(values) | ast.Tuple(values)]:
            names = [arg.arg for arg in node.args.args if arg.arg != "self"]
        case _:
            return None
    if len(values) > _CASES:
        return None
    return [row for value in values if (row := _row(names, value)) is not None]


def _row(names: list[str], value: ast.expr) -> tuple[Env, tuple[str, ...]] | None:
    """One case; its guard, where a mark on it may skip it."""
    guard: tuple[str, ...] = ()
    if isinstance(value, ast.Call) and call_name(value).endswith("param"):
        marks = [k.value for k in value.keywords if k.arg == "marks"]
        guard = tuple(f"the case is marked {skip}" for skip in skips_in(marks))
        parts = value.args
        value = ast.Tuple(parts, ast.Load()) if len(names) > 1 else (parts or [value])[0]
    if len(names) == 1:
        return {names[0]: value}, guard
    if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(names):
        return dict(zip(names, value.elts, strict=True)), guard
    return {name: ast.Subscript(value, ast.Constant(n), ast.Load()) for n, name in enumerate(names)}, guard


def skips_in(marks: list[ast.expr]) -> list[str]:
    """The markers that skip, or expect a failure."""
    found = []
    for mark in (
        inner for one in marks for inner in (one.elts if isinstance(one, ast.List | ast.Tuple) else [one])
    ):
        call = mark if isinstance(mark, ast.Call) else None
        name = dotted(call.func if call else mark).rpartition(".")[2].lower().replace("_", "")
        if not name.startswith(_SKIPS):
            continue
        condition = truth(call.args[0]) if call and call.args and "if" in name else None
        if condition is not False:
            found.append(text(mark))
    return found
