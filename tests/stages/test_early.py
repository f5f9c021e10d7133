"""What the edits of a kind bring that no later kind mends: the edits go at once, and nothing else."""

from pathlib import Path

import pytest

from sparky.domain.attempt import Stage
from sparky.domain.issue import Kind
from sparky.domain.state import Outcome, PipelineState
from tests.stages.stand import Stand, real_ruff
from tests.stages.whole import end, fixed, left, refused, text

LAYOUT = (Kind.COMPLEXITY, Kind.FORMATTING)
LONG = b"""\
def f(one, other):
    if one == "a text of which there is a lot in a line":
        found = 1
    elif other == "another text of which there is a lot":
        found = 1
    else:
        found = 2
    return found
"""
NESTED = b"""\


def g(one, other):
    if one:
        if other:
            print(one)
"""
COLLAPSED = b"""\


def g(one, other):
    if one and other:
        print(one)
"""


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    return Stand(root=tmp_path, tool=real_ruff)


def assert_at_once(state: PipelineState) -> None:
    """Each part worked once, and what they left together was verified as it was."""
    assert end(state).outcome is Outcome.READY, end(state).reason
    assert {attempt.number for attempt in state.of(Stage.EXECUTE)} == {1}


def test_bug_what_a_later_kind_can_not_mend_was_found_only_when_the_whole_was_verified(stand: Stand) -> None:
    source = b"import os\nimport re\n\n\ndef f():\n    a = os\n    b = 1\n    return re\n"
    state = fixed(stand, {"p/__init__.py": source, "a.py": source})
    assert_at_once(state)
    assert text(stand, state, "p/__init__.py") == source.replace(b"    b = 1\n", b"")
    assert text(stand, state, "a.py") == b"import re\n\n\ndef f():\n    return re\n"
    brought = "p/__init__.py:1 F401 `os` imported but unused"
    why = f"withdrawn: its fix brings a new finding: {brought}"
    what = "p/__init__.py:6 F841 Local variable `a` is assigned to but never used"
    assert (left(state), refused(stand)) == ((f"{what}: {why}",), [why])
    again = fixed(stand, {"p/__init__.py": source + b"\n\nX = 1\n"})
    assert_at_once(again)
    assert left(again) == (f"{what}: {why}",)


def test_a_line_that_is_too_long_makes_nothing_worse_where_the_formatter_is_still_to_come(
    stand: Stand,
) -> None:
    state = fixed(stand, {"a.py": LONG + NESTED.replace(b"(one, other)", b"( one,other )")}, kinds=LAYOUT)
    assert_at_once(state)
    assert (left(state), refused(stand)) == ((), [])
    assert (text(stand, state) or b"").endswith(COLLAPSED)


def test_else_only_the_rule_that_makes_it_is_withdrawn(stand: Stand) -> None:
    source = b"# fmt: off\n" + LONG
    state = fixed(stand, {"a.py": source + NESTED, "b.py": LONG + NESTED}, kinds=LAYOUT)
    assert_at_once(state)
    assert text(stand, state) == source + COLLAPSED
    assert (text(stand, state, "b.py") or b"").endswith(COLLAPSED)
    brought = "a.py:3 E501 Line too long (108 > 88)"
    what = "a.py:3 SIM114 Combine `if` branches using logical `or` operator"
    assert left(state) == (f"{what}: withdrawn: its fix brings a new finding: {brought}",)
