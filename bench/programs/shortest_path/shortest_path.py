"""The shortest way in a graph."""

from collections.abc import Mapping
from heapq import heappop, heappush

Graph = Mapping[str, Mapping[str, int]]


def shortest(graph: Graph, start: str, end: str) -> int | None:
    """The length of the shortest way; None if there is none."""
    ahead, done = [(0, start)], set()
    while ahead:
        length, node = heappop(ahead)
        if node == end:
            return length
        if node not in done:
            done.add(node)
            for other, step in graph.get(node, {}).items():
                heappush(ahead, (length + step, other))
    return None
