"""Which annotations an error of mypy may come from: those that the expression where it stands depends on."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property

from sparky.tools.programs.annotations import Annotated
from sparky.tools.programs.checking import Error
from sparky.tools.programs.expressions import expressions, names_in, put_by, values_of
from sparky.tools.programs.signatures import (
    Function,
    Key,
    Place,
    arguments,
    classes,
    functions,
    own,
    positional,
)

Slot = tuple[str, Key, str]
"""A slot of a function of a file."""

_RETURNS = frozenset(
    {
        *("return-value", "return", "no-any-return", "empty-body", "func-returns-value"),
        *("bad-return", "invalid-yield"),
    }
)
_ARGUMENT = re.compile(r'^Argument (?:(\d+)|"(\w+)")')
_QUOTED = re.compile(r'"(?:def )?(?:[\w.]+\.)?(\w+)(?:"|\()')
_PARAMETER = re.compile(r'parameter "(\w+)" with type .* in function "([\w.]+)"')
_MORE = re.compile(
    r'(?:got|has incompatible type|defines the argument type as|^Argument|^Returned type) "([^"]+)"'
)
_CALLABLE = re.compile(r'"(?:def |Callable|partial)')
_LACKING = re.compile(r'has no attribute "(\w+)"')
_HOPS = 2


class Blame:
    """The functions of a target as they are annotated now."""

    def __init__(self, files: Mapping[str, Annotated], trees: Mapping[str, ast.Module]) -> None:
        self.files = files
        self.trees = trees

    def of(self, error: Error, doubted: AbstractSet[Slot]) -> dict[Slot, str]:
        """The slots in doubt that may be at fault, as few as can be told, each with what it lacks."""
        found = self._said(error, self._near(error, self.around(error)) & doubted)
        more = _MORE.search(error.message)
        lacks = "None" if error.code == "return" else (more[1] if more and len(found) == 1 else "")
        return dict.fromkeys(found, lacks)

    def _said(self, error: Error, found: set[Slot]) -> set[Slot]:
        """Those whose type is in the error's text, where there are any; else all."""
        texts = {
            slot: re.sub(r"[\w.]+:", "", self.files[slot[0]].slots[slot[1]][slot[2]][0]) for slot in found
        }
        return {slot for slot, text in texts.items() if text != "None" and text in error.message} or found

    def wide(self, error: Error) -> set[Slot]:
        """All slots of the functions around the error, and of those that its text or its statement names."""
        around = self.around(error)
        names = set(_QUOTED.findall(error.message))
        values: list[ast.AST] = [*self._at(error)]
        for place in around[:1]:
            for one in own(self.nodes[place]):
                if isinstance(one, ast.Assign) and one.lineno <= error.line <= (one.end_lineno or 0):
                    node = self.nodes[place]
                    values += [value for name in names_in(one) for value in values_of(node, name)]
        names |= {name for value in values for name in names_in(value)}
        read = [one for value in values for one in ast.walk(value) if isinstance(one, ast.Attribute)]
        places = {*around, *(place for name in names for place in self.named[name])}
        for one in read:
            places |= {*self._reached(one)} or {*self.named["__getattr__"]}
        places |= {place for one in read for place, _ in self._attributes[one.attr]}
        return {slot for place in places for slot in self._slots(place)}

    def around(self, error: Error) -> list[Place]:
        """The functions around the error, the innermost first."""
        nodes = self._functions.get(error.file, {})
        found = [(node.lineno, key) for key, node in nodes.items() if _spans(node, error.line)]
        return [(error.file, key) for _, key in sorted(found, reverse=True)]

    def _near(self, error: Error, around: list[Place]) -> set[Slot]:
        if error.code in {"override", "bad-override"} or (
            around and _is_in_head(self.nodes[around[0]], error.line)
        ):
            return self._declared(error, around)
        if error.code in _RETURNS and around and (found := self._own(around[0], "return")):
            return found
        if error.code == "bad-argument-type" and (found := self._parameter(error)):
            return found
        if error.code in {"arg-type", "call-arg"} and (found := self._argument(error)):
            return found
        found = {slot for node in self._faulty(error) for slot in self._used(node, around, _HOPS)}
        if error.code == "assignment" and _CALLABLE.search(error.message):
            found |= {slot for slot in self.wide(error) if slot[1] not in {key for _, key in around}}
        if error.code == "var-annotated" and around:
            return found or self._slots(around[0])
        return found

    def emptied(self, error: Error) -> list[Place]:
        """The functions that set the attribute to None that, as the error says, takes nothing else."""
        if 'variable has type "None"' not in error.message:
            return []
        names = {
            one.attr
            for one in expressions(self.trees[error.file]).get(error.line, [])
            if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)
        }
        puts = (put for name in names for put in self._attributes[name])
        return [place for place, value in puts if isinstance(value, ast.Constant) and value.value is None]

    def _declared(self, error: Error, around: list[Place]) -> set[Slot]:
        """What a function declares against what it overrides."""
        if not around:
            return set()
        place = around[0]
        node = self.nodes[place]
        if match := re.search(r'parameter "(\w+)" \(default|for parameter "(\w+)"', error.message):
            found = self._own(place, match[1] or match[2])
        elif "eturn type" in error.message:
            found = self._own(place, "return")
        elif (match := _ARGUMENT.search(error.message)) and match[1]:
            # It counts the parameters without the first of a method.
            names = positional(node)[1:]
            number = int(match[1]) - 1
            found = self._own(place, names[number]) if number < len(names) else set()
        else:
            found = set()
        return (
            found
            or self._slots(place)
            or {slot for other in self.named[node.name] for slot in self._slots(other)}
        )

    def _argument(self, error: Error) -> set[Slot]:
        """The parameter of a function of ours that an argument does not fit."""
        match = _ARGUMENT.search(error.message)
        called = re.search(r' to "(\w+)"(?: of "(\w+)")?', error.message)
        if match is None or called is None:
            return set()
        name = "__init__" if called[1] in self._classes else called[1]
        owner = called[2] or (called[1] if name == "__init__" else "")
        found: set[Slot] = set()
        for place in self.named[name]:
            node, path = self.nodes[place], place[1][0]
            if owner and f"{owner}." not in path and name == "__init__":
                continue
            names = positional(node)
            names = names[1:] if names[:1] in (["self"], ["cls"]) else names
            if match[2]:
                found |= self._own(place, match[2]) or self._rest(place, node.args.kwarg)
            elif int(match[1]) <= len(names):
                found |= self._own(place, names[int(match[1]) - 1])
            else:
                found |= self._rest(place, node.args.vararg)
                for arg in node.args.kwonlyargs:
                    found |= self._own(place, arg.arg)
        return found

    def _parameter(self, error: Error) -> set[Slot]:
        """The same, as pyrefly says it."""
        match = _PARAMETER.search(error.message)
        if match is None:
            return set()
        name, owner, function = match[1], *_last_two(match[2])
        places = [p for p in self.named[function] if function != "__init__" or f"{owner}." in p[1][0]]
        return {slot for place in places for slot in self._own(place, name)}

    def _rest(self, place: Place, arg: ast.arg | None) -> set[Slot]:
        return self._own(place, arg.arg) if arg is not None else set()

    def _at(self, error: Error) -> list[ast.AST]:
        """The largest expression that begins where the error stands; else what begins in its line."""
        tree = self.trees.get(error.file)
        if tree is None:
            return []
        nodes = expressions(tree).get(error.line, [])
        there = [node for node in nodes if node.col_offset == error.column - 1]
        return [max(there, key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0))] if there else [*nodes]

    def _faulty(self, error: Error) -> list[ast.AST]:
        """What has not the attribute that the error misses; of any other error what stands there."""
        there = self._at(error)
        if (lacking := _LACKING.search(error.message)) is None:
            return there
        nodes = (one for node in there for one in ast.walk(node) if isinstance(one, ast.Attribute))
        return [one.value for one in nodes if one.attr == lacking[1]] or there

    def _used(self, node: ast.AST, around: list[Place], hops: int) -> Iterator[Slot]:
        """The slots that an expression depends on."""
        for one in ast.walk(node):
            if isinstance(one, ast.Name):
                yield from self._name(one.id, around, hops)
            elif isinstance(one, ast.Attribute):
                for place in self._reached(one):
                    yield from self._own(place, "return")
                if hops:
                    for place, value in self._attributes[one.attr]:
                        yield from self._used(value, [place], 0)

    def _name(self, name: str, around: list[Place], hops: int) -> Iterator[Slot]:
        for place in around:
            if name in {arg.arg for arg in arguments(self.nodes[place])}:
                yield from self._own(place, name)
                return
        for place in self.named[name]:
            yield from self._own(place, "return")
        for place in around[:1] if hops else ():
            for value in values_of(self.nodes[place], name):
                yield from self._used(value, around, hops - 1)

    def _own(self, place: Place, slot: str) -> set[Slot]:
        path, key = place
        one = self.files.get(path)
        return {(path, key, slot)} if one is not None and slot in one.slots.get(key, {}) else set()

    def _slots(self, place: Place) -> set[Slot]:
        path, key = place
        one = self.files.get(path)
        return {(path, key, slot) for slot in one.slots.get(key, {})} if one is not None else set()

    @cached_property
    def _functions(self) -> dict[str, Mapping[Key, Function]]:
        return {path: functions(tree) for path, tree in self.trees.items()}

    @cached_property
    def nodes(self) -> dict[Place, Function]:
        """The functions of all files."""
        return {(path, key): node for path, some in self._functions.items() for key, node in some.items()}

    @cached_property
    def _classes(self) -> set[str]:
        return {node.name for tree in self.trees.values() for node in classes(tree).values()}

    @cached_property
    def named(self) -> Mapping[str, list[Place]]:
        """The functions by the last part of their names."""
        found: dict[str, list[Place]] = defaultdict(list)
        for place, node in self.nodes.items():
            found[node.name].append(place)
        return found

    def _reached(self, node: ast.Attribute) -> Iterator[Place]:
        """The functions that an attribute may be: those of its name in no other function."""
        for path, key in () if self._is_strange(node) else self.named[node.attr]:
            owner = key[0].rpartition(".")[0]
            if (owner, 0) not in self._functions[path]:
                yield path, key

    def _is_strange(self, node: ast.expr) -> bool:
        """Whether an expression is what a module gives that is not the target's."""
        while isinstance(node, ast.Attribute | ast.Call):
            node = node.value if isinstance(node, ast.Attribute) else node.func
        return isinstance(node, ast.Name) and node.id in self._strangers

    @cached_property
    def _strangers(self) -> set[str]:
        """The names that stand for modules, and what is in them, that are not the target's."""
        own = {one.module.partition(".")[0] for one in self.files.values()}
        names = {(name, full) for one in self.files.values() for name, full in one.names.items()}
        ours = {name for name, full in names if re.split(r"[.:]", full)[0] in {*own, ""}}
        return {name for name, _ in names} - ours

    @cached_property
    def _attributes(self) -> Mapping[str, list[tuple[Place, ast.expr]]]:
        """What is assigned to attributes of a name, and where."""
        found: dict[str, list[tuple[Place, ast.expr]]] = defaultdict(list)
        for path, tree in self.trees.items():
            for name, key, value in put_by(tree):
                found[name].append(((path, key), value))
        return found


def _last_two(name: str) -> tuple[str, str]:
    *_, owner, last = ("", *name.split("."))
    return owner, last


def _is_in_head(node: Function, line: int) -> bool:
    return node.lineno <= line <= max(node.lineno, node.body[0].lineno - 1)


def _spans(node: Function, line: int) -> bool:
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return first <= line <= (node.end_lineno or 0)
