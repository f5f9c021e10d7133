"""What the edits of a kind bring that no later kind mends: the edits go at once, and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.agents.dead_code import DEAD_CODE
from sparky.domain.agent import ToolFix
from sparky.domain.attempt import Stage
from sparky.domain.finding import Finding
from sparky.domain.issue import Kind
from sparky.domain.state import Outcome, PipelineState
from sparky.evidence.detect import detect, exported
from sparky.fixing.early import LIMIT, Safe, Worse, safe_part
from sparky.fixing.search import ROUNDS
from sparky.fixing.stack import Layer
from sparky.tools.faults import appeared
from sparky.tools.tool import units
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


def safe_of(stand: Stand, files: Mapping[str, bytes], worse: Worse) -> Safe:
    """The safe part of removing all unused variables, where `worse` says what is wrong with that."""
    base = stand.commit(files)
    state, ports, works = stand.state(base), stand.house.ports, DEAD_CODE.works
    with exported(ports, base) as root:
        before = detect(ports, root, base, (Kind.DEAD_CODE, Kind.IMPORT_ERROR)).findings
    assert isinstance(works, ToolFix)
    unused = [one for one in before if one.rule == "F841"]
    todo = units(unused, works)
    layer = Layer(part=0, kind=Kind.DEAD_CODE, agent=DEAD_CODE.name, works=works, units=todo)
    fresh = worse((), [one for one in before if one not in unused])
    return safe_part(state, ports, layer, start=base, before=before, fresh=fresh, worse=worse)


def test_what_was_not_shown_to_be_safe_in_so_many_trials_is_left_out_and_not_held_against_it(
    stand: Stand,
) -> None:
    """Of sixteen variables every other one is the only use of an import."""
    names = [f"m{number:02}" for number in range(16)]
    imports = "".join(f"import {name}\n" for name in ("ever", *names[::2]))
    lines = [f"    a_{name} = {number if number % 2 else name}\n" for number, name in enumerate(names)]
    source = f"{imports}\n\ndef f():\n{''.join(lines)}    return 0\n"

    def worse(before: Sequence[Finding], after: Sequence[Finding]) -> tuple[Finding, ...]:
        return tuple(one for one in appeared(before, after) if one.kind is Kind.IMPORT_ERROR)

    safe = safe_of(stand, {"a.py": source.encode()}, worse)
    (kept,) = safe.units
    why = f"withdrawn: its fix was not shown to be safe in {LIMIT} trials; the next run tries it again"
    assert (len(kept.only), len(refused(stand))) == (4, 5)
    assert list(safe.left.values()) == [*refused(stand), *[why] * 7]


def test_where_each_look_finds_another_thing_wrong_whole_files_are_left_out(stand: Stand) -> None:
    """What each file brings shows only once the one before it is left as it is."""
    files = [f"a{number:02}.py" for number in range(12)]
    source = b"def f():\n    unused = 1\n    return 2\n\n\ndef g():\n    print()\n    pass\n"

    def worse(_: Sequence[Finding], after: Sequence[Finding]) -> tuple[Finding, ...]:
        there = {one.location.path for one in after if one.rule == "F841"}
        culprit = files[len(there)]
        return tuple(replace(one, message="new") for one in after if one.location.path == culprit)

    safe = safe_of(stand, dict.fromkeys(files, source), worse)
    assert [unit.path for unit in safe.units] == files[ROUNDS + 1 :]
    brought = [f"withdrawn: its fix brings a new finding: {path}:7 PIE790 new" for path in files]
    assert list(safe.left.values()) == brought[: ROUNDS + 1]
    assert [one.location.path for one in safe.after] == files[ROUNDS + 1 :]
