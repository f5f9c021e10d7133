"""What two trees have in common: no edit made it, so nobody has to judge it."""

import ast
from collections import defaultdict
from collections.abc import Hashable, Sequence
from copy import copy
from itertools import islice

_TOLD = 10


def names_alike(one: ast.AST, other: ast.AST) -> set[str] | None:
    """The names and attributes in two trees that are equal but for where they stand; None if they are not."""
    names: set[str] = set()
    todo: list[tuple[object, object]] = [(one, other)]
    while todo:
        mine, theirs = todo.pop()
        if type(mine) is not type(theirs):
            return None
        if isinstance(mine, list) and isinstance(theirs, list):
            if len(mine) != len(theirs):
                return None
            todo += zip(mine, theirs, strict=True)
        elif isinstance(mine, ast.AST):
            own, others = vars(mine), vars(theirs)
            for name in mine._fields:
                value, there = own.get(name), others.get(name)
                if name in {"id", "attr"}:
                    names.add(str(value))
                if value is not there or isinstance(value, ast.AST | list):
                    todo.append((value, there))
        elif mine != theirs:
            return None
    return names


def alike(one: ast.AST, other: ast.AST) -> bool:
    """Whether two trees are equal but for where they stand."""
    return names_alike(one, other) is not None


def edited(before: ast.Module, after: ast.Module) -> tuple[ast.Module, ast.Module]:
    """Both modules without the statements that stand in both, nor those of both classes of a name."""
    mine, theirs = _edited(before.body, after.body)
    return ast.Module(mine, []), ast.Module(theirs, [])


def _edited(before: Sequence[ast.stmt], after: Sequence[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    mine, theirs = _unequal(before, after)
    classes = {one.name: (n, one) for n, one in enumerate(mine) if isinstance(one, ast.ClassDef)}
    for n, new in enumerate(theirs):
        if isinstance(new, ast.ClassDef) and new.name in classes:
            place, old = classes.pop(new.name)
            was, now = _edited(old.body, new.body)
            mine[place], theirs[n] = _filled(old, was), _filled(new, now)
    return mine, theirs


def _filled(node: ast.ClassDef, body: list[ast.stmt]) -> ast.ClassDef:
    made = copy(node)
    made.body = body
    return made


def _unequal(before: Sequence[ast.stmt], after: Sequence[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    waiting: dict[Hashable, list[ast.stmt]] = defaultdict(list)
    for statement in before:
        waiting[_label(statement)].append(statement)
    theirs = []
    for statement in after:
        same = waiting[_label(statement)]
        twin = next((n for n, one in enumerate(same) if alike(one, statement)), None)
        if twin is None:
            theirs.append(statement)
        else:
            del same[twin]
    return [one for same in waiting.values() for one in same], theirs


def _label(statement: ast.stmt) -> Hashable:
    """Equal for equal statements, and hardly for others."""
    return tuple(
        value
        for node in islice(ast.walk(statement), _TOLD)
        for value in vars(node).values()
        if isinstance(value, str)
    )
