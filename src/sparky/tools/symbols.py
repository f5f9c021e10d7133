"""The enclosing qualified name of every line of Python source: it stays when lines move."""

import ast
import re

from sparky.formats.python_source import parse

_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_BODIES = ("body", "orelse", "handlers", "finalbody", "cases")
"""Where statements hold others: only these are followed, expressions hold none."""
_SCOPE = re.compile(rb"(?:^|[\r\n])[ \t\f]*(async|class|def|@)")


def symbols(source: bytes) -> tuple[str, ...]:
    """One name per line ("Class.method", "" at the top level); empty if the source cannot be parsed.

    The line of a decorator and of the `def` itself belong to what they define.
    """
    tree = _tree(source)
    if tree is None:
        return ()
    names = [""] * (source.count(b"\n") + source.count(b"\r") + 1)
    todo: list[tuple[ast.AST, str]] = [(tree, "")]
    while todo:
        node, name = todo.pop()
        if isinstance(node, _Scope):
            name = f"{name}.{node.name}" if name else node.name
            start, end = _span(node)
            names[start - 1 : end] = [name] * (end - start + 1)
        below = (child for part in _BODIES for child in getattr(node, part, ()))
        todo.extend((child, name) for child in below if hasattr(child, "body") or hasattr(child, "cases"))
    return tuple(names)


def lines_before_scopes(source: bytes) -> int:
    """How many lines stand before the first that may begin a scope: they have no name, and need no parser."""
    found = _SCOPE.search(source)
    before = source[: found.start(1)] if found else source + b" \n"
    return before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")


def symbol_at(names: tuple[str, ...], line: int | None) -> str:
    """The name of a line (from 1); "" for None and for lines that are not there."""
    return names[line - 1] if line is not None and 0 < line <= len(names) else ""


def _tree(source: bytes) -> ast.Module | None:
    try:
        return parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _span(node: _Scope) -> tuple[int, int]:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return first, node.end_lineno or node.lineno
