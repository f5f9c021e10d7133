"""Whether an item is fixed already: an answer is a claim, and the diff between two reports its evidence."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from sparky.domain.change import Lines
from sparky.domain.report import ActionItem, Answer, Reply

_WORD = re.compile(r"[^\W\d_]{4,}")
_ENOUGH = 0.6
"""The part of an item's telling words that a newer report has to share."""

_COMMON = frozenset(
    {
        "this", "that", "with", "from", "have", "should", "must", "does", "when", "then", "there",
        "which", "into", "also", "only", "more", "fixed", "added", "test", "tests", "code", "file",
        "line", "item", "make", "error", "return", "value", "function", "method", "validation",
    }
)  # fmt: skip


class Settled(Enum):
    """How sure it is that an item is fixed."""

    FIXED = "fixed"
    LIKELY = "likely"
    UNKNOWN = "unknown"
    OPEN = "open"


@dataclass(frozen=True, kw_only=True)
class Since:
    """What happened since a report. `diff`: the changed lines, by path; None if that is not known.

    `told`: what newer reports say in prose. `gone`: whether the finding was looked for, and is no longer
    there; None if nobody looked.
    """

    diff: Mapping[str, Lines] | None = None
    told: str = ""
    gone: bool | None = None

    def lines(self, path: str) -> tuple[str, ...] | None:
        """The changed lines of a file, by its path or the end of it; None if it is not touched."""
        files = (self.diff or {}).items()
        found = [lines for at, lines in files if at == path or at.endswith(f"/{path}")]
        return tuple(line for lines in found for line in (*lines.added, *lines.removed)) if found else None


@dataclass(frozen=True, kw_only=True)
class Settlement:
    """Whether an item is fixed, and why that is thought, for a person."""

    item: str
    settled: Settled
    reason: str


def settle(item: ActionItem, reply: Reply | None, since: Since) -> Settlement:
    """Whether an item of a report is fixed, by the answer to its id and what happened since."""
    settled, reason = _settle(item, reply, since)
    return Settlement(item=item.id, settled=settled, reason=reason)


def _settle(item: ActionItem, reply: Reply | None, since: Since) -> tuple[Settled, str]:
    if since.gone is False:
        return Settled.OPEN, "the finding is still there"
    if reply is None:
        return _unanswered(item, since)
    match reply.answer:
        case Answer.REJECTED | Answer.DEFERRED:
            return Settled.OPEN, f"{reply.answer.value}: {reply.reason or 'no reason is given'}"
        case Answer.FIXED:
            said = f"FIXED in {reply.commit[:10]}" if reply.commit else "FIXED"
            settled, reason = _claimed(item, since)
            return settled, f"{said}: {reason}"


def _claimed(item: ActionItem, since: Since) -> tuple[Settled, str]:
    if item.location is None:
        if since.gone:
            return Settled.FIXED, "the finding is gone"
        return Settled.LIKELY, "the item names no file"
    path, symbol = item.location.path, item.location.symbol
    if since.diff is None:
        return Settled.UNKNOWN, "the diff since is not known"
    lines = since.lines(path)
    if lines is None:
        return Settled.UNKNOWN, f"the diff since does not touch {path}"
    if symbol and not since.gone and not _name(symbol, lines):
        return Settled.LIKELY, f"the diff touches {path}; no changed line names {symbol}"
    return Settled.FIXED, f"the diff touches {path}" + (f", {symbol} in it" if symbol else "")


def _unanswered(item: ActionItem, since: Since) -> tuple[Settled, str]:
    path, symbol = (item.location.path, item.location.symbol) if item.location else ("", "")
    lines = since.lines(path) if path else None
    if lines is None:
        return Settled.UNKNOWN, "nobody answers it, and no diff speaks for it"
    if since.gone or (symbol and _name(symbol, lines) and _shares(item.text, since.told)):
        return Settled.LIKELY, f"nobody answers it; the diff touches {path}, and a newer report speaks of it"
    return Settled.UNKNOWN, f"nobody answers it; the diff touches {path}, perhaps for another reason"


def _name(symbol: str, lines: tuple[str, ...]) -> bool:
    name = re.compile(rf"\b{re.escape(symbol.rpartition('.')[2])}\b")
    return any(name.search(line) for line in lines)


def _shares(text: str, told: str) -> bool:
    words = _telling(text)
    return bool(words) and len(words & _telling(told)) >= _ENOUGH * len(words)


def _telling(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)} - _COMMON
