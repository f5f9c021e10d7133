"""The spellings of one collection as one: what linters rewrite into each other claims the same."""

import ast
from collections.abc import Iterator

_MAKERS = frozenset({"list", "tuple", "set", "dict", "map", "all"})
"""The built-ins that have another spelling."""


def apart(tree: ast.Module, source: str) -> ast.Module:
    """The module; where it binds the name of a built-in, or may import it by `*`, one that names another."""
    bound = frozenset(_bound(tree))
    own = _MAKERS if "*" in bound else _MAKERS & bound
    if not own:
        return tree
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in own:
            node.id = f"its own {node.id}"
    return tree


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
                yield name
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                yield name
            case ast.alias(name, as_name):
                yield as_name or name
            case (
                ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.ExceptHandler(name=str(name))
            ):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name


def spelt(node: ast.AST) -> ast.AST:
    """The node as the display or comprehension that it makes, if it does; its parts are spelt so already."""
    match node:
        case ast.Call(ast.Name("map"), [ast.Lambda(args, body), over], []) if name := _only(args):
            return ast.GeneratorExp(body, [ast.comprehension(ast.Name(name, ast.Store()), over, [], 0)])
        case ast.Call(ast.Name(name), [given], []):
            return _made(name, given) or node
        case ast.ListComp(ast.Name(one), [ast.comprehension(ast.Name(other), over, [], 0)]) if one == other:
            return ast.Call(ast.Name("list", ast.Load()), [over], [])
    return node


def _only(args: ast.arguments) -> str:
    """The name of a lambda's one plain parameter; "" if it has others."""
    match args:
        case ast.arguments([], [ast.arg(name)], None, [], [], None, []):
            return name
    return ""


def _made(name: str, given: ast.expr) -> ast.expr | None:
    """What a built-in makes of one argument; None if that has no other spelling."""
    match name, given:
        case "list", ast.List(elts) | ast.Tuple(elts):
            return ast.List(elts, ast.Load())
        case "tuple", ast.List(elts) | ast.Tuple(elts):
            return ast.Tuple(elts, ast.Load())
        case "set", ast.List([_, *_] as elts) | ast.Tuple([_, *_] as elts):
            return ast.Set(elts)
        case "list", ast.ListComp(each, over) | ast.GeneratorExp(each, over):
            return ast.ListComp(each, over)
        case "set", ast.ListComp(each, over) | ast.GeneratorExp(each, over) | ast.SetComp(each, over):
            return ast.SetComp(each, over)
        case "dict", ast.ListComp(ast.Tuple([key, value]), over) | ast.GeneratorExp(
            ast.Tuple([key, value]), over
        ):
            return ast.DictComp(key, value, over)
        case "all", ast.ListComp(each, over):
            return ast.Call(ast.Name(name, ast.Load()), [ast.GeneratorExp(each, over)], [])
    return None
