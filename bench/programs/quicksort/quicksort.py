"""Sorting by partition."""

from collections.abc import Sequence


def quicksort(values: Sequence[int]) -> list[int]:
    """The values in rising order; equal ones are all kept."""
    if not values:
        return []
    pivot, *rest = values
    below = [value for value in rest if value < pivot]
    above = [value for value in rest if value >= pivot]
    return [*quicksort(below), pivot, *quicksort(above)]
