"""Annotations that could stand where a function has none: what each proposes, and the edits for them.

Proposed are: None for what returns nothing, the type of a plain default, and what `pyrefly infer` (MIT) says.
Never `Any` or `object`: they would hush a checker, and say nothing.
"""

import ast
import builtins
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparky.tools.programs.sources import place, tree_of
from sparky.tools.ruff_json import Edit, Place

Function = ast.FunctionDef | ast.AsyncFunctionDef
Slot = tuple[str, int, str]
"""A function's qualified name, which of those of that name, and a parameter, or "return"."""

_SCALARS = (bool, int, float, str, bytes)
_HUSHES = re.compile(
    r"\b(?:Any|object|Unknown|Incomplete|Never|NoReturn|Self@\w+|Module)\b|[^\w\s\[\],.|'\"]"
)
_IMPORTABLE = {
    **dict.fromkeys(
        ("Callable", "Generator", "Iterable", "Iterator", "Mapping", "Sequence"), "collections.abc"
    ),
    **dict.fromkeys(("Literal",), "typing"),
}
_BUILT_IN = frozenset(vars(builtins))


@dataclass(frozen=True, kw_only=True)
class Annotated:
    """The annotations proposed for one file."""

    source: bytes
    functions: Mapping[tuple[str, int], Function]
    slots: Mapping[tuple[str, int], Mapping[str, str]] = field(default_factory=dict)

    def edits(self, name: tuple[str, int]) -> tuple[Edit, ...]:
        """The edits for one function, with the imports that they need."""
        node, slots = self.functions[name], self.slots[name]
        made = []
        for arg in _arguments(node):
            if arg.arg in slots:
                end = place(self.source, arg.end_lineno or 0, arg.end_col_offset or 0)
                made.append(Edit(content=f": {slots[arg.arg]}", location=end, end_location=end))
        if "return" in slots and (colon := _colon(self.source, node)) is not None:
            made.append(Edit(content=f" -> {slots['return']}", location=colon, end_location=colon))
        return (*made, *self._imports(slots))

    def _imports(self, slots: Mapping[str, str]) -> Iterator[Edit]:
        tree = tree_of(self.source) or ast.Module(body=[], type_ignores=[])
        top = _top(tree)
        text = " ".join(slots.values())
        bound = bound_names(tree)
        names = set(re.findall(r"[A-Za-z_]\w*", text)) - bound
        lines = [f"from {_IMPORTABLE[name]} import {name}\n" for name in sorted(names & set(_IMPORTABLE))]
        later = re.search(r"[|\[]", text) or set(re.findall(r"\w+", text)) & bound
        if later and b"from __future__ import annotations" not in self.source:
            lines.append("from __future__ import annotations\n")
        newline = "\r\n" if b"\r\n" in self.source else "\n"
        yield from (Edit(content=one.replace("\n", newline), location=top, end_location=top) for one in lines)


def functions(tree: ast.Module) -> dict[tuple[str, int], Function]:
    """Every function by its qualified name, and which of those of that name it is."""
    found: dict[tuple[str, int], Function] = {}
    todo: list[tuple[ast.AST, str]] = [(tree, "")]
    while todo:
        node, name = todo.pop()
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, Function | ast.ClassDef):
                inner = f"{name}.{child.name}".lstrip(".")
            if isinstance(child, Function):
                number = sum(known == inner for known, _ in found)
                found[inner, number] = child
            todo.append((child, inner))
    return found


def propose(source: bytes, inferred: bytes) -> Annotated | None:
    """The annotations for a file, given what `pyrefly infer` made of it; None if it can't be parsed."""
    tree, other = tree_of(source), tree_of(inferred)
    if tree is None:
        return None
    mine, theirs = functions(tree), functions(other) if other is not None else {}
    known = bound_names(tree) | _BUILT_IN | set(_IMPORTABLE)
    slots: dict[tuple[str, int], dict[str, str]] = {}
    for name, node in mine.items():
        words = {**_inferred(theirs.get(name), known), **_plain(node)}
        if able := _open(node) & set(words):
            slots[name] = {slot: words[slot] for slot in sorted(able)}
    return Annotated(source=source, functions=mine, slots=slots)


