"""A stale snapshot as its own test rewrites it, and the lines of its file that become others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from pathlib import PurePosixPath

from sparky.tools.ruff_json import Edit, Place

STALE = "stale-snapshot"
WHOLE, OPAQUE, SAME = "whole-snapshot", "opaque-snapshot", "unchanged-snapshot"

_PLACES = frozenset({"__snapshots__", "snapshots"})
_COMPARED = 1000
"""How many lines may lie between the first that changes and the last; more of them are one edit."""


@dataclass(frozen=True, kw_only=True)
class Rewritten:
    """A snapshot's file before and after its test rewrote it; None: it is not there."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def rule(self) -> str:
        """`STALE` if its lines can be edited, else why not."""
        if self.before is None or self.after is None:
            return WHOLE
        able = not self.path.endswith(".py") and _is_text(self.before) and _is_text(self.after)
        return STALE if able else OPAQUE

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What makes of its lines before those after; for a file that is there, and is text."""
        return tuple(_edits(*((data or b"").splitlines(keepends=True) for data in (self.before, self.after))))


def why_left(made: Sequence[Rewritten]) -> str:
    """The rule of a test that stays as it is, by what its snapshots become; "": all of them can be edited."""
    return next((one.rule for one in made if one.rule != STALE), "" if made else SAME)


def is_snapshot(path: str) -> bool:
    """Whether a file lies where syrupy and pytest-snapshot keep what tests compare with."""
    return not _PLACES.isdisjoint(PurePosixPath(path).parts[:-1])


def _is_text(data: bytes) -> bool:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return "\0" not in text and not text.startswith("\ufeff")


def _edits(old: list[bytes], new: list[bytes]) -> Iterator[Edit]:
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    matched = SequenceMatcher(None, a, b).get_opcodes() if max(len(a), len(b)) <= _COMPARED else None
    for tag, start, end, first, last in matched or [("replace", 0, len(a), 0, len(b))]:
        if tag != "equal":
            content = b"".join(b[first:last]).decode()
            yield Edit(content=content, location=_at(old, head + start), end_location=_at(old, head + end))


def _alike(one: list[bytes], other: list[bytes]) -> int:
    """With how many equal lines both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _at(lines: list[bytes], index: int) -> Place:
    """Where a line begins; behind the last one, where the text ends."""
    if index == len(lines) > 0 and not lines[-1].endswith((b"\n", b"\r")):
        return Place(row=index, column=len(lines[-1].decode()) + 1)
    return Place(row=index + 1, column=1)
