"""What the functions of a project are called with, and what they give: seen while its tests run.

It is copied as it is beside foreign tests: one file, standard library only, Python >= 3.8.
`start(roots, out)` watches the functions whose files lie below `roots`; at the end of each process a file of
JSON lies in `out`: `functions` (path below a root, qualified name, which of those of that name, and the types
by parameter, "return" and "yield") and `classes` (the bases of each class that was seen, nearest first).

A type is a list: what it is (`module:Name`, or plain for what is built in), then for each of its arguments
the types that were seen there; none: it was empty. "!" is what has no name that could be written. Of a
function the first calls are looked at, of a container the first items.
"""

from __future__ import annotations

import ast
import atexit
import inspect
import json
import opcode
import os
import re
import sys
import threading
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Shape = tuple[Any, ...]

_CALLS = 200
_ITEMS = 4
_DEPTH = 4
_TYPES = 64
_PLAIN = (bool, int, float, complex, str, bytes, bytearray)
_SERIES: dict[Any, str] = {list: "list", set: "set", frozenset: "frozenset"}
_UNNAMED = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.GeneratorType)
_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_TOOL = 4
"""The number by which `sys.monitoring` knows us: neither a debugger's nor coverage's."""

NOTHING_SAID: Shape = ("!",)


class Tracer:
    """Keeps the types of each slot by code object."""

    def __init__(self, roots: list[str], out: str) -> None:
        self.roots = [os.path.join(os.path.realpath(root), "") for root in roots]  # noqa: PTH118 - prefixes
        self.out = out
        self.pid = os.getpid()
        self.paths: dict[types.CodeType, str] = {}
        self.calls: dict[types.CodeType, int] = {}
        self.seen: dict[types.CodeType, dict[str, set[Shape]]] = {}
        self.classes: dict[str, list[str]] = {}

    def wants(self, code: types.CodeType) -> bool:
        """Whether a function is the project's, and not yet seen often enough."""
        calls = self.calls.get(code)
        if calls is None:
            file = os.path.realpath(code.co_filename) if code.co_name[0] != "<" else ""
            root = next((root for root in self.roots if file.startswith(root)), None)
            self.paths[code] = file[len(root) :] if root else ""
            calls = self.calls[code] = 0 if root else _CALLS
        return calls < _CALLS

    def called(self, frame: types.FrameType) -> None:
        """A call: look at the arguments."""
        code = frame.f_code
        self.calls[code] += 1
        given = frame.f_locals
        named = code.co_argcount + code.co_kwonlyargcount
        for name in code.co_varnames[:named]:
            if name in given and name not in ("self", "cls"):
                self.add(code, name, [given[name]])
        rest = code.co_varnames[named:]
        if code.co_flags & inspect.CO_VARARGS:
            self.add(code, rest[0], given.get(rest[0], ())[:_ITEMS])
            rest = rest[1:]
        if code.co_flags & inspect.CO_VARKEYWORDS:
            self.add(code, rest[0], given.get(rest[0], {}).values())

    def add(self, code: types.CodeType, slot: str, values: Iterable[object]) -> None:
        """Keep the types of values; of too many different ones that there are too many."""
        known = self.seen.setdefault(code, {}).setdefault(slot, set())
        if len(known) < _TYPES:
            known.update(self.shape(value, _DEPTH) for value in values)
        else:
            known.add(NOTHING_SAID)

    def shape(self, value: Any, depth: int) -> Shape:
        """The type of a value."""
        kind = type(value)
        if value is None:
            return ("None",)
        if kind in _PLAIN:
            return (kind.__name__,)
        if isinstance(value, _UNNAMED) or not depth:
            return NOTHING_SAID
        if kind in _SERIES:
            return (_SERIES[kind], self.union(list(value)[:_ITEMS], depth))
        if kind is dict:
            keys, values = list(value)[:_ITEMS], list(value.values())[:_ITEMS]
            return ("dict", self.union(keys, depth), self.union(values, depth))
        if kind is tuple:
            if not 0 < len(value) <= _ITEMS:
                return ("tuple...", self.union(value[:_ITEMS], depth))
            return ("tuple", *((self.shape(item, depth - 1),) for item in value))
        if isinstance(value, type):
            return ("type", ((self.name(value),),))
        if isinstance(value, (re.Pattern, re.Match)):
            text = value.pattern if isinstance(value, re.Pattern) else value.string
            return (f"re:{kind.__name__}", ((type(text).__name__,),))
        return (self.name(kind),)

    def union(self, items: Iterable[object], depth: int) -> Shape:
        """The types of items."""
        return tuple(sorted({self.shape(item, depth - 1) for item in items}, key=repr))

    def name(self, kind: type) -> str:
        """The name of a class, with its bases kept."""
        name = _full(kind)
        if name not in self.classes:
            self.classes[name] = [_full(base) for base in kind.__mro__[1:] if base is not object]
        return name

    def write(self) -> None:
        """Leave what was seen; a child that was forked has nothing of its own to tell."""
        if os.getpid() != self.pid:
            return
        seen = list(self.seen.items())
        names = {path: defined(path) for path in {code.co_filename for code, _ in seen}}
        rows = []
        for code, slots in seen:
            place = names[code.co_filename].get((code.co_firstlineno, code.co_name))
            if place is not None:
                told = {slot: sorted(shapes, key=repr) for slot, shapes in slots.items() if shapes}
                rows.append((self.paths[code], *place, told))
        text = json.dumps({"functions": rows, "classes": self.classes})
        Path(self.out, f"calls-{self.pid}.json").write_text(text, encoding="utf-8")


