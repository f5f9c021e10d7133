"""The enclosing qualified name of every line of Python source: it stays when lines move.

Usual source is read by its layout, at a third of what the parser costs; a test holds both together.
"""

import ast
import re
from dataclasses import dataclass, field

from sparky.formats.python_source import parse

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_BODIES = ("body", "orelse", "handlers", "finalbody", "cases")
"""Where statements hold others: only these are followed, expressions hold none."""
_QUOTED = re.compile(
    rb'"{3}(?:[^"\\]|\\.|"(?!""))*"{3}'
    rb"|'{3}(?:[^'\\]|\\.|'(?!''))*'{3}"
    rb'|"(?:[^"\\\n]|\\.)*"'
    rb"|'(?:[^'\\\n]|\\.)*'"
    rb"|#[^\n]*",
    re.DOTALL,
)
_ODD = re.compile(rb"[\"'\\\t\f\r\0]|\xef\xbb\xbf")
"""What makes layout hard to read; quotes are odd where strings are gone."""
_MARK = re.compile(
    rb"(?P<open>[(\[{])|(?P<close>[)\]}])"
    rb"|\n(?P<indent> *)"
    rb"(?:(?P<decorator>@)|(?:async +)?(?:def|class) +(?P<name>[^\s(:\[]+)|(?P<other>(?=\S)))?"
)
_STEPS = {"open": 1, "close": -1}
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


@dataclass(kw_only=True)
class _Scope:
    """A scope; 0 is the end of one that goes on."""

    indent: int
    name: str
    start: int
    end: int = 0


@dataclass(kw_only=True)
class _Layout:
    """What has been read of a source: the number of lines, the last that holds anything, open brackets."""

    line: int = 0
    last: int = 0
    depth: int = 0
    decorated: int = 0
    scopes: list[_Scope] = field(default_factory=list)
    way: list[_Scope] = field(default_factory=list)

    def bracket(self, step: int) -> None:
        """A bracket opens (1) or closes (-1) here."""
        self.depth, self.last = self.depth + step, self.line

    def content(self, indent: int, name: str, *, decorator: bool) -> None:
        """The line holds something; `name` is that of what it defines."""
        before, self.last = self.last, self.line
        if self.depth:
            return
        self.end(indent, before)
        if decorator:
            self.decorated = self.decorated or self.line
        elif name:
            full = f"{self.way[-1].name}.{name}" if self.way else name
            self.way.append(_Scope(indent=indent, name=full, start=self.decorated or self.line))
            self.scopes.append(self.way[-1])
            self.decorated = 0

    def end(self, indent: int, last: int) -> None:
        """What is not indented deeper ends at the last line before."""
        while self.way and indent <= self.way[-1].indent:
            self.way.pop().end = last


def _laid_out(source: bytes) -> tuple[str, ...] | None:
    """The names by indentation alone: `def` and `class` begin lines and nothing else; None for odd source."""
    plain = _QUOTED.sub(_bracketed, b"\n" + source)
    if _ODD.search(plain) or b"coding" in b"".join(source.split(b"\n", 2)[:2]):
        return None
    layout = _Layout()
    for mark in _MARK.finditer(plain):
        step = _STEPS.get(mark.lastgroup or "")
        if step is not None:
            layout.bracket(step)
            continue
        layout.line += 1
        if mark.lastgroup != "indent":
            name = (mark["name"] or b"").decode(errors="replace")
            if name and not (name.isascii() and name.isidentifier()):
                return None
            layout.content(len(mark["indent"]), name, decorator=mark["decorator"] is not None)
    if layout.depth:
        return None
    layout.end(0, layout.last)
    names = [""] * (source.count(b"\n") + 1)
    for scope in layout.scopes:
        names[scope.start - 1 : scope.end] = [scope.name] * (scope.end - scope.start + 1)
    return tuple(names)


def _bracketed(quoted: re.Match[bytes]) -> bytes:
    """A pair of brackets around the line breaks of a string; nothing for a comment."""
    text = quoted[0]
    return b"" if text.startswith(b"#") else b"(" + b"\n" * text.count(b"\n") + b")"


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


def _span(node: _Definition) -> tuple[int, int]:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return first, node.end_lineno or node.lineno
