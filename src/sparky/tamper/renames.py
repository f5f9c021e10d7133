"""Tests that have another name or place at head, and else are what they were."""

import ast
from collections.abc import Iterator, Mapping, Sequence

from sparky.tamper.edit import Edit
from sparky.tamper.expressions import parsed

Place = tuple[str, str]
"""The path of a test's file, and its name, after those of its classes: `tests/test_a.py`, `TestA.test_x`."""


def renames(edits: Sequence[Edit]) -> Mapping[Place, Place]:
    """Place at base to place at head, of tests that are gone, each with the only new one like it.

    It is in the same directory: in another one a fixture of the same name may be another.
    """
    python = [edit for edit in edits if edit.test and edit.python]
    base = dict(one for edit in python for one in _tests(edit.old_path or edit.path, edit.before))
    head = dict(one for edit in python for one in _tests(edit.path, edit.after))
    gone = {place: body for place, body in base.items() if place not in head}
    come = {place: body for place, body in head.items() if place not in base}
    return {
        place: there[0]
        for place, body in gone.items()
        if len(there := [new for new, said in come.items() if said == body]) == 1
        and list(gone.values()).count(body) == 1
        and _folder(there[0]) == _folder(place)
    }


def new_id(test: str, known: Mapping[Place, Place]) -> str | None:
    """The id at head of a test that is known to be renamed, None for any other; as pytest's, or dotted."""
    name, bracket, case = test.partition("[")
    for old, new in known.items():
        for form in (_by_pytest, _dotted):
            if form(old) == name:
                return form(new) + bracket + case
    return None


def _folder(place: Place) -> str:
    return place[0].rpartition("/")[0]


def _by_pytest(place: Place) -> str:
    return "::".join((place[0], *place[1].split(".")))


def _dotted(place: Place) -> str:
    return f"{place[0].removesuffix('.py').replace('/', '.')}.{place[1]}"


def _tests(path: str, source: str | None) -> Iterator[tuple[Place, str]]:
    """The tests of a module, each with all of it but its name."""
    tree = parsed(source) if source is not None else None
    yield from _inside(path, "", tree.body) if tree is not None else ()


def _inside(path: str, prefix: str, body: Sequence[ast.stmt]) -> Iterator[tuple[Place, str]]:
    for node in body:
        match node:
            case ast.ClassDef(name):
                yield from _inside(path, f"{prefix}{name}.", node.body)
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) if name.startswith("test"):
                parts: tuple[ast.AST, ...] = (node.args, *node.decorator_list, *node.body)
                yield (path, f"{prefix}{name}"), "\n".join((type(node).__name__, *map(ast.dump, parts)))
