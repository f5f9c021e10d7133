"""Python expressions as values: names put in, constants folded, truth told where it is constant."""

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import cast

from sparky.tamper.spellings import spelt

Names = Mapping[str, ast.expr]
"""What local names stand for."""

LIMIT = 4000
"""Characters above which an expression is not put in for a name."""

MODULES = 256
"""How many modules are kept: those at base and at head of a large diff, which is judged again as it grows."""

_BUILTINS = frozenset(dir(builtins))
_MADE_EMPTY: Mapping[str, ast.expr] = {
    "dict": ast.Dict([], []),
    "list": ast.List([], ast.Load()),
    "tuple": ast.Tuple([], ast.Load()),
}


def text(node: ast.AST) -> str:
    """The source of a node, in one spelling; its dump, where there is no source for it."""
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError):
        return ast.dump(node)


def parsed(source: str) -> ast.Module | None:
    """The module, one's own; None if it does not parse."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=MODULES)
def module(source: str) -> ast.Module | None:
    """The module, everybody's: not to be changed; None if it does not parse."""
    return parsed(source)


def put(node: ast.expr, names: Names) -> ast.expr:
    """The expression with names replaced by what they stand for, and strings of constants folded.

    What is given is never changed; parts that stay are shared.
    """
    return cast("ast.expr", _put(node, names))


def _put(node: ast.AST, names: Names) -> ast.AST:
    match node:
        case ast.Name(name, ast.Load()):
            return names.get(name, node)
        case ast.JoinedStr() | ast.Constant():
            return node
        case ast.Lambda(args):
            own = {arg.arg for arg in args.args}
            names = {name: value for name, value in names.items() if name not in own}
    return _folded(_rebuilt(node, names))


def _rebuilt(node: ast.AST, names: Names) -> ast.AST:
    changed: dict[str, object] = {}
    for name, value in ast.iter_fields(node):
        new: object = value
        if isinstance(value, ast.AST):
            new = _put(value, names)
        elif isinstance(value, list):
            parts = [_put(part, names) if isinstance(part, ast.AST) else part for part in value]
            new = parts if any(one is not other for one, other in zip(parts, value, strict=True)) else value
        if new is not value:
            changed[name] = new
    return type(node)(**{**dict(ast.iter_fields(node)), **changed}) if changed else node


def _folded(node: ast.AST) -> ast.AST:
    """A sum or join of string constants as one, a collection in one spelling; other nodes as they are."""
    match node:
        case ast.BinOp(ast.Constant(str() as left), ast.Add(), ast.Constant(str() as right)):
            return ast.Constant(left + right)
        case ast.Call(ast.Attribute(ast.Constant(str() as glue), "join"), [ast.List(elts) | ast.Tuple(elts)]):
            words = [part.value for part in elts if isinstance(part, ast.Constant)]
            if len(words) == len(elts) and all(isinstance(word, str) for word in words):
                return ast.Constant(glue.join(map(str, words)))
        case ast.Call(ast.Name(name), [], []) if name in _MADE_EMPTY:
            return _MADE_EMPTY[name]
    return spelt(node)


def small(node: ast.expr) -> bool:
    """Whether an expression may be put in for a name without blowing up what it is put into."""
    return len(text(node)) <= LIMIT


def constants(node: ast.AST) -> Counter[str]:
    """The constants in a node, without None, True, False and the ellipsis."""
    found = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant))
    return Counter(repr(value) for value in found if value not in {None, ...} and not isinstance(value, bool))


def identifiers(node: ast.AST) -> frozenset[str]:
    """The names and attributes in a node, without those of built-ins."""
    return frozenset(_identifiers(node)) - _BUILTINS


def _identifiers(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        match inner:
            case ast.Name(name):
                yield name
            case ast.Attribute(_, name):
                yield name


def called(node: ast.AST) -> frozenset[str]:
    """The last part of the name of everything that is called in a node."""
    return frozenset(name.rpartition(".")[2] for inner in ast.walk(node) if (name := call_name(inner)))


def call_name(node: ast.AST) -> str:
    """What a call calls, dotted; "" if the node is no call of a name."""
    return dotted(node.func) if isinstance(node, ast.Call) else ""


def dotted(node: ast.AST) -> str:
    """`a.b.c` as it is written; "" if the node is something else."""
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(value, name):
            return f"{inner}.{name}" if (inner := dotted(value)) else ""
    return ""


@lru_cache(maxsize=4096)
def shape(source: str) -> str:
    """The source with every name that is no built-in made the same: equal for what was only renamed."""
    tree = parsed(source)
    return text(_Nameless().visit(tree)) if tree is not None else source


class _Nameless(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.Name:
        return node if node.id in _BUILTINS else ast.Name("_", node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if dotted(node):
            return ast.Name("_", node.ctx)
        return ast.Attribute(self.visit(node.value), "_", node.ctx)

    def visit_keyword(self, node: ast.keyword) -> ast.keyword:
        return ast.keyword(node.arg and "_", self.visit(node.value))


def is_literal(node: ast.AST) -> bool:
    """Whether a node names nothing and calls nothing."""
    return not any(isinstance(n, ast.Name | ast.Call | ast.Attribute | ast.Await) for n in ast.walk(node))


def truth(node: ast.expr) -> bool | None:
    """What a condition always is; None if that depends."""
    match node:
        case ast.Constant(value):
            return bool(value)
        case ast.UnaryOp(ast.Not(), inner):
            known = truth(inner)
            return None if known is None else not known
        case ast.BoolOp(op, values):
            told = [truth(value) for value in values]
            if isinstance(op, ast.And):
                return False if False in told else True if None not in told else None
            return True if True in told else False if None not in told else None
        case ast.Compare() if is_literal(node):
            return _literal_comparison(node)
        case ast.Call(ast.Name("bool" | "len"), [ast.expr() as inner], []):
            return truth(inner)
        case ast.Name("TYPE_CHECKING") | ast.Attribute(_, "TYPE_CHECKING"):
            return False
        case ast.List(elts) | ast.Tuple(elts) | ast.Set(elts):
            return bool(elts)
        case ast.Dict(keys):
            return bool(keys)
    return None


def _literal_comparison(node: ast.Compare) -> bool | None:
    try:
        left, right = ast.literal_eval(node.left), ast.literal_eval(node.comparators[0])
        match node.ops:
            case [ast.Eq()]:
                return bool(left == right)
            case [ast.NotEq()]:
                return bool(left != right)
            case [ast.Lt()]:
                return bool(left < right)
            case [ast.Gt()]:
                return bool(left > right)
    except (ValueError, TypeError):
        return None
    return None
