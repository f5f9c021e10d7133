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


_NAMED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_COMPOUND = ast.For | ast.AsyncFor | ast.While | ast.If | ast.With | ast.AsyncWith | ast.Try | ast.Match
_DOING = (
    ast.Call
    | ast.BinOp
    | ast.BoolOp
    | ast.UnaryOp
    | ast.Compare
    | ast.Subscript
    | ast.Attribute
    | ast.comprehension
)


@dataclass(frozen=True, kw_only=True)
class Step:
    """What one commit did to Python files: those that it changed, as they were before and after it."""

    before: Mapping[str, bytes]
    after: Mapping[str, bytes]


@dataclass(frozen=True, kw_only=True)
class Definition:
    """`whole` is all of it but its name; `shape` what a caller has to know, equal for what can stand for it.

    `tells`: it does enough that no other is equal by chance.
    """

    whole: str
    shape: str
    tells: bool


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
def definitions(source: bytes) -> Mapping[str, Definition]:
    """What a module defines, and each of its classes, by its qualified name.

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
        names.update(binds(node))
        if not isinstance(node, _NAMED | ast.Lambda):
            todo += ast.iter_child_nodes(node)
    return frozenset(names)


def _places(module: str) -> Iterator[str]:
    path = module.replace(".", "/")
    return (f"{root}{path}{end}" for root in _SOURCES for end in (".py", "/__init__.py"))


def _defined(prefix: str, body: Iterable[ast.stmt]) -> Iterator[tuple[str, Definition]]:
    for node in body:
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                whole = ast.dump(node).replace(f"name='{name}'", "name=''", 1)
                whole = re.sub(rf"\bid='{name}'", "id=''", whole)
                yield prefix + name, Definition(whole=whole, shape=_shape(node), tells=_tells(node))
                if isinstance(node, ast.ClassDef):
                    yield from _defined(f"{prefix}{name}.", node.body)
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                whole = ast.dump(value)
                yield prefix + name, Definition(whole=whole, shape=whole, tells=False)


def _shape(node: _NAMED) -> str:
    """Its sort, and its parameters; those of `__init__` for a class."""
    if isinstance(node, ast.ClassDef):
        made = (one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
        return f"class {next(map(_shape, made), '')}"
    spec = node.args
    rows = [[arg.arg for arg in row] for row in (spec.posonlyargs, spec.args, spec.kwonlyargs)]
    rest = [arg and arg.arg for arg in (spec.vararg, spec.kwarg)]
    optional = len(spec.defaults), [default is not None for default in spec.kw_defaults]
    marks = [ast.dump(mark) for mark in node.decorator_list]
    return f"{type(node).__name__} {rows} {rest} {optional} {marks}"


def _tells(node: _NAMED) -> bool:
    """Whether it has several statements, or does something with a parameter."""
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    if len(body) > 1 or any(isinstance(one, _COMPOUND) for one in body):
        return True
    if isinstance(node, ast.ClassDef):
        return any(_tells(one) for one in body if isinstance(one, _NAMED))
    given = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
    doing = (one for part in body for one in ast.walk(part) if isinstance(one, _DOING))
    return any(isinstance(n, ast.Name) and n.id in given for one in doing for n in ast.walk(one))


def binds(node: ast.AST) -> Iterator[str]:
    """The names that one node by itself gives a value to, wherever that holds; "*" for those of a module."""
    match node:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            yield name
        case ast.Name(name, ast.Store()):
            yield name
        case ast.Import() | ast.ImportFrom():
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        case ast.arg(name) | ast.ExceptHandler(_, str(name)) | ast.MatchStar(str(name)):
            yield name
        case ast.MatchAs(_, str(name)) | ast.MatchMapping(_, _, str(name)):
            yield name


def _vanishes(step: Step, path: str, name: str) -> bool:
    had = name in definitions(step.before.get(path, b""))
    return had and name not in definitions(step.after.get(path, b""))


def _heir(step: Step, path: str, name: str) -> Where | None:
    """The one definition that the commit brought which can stand for what vanished.

    That is the same under the same name; else one of its name and shape, or the same under another name if
    it is not equal by chance.
    """
    old = definitions(step.before[path])[name]
    last = name.rpartition(".")[2]
    fresh = [
        (place, new, one)
        for place, source in step.after.items()
        for new, one in definitions(source).items()
        if new not in definitions(step.before.get(place, b"")) and new.count(".") == name.count(".")
    ]
    named = [one for one in fresh if one[1].rpartition(".")[2] == last and one[2].shape == old.shape]
    alike = [one for one in fresh if one[2].whole == old.whole]
    both = [one for one in named if one in alike]
    chosen = both or [*named, *(one for one in alike if old.tells)]
    return chosen[0][:2] if len(chosen) == 1 else None
