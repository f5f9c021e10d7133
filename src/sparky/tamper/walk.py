"""The claims of a function's body: local names put in, loops over literals unrolled, own helpers followed."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sparky.tamper.claims import RUNS, Claim, claims_of, claims_of_call, raised
from sparky.tamper.expressions import call_name, put, small, text, truth

Function = ast.FunctionDef | ast.AsyncFunctionDef
_MANY, _DEEP = 300, 3
_BROAD = {"AssertionError", "Exception", "BaseException"}
_STOPS = {"skip", "skipTest", "xfail", "exit", "_exit", "quit", "SkipTest"}
_STOPPERS = {"pytest", "self", "sys", "os", "unittest", "builtins", ""}
_FILLING = {
    "add",
    "append",
    "appendleft",
    "clear",
    "discard",
    "extend",
    "insert",
    "pop",
    "popitem",
    "popleft",
}
_FILLING |= {"remove", "reverse", "setdefault", "sort", "update"}
Env = dict[str, ast.expr]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a statement stands: what names mean there, under which conditions, and why it never counts.

    `filled` are names of what is changed in place: they mean something else later on, and so only themselves.
    """

    env: Env
    filled: frozenset[str] = frozenset()
    guards: tuple[str, ...] = ()
    dead: str = ""
    depth: int = 0


@dataclass(kw_only=True)
class Walk:
    """Reads bodies. `helpers` are functions that the body may call by name."""

    helpers: Mapping[str, Function]
    claims: list[Claim] = field(default_factory=list)

    def block(self, body: Sequence[ast.stmt], place: Place) -> Place:
        """Read the statements; returns the place behind them."""
        for statement in body:
            if len(self.claims) >= _MANY:
                break
            place = self._statement(statement, place)
        return place

    def _add(self, claims: list[Claim], place: Place) -> None:
        self.claims += [
            replace(c, guards=(*place.guards, *c.guards), dead=c.dead or place.dead) for c in claims
        ]

    def _statement(self, node: ast.stmt, place: Place) -> Place:  # noqa: C901 - one case for each sort
        match node:
            case ast.Assert(test):
                self._add(list(claims_of(put(test, place.env), node.lineno)), place)
            case ast.Expr(ast.Await(ast.Call() as call)) | ast.Expr(ast.Call() as call):
                return self._call(call, place, node.lineno)
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), ast.expr() as value):
                return _bind(place, {name: value})
            case ast.Assign([ast.Tuple(targets) | ast.List(targets)], value):
                return _bind_parts(place, targets, value)
            case ast.If():
                return self._if(node, place)
            case ast.For() | ast.AsyncFor():
                return self._for(node, place)
            case ast.While(test, body):
                never = "its loop never runs" if truth(put(test, place.env)) is False else ""
                guarded = replace(
                    place, guards=(*place.guards, f"while {text(test)}"), dead=place.dead or never
                )
                self.block(body, _forget(guarded, node))
                return _forget(place, node)
            case ast.With() | ast.AsyncWith():
                return self._with(node, place)
            case ast.Try() | ast.TryStar():
                return self._try(node, place)
            case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
                return replace(place, dead=place.dead or f"line {node.lineno} leaves before it")
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.helpers = {**self.helpers, node.name: node}
            case _:
                return _forget(place, node)
        return place

    def _call(self, call: ast.Call, place: Place, line: int) -> Place:
        name = call_name(call)
        owner, _, last = name.rpartition(".")
        if last in _STOPS and owner in _STOPPERS:
            return replace(place, dead=place.dead or f"{name}() in line {line} stops before it")
        helper = self.helpers.get(name.removeprefix("self.").removeprefix("cls."))
        if helper is not None and place.depth < _DEEP:
            bound = _arguments(helper, call, method=bool(owner))
            if bound is not None:
                env = {**place.env, **{n: put(v, place.env) for n, v in bound.items()}}
                count = len(self.claims)
                inner = replace(place, env=env, depth=place.depth + 1)
                self.block(helper.body, inner)
                self.claims[count:] = [replace(c, line=line) for c in self.claims[count:]]
                if any(c.rank > RUNS for c in self.claims[count:]):
                    return place
        if isinstance(named := put(call, place.env), ast.Call):
            self._add(claims_of_call(named, line), place)
        return place

    def _if(self, node: ast.If, place: Place) -> Place:
        test = put(node.test, place.env)
        known, said = truth(test), text(test)
        sides = []
        for body, when, guard in ((node.body, True, said), (node.orelse, False, f"not ({said})")):
            never = f"line {node.lineno} is never {when}" if known is (not when) else ""
            guards = place.guards if known is when else (*place.guards, guard)
            sides.append(self.block(body, replace(place, guards=guards, dead=place.dead or never)))
        after = _forget(place, node)
        then, other = (side.dead and not place.dead for side in sides)
        if known is True and then:
            return replace(after, dead=sides[0].dead)
        if known is None and then and not other:
            return replace(after, guards=(*place.guards, f"not ({said})"))
        return after

    def _for(self, node: ast.For | ast.AsyncFor, place: Place) -> Place:
        over = put(node.iter, place.env)
        match over:
            case ast.Tuple([]) | ast.List([]):
                self.block(node.body, replace(place, dead=place.dead or "its loop never runs"))
            case ast.Tuple(elts) | ast.List(elts) if len(elts) <= _MANY:
                for value in elts:
                    self.block(node.body, _bind_parts(place, [node.target], ast.Tuple([value], ast.Load())))
            case _:
                inner = replace(place, guards=(*place.guards, f"for {text(over)}"))
                self.block(node.body, _forget(inner, node))
        return _forget(place, node)

    def _with(self, node: ast.With | ast.AsyncWith, place: Place) -> Place:
        body = "; ".join(_put_statement(s, place.env) for s in node.body)
        caught = False
        for item in node.items:
            context = put(item.context_expr, place.env)
            if (claim := raised(context, body, node.lineno)) is not None:
                self._add([claim], place)
                caught = True
            if call_name(context).rpartition(".")[2] == "suppress" and _is_broad(context):
                place = replace(
                    place, dead=place.dead or f"suppress() in line {node.lineno} swallows its failure"
                )
            if isinstance(item.optional_vars, ast.Name):
                place = replace(place, env={k: v for k, v in place.env.items() if k != item.optional_vars.id})
        before = place
        after = self.block(node.body, place)
        if any("suppress" in call_name(item.context_expr) for item in node.items):
            return replace(_forget(before, node), dead="" if "swallows" in before.dead else before.dead)
        return replace(after, dead=before.dead) if caught else after

    def _try(self, node: ast.Try | ast.TryStar, place: Place) -> Place:
        swallowed = ""
        for handler in node.handlers:
            gives_up = any(isinstance(n, ast.Raise) or _fails(n) for s in handler.body for n in ast.walk(s))
            if not gives_up and (handler.type is None or _is_broad(handler.type)):
                swallowed = f"the except in line {handler.lineno} swallows its failure"
        after = self.block(node.body, replace(place, dead=place.dead or swallowed))
        for handler in node.handlers:
            kind = text(handler.type) if handler.type else ""
            self.block(handler.body, replace(place, guards=(*place.guards, f"except {kind}".strip())))
        if swallowed:
            after = replace(after, dead=place.dead)
        self.block(node.orelse, after)
        return self.block(node.finalbody, replace(after, dead=place.dead))