def infer(root: Path, files: list[str]) -> None:
    """Let `pyrefly infer` annotate files in place; what it can't do, it leaves."""
    binary = Path(sys.executable).with_name("pyrefly")
    (root / "pyrefly.toml").write_text('preset = "default"\n', encoding="utf-8")
    argv = [str(binary), "infer", "--config", "pyrefly.toml", *files]
    subprocess.run(
        argv, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=300
    )


def bound_names(tree: ast.Module) -> set[str]:
    """The classes and imported names of a module's top level."""
    names = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return names


def _open(node: Function) -> set[str]:
    """The slots of a function that have no annotation; a method's first parameter needs none."""
    missing = {arg.arg for arg in _arguments(node) if arg.annotation is None} - {"self", "cls"}
    return missing | ({"return"} if node.returns is None else set())


def _arguments(node: Function) -> list[ast.arg]:
    spec = node.args
    rest = [arg for arg in (spec.vararg, spec.kwarg) if arg is not None]
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *rest]


def _inferred(node: Function | None, known: set[str]) -> dict[str, str]:
    if node is None:
        return {}
    said = {arg.arg: arg.annotation for arg in _arguments(node)}
    words = {
        slot: ast.unparse(one) for slot, one in {**said, "return": node.returns}.items() if one is not None
    }
    return {slot: word for slot, word in words.items() if _says(word, known)}


def _says(word: str, known: set[str]) -> bool:
    names = set(re.findall(r"(?<![\w.'\"])[A-Za-z_]\w*", word))
    return not _HUSHES.search(word) and names <= known


def _plain(node: Function) -> dict[str, str]:
    """The types of plain defaults, and None for what returns nothing."""
    spec = node.args
    given = [*spec.posonlyargs, *spec.args]
    pairs = [*zip(given[len(given) - len(spec.defaults) :], spec.defaults, strict=True)]
    pairs += [(arg, value) for arg, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value]
    words = {
        arg.arg: type(value.value).__name__
        for arg, value in pairs
        if isinstance(value, ast.Constant) and isinstance(value.value, _SCALARS)
    }
    return {**words, "return": "None"} if _returns_nothing(node) else words


def _returns_nothing(node: Function) -> bool:
    inside = list(_own(node))
    if any(
        isinstance(n, ast.Yield | ast.YieldFrom) or (isinstance(n, ast.Return) and n.value) for n in inside
    ):
        return False
    return not isinstance(node.body[-1], ast.Raise) and not _is_stub(node)


def _own(node: Function) -> Iterator[ast.AST]:
    """What stands in a function, without those in it."""
    todo: list[ast.AST] = list(node.body)
    while todo:
        one = todo.pop()
        yield one
        if not isinstance(one, Function | ast.ClassDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(one))


def _is_stub(node: Function) -> bool:
    """Whether the body says nothing: its overrides may return something."""
    said = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return all(isinstance(statement, ast.Pass) for statement in said)


def _colon(source: bytes, node: Function) -> Place | None:
    """Where the parameters of a `def` end, and what it returns is to be said; None if that can't be told."""
    lines = source.decode("utf-8", "surrogateescape").splitlines(keepends=True)[node.lineno - 1 :]
    depth = 0
    try:
        for token in tokenize.generate_tokens(iter(lines).__next__):
            if token.type == tokenize.OP:
                depth += (token.string in "([{") - (token.string in ")]}")
                if token.string == ")" and depth == 0:
                    return Place(row=node.lineno + token.end[0] - 1, column=token.end[1] + 1)
    except (tokenize.TokenError, SyntaxError):
        return None
    return None


def _top(tree: ast.Module) -> Place:
    """Where an import of a module may stand first: after its docstring, before all other code."""
    body = tree.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    first = body[1] if documented and len(body) > 1 else body[0]
    decorators = getattr(first, "decorator_list", [])
    return Place(row=min([first.lineno, *(one.lineno for one in decorators)]), column=1)
