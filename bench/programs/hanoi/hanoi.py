"""The towers of Hanoi."""


def moves(height: int, start: str = "A", end: str = "C", spare: str = "B") -> list[tuple[str, str]]:
    """The shortest way to carry a tower from one peg to another."""
    if height == 0:
        return []
    return [*moves(height - 1, start, spare, end), (start, end), *moves(height - 1, spare, end, start)]
