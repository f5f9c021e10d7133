"""What was seen of each function: the types of what it was called with, and of what it gave.

A type is a list: what it is (`module:Name`, or plain for what is built in), then for each of its arguments
the types that were seen there; none: it was empty. "!" is what has no name that could be written. Of a
function the first calls are looked at, of a container the first items.
"""

from __future__ import annotations

import json
import os
import re
import sys
import types
from typing import TYPE_CHECKING, Any

from .functions import parameters, places

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .functions import Place

    Shape = tuple[Any, ...]

_CALLS = 200
_GIVEN = 5000
"""How many items of a generator are looked at."""
_ITEMS = 4
_DEPTH = 4
_TYPES = 64
_PLAIN = (bool, int, float, complex, str, bytes, bytearray)
_SERIES: dict[Any, str] = {list: "list", set: "set", frozenset: "frozenset"}
_UNNAMED = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.GeneratorType)

NOTHING_SAID: Shape = ("!",)


class Function:
    """What was seen of a function; `names` are its parameters with their stars.

    `place`: its qualified name, and which of those of that name it is.
    """

    def __init__(self, path: str, names: list[str], place: Place | None = None) -> None:
        self.path = path
        self.names = names
        self.place = place
        self.calls = self.given = 0
        self.slots: dict[str, set[Shape]] = {}

    def wants(self, slot: str = "") -> bool:
        """Whether more is to be seen of a slot: of so many items, else of so many calls."""
        return self.given < _GIVEN if slot == "yield" else self.calls < _CALLS


class Tracer:
    """Keeps what is seen of each function; `script` is what this process runs, if it is the project's."""

    def __init__(self, roots: list[str], out: str) -> None:
        self.roots = [os.path.join(os.path.realpath(root), "") for root in roots]  # noqa: PTH118 - prefixes
        self.out = out
        self.pid = os.getpid()
        self.script = self.below("".join(sys.argv[:1]))
        self.functions: list[Function] = []
        self.codes: dict[int, tuple[types.CodeType, Function | None]] = {}
        self.classes: dict[str, list[str]] = {}
        self.busy = False

    def below(self, file: str) -> str:
        """The path of a module's file below a root, "" for all others."""
        file = os.path.realpath(file)
        root = next((root for root in self.roots if file.startswith(root) and file.endswith(".py")), "")
        return file[len(root) :] if root else ""

    def of(self, code: types.CodeType) -> Function | None:
        """The function with this code, None if it is not the project's.

        They are told apart by identity: what is equal is found by reading all of the code.
        """
        known = self.codes.get(id(code))
        if known is None:
            path = self.below(code.co_filename) if code.co_name[0] != "<" else ""
            known = self.codes[id(code)] = (code, Function(path, parameters(code)) if path else None)
        return known[1]

    def called(self, function: Function, values: Iterable[tuple[str, Any]]) -> None:
        """A call: look at the arguments."""
        function.calls += 1
        for name, value in values:
            if name[:2] == "**":
                self.add(function, name[2:], value.values())
            elif name[0] == "*":
                self.add(function, name[1:], value[:_ITEMS])
            else:
                self.add(function, name, (value,))

    def entered(self, function: Function, frame: types.FrameType) -> None:
        """A call, by its frame."""
        given = frame.f_locals
        pairs = [(name, name.lstrip("*")) for name in function.names]
        self.called(function, [(name, given[bare]) for name, bare in pairs if bare in given])

    def gave(self, function: Function, slot: str, value: object) -> None:
        """A return or a yield."""
        if function.wants(slot):
            function.given += slot == "yield"
            self.add(function, slot, (value,))

    def add(self, function: Function, slot: str, values: Iterable[object]) -> None:
        """Keep the types of values; of too many different ones that there are too many."""
        if self.busy:  # to say what its class is, a value runs code of its own
            return
        self.busy = True
        try:
            known = function.slots.setdefault(slot, set())
            if len(known) < _TYPES:
                known.update([self.shape(value, _DEPTH) for value in values])
            else:
                known.add(NOTHING_SAID)
        finally:
            self.busy = False

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
        name = self.full(kind)
        if name not in self.classes:
            self.classes[name] = [self.full(base) for base in kind.__mro__[1:] if base is not object]
        return name

    def full(self, kind: type) -> str:
        """The name of a class in its module; what runs as the main one has that by which others import it."""
        module = kind.__module__
        if module == "__main__":
            spec = getattr(sys.modules[module], "__spec__", None)
            module = spec.name if spec else self.script[:-3].replace("/", ".") or module
        return f"{module}:{kind.__qualname__}"

    def write(self) -> None:
        """Leave what was seen; a child that was forked has nothing of its own to tell."""
        if os.getpid() != self.pid:
            return
        codes = [(code, one) for code, one in list(self.codes.values()) if one and one.slots]
        known = {file: places(file) for file in {code.co_filename for code, _ in codes}}
        for code, one in codes:
            one.place = known[code.co_filename].get((code.co_firstlineno, code.co_name))
        rows = []
        for one in (*self.functions, *(one for _, one in codes)):
            told = {slot: sorted(shapes, key=repr) for slot, shapes in one.slots.items() if shapes}
            if one.place and told:
                rows.append((one.path, *one.place, told))
        file = f"{self.out}/calls-{self.pid}.json"
        with open(file, "w", encoding="utf-8") as opened:  # noqa: PTH123 - pathlib takes long to import
            json.dump({"functions": rows, "classes": self.classes}, opened)
