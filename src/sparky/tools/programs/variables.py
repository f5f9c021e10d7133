"""Variables that mypy wants annotated: empty containers, and what subclasses set to another class.

The word is what the target itself puts there: the items of a container, the values of an attribute in a class
and in those below it.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from sparky.tools.programs.annotations import CLASS_VAR, Annotated
from sparky.tools.programs.checking import Error
from sparky.tools.programs.shapes import Classes, Shape, word
from sparky.tools.programs.sources import sources, tree_of

UNTYPED, REDEFINED = "var-annotated", "assignment"
_BASE = re.compile(r'base class "(?:[\w.]+\.)?(\w+)" defined the type')
_EMPTY = {"list": ("list", ()), "set": ("set", ()), "dict": ("dict", (), ()), "tuple": ("tuple...", ())}
_ANY = "*"
_ADDS = {"append": 0, "add": 0, "appendleft": 0, "insert": 1}


class Variables:
    """The assignments of a target's files; `top` is where all of it lies, its tests as well."""

    def __init__(self, files: Mapping[str, Annotated], top: Path) -> None:
        self._files = files
        self._top = top
        self._classes: dict[str, list[tuple[str, ast.ClassDef]]] = defaultdict(list)
        for one in files.values():
            for node in (node for node in ast.walk(one.tree) if isinstance(node, ast.ClassDef)):
                self._classes[node.name].append((f"{one.module}:{node.name}", node))
        modules = {one.module for one in files.values()}
        bases = {full: [*self._above(node)] for some in self._classes.values() for full, node in some}
        self._known = Classes(bases=bases, can_name=modules.__contains__)

    def words(self, errors: Iterable[Error]) -> dict[str, Annotated]:
        """The files with the words for the variables that errors ask for."""
        made = dict(self._files)
        for error in errors:
            one = made.get(error.file)
            line = of(one, error) if one else None
            if one is None or line is None or one.style.quoted:
                continue
            said = word(self._values(one, line), self._known)
            whole = f"{CLASS_VAR}[{said}]" if self._is_of_class(error, one, line) else said
            able = (text for text in (whole, said) if text and text != "None" and one.can_say(text))
            if text := next(able, ""):
                made[error.file] = replace(one, variables={**one.variables, line: text})
        return made

    @cached_property
    def _set(self) -> frozenset[str]:
        trees = (tree_of(Path(path).read_bytes()) for path in sources([str(self._top)]))
        return frozenset(name for tree in trees if tree is not None for name in _set(tree))

    @cached_property
    def _acts(self) -> list[ast.AST]:
        """All calls and assignments: each variable is looked for among them."""
        nodes = (node for one in self._files.values() for node in ast.walk(one.tree))
        return [node for node in nodes if isinstance(node, ast.Call | ast.Assign)]

    def _is_of_class(self, error: Error, one: Annotated, line: int) -> bool:
        """Whether an attribute that classes redefine is set by nothing else: no instance has its own."""
        name = _called(one.assignments[line][1].targets[0])
        return error.code == REDEFINED and self._set.isdisjoint({name, _ANY})

    def _values(self, one: Annotated, line: int) -> list[Shape]:
        """What is put into a variable; "!" is among it where that can't be told."""
        scope, node = one.assignments[line]
        target = node.targets[0]
        if isinstance(scope, ast.ClassDef) and not self._is_plain(scope):
            return [("!",)]
        if isinstance(scope, ast.ClassDef) or isinstance(target, ast.Attribute):
            name = _called(target)
            own = [*self._below(scope, name)] if isinstance(scope, ast.ClassDef) else []
            return [self._shape(value) for value in (*own, node.value, *_put(self._acts, name))]
        name = _called(target)
        shared = (one for one in ast.walk(scope) if isinstance(one, ast.Global | ast.Nonlocal))
        if any(name in one.names for one in shared):
            return [("!",)]  # Python takes no annotation of such a name
        return [self._shape(value) for value in (node.value, *_put(ast.walk(scope), name))]

    def _is_plain(self, node: ast.ClassDef) -> bool:
        """Whether nothing reads the annotations of a class, as dataclasses and the like do."""
        todo, seen = [node], [node]
        while todo:
            one = todo.pop()
            found = [self._classes.get(_called(base), []) for base in one.bases if _called(base) != "object"]
            if one.decorator_list or one.keywords or any(len(some) != 1 for some in found):
                return False
            above = [some[0][1] for some in found if some[0][1] not in seen]
            todo, seen = [*todo, *above], [*seen, *above]
        return True

    def _below(self, scope: ast.ClassDef, name: str) -> Iterator[ast.expr]:
        """What the classes below one set an attribute to."""
        for full, node in (pair for some in self._classes.values() for pair in some):
            if any(full_of.endswith(f":{scope.name}") for full_of in self._known.bases[full]):
                yield from (
                    one.value for one in node.body if isinstance(one, ast.Assign) and _sets(one, name)
                )

    def _shape(self, node: ast.expr) -> Shape:
        match node:
            case ast.Constant(value=None):
                return ("None",)
            case ast.Constant(value=bool() | int() | float() | str() | bytes() as value):
                return (type(value).__name__,)
            case ast.JoinedStr():
                return ("str",)
            case ast.List(elts=items):
                return ("list", [self._shape(item) for item in items])
            case ast.Set(elts=items):
                return ("set", [self._shape(item) for item in items])
            case ast.Tuple(elts=items):
                return ("tuple...", [self._shape(item) for item in items])
            case ast.Dict(keys=keys, values=values) if None not in keys:
                names = [self._shape(key) for key in keys if key is not None]
                return ("dict", names, [self._shape(value) for value in values])
            case ast.Call(func=ast.Name(id=name), args=[], keywords=[]) if name in _EMPTY:
                return _EMPTY[name]
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                found = self._classes.get(name, [])
                return (found[0][0],) if len(found) == 1 else ("!",)
        return ("!",)

    def _above(self, node: ast.ClassDef) -> Iterator[str]:
        """The classes above one, nearest first, where their names are those of one class each."""
        todo, seen = [node], {id(node)}
        while todo:
            for base in todo.pop(0).bases:
                found = self._classes.get(_called(base), [])
                if len(found) == 1 and id(found[0][1]) not in seen:
                    seen.add(id(found[0][1]))
                    todo.append(found[0][1])
                    yield found[0][0]


