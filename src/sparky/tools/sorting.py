"""FORMATTING of imports: what ruff calls safe may run modules in another order than before."""

import ast
import textwrap
from collections.abc import Sequence

from msgspec import structs

from sparky.tools.neutral import STANDARD
from sparky.tools.programs.sources import lines, tree_of
from sparky.tools.ruff_json import Diagnostic, Edit

SORTED = "I001"
"""ruff's code for imports that are not sorted."""

_Imported = tuple[int, str, str, str]
"""Dots, module, the name that is taken from it ("": itself), and the name that is bound."""


def weighed(one: Diagnostic, source: bytes) -> Diagnostic:
    """What ruff says of unsorted imports in the source: unsafe where more than Python's own modules move."""
    if one.fix is None or all(_is_harmless(source, edit) for edit in one.fix.edits):
        return one
    return structs.replace(one, fix=structs.replace(one.fix, applicability="unsafe"))


def _is_harmless(source: bytes, edit: Edit) -> bool:
    """Whether all other modules and names are imported in the same order, and nothing is bound twice."""
    if (edit.location.column, edit.end_location.column) != (1, 1):
        return False
    block = lines(source)[edit.location.row - 1 : edit.end_location.row - 1]
    before, after = _imported("\n".join(block)), _imported(edit.content)
    names = [bound for *_, bound in before]
    same = _others(before) == _others(after) and len({*names}) == len(names)
    return bool(before) and (before == after or same)


def _imported(block: str) -> list[_Imported]:
    """What a block of imports imports, in its order; nothing if it is none."""
    tree = tree_of(textwrap.dedent(block).encode("utf-8", "surrogateescape"))
    found: list[_Imported] = []
    for node in tree.body if tree else ():
        if isinstance(node, ast.Import):
            found += [(0, a.name, "", a.asname or a.name.partition(".")[0]) for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.level, node.module or "", a.name, a.asname or a.name) for a in node.names]
    return found


def _others(found: Sequence[_Imported]) -> list[_Imported]:
    return [one for one in found if one[0] or one[1].partition(".")[0] not in STANDARD]
