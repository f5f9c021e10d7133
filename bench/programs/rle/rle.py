"""Run-length encoding."""

from itertools import groupby


def encode(text: str) -> str:
    """Every run of a character as its length and the character."""
    return "".join(f"{len(list(run))}{sign}" for sign, run in groupby(text))


def decode(coded: str) -> str:
    """The text that was encoded. Raises ValueError where a length is missing."""
    said, count = "", ""
    for sign in coded:
        if sign.isdigit():
            count += sign
        else:
            said, count = said + sign * int(count), ""
    return said