def of(one: Annotated, error: Error) -> int | None:
    """The line of the assignment that an error asks to annotate; None if it asks for nothing of the file."""
    if error.code == UNTYPED:
        return error.line if error.line in one.assignments else None
    base = _BASE.search(error.message)
    if error.code != REDEFINED or base is None or error.line not in one.assignments:
        return None
    name = getattr(one.assignments[error.line][1].targets[0], "id", "")
    lines = (
        line
        for line, (scope, node) in one.assignments.items()
        if isinstance(scope, ast.ClassDef) and scope.name == base[1] and _sets(node, name)
    )
    return next(lines, None)


def _sets(node: ast.Assign, name: str) -> bool:
    return [getattr(one, "id", "") for one in node.targets] == [name]


def _put(nodes: Iterable[ast.AST], name: str) -> Iterator[ast.expr]:
    """Containers of what is put into that of a name: each item in one of its own."""
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=how), args=args) if _called(owner) == name:
                if how in _ADDS and len(args) > _ADDS[how]:
                    kind = ast.Set if how == "add" else ast.List
                    yield kind(elts=[args[_ADDS[how]]])
                elif how in {"extend", "update"} and args:
                    yield args[0]
            case ast.Assign(targets=[ast.Subscript(value=owner, slice=key)], value=value):
                if _called(owner) == name:
                    yield ast.Dict(keys=[key], values=[value])


def _called(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _set(tree: ast.Module) -> Iterator[str]:
    """The attributes that instances have of their own by a module's code; `_ANY`: whichever that likes."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr="__dict__"):
                yield _ANY
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Call(func=ast.Name(id="setattr") | ast.Attribute(attr="__setattr__"), args=args):
                yield from _texts(args[:2]) or [_ANY]
            case ast.Assign(targets=[ast.Name(id="__slots__")], value=value):
                yield from _texts(ast.walk(value))


def _texts(nodes: Iterable[ast.AST]) -> list[str]:
    return [one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)]
