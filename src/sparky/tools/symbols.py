"""The enclosing qualified name of every line of Python source: it stays when lines move."""

import ast

from sparky.formats.python_source import parse

_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


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
        todo.extend((child, name) for child in ast.iter_child_nodes(node) if _holds_statements(child))
    return tuple(names)


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


def _holds_statements(node: ast.AST) -> bool:
    return isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case)
