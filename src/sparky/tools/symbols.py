"""The enclosing qualified name of every line of Python source: it stays when lines move.

Usual source is read by its layout, at a third of what the parser costs; a test holds both together.
"""

import ast
import re
from functools import cache

from sparky.foreign import parse_foreign

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_BODIES = ("body", "orelse", "handlers", "finalbody", "cases")
"""Where statements hold others: only these are followed, expressions hold none."""
_QUOTED = re.compile(
    rb'"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+"""'
    rb"|'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+'''"
    rb'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
    rb"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"
    rb"|#[^\n]*+",
    re.DOTALL,
)
_LINE, _REST = b"\x01", b"\x02"
"""A line break that ends no statement, and what else stood in a string or between brackets."""
_ODD = re.compile(rb"[\"'\\\t\f\r\0()\[\]{}]|\xef\xbb\xbf")
"""What makes layout hard to read; quotes and brackets are odd where strings and pairs are gone."""
_PAIR = re.compile(rb"[(\[{][^()\[\]{}\n\x01]*[)\]}]")
_LONG_PAIR = re.compile(rb"[(\[{][^()\[\]{}]*[)\]}]")
_NESTED = 30
"""How deep brackets may lie in each other; what is deeper the parser reads."""
_START = re.compile(rb"\n(?P<indent> *)(?:@|(?:async +)?(?:def|class) +(?P<name>[^\s:\x02]+))")
_SCOPE = re.compile(rb"(?:^|[\r\n])[ \t\f]*(async|class|def|@)")


def symbols(source: bytes) -> tuple[str, ...]:
    """One name per line ("Class.method", "" at the top level); empty if the source cannot be parsed.

    The line of a decorator and of the `def` itself belong to what they define.
    """
    found = _laid_out(source)
    return symbols_parsed(source) if found is None else found


def symbols_parsed(source: bytes) -> tuple[str, ...]:
    """The same, always by the parser."""
    tree = _tree(source)
    if tree is None:
        return ()
    names = [""] * (source.count(b"\n") + source.count(b"\r") + 1)
    todo: list[tuple[ast.AST, str]] = [(tree, "")]
    while todo:
        node, name = todo.pop()
        if isinstance(node, _Definition):
            name = f"{name}.{node.name}" if name else node.name
            start, end = _span(node)
            names[start - 1 : end] = [name] * (end - start + 1)
        below = (child for part in _BODIES for child in getattr(node, part, ()))
        todo.extend((child, name) for child in below if hasattr(child, "body") or hasattr(child, "cases"))
    return tuple(names)


def _laid_out(source: bytes) -> tuple[str, ...] | None:
    """The names by indentation alone: `def` and `class` begin lines and nothing else; None for odd source."""
    if _LINE in source or _REST in source or b"coding" in b"".join(source.split(b"\n", 2)[:2]):
        return None
    flat = _flat(source)
    if _ODD.search(flat):
        return None
    names = [""] * _breaks(flat, 0, len(flat))
    way: list[tuple[str, int]] = []
    line = done = decorated = 0
    for mark in _START.finditer(flat):
        line += _breaks(flat, done, mark.start() + 1)
        done = mark.start() + 1
        if mark["name"] is None:
            decorated = decorated or line
            continue
        name = mark["name"].decode(errors="replace")
        if not (name.isascii() and name.isidentifier()):
            return None
        while way and way[-1][1] <= mark.start():
            way.pop()
        end = _end(flat, mark)
        way.append((f"{way[-1][0]}.{name}" if way else name, end))
        first = decorated or line
        last = line + _breaks(flat, done, done + len(flat[done:end].rstrip()))
        names[first - 1 : last] = [way[-1][0]] * (last - first + 1)
        decorated = 0
    return tuple(names)


def _breaks(flat: bytes, start: int, end: int) -> int:
    """How many lines begin between two places."""
    return flat.count(b"\n", start, end) + flat.count(_LINE, start, end)


def _flat(source: bytes) -> bytes:
    """The source with a mark for each string and each pair of brackets: what is left begins statements."""
    flat = _QUOTED.sub(_without_text, b"\n" + source)
    for _ in range(_NESTED):
        flat = _LONG_PAIR.sub(_without_text, _PAIR.sub(_REST, flat))
        if b")" not in flat and b"]" not in flat and b"}" not in flat:
            break
    return flat


def _without_text(found: re.Match[bytes]) -> bytes:
    """The line breaks of a string or of a pair of brackets; nothing for a comment."""
    text = found[0]
    return b"" if text.startswith(b"#") else _REST + _LINE * (text.count(b"\n") + text.count(_LINE))


def _end(flat: bytes, mark: re.Match[bytes]) -> int:
    """Where the first line begins that is not indented deeper than this one."""
    found = _not_deeper(len(mark["indent"])).search(flat, mark.end())
    return found.start() if found else len(flat)


@cache
def _not_deeper(indent: int) -> re.Pattern[bytes]:
    return re.compile(rb"\n {0,%d}(?=\S)" % indent)


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
        return parse_foreign(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _span(node: _Definition) -> tuple[int, int]:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return first, node.end_lineno or node.lineno
