"""Where a value belongs in a sorted list."""

from collections.abc import Sequence


def find(values: Sequence[int], wanted: int) -> int:
    """The index of the value; -1 if it is not there."""
    low, high = 0, len(values) - 1
    while low <= high:
        middle = (low + high) // 2
        if values[middle] == wanted:
            return middle
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1
