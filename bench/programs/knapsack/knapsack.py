"""What to pack: the most value for a weight."""

from collections.abc import Sequence


def pack(items: Sequence[tuple[int, int]], room: int) -> int:
    """The greatest value of some of the items (weight, value) that weigh no more than `room`."""
    best = [0] * (room + 1)
    for weight, value in items:
        for space in range(room, weight - 1, -1):
            best[space] = max(best[space], best[space - weight] + value)
    return best[room]
