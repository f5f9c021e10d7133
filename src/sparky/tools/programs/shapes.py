"""Types as they were seen in a running program, put together into one that can be written.

A word is an annotation in which every class that is not built in stands as `module:Name`.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

Shape = Sequence["str | Sequence[Shape]"]
"""What a value is, then the shapes that were seen in each of its arguments; "!": it has no name."""

MEMBERS = 3
"""How many types a union has at most, beside None: more are no type that anybody meant."""
_SERIES = {"list": "Sequence", "tuple...": "Sequence", "tuple": "Sequence"}
_GROUPS = {**_SERIES, "set": "Iterable", "frozenset": "Iterable"}
_NUMBERS = ("bool", "int", "float", "complex")
_IGNORED = frozenset({"types:NotImplementedType", "builtins:NotImplementedType", "builtins:ellipsis"})
_HIDDEN = {"_io": "io", "_decimal": "decimal", "pathlib._local": "pathlib"}


@dataclass(frozen=True, kw_only=True)
class Classes:
    """The classes that were seen: the bases of each, nearest first, and whether a module can be named."""

    bases: Mapping[str, Sequence[str]]
    can_name: Callable[[str], bool]

    def public(self, name: str) -> str:
        """The class itself or the nearest base that can be named; "" if there is none."""
        if ":" not in name:
            return name
        for one in (name, *self.bases.get(name, ())):
            module, _, rest = one.partition(":")
            module = _HIDDEN.get(module, module)
            if "<" not in rest and module != "builtins" and self.can_name(module):
                return f"{module}:{rest}"
        return ""

    def common(self, names: Sequence[str]) -> str:
        """The nearest class that all of these are; "" if there is none that can be named."""
        lines = [(name, *map(self.public, self.bases.get(name, ()))) for name in names]
        return next((one for one in lines[0] if one and all(one in line for line in lines)), "")


def word(shapes: Iterable[Shape], classes: Classes, *, wide: bool = False) -> str | None:
    """The union of what was seen; None if it cannot be written. `wide`: as what takes all of it."""
    heads = _grouped(shapes, classes)
    if heads is None or not heads:
        return None
    none = heads.pop(("None", 0), None) is not None
    if wide:
        heads = _widened(heads)
    words = [_written(head, args, classes) for (head, _), args in heads.items()]
    told = sorted({one for one in words if one is not None})
    if len(told) < len(set(heads)) or len(told) > MEMBERS:
        return None
    return " | ".join([*told, *(("None",) if none else ())])


_Heads = dict[tuple[str, int], list[list[Shape]]]


def _grouped(shapes: Iterable[Shape], classes: Classes) -> _Heads | None:
    """What was seen by its class, its arguments put together; None if a part has no name."""
    heads: _Heads = {}
    for head, *args in shapes:
        if head == "!":
            return None
        if head in _IGNORED:
            continue
        name = classes.public(str(head))
        if not name:
            continue
        known = heads.setdefault((name, len(args)), [[] for _ in args])
        for place, seen in zip(known, args, strict=True):
            place.extend(seen)
    tuples = [key for key in heads if key[0] in {"tuple", "tuple..."}]
    if len(tuples) > 1:
        items = [shape for key in tuples for place in heads.pop(key) for shape in place]
        heads["tuple...", 1] = [items]
    return _joined(heads, classes)


def _joined(heads: _Heads, classes: Classes) -> _Heads:
    numbers = [name for name in _NUMBERS if (name, 0) in heads]
    for name in numbers[:-1]:
        del heads[name, 0]
    named = [name for name, count in heads if ":" in name and not count]
    if base := classes.common(named) if len(named) > 1 else "":
        return {**{key: args for key, args in heads.items() if key[0] not in named}, (base, 0): []}
    for base in named:  # of a class and those below it, the class
        below = [name for name in named if name != base and base in classes.bases.get(name, ())]
        heads = {key: args for key, args in heads.items() if key[0] not in below}
    return heads


def _widened(heads: _Heads) -> _Heads:
    """Containers as what they have in common."""
    groups = [key for key in heads if key[0] in _GROUPS]
    rest = {key: args for key, args in heads.items() if key not in groups}
    if groups:
        name = "Sequence" if all(key[0] in _SERIES for key in groups) else "Iterable"
        items = [shape for key in groups for place in heads[key] for shape in place]
        rest[f"collections.abc:{name}", 1] = [items]
    return rest


def _written(head: str, args: list[list[Shape]], classes: Classes) -> str | None:
    if not args:
        return head
    inside = [word(place, classes) for place in args]
    if any(one is None for one in inside):
        return None
    text = ", ".join(str(one) for one in inside)
    # One item says nothing of how many there may be.
    several = head == "tuple..." or (head == "tuple" and len(args) == 1)
    return f"tuple[{text}, ...]" if several else f"{head}[{text}]"


def is_type(text: str) -> bool:
    """Whether an annotation is made of names, and of what types are made of them, and of nothing that runs.

    A string in it is a name, too: who asks for a function's types would run any other.
    """
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return _names(node) and ast.unparse(node) == text


def _names(node: ast.expr) -> bool:
    match node:
        case ast.Name():
            return True
        case ast.Constant(value=value):
            return value.isidentifier() if isinstance(value, str) else value is None or value is ...
        case ast.Attribute(value=owner):
            return _names(owner)
        case ast.Subscript(value=ast.Name(id="Literal") | ast.Attribute(attr="Literal"), slice=inside):
            return all(isinstance(one, ast.Constant) for one in getattr(inside, "elts", [inside]))
        case ast.Subscript(value=owner, slice=inside):
            return _names(owner) and _names(inside)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _names(left) and _names(right)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(map(_names, parts))
    return False