def _full(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def defined(path: str) -> dict[tuple[int, str], tuple[str, int]]:
    """Qualified name, and which of those of that name, by the first line and the name of each function."""
    try:
        todo: list[tuple[ast.AST, str]] = [(ast.parse(Path(path).read_bytes()), "")]
    except (OSError, SyntaxError, ValueError):
        return {}
    found = []
    while todo:
        node, name = todo.pop()
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = f"{name}.{child.name}".lstrip(".")
                line = min([child.lineno, *(one.lineno for one in child.decorator_list)])
                if not isinstance(child, ast.ClassDef):
                    found.append((child.lineno, inner, line, child.name))
            todo.append((child, inner))
    numbers: dict[str, int] = {}
    places = {}
    for _, inner, line, called in sorted(found):
        places[line, called] = (inner, numbers.get(inner, 0))
        numbers[inner] = numbers.get(inner, 0) + 1
    return places


def _monitor(tracer: Tracer, watch: Any) -> None:
    """Watch by `sys.monitoring`, which costs nothing where it is told not to look again."""

    def started(code: types.CodeType, _offset: int) -> object:
        if not tracer.wants(code):
            return watch.DISABLE
        tracer.called(sys._getframe(1))  # noqa: SLF001 - the one way to the arguments
        return None

    def gave(slot: str) -> Callable[[types.CodeType, int, object], object]:
        def given(code: types.CodeType, _offset: int, value: object) -> object:
            if not tracer.wants(code):
                return watch.DISABLE
            tracer.add(code, slot, [value])
            return None

        return given

    events = watch.events
    watch.use_tool_id(_TOOL, "sparky")
    watch.register_callback(_TOOL, events.PY_START, started)
    watch.register_callback(_TOOL, events.PY_RETURN, gave("return"))
    watch.register_callback(_TOOL, events.PY_YIELD, gave("yield"))
    watch.set_events(_TOOL, events.PY_START | events.PY_RETURN | events.PY_YIELD)


def _profile(tracer: Tracer) -> None:
    """Watch by `sys.setprofile`: a function that raises gives None there, by no instruction that returns."""
    slots = {opcode.opmap["RETURN_VALUE"]: "return", opcode.opmap["YIELD_VALUE"]: "yield"}
    calls, full = tracer.calls, _CALLS

    def seen(frame: types.FrameType, event: str, value: object) -> None:
        code = frame.f_code
        if calls.get(code, 0) >= full or event not in ("call", "return") or not tracer.wants(code):
            return
        if event == "return":
            slot = slots.get(code.co_code[frame.f_lasti])
            if slot is not None:
                tracer.add(code, slot, [value])
        elif not code.co_flags & _GENERATORS or not calls[code]:  # a generator is entered often
            tracer.called(frame)

    threading.setprofile(seen)
    sys.setprofile(seen)


def start(roots: list[str], out: str) -> None:
    """Watch this process to its end."""
    tracer = Tracer(roots, out)
    atexit.register(tracer.write)
    watch = getattr(sys, "monitoring", None)
    if watch is None:
        _profile(tracer)
    else:
        _monitor(tracer, watch)
