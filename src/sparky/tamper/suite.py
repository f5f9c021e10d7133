"""The tests of a module as pytest and unittest see them: collected or not, skipped, and what they claim."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from sparky.tamper.cases import cases_of, skips_in
from sparky.tamper.claims import Claim
from sparky.tamper.expressions import MODULES, call_name, dotted, is_literal, module, put, text, truth
from sparky.tamper.spellings import apart
from sparky.tamper.walk import Env, Function, reader

_LITERAL = 20_000
Key = tuple[str, str]
"""The path of a function's file, and its name."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What surrounds a function: markers, why nothing is collected, conditions, functions and names."""

    prefix: str = ""
    skips: tuple[str, ...] = ()
    out: str = ""
    guards: tuple[str, ...] = ()
    helpers: Mapping[str, Function] = field(default_factory=dict)
    env: Env = field(default_factory=dict)
    collects: bool = True


@dataclass(frozen=True, kw_only=True)
class Item:
    """A function of a test file. `out`: why it is not collected, or ""; `skips`: its markers that skip."""

    path: str
    name: str
    is_test: bool
    out: str
    skips: tuple[str, ...]
    node: Function
    scope: Scope

    @property
    def line(self) -> int:
        """Where it stands, counted from 1."""
        return self.node.lineno

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """What it claims, in order; read when it is asked for, since of most tests nobody asks."""
        read = reader(self.node, self.scope.helpers)
        return tuple(
            replace(claim, guards=(*self.scope.guards, *guard, *claim.guards))
            for env, guard in cases_of(self.node, self.scope.env)
            for claim in read(env)
        )

    @cached_property
    def mocks(self) -> frozenset[str]:
        """What it replaces, by its last name."""
        return frozenset(_mocks(self.node))

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it but its docstring."""
        return all(isinstance(s, ast.Pass) or _is_constant(s) for s in self.node.body)

    @property
    def key(self) -> Key:
        """Its file and its name."""
        return self.path, self.name

    @property
    def counts(self) -> bool:
        """Whether its claims are judged when the tests run."""
        return self.is_test and not self.out and not self.skips

    @property
    def last(self) -> str:
        """Its name without that of its class."""
        return self.name.rpartition(".")[2]


def helpers_of(sources: Iterable[str]) -> dict[str, Function]:
    """The functions of modules that are no tests, by name."""
    trees = (_apart(source) for source in sources)
    found = (_functions(tree.body) for tree in trees if tree is not None)
    return {
        name: one for functions in found for name, one in functions.items() if not name.startswith("test")
    }


def items_of(
    path: str, source: str, *, collected: bool, shared: Mapping[str, Function] | None = None
) -> list[Item]:
    """All functions of a module, nested classes' too; none if it does not parse.

    `collected`: whether tests are looked for in a file of this name; `shared`: helpers of other modules.
    """
    tree = _apart(source)
    if tree is None:
        return []
    out = "" if collected else "no test is looked for in a file of this name"
    scope = Scope(out=out, helpers={**(shared or {}), **_functions(tree.body)}, env=_literals(tree.body))
    return list(_items(path, tree.body, _marked(tree.body, scope)))


@lru_cache(maxsize=MODULES)
def _apart(source: str) -> ast.Module | None:
    tree = module(source)
    return apart(tree, source) if tree is not None else None


def _items(path: str, body: list[ast.stmt], scope: Scope) -> Iterator[Item]:
    last = _last_lines(body)
    mixed = _bases_of_tests(body)
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield _item(path, node, scope, last)
            case ast.ClassDef():
                yield from _items(path, node.body, _inside(node, scope, last, mixed))
            case ast.If(test, then, other):
                for inner, when in ((then, True), (other, False)):
                    guard = text(test) if when else f"not ({text(test)})"
                    known = truth(test)
                    out = scope.out or (f"line {node.lineno} is never {when}" if known is (not when) else "")
                    guards = scope.guards if known is when else (*scope.guards, guard)
                    yield from _items(path, inner, _with(scope, out=out, guards=guards))
            case ast.Try(inner, handlers, orelse, final):
                yield from _items(
                    path, [*inner, *(s for h in handlers for s in h.body), *orelse, *final], scope
                )


def _with(scope: Scope, *, out: str, guards: tuple[str, ...]) -> Scope:
    return Scope(
        prefix=scope.prefix,
        skips=scope.skips,
        out=out,
        guards=guards,
        helpers=scope.helpers,
        env=scope.env,
        collects=scope.collects,
    )


def _inside(node: ast.ClassDef, scope: Scope, last: Mapping[str, int], mixed: frozenset[str]) -> Scope:
    bases = [dotted(base).rpartition(".")[2] for base in node.bases]
    xunit = any("TestCase" in base or base in mixed for base in bases)
    named = node.name.startswith("Test") or node.name.endswith(("Test", "Tests", "TestCase"))
    out = scope.out or _shadowed(node.name, node.lineno, last)
    if (
        named
        and not xunit
        and any(isinstance(n, ast.FunctionDef) and n.name == "__init__" for n in node.body)
    ):
        out = out or "its class has an __init__, so that pytest does not collect it"
    collects = xunit or named or node.name in mixed
    helpers = {**scope.helpers, **_functions(node.body)}
    inner = Scope(
        prefix=f"{scope.prefix}{node.name}.",
        skips=(*scope.skips, *skips_in(node.decorator_list)),
        out=out,
        guards=scope.guards,
        helpers=helpers,
        env={**scope.env, **_literals(node.body)},
        collects=collects,
    )
    return _marked(node.body, inner)


def _marked(body: list[ast.stmt], scope: Scope) -> Scope:
    """The scope with what its own statements say of all that is in it."""
    skips, out = list(scope.skips), scope.out
    for node in body:
        match node:
            case ast.Assign([ast.Name("pytestmark")], value):
                skips += skips_in([value])
            case ast.Assign([ast.Name("__test__")], ast.Constant(False)):
                out = out or "__test__ is False"
            case ast.Expr(ast.Call() as call) if call_name(call) in {
                "pytest.skip",
                "sys.exit",
                "os._exit",
                "pytest.exit",
                "exit",
            }:
                skips.append(f"{text(call)} in line {node.lineno}")
            case ast.Raise(ast.expr() as error) if "Skip" in text(error) or "SystemExit" in text(error):
                skips.append(f"{text(node)} in line {node.lineno}")
    return Scope(
        prefix=scope.prefix,
        skips=tuple(skips),
        out=out,
        guards=scope.guards,
        helpers=scope.helpers,
        env=scope.env,
        collects=scope.collects,
    )


def _item(path: str, node: Function, scope: Scope, last: Mapping[str, int]) -> Item:
    is_test = node.name.startswith("test") and scope.collects
    marks = [text(mark) for mark in node.decorator_list]
    odd = next((mark for mark in marks if mark in {"property", "staticmethod", "classmethod"}), "")
    out = scope.out or _shadowed(node.name, node.lineno, last)
    if odd == "property" or any("fixture" in mark for mark in marks):
        out = out or f"@{marks[0]} makes it no test"
    return Item(
        path=path,
        name=f"{scope.prefix}{node.name}",
        is_test=is_test,
        out=out,
        skips=(*scope.skips, *skips_in(node.decorator_list)),
        node=node,
        scope=scope,
    )


def _is_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _mocks(node: Function) -> Iterator[str]:
    """What a test replaces, by its last name."""
    for inner in ast.walk(node):
        name = call_name(inner)
        if isinstance(inner, ast.Call) and name.endswith(("patch", "patch.object", "setattr", "patch.dict")):
            said = [
                a.value for a in inner.args[:2] if isinstance(a, ast.Constant) and isinstance(a.value, str)
            ]
            yield from (word.rpartition(".")[2] for word in said[:1])
        match inner:
            case ast.Assign([ast.Attribute(_, attribute)], value) if not is_literal(value):
                yield f".{attribute}"
            case ast.Assign([ast.Name(bound)], ast.Lambda() | ast.Call(ast.Name("Mock" | "MagicMock"))):
                yield bound
            case ast.FunctionDef(bound) if inner is not node:
                yield bound


def _shadowed(name: str, line: int, last: Mapping[str, int]) -> str:
    later = last.get(name, line)
    return f"line {later} takes its name" if later > line else ""


def _last_lines(body: list[ast.stmt]) -> dict[str, int]:
    """Where each name of a body is bound, or deleted, for the last time."""
    found: dict[str, int] = {}
    for node in body:
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                if not any("overload" in text(d) or ".setter" in text(d) for d in node.decorator_list):
                    found[name] = node.lineno
            case ast.Assign([ast.Attribute(ast.Name(name), "__test__")]):
                found[name] = node.lineno
            case ast.Assign(targets) | ast.Delete(targets):
                found |= {t.id: node.lineno for t in targets if isinstance(t, ast.Name)}
    return found


def _bases_of_tests(body: list[ast.stmt]) -> frozenset[str]:
    """Classes from which another class of the module is made: their tests run there."""
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    xunit = {c.name for c in classes if any("TestCase" in text(base) for base in c.bases)}
    used = {
        dotted(base)
        for c in classes
        for base in c.bases
        if c.name.lower().startswith("test") or c.name in xunit
    }
    return frozenset({*xunit, *(c.name for c in classes if c.name in used)})


def _functions(body: list[ast.stmt]) -> dict[str, Function]:
    return {n.name: n for n in body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}


def _literals(body: list[ast.stmt]) -> Env:
    """Names that are bound once, to a literal."""
    last = _last_lines(body)
    return {
        node.targets[0].id: put(node.value, {})
        for node in body
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and last[node.targets[0].id] == node.lineno
        and (is_literal(node.value) or isinstance(node.value, ast.List | ast.Tuple))
        and len(text(node.value)) <= _LITERAL
    }
