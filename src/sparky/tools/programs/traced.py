"""What the target's own tests showed: the types that each function was called with, and gave."""

import ast
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sparky.tools.programs.shapes import Classes, Shape, word
from sparky.tools.programs.signatures import Function, Place, arguments, is_generator

Seen = Mapping[str, Sequence[Shape]]
"""The shapes of each slot of a function."""
_GIVEN = frozenset({"return", "yield"})


@dataclass(frozen=True, kw_only=True)
class Traces:
    """What was seen of each function; `classes` are those of the values."""

    seen: Mapping[Place, Seen] = field(default_factory=dict)
    classes: Classes

    def words(self, place: Place, node: Function) -> dict[str, list[str]]:
        """The words for each slot of a function, the likeliest first."""
        slots = self.seen.get(place, {})
        made = {slot: self._taken(shapes) for slot, shapes in slots.items() if slot not in _GIVEN}
        return {**made, "return": self._given(slots, node)}

    def _taken(self, shapes: Sequence[Shape]) -> list[str]:
        words = (word(shapes, self.classes), word(shapes, self.classes, wide=True))
        return [one for one in dict.fromkeys(words) if one is not None and one != "None"]

    def _given(self, slots: Seen, node: Function) -> list[str]:
        given = word(slots.get("return", ()), self.classes)
        if is_generator(node):
            items = word(slots.get("yield", ()), self.classes)
            kind = "AsyncIterator" if isinstance(node, ast.AsyncFunctionDef) else "Iterator"
            return [f"collections.abc:{kind}[{items}]"] if items and given in {"None", None} else []
        if given is None:
            return []
        return [given]

    def shared(self, families: Sequence[Sequence[Place]], nodes: Mapping[Place, Function]) -> "Traces":
        """The traces, where methods that override each other take the same, and the first gives all of it."""
        grown = {place: dict(slots) for place, slots in self.seen.items()}
        for family in families:
            # What gives an iterator is asked for its items, and returns nothing.
            plain = [
                place for place in family if is_generator(nodes[place]) is is_generator(nodes[family[0]])
            ]
            traced = [self.seen.get(place, {}) for place in family]
            for slot in {slot for slots in traced for slot in slots}:
                sources = [self.seen.get(place, {}) for place in plain] if slot in _GIVEN else traced
                shapes = [shape for slots in sources for shape in slots.get(slot, ())]
                for place in family[:1] if slot in _GIVEN else family:
                    if slot in _GIVEN or slot in {arg.arg for arg in arguments(nodes[place])}:
                        grown.setdefault(place, {})[slot] = shapes
        return Traces(seen=grown, classes=self.classes)


def read(file: Path | None, modules: Mapping[str, str]) -> Traces:
    """The traces of a file of JSON (None: none); `modules` has the module of each path of the target."""
    told = json.loads(file.read_bytes()) if file else {"functions": [], "classes": {}}
    seen: dict[Place, dict[str, list[Shape]]] = {}
    for traced, name, number, slots in told["functions"]:
        for path in modules:
            if path == traced or path.endswith(f"/{traced}"):
                known = seen.setdefault((path, (name, number)), {})
                for slot, shapes in slots.items():
                    known.setdefault(slot, []).extend(shapes)
    own = set(modules.values())
    tops = {module.partition(".")[0] for module in own}

    def can_name(module: str) -> bool:
        top = module.partition(".")[0]
        return module in own if top in tops else top in sys.stdlib_module_names

    return Traces(seen=seen, classes=Classes(bases=told["classes"], can_name=can_name))
