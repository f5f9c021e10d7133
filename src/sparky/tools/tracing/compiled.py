"""Watching by calls that are put into what is compiled. What was compiled before, by others, is not seen."""

from __future__ import annotations
import __future__

import ast
import builtins
import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

from .functions import functions, named
from .seen import Function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .seen import Tracer

_CALLED = "__sparky_called__"
_HANDED = {ast.Return: "__sparky_gave__", ast.Yield: "__sparky_gives__", ast.YieldFrom: "__sparky_hands__"}
_ONLY = ast.PyCF_ONLY_AST
_INHERITED = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})


def rewrite(tracer: Tracer) -> None:
    """Have each module of the project compiled with calls of ours."""
    hooks = _Hooks(tracer)
    names = (_CALLED, *_HANDED.values())
    vars(builtins).update(zip(names, (hooks.called, hooks.gave, hooks.gives, hooks.hands)))  # noqa: B905 - 3.8
    builtins.compile = _Compiler(tracer)


class _Hooks:
    """What functions call, each by its number."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer

    def called(self, number: int, *values: object) -> None:
        """At its start, with the values of its parameters."""
        one = self.tracer.functions[number]
        if one.wants():
            self.tracer.called(one, zip(one.names, values))  # noqa: B905 - Python 3.8

    def gave(self, number: int, value: object) -> object:
        """Before it returns a value."""
        self.tracer.gave(self.tracer.functions[number], "return", value)
        return value

    def gives(self, number: int, value: object) -> object:
        """Before it yields a value."""
        self.tracer.gave(self.tracer.functions[number], "yield", value)
        return value

    def hands(self, number: int, items: Any) -> Any:
        """Before it yields from others; of a coroutine there are no items."""
        return _Handed(self, number, items) if hasattr(items, "__iter__") else items


class _Handed:
    """Another's items, seen as they are handed on."""

    def __init__(self, hooks: _Hooks, number: int, items: Any) -> None:
        self.hooks = hooks
        self.number = number
        self.items = iter(items)

    def __iter__(self) -> _Handed:
        return self

    def __next__(self) -> object:
        return self.hooks.gives(self.number, next(self.items))

    def send(self, value: object) -> object:
        return self.hooks.gives(self.number, self.items.send(value))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.items, name)


class _Compiler:
    """In place of `compile`."""

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.plain = builtins.compile

    def __call__(  # noqa: PLR0917 - as the one that it stands for
        self,
        source: Any,
        filename: Any,
        mode: str,
        flags: int = 0,
        dont_inherit: bool = False,  # noqa: FBT001, FBT002 - as there
        optimize: int = -1,
        **more: Any,
    ) -> Any:
        if not dont_inherit:
            flags |= sys._getframe(1).f_code.co_flags & _INHERITED  # noqa: SLF001 - of who calls
        if mode == "exec" and not flags & _ONLY and isinstance(filename, str):
            with contextlib.suppress(SyntaxError, ValueError, RecursionError):  # it says so itself below
                source = self.hooked(source, filename, flags)
        return self.plain(source, filename, mode, flags, dont_inherit=True, optimize=optimize, **more)

    def hooked(self, source: Any, filename: str, flags: int) -> Any:
        """A module with calls of ours, if it is the project's."""
        path = self.tracer.below(filename)
        if not path or not os.path.isfile(filename):  # noqa: PTH113 - pathlib takes long to import
            return source
        given = isinstance(source, ast.AST)
        tree = source if given else self.plain(source, filename, "exec", flags | _ONLY, dont_inherit=True)
        for node, place in list(functions(tree)):
            self.tracer.functions.append(Function(path, named(node.args), place))
            _hook(node, len(self.tracer.functions) - 1)
        return tree


def _hook(function: Any, number: int) -> None:
    """Put the calls into a function; none of them has a line of its own."""

    def call(name: str, at: ast.AST, *values: ast.expr) -> ast.Call:
        made = ast.Call(ast.Name(name, ast.Load()), [ast.Constant(number), *values], [])
        for node in ast.walk(made):
            if not hasattr(node, "lineno"):
                ast.copy_location(node, at)
        return made

    first, last = function.body[0], function.body[-1]
    inside = list(_inside(function))
    handing: list[Any] = [one for one in inside if isinstance(one, (ast.Yield, ast.YieldFrom))]
    if not handing or isinstance(function, ast.FunctionDef):  # an asynchronous generator returns nothing
        if not isinstance(last, (ast.Return, ast.Raise)):
            inside.append(ast.copy_location(ast.Return(None), last))
            function.body.append(inside[-1])
        handing += [one for one in inside if isinstance(one, ast.Return)]
    for one in handing:
        one.value = call(_HANDED[type(one)], one, one.value or ast.Constant(None))
    values = [ast.Name(name.lstrip("*"), ast.Load()) for name in named(function.args)]
    start = ast.copy_location(ast.Expr(call(_CALLED, first, *values)), first)
    function.body.insert(ast.get_docstring(function, clean=False) is not None, start)


def _inside(function: Any) -> Iterator[Any]:
    """What is in a function, and not in one within it."""
    todo = list(function.body)
    while todo:
        node = todo.pop()
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield node
            todo += ast.iter_child_nodes(node)
