"""The expressions of a file: where they begin, the names in them, what functions put where."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping

from sparky.tools.programs.signatures import Function, Key, functions, own, told_once


@told_once
def expressions(tree: ast.Module) -> Mapping[int, list[ast.expr]]:
    """The expressions that begin in each line."""
    found: dict[int, list[ast.expr]] = defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            found[node.lineno].append(node)
    return found


@told_once
def put_by(tree: ast.Module) -> list[tuple[str, Key, ast.expr]]:
    """What functions assign to attributes: the attribute's name, the function, the value."""
    return [
        (target.attr, key, one.value)
        for key, node in functions(tree).items()
        for one in own(node)
        if isinstance(one, ast.Assign)
        for target in one.targets
        if isinstance(target, ast.Attribute)
    ]


def names_in(node: ast.AST) -> set[str]:
    """The names that stand in a node."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def values_of(node: Function, name: str) -> Iterator[ast.expr]:
    """What is bound to a local name."""
    for one in own(node):
        if isinstance(one, ast.Assign):
            if any(name in names_in(target) for target in one.targets):
                yield one.value
        elif isinstance(one, ast.For | ast.comprehension):
            if name in names_in(one.target):
                yield one.iter
        elif isinstance(one, ast.withitem) and one.optional_vars and name in names_in(one.optional_vars):
            yield one.context_expr
