"""The functions of Python source: their names, their slots, and which of them are one method overridden."""

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

Function = ast.FunctionDef | ast.AsyncFunctionDef
Key = tuple[str, int]
"""A function's qualified name, and which of those of that name it is."""
Place = tuple[str, Key]
"""A function of a target: the path of its file, and its key there."""
Scope = ast.Module | ast.ClassDef | Function
Assignment = tuple[Scope, ast.Assign]
"""An assignment, and what it stands in."""

_T = TypeVar("_T")

_NO_FAMILY = frozenset({"__init__", "__new__", "__init_subclass__", "__post_init__"})


def told_once(tell: Callable[[ast.Module], _T]) -> Callable[[ast.Module], _T]:
    """A function of a tree that nobody changes, which is asked for one tree again and again."""
    known: WeakKeyDictionary[ast.Module, _T] = WeakKeyDictionary()

    @wraps(tell)
    def told(tree: ast.Module) -> _T:
        if tree not in known:
            known[tree] = tell(tree)
        return known[tree]

    return told


@told_once
def functions(tree: ast.Module) -> Mapping[Key, Function]:
    """Every function, in the order of the file."""
    named = sorted(_named(tree), key=lambda pair: pair[1].lineno)
    found: dict[Key, Function] = {}
    counts: Counter[str] = Counter()
    for name, node in named:
        if isinstance(node, Function):
            found[name, counts[name]] = node
            counts[name] += 1
    return found


@told_once
def classes(tree: ast.Module) -> Mapping[str, ast.ClassDef]:
    """Every class by its qualified name."""
    return {name: node for name, node in _named(tree) if isinstance(node, ast.ClassDef)}


def _named(tree: ast.Module) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    todo: list[tuple[ast.AST, str]] = [(tree, "")]
    while todo:
        node, name = todo.pop()
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, Function | ast.ClassDef):
                inner = f"{name}.{child.name}".lstrip(".")
                yield inner, child
            todo.append((child, inner))


def assigned(node: ast.AST, scope: Scope) -> Iterator[Assignment]:
    """The assignments to one name or attribute in a node of a scope, in the order of the file."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Assign(targets=[ast.Name() | ast.Attribute()]):
                yield scope, child
        inner = child if isinstance(child, ast.ClassDef | Function) else scope
        yield from assigned(child, inner)


def arguments(node: Function) -> list[ast.arg]:
    """All parameters, in no order that a call knows."""
    spec = node.args
    rest = [arg for arg in (spec.vararg, spec.kwarg) if arg is not None]
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *rest]


def positional(node: Function) -> list[str]:
    """The parameters that a call gives by place, in order."""
    return [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]


def with_default(node: Function) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters that have a default, with it."""
    spec = node.args
    given = [*spec.posonlyargs, *spec.args]
    pairs = [*zip(given[len(given) - len(spec.defaults) :], spec.defaults, strict=True)]
    return pairs + [(a, value) for a, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value]


def open_slots(node: Function) -> set[str]:
    """The slots of a function that have no annotation; a method's first parameter needs none."""
    missing = {arg.arg for arg in arguments(node) if arg.annotation is None} - {"self", "cls"}
    return missing | ({"return"} if node.returns is None else set())


def own(node: Function) -> Iterator[ast.AST]:
    """What stands in a function, without those in it."""
    todo: list[ast.AST] = list(node.body)
    while todo:
        one = todo.pop()
        yield one
        if not isinstance(one, Function | ast.ClassDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(one))


def is_generator(node: Function) -> bool:
    """Whether a call gives an iterator of what it yields."""
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in own(node))


def families(trees: Mapping[str, ast.Module]) -> list[list[Place]]:
    """The methods of one name of classes that are related, the one that all others override first.

    Classes are told apart by name and file only; the bases of a class are looked up by name in all files.
    """
    by_name: dict[str, list[tuple[str, str, ast.ClassDef]]] = defaultdict(list)
    methods: dict[tuple[str, str], dict[str, Key]] = defaultdict(dict)
    for path, tree in trees.items():
        for name, node in classes(tree).items():
            by_name[node.name].append((path, name, node))
        for key in functions(tree):
            owner, _, method = key[0].rpartition(".")
            methods[path, owner].setdefault(method, key)
    heads: dict[Place, Place] = {}
    depths: dict[Place, int] = {}
    for path, name, node in (one for several in by_name.values() for one in several):
        for method, key in methods[path, name].items():
            above = [*_ancestors(node, by_name)]
            depths[path, key] = len(above)
            for base in above:
                if method in methods[base] and method not in _NO_FAMILY:
                    heads[_head(heads, (path, key))] = _head(heads, (base[0], methods[base][method]))
    families: dict[Place, list[Place]] = defaultdict(list)
    for place in sorted({*heads, *heads.values()}):
        families[_head(heads, place)].append(place)
    return [sorted(family, key=depths.__getitem__) for _, family in sorted(families.items())]


def fickle(trees: Mapping[str, ast.Module]) -> set[str]:
    """The names of classes whose call may give something else: `__new__`, theirs or inherited, does."""
    by_name: dict[str, list[tuple[str, str, ast.ClassDef]]] = defaultdict(list)
    found: set[tuple[str, str]] = set()
    for path, tree in trees.items():
        for name, node in classes(tree).items():
            by_name[node.name].append((path, name, node))
            made = functions(tree).get((f"{name}.__new__", 0))
            gives = (one.value for one in own(made) if isinstance(one, ast.Return)) if made else ()
            if any(isinstance(one, ast.Call) and isinstance(one.func, ast.Name) for one in gives):
                found.add((path, name))
    every = (one for several in by_name.values() for one in several)
    return {node.name for path, name, node in every if found & {(path, name), *_ancestors(node, by_name)}}


def _head(heads: Mapping[Place, Place], place: Place) -> Place:
    while heads.get(place, place) != place:
        place = heads[place]
    return place


def _ancestors(
    node: ast.ClassDef, by_name: Mapping[str, list[tuple[str, str, ast.ClassDef]]]
) -> Iterator[tuple[str, str]]:
    """The classes above one, as path and name."""
    todo, seen = [node], {id(node)}
    while todo:
        for base in todo.pop().bases:
            word = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
            for path, name, above in by_name.get(word, ()):
                if id(above) not in seen:
                    seen.add(id(above))
                    todo.append(above)
                    yield path, name
