"""The largest safe part of a set of edits that are red together, found with few runs of the tests."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def largest_safe(
    units: Sequence[T], is_green: Callable[[tuple[T, ...]], bool]
) -> tuple[tuple[T, ...], tuple[T, ...]]:
    """(kept, culprits) of `units`, known to be red together; both in the order of `units`.

    `kept` is empty or was itself shown green. A culprit is a unit that turned the units kept before it red,
    so of two that are red only together the later one goes. Where more units are never greener, no culprit
    could be kept beside `kept`; where that does not hold, the answer is still safe, perhaps not the largest.
    `is_green` is called at most ceil(log2 n) + 1 times for one culprit among n, for c culprits at most c
    times that. Limit the cost in `is_green`: what it says is red is left out, and never kept.
    """
    kept: tuple[T, ...] = ()
    culprits: tuple[T, ...] = ()
    rest = tuple(units)
    while rest:
        good = _green_prefix(kept, rest, is_green)
        kept += rest[:good]
        culprits += rest[good : good + 1]
        rest = rest[good + 1 :]
        if rest and is_green(kept + rest):
            return kept + rest, culprits
    return kept, culprits


def _green_prefix(kept: tuple[T, ...], rest: tuple[T, ...], is_green: Callable[[tuple[T, ...]], bool]) -> int:
    """How many of `rest` can be added: that many were shown green (or none added), one more is red."""
    green, red = 0, len(rest)
    while red - green > 1:
        middle = (green + red) // 2
        if is_green(kept + rest[:middle]):
            green = middle
        else:
            red = middle
    return green
