"""Annotations that could stand where a function has none, and the edits that write them.

A word is an annotation in which every class that is not built in stands as `module:Name`; how it reads in a
file depends on what that file imports.
"""

import ast
import builtins
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sparky.tools.programs.exports import Import, own, told
from sparky.tools.programs.imports import after_imports, bindings, future_end, sections, top
from sparky.tools.programs.shapes import is_type
from sparky.tools.programs.signatures import (
    Assignment,
    Function,
    Key,
    arguments,
    assigned,
    functions,
    with_default,
)
from sparky.tools.programs.sources import is_utf8, lines, place, segment
from sparky.tools.ruff_json import Edit, Place

_FULL = re.compile(r"([\w.]+):([\w.]+)")
CLASS_VAR = "typing:ClassVar"
_FUTURE = "from __future__ import annotations"
_PLAIN = frozenset(vars(builtins))
LINE = 88
_ASIDE = 32
"""What of a line is left for the indent and the name of a parameter."""


@dataclass(frozen=True, kw_only=True)
class Style:
    """How annotations are written: how long a line may be; `quoted`: Python is older than 3.7."""

    line: int = LINE
    quoted: bool = False


@dataclass(frozen=True, kw_only=True)
class Annotated:
    """The words proposed for the slots of one file, the best first of each."""

    source: bytes
    tree: ast.Module
    module: str
    package: bool = False
    style: Style = Style()
    slots: Mapping[Key, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    variables: Mapping[int, str] = field(default_factory=dict)
    """The words of variables, by the line where each is assigned."""
    exports: frozenset[str] = frozenset()
    """The names that the file imports for others, too."""

    @cached_property
    def assignments(self) -> Mapping[int, Assignment]:
        """The plain assignments to one name or attribute, with what each stands in; of a line the first."""
        return {node.lineno: (scope, node) for scope, node in reversed([*assigned(self.tree, self.tree)])}

    @cached_property
    def functions(self) -> Mapping[Key, Function]:
        """The functions of the file."""
        return functions(self.tree)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What the names of the top level stand for: `module:Name`, "module:", or "" for anything else."""
        return bindings(self.tree, self.module, package=self.package)

    @cached_property
    def imported(self) -> Mapping[str, list[Import]]:
        """Where the file imports names of its own package, in its order."""
        found = sorted(own(self.tree, {self.module.partition(".")[0]}), key=lambda one: one[1].lineno)
        return {alias.name: [one for one in found if one[1].name == alias.name] for _, alias in found}

    def exported(self, name: str) -> tuple[Edit, ...]:
        """The edits that say that a name is imported for others; none if it can't be told so."""
        found = self.imported.get(name, ())
        return tuple(edit for one in found for edit in told(self.source, one, self.style.line))

    def edits(self, key: Key) -> tuple[Edit, ...]:
        """The edits for one function, with what its annotations need above it."""
        node = self.functions[key]
        words = {slot: self._text(some[0]) for slot, some in self.slots[key].items()}
        made = self._wrapped(node, words) or tuple(self._placed(node, words))
        if not made:
            return ()
        alone = all(some[0].isidentifier() for some in self.slots[key].values())
        return made if alone else (*made, *self._head)

    def variable(self, line: int) -> tuple[Edit, ...]:
        """The edits for the variable that is assigned in a line, with what its annotation needs above it."""
        word, target = self.variables[line], self.assignments[line][1].targets[0]
        end = place(self.source, target.end_lineno or 0, target.end_col_offset or 0)
        made = _insert(f": {self._text(word)}", end)
        return (made,) if word.isidentifier() else (made, *self._head)

    def can_say(self, word: str) -> bool:
        """Whether a word can be written here: it is a type, its names mean nothing else, it fits a line."""
        text = _FULL.sub(r"\2", word)
        able = is_utf8(self.source) and len(text) <= self.style.line - _ASIDE and is_type(text)
        return able and all(self._name(*match.groups())[0] is not None for match in _FULL.finditer(word))

    def _name(self, module: str, name: str) -> tuple[str | None, bool]:
        """How a class is called here (None: not at all), and whether it has to be imported."""
        first, _, _ = name.partition(".")
        if module == self.module or self.names.get(first) == f"{module}:{first}":
            return name, False
        top = module.partition(".")[0]
        known = self.names.get(first, "?")
        if known.endswith(f":{first}") and known.partition(".")[0].partition(":")[0] == top:
            return name, False
        if self.names.get(module) == f"{module}:":
            return f"{module}.{name}", False
        return (name, True) if known == "?" and first not in _PLAIN else (None, False)

    def _text(self, word: str) -> str:
        text = _FULL.sub(lambda match: self._name(*match.groups())[0] or "", word)
        return f'"{text}"' if self._quoted and text not in _PLAIN else text

    @cached_property
    def _quoted(self) -> bool:
        """Whether annotations are quoted: Python is old, or there are some that the program may read.

        The import that leaves all of a file unread would make strings of those, too.
        """
        nodes = ast.walk(self.tree)
        there = (getattr(node, "annotation", None) or getattr(node, "returns", None) for node in nodes)
        return self.style.quoted or (_FUTURE.encode() not in self.source and any(there))

    @cached_property
    def _imports(self) -> Mapping[str, list[str]]:
        """What all annotations of the file need: names by module."""
        found: dict[str, set[str]] = {}
        slots = (some[0] for slots in self.slots.values() for some in slots.values())
        for words in (*slots, *self.variables.values()):
            for match in _FULL.finditer(words):
                if match[0] != CLASS_VAR and self._name(*match.groups())[1]:
                    found.setdefault(match[1], set()).add(match[2].partition(".")[0])
        return {module: sorted(names) for module, names in sorted(found.items())}

    @cached_property
    def _typing(self) -> list[str]:
        """What the file imports of `typing` not for checkers alone: what each Python has there."""
        guard = self._imports and "TYPE_CHECKING" not in self.names
        marked = any(CLASS_VAR in word for word in self.variables.values())
        more = marked and self._name(*CLASS_VAR.split(":"))[1]
        return [*(["TYPE_CHECKING"] if guard else []), *(["ClassVar"] if more else [])]

    @cached_property
    def _head(self) -> tuple[Edit, ...]:
        """What annotations need above them: the same for every function, so that it is made once."""
        newline = "\r\n" if b"\r\n" in self.source else "\n"
        first = top(self.tree)
        lines: list[tuple[Place, str]] = []
        if not self._quoted and _FUTURE.encode() not in self.source:
            lines.append((first, _FUTURE))
        if self._typing:
            lines.append((future_end(self.tree, first), f"from typing import {', '.join(self._typing)}"))
        if self._imports:
            block = ("", "if TYPE_CHECKING:", *sections(self._imports, self.module.partition(".")[0]))
            lines += [(after_imports(self.tree, first), line) for line in block]
        places = dict.fromkeys(at for at, _ in lines)
        return tuple(
            _insert("".join(f"{line}{newline}" for at, line in lines if at == there), there)
            for there in places
        )

    def _placed(self, node: Function, words: Mapping[str, str]) -> Iterator[Edit]:
        defaults = {arg.arg: default for arg, default in with_default(node)}
        for arg in arguments(node):
            if arg.arg in words:
                end = place(self.source, arg.end_lineno or 0, arg.end_col_offset or 0)
                yield from _given(words[arg.arg], end, self._start(defaults.get(arg.arg)))
        if "return" in words and (found := self._parentheses(node)) is not None:
            yield _insert(f" -> {words['return']}", found[1])

    def _start(self, node: ast.expr | None) -> Place | None:
        return place(self.source, node.lineno, node.col_offset) if node is not None else None

    def _wrapped(self, node: Function, words: Mapping[str, str]) -> tuple[Edit, ...]:
        """The signature, one parameter a line, where it would be too long; empty where it need not be so."""
        found = self._parentheses(node)
        if found is None or not words:
            return ()
        start, end = found
        rows = lines(self.source)[start.row - 1 : end.row]
        added = _added(node, words, end.row)
        widths = [(len(line), added[row]) for row, line in enumerate(rows, start.row)]
        inside = "".join(rows)[start.column - 1 : len("".join(rows)) - len(rows[-1]) + end.column - 1]
        # What was too long is for its author to split; a comment among the parameters would be lost.
        if "#" in inside or not any(old <= self.style.line < old + new for old, new in widths):
            return ()
        line = rows[0]
        newline = "\r\n" if b"\r\n" in self.source else "\n"
        indent = line[: len(line) - len(line.lstrip())]
        given = "".join(f"{indent}    {part},{newline}" for part in _parts(node, words, self.source))
        if node.args.kwarg or node.args.vararg:  # a comma after these is younger than Python 3.6
            given = f"{given.removesuffix(f',{newline}')}{newline}"
        tail = f" -> {words['return']}" if "return" in words else ""
        return (Edit(content=f"({newline}{given}{indent}){tail}", location=start, end_location=end),)

    def _parentheses(self, node: Function) -> tuple[Place, Place] | None:
        """Where the parameters of a `def` begin and end; None if that can't be told."""
        rows = (f"{line}\n" for line in lines(self.source)[node.lineno - 1 :])
        depth, start = 0, None
        try:
            for token in tokenize.generate_tokens(rows.__next__):
                if token.type != tokenize.OP:
                    continue
                if token.string == "(" and depth == 0:
                    start = Place(row=node.lineno + token.start[0] - 1, column=token.start[1] + 1)
                depth += (token.string in "([{") - (token.string in ")]}")
                if token.string == ")" and depth == 0 and start is not None:
                    return start, Place(row=node.lineno + token.end[0] - 1, column=token.end[1] + 1)
        except (tokenize.TokenError, SyntaxError):
            return None
        return None


def _given(word: str, end: Place, default: Place | None) -> Iterator[Edit]:
    """The annotation of a parameter; where "=" stands between it and its default, with spaces around that."""
    if default is not None and (default.row, default.column) == (end.row, end.column + 1):
        yield Edit(content=f": {word} = ", location=end, end_location=default)
    else:
        yield _insert(f": {word}", end)


def _added(node: Function, words: Mapping[str, str], last: int) -> Counter[int]:
    """How many characters the words add to each row of a signature, at most; its `last` has the return."""
    added = Counter({last: len(words.get("return", "")) + 4})
    for arg, _ in with_default(node):
        added[arg.lineno] += 2 * (arg.arg in words)
    for arg in arguments(node):
        added[arg.lineno] += len(words[arg.arg]) + 2 if arg.arg in words else 0
    return added


def _parts(node: Function, words: Mapping[str, str], source: bytes) -> Iterator[str]:
    """The parameters as they are written, what is there already as it stands in the file."""
    spec = node.args

    def told(arg: ast.arg, default: ast.expr | None = None, star: str = "") -> str:
        word = words.get(arg.arg) or (_written(arg.annotation, source) if arg.annotation else "")
        value = "" if default is None else (" = " if word else "=") + _written(default, source)
        return f"{star}{arg.arg}{': ' if word else ''}{word}{value}"

    given = [*spec.posonlyargs, *spec.args]
    defaults = [None] * (len(given) - len(spec.defaults)) + [*spec.defaults]
    for number, (arg, default) in enumerate(zip(given, defaults, strict=True), 1):
        yield told(arg, default)
        if number == len(spec.posonlyargs):
            yield "/"
    if spec.vararg:
        yield told(spec.vararg, star="*")
    elif spec.kwonlyargs:
        yield "*"
    for arg, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        yield told(arg, default)
    if spec.kwarg:
        yield told(spec.kwarg, star="**")


def _written(node: ast.expr, source: bytes) -> str:
    """An expression as it stands in the source; what needs the parentheses that it has there, with them."""
    bare = isinstance(node, ast.NamedExpr | ast.Yield | ast.YieldFrom)
    return ast.unparse(node) if bare else segment(source, node)


def _insert(text: str, at: Place) -> Edit:
    return Edit(content=text, location=at, end_location=at)
