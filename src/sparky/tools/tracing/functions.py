"""The functions of a module, and the names of their parameters but `self` and `cls`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import types
    from collections.abc import Iterator

    Place = tuple[str, int]

_FIRST = frozenset({"self", "cls"})
_ARGS, _KEYWORDS = 0x04, 0x08
"""Flags of code objects, as in `inspect`, which takes long to import."""


def functions(tree: ast.AST) -> Iterator[tuple[Any, Place]]:
    """The functions of a module, each with its qualified name, and which of those of that name it is."""
    todo, found = [(tree, "")], []
    while todo:
        node, name = todo.pop()
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = f"{name}.{child.name}".lstrip(".")
                if not isinstance(child, ast.ClassDef):
                    found.append((child.lineno, inner, child))
            todo.append((child, inner))
    numbers: dict[str, int] = {}
    for _, name, child in sorted(found, key=lambda one: one[:2]):
        numbers[name] = numbers.get(name, -1) + 1
        yield child, (name, numbers[name])


def places(path: str) -> dict[tuple[int, str], Place]:
    """The place of each function of a file, by its first line and its name."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib takes long to import
            found = list(functions(ast.parse(file.read())))
    except (OSError, SyntaxError, ValueError):
        return {}
    return {
        (min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.name): place
        for node, place in found
    }


def named(given: ast.arguments) -> list[str]:
    """The names of parameters, with the stars that stand before them."""
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    names += [f"*{given.vararg.arg}"] if given.vararg else []
    names += [f"**{given.kwarg.arg}"] if given.kwarg else []
    return [name for name in names if name not in _FIRST]


def parameters(code: types.CodeType) -> list[str]:
    """The same, of what is compiled."""
    count = code.co_argcount + code.co_kwonlyargcount
    names, rest = list(code.co_varnames[:count]), iter(code.co_varnames[count:])
    names += [f"*{next(rest)}"] if code.co_flags & _ARGS else []
    names += [f"**{next(rest)}"] if code.co_flags & _KEYWORDS else []
    return [name for name in names if name not in _FIRST]
