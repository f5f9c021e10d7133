"""The functions of tests that no edit reaches: what they claim need not be read to be known to stay."""

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sparky.tamper.alike import names_alike
from sparky.tamper.suite import Item, Key


def untouched(base: Sequence[Item], head: Sequence[Item]) -> frozenset[Key]:
    """The functions that claim at head what they do at base, with no other that may be compared with them.

    One that is gone may be compared with any of its last name; tests that are not run have claims to lose.
    """
    mine, theirs = _only(base), _only(head)
    places = {item.key for item in head}
    gone = {item.last for item in base if item.key not in places}
    known = _Known()
    return frozenset(
        key
        for key, item in mine.items()
        if key in theirs and item.last not in gone and known.alike(item, theirs[key])
    )


def _only(items: Sequence[Item]) -> dict[Key, Item]:
    """The functions whose name no other one in their file has."""
    count = Counter(item.key for item in items)
    return {item.key: item for item in items if count[item.key] == 1}


@dataclass(frozen=True, kw_only=True)
class _Known:
    """Compares functions with all that they read. `names`: what two trees name, None if they differ."""

    names: dict[tuple[int, int], set[str] | None] = field(default_factory=dict)

    def alike(self, one: Item, other: Item) -> bool:
        """Whether two functions are judged alike and claim the same."""
        roles = ((item.is_test, item.counts, item.scope.guards, _is_helper(item)) for item in (one, other))
        return len(set(roles)) == 1 and (one.counts or not one.is_test) and self._reads_alike(one, other)

    def _reads_alike(self, one: Item, other: Item) -> bool:
        todo: list[tuple[ast.AST | None, ast.AST | None]] = [(one.node, other.node)]
        seen: set[str] = set()
        while todo:
            mine, theirs = todo.pop()
            if mine is None and theirs is None:
                continue
            names = self._named(mine, theirs) if mine is not None and theirs is not None else None
            if names is None:
                return False
            for name in names - seen:
                todo.append((one.scope.env.get(name), other.scope.env.get(name)))
                todo.append((one.scope.helpers.get(name), other.scope.helpers.get(name)))
            seen |= names
        return True

    def _named(self, one: ast.AST, other: ast.AST) -> set[str] | None:
        key = id(one), id(other)
        if key not in self.names:
            self.names[key] = names_alike(one, other)
        return self.names[key]


def _is_helper(item: Item) -> bool:
    """Whether it is what its name means where it stands."""
    return item.scope.helpers.get(item.node.name) is item.node
