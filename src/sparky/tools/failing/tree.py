"""A commit's Python files, and where its history says that what is not there any more went."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from sparky.tools.programs.sources import tree_of

Where = tuple[str, str]
"""The path of a module, and a name in it: `total`, or `Cart.total`."""

_SOURCES = ("", "src/", "lib/")
"""Where the modules of a project lie: their names begin there."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """What one commit did to Python files: those that it changed, as they were before and after it."""

    before: Mapping[str, bytes]
    after: Mapping[str, bytes]


@dataclass(frozen=True, kw_only=True)
class Tree:
    """`paths` are all of the commit's, `sources` its Python files; `history` has its newest step first."""

    paths: frozenset[str]
    sources: Mapping[str, bytes]
    history: Iterable[Step]

    def find(self, module: str) -> str | None:
        """The path of a module by its absolute name; None if there is none."""
        return next((path for path in _places(module) if path in self.sources), None)

    def has(self, module: str, name: str) -> bool:
        """Whether a module, which is there, may have a name; one that makes names as it runs has any."""
        path = self.find(module)
        names = bound(self.sources[path]) if path else frozenset()
        return bool(names & {name, "*", "__getattr__"}) or self.knows(f"{module}.{name}")

    def knows(self, module: str) -> bool:
        """Whether there is a module, or a directory of modules, of this absolute name."""
        folders = tuple(f"{root}{module.replace('.', '/')}/" for root in _SOURCES)
        return self.find(module) is not None or any(path.startswith(folders) for path in self.sources)

    def owns(self, module: str) -> bool:
        """Whether a module of this name would be one of the project's own."""
        top = module.partition(".")[0]
        return self.knows(top) or self.lost(top) is not None or self.lost(module) is not None

    def lost(self, module: str) -> str | None:
        """The path that a module had before it vanished; None if the history does not say so."""
        places = {path for path in _places(module) if path not in self.sources}
        gone = (path for step in self.history for path in step.before if path not in step.after)
        return next((path for path in gone if path in places), None)

    def went(self, path: str, name: str) -> Where | None:
        """Where a name went that a file does not have any more; None: nowhere, or nobody knows where."""
        step = next((one for one in self.history if _vanishes(one, path, name)), None)
        place = _heir(step, path, name) if step else None
        there = definitions(self.sources.get(place[0], b"")) if place else {}
        return place if place and place[1] in there else None

    def moved(self, module: str) -> str | None:
        """The new absolute name of a whole module that vanished; None: its names went several ways."""
        path = self.lost(module) or ""
        last = next((one.before[path] for one in self.history if path in one.before.keys() - one.after), b"")
        names = [name for name in definitions(last) if "." not in name]
        places = [self.went(path, name) for name in names]
        paths = {place[0] if place and place[1] in names else "" for place in places}
        return name_of(*paths) if len(paths) == 1 and all(paths) else None


def name_of(path: str) -> str:
    """The absolute name by which a module is imported."""
    root = next(root for root in reversed(_SOURCES) if path.startswith(root))
    return path.removeprefix(root).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@lru_cache(maxsize=256)
def definitions(source: bytes) -> Mapping[str, str]:
    """What a module defines, and each of its classes: the qualified name, and all of it but its name.

    Nothing for what does not parse, or is nested too deep to be told.
    """
    tree = tree_of(source)
    try:
        return dict(_defined("", tree.body)) if tree else {}
    except RecursionError:
        return {}


@lru_cache(maxsize=256)
def bound(source: bytes) -> frozenset[str]:
    """All names that a module may have, bound in no function or class; "*" for those of a whole other one."""
    todo: list[ast.AST] = [tree_of(source) or ast.Import(names=[ast.alias(name="*")])]
    names: set[str] = set()
    while todo:
        node = todo.pop()
        names.update(_bound(node))
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            todo += ast.iter_child_nodes(node)
    return frozenset(names)


def _places(module: str) -> Iterator[str]:
    path = module.replace(".", "/")
    return (f"{root}{path}{end}" for root in _SOURCES for end in (".py", "/__init__.py"))


def _defined(prefix: str, body: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    for node in body:
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                whole = ast.dump(node).replace(f"name='{name}'", "name=''", 1)
                yield prefix + name, re.sub(rf"\bid='{name}'", "id=''", whole)
                if isinstance(node, ast.ClassDef):
                    yield from _defined(f"{prefix}{name}.", node.body)
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                yield prefix + name, ast.dump(value)


def _bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            yield name
        case ast.Name(name, ast.Store()):
            yield name
        case ast.Import() | ast.ImportFrom():
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def _vanishes(step: Step, path: str, name: str) -> bool:
    had = name in definitions(step.before.get(path, b""))
    return had and name not in definitions(step.after.get(path, b""))


def _heir(step: Step, path: str, name: str) -> Where | None:
    """The one definition that the commit brought which is the same, else the one of the same name.

    A value is told by its name alone: many are equal by chance.
    """
    old = definitions(step.before[path])[name]
    last = name.rpartition(".")[2]
    fresh = [
        (place, new, body)
        for place, source in step.after.items()
        for new, body in definitions(source).items()
        if new not in definitions(step.before.get(place, b"")) and new.count(".") == name.count(".")
    ]
    alike = [one for one in fresh if one[2] == old and (old.startswith(("Fun", "Async", "Class")))]
    named = [one for one in fresh if one[1].rpartition(".")[2] == last]
    both = [one for one in named if one[2] == old]
    chosen = next((some for some in (both, named, alike) if some), [])
    return chosen[0][:2] if len(chosen) == 1 else None