def reader(function: Function, helpers: Mapping[str, Function]) -> Callable[[Env], list[Claim]]:
    """What tells the claims of a function's body, in order, by what names mean in it."""
    others = {name: one for name, one in helpers.items() if one is not function}
    filled = _filled(function)

    def read(env: Env) -> list[Claim]:
        walk = Walk(helpers=others)
        walk.block(function.body, Place(env={k: v for k, v in env.items() if k not in filled}, filled=filled))
        return walk.claims

    return read


def _filled(function: Function) -> frozenset[str]:
    """The names on which a function, or one inside it, calls what changes them, or whose parts it sets."""
    found = set()
    for node in ast.walk(function):
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), how)) if how in _FILLING:
                found.add(name)
            case ast.Subscript(ast.Name(name), _, ast.Store() | ast.Del()):
                found.add(name)
    return frozenset(found)


def _bind(place: Place, values: Mapping[str, ast.expr]) -> Place:
    env = dict(place.env)
    for name, value in values.items():
        told = put(value, place.env)
        if small(told) and name not in place.filled:
            env[name] = told
        else:
            env.pop(name, None)
    return replace(place, env=env)


def _bind_parts(place: Place, targets: list[ast.expr], value: ast.expr) -> Place:
    """The place with each target bound to its part of a value."""
    told = put(value, place.env)
    bound: Env = {}
    _spread(targets, told, bound)
    return _bind(replace(place, env={k: v for k, v in place.env.items() if k not in bound}), bound)


def _spread(targets: list[ast.expr], value: ast.expr, bound: Env) -> None:
    known = (
        value.elts if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(targets) else None
    )
    for index, target in enumerate(targets):
        part = known[index] if known else ast.Subscript(value, ast.Constant(index), ast.Load())
        match target:
            case ast.Name(name):
                bound[name] = part
            case ast.Tuple(inner) | ast.List(inner):
                _spread(inner, part, bound)


def _forget(place: Place, node: ast.stmt) -> Place:
    """The place without what the names that a statement may bind meant before."""
    bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return replace(place, env={name: value for name, value in place.env.items() if name not in bound})


def _put_statement(statement: ast.stmt, env: Env) -> str:
    match statement:
        case ast.Expr(value):
            return text(put(value, env))
        case ast.Assign(_, value):
            return text(put(value, env))
    return text(statement)


def _arguments(helper: Function, call: ast.Call, *, method: bool) -> Env | None:
    """What the parameters of a helper stand for in a call; None if that can't be told."""
    spec = helper.args
    names = [arg.arg for arg in (*spec.posonlyargs, *spec.args)]
    if method and names and names[0] in {"self", "cls"}:
        names = names[1:]
    if (
        spec.vararg
        or spec.kwarg
        or len(call.args) > len(names)
        or any(isinstance(a, ast.Starred) for a in call.args)
    ):
        return None
    defaults = dict(zip(reversed(names), reversed(spec.defaults), strict=False))
    given = {**defaults, **dict(zip(names, call.args, strict=False))}
    return {**given, **{keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}}


def _is_broad(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Name) and n.id in _BROAD for n in ast.walk(node))


def _fails(node: ast.AST) -> bool:
    return call_name(node).rpartition(".")[2] == "fail" or (
        isinstance(node, ast.Assert) and truth(node.test) is False
    )


def strong(claims: Sequence[Claim]) -> Iterator[Claim]:
    """The claims that say more than that something runs; if there are none, those that say that."""
    said = [claim for claim in claims if claim.rank > RUNS or claim.op == "or"]
    yield from said or claims
