"""All subsets of a list."""

from collections.abc import Sequence


def powerset(values: Sequence[str]) -> list[list[str]]:
    """Every subset, the empty one first, each in the order of the list."""
    if not values:
        return [[]]
    *rest, last = values
    smaller = powerset(rest)
    return smaller + [[*subset, last] for subset in smaller]
