"""What all readers of results share: one case per identity, and messages of one short line."""

import re
from collections.abc import Iterable

from sparky.domain.testing import TestCase, TestOutcome

_MESSAGE_LIMIT = 300
_LONGEST_S = 1e9
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_WORST_LAST = (
    TestOutcome.PASSED,
    TestOutcome.SKIPPED,
    TestOutcome.XPASSED,
    TestOutcome.XFAILED,
    TestOutcome.FAILED,
    TestOutcome.ERROR,
)


class UnreadableReportError(Exception):
    """A report is of a known format, and can't be read; the text says why."""


def one_line(text: str) -> str:
    """A message as a case has it: without colours, blanks as single spaces, at most 300 characters."""
    return " ".join(_COLOUR.sub("", text).split())[:_MESSAGE_LIMIT]


def seconds_of(value: object) -> float:
    """A duration as JSON has it; 0.0 for what can be none."""
    return float(value) if isinstance(value, int | float) and 0 <= value < _LONGEST_S else 0.0


def merged(cases: Iterable[TestCase]) -> tuple[TestCase, ...]:
    """One case per id, in the order of their first: the worst outcome counts, of two red ones the first."""
    found: dict[str, TestCase] = {}
    for case in cases:
        found[case.id] = _worse(found[case.id], case) if case.id in found else case
    return tuple(found.values())


def _worse(one: TestCase, other: TestCase) -> TestCase:
    worst = max(one, other, key=lambda case: _WORST_LAST.index(case.outcome))
    if one.red and other.red:
        worst = one
    return TestCase(
        id=one.id, outcome=worst.outcome, message=worst.message, seconds=one.seconds + other.seconds
    )
