"""VERIFY of what tools mended, where it would merge by itself: it is neutral, or a test runs it."""

from dataclasses import replace

import pytest

from sparky.domain.agent import Route
from sparky.domain.attempt import Attempt, Stage, Trait, Verdict
from sparky.domain.finding import Finding, Fix, Location
from sparky.domain.issue import Issue, Kind, Source
from sparky.domain.state import MergePolicy, Preferences
from sparky.evidence.change import SEEN, UNITS
from sparky.formats.values_json import encode
from sparky.tools.tool import Unit
from tests.stages.stand import Stand

NEUTRAL, UNSAFE = Unit(path="a.py", rule="I001"), Unit(path="a.py", rule="F841")
ISSUE = Issue(id="fix", key="k", title="Fix", source=Source.FINDINGS, kinds=(Kind.DEAD_CODE,))
AUTO = Preferences(merge=MergePolicy.AUTO)
BEFORE = {"a.py": b"def f():\n    x = g()\n    return 1\n", "pyproject.toml": b"a = 1\n"}
AFTER = {"a.py": b"def f():\n    g()\n    return  1\n"}
LINES = (Verdict.ESCALATE, "1 changed line(s) that no test was seen to run: a.py:2")


def finding(unit: Unit, fix: Fix) -> Finding:
    return Finding(
        tool=unit.tool,
        rule=unit.rule,
        kind=Kind.DEAD_CODE,
        message="m",
        location=Location(path=unit.path, line=1),
        fix=fix,
    )


FOUND = (finding(NEUTRAL, Fix.SAFE), finding(UNSAFE, Fix.UNSAFE))


def verified(
    stand: Stand,
    *units: Unit,
    after: dict[str, bytes | None] | None = None,
    stage: Stage = Stage.EXECUTE,
    found: tuple[Finding, ...] = FOUND,
) -> dict[str, tuple[Verdict, str]]:
    """What VERIFY says of the risks of a change that tools made by these units."""
    blobs = stand.house.blobs
    base = stand.commit({**BEFORE})
    head = stand.change({**AFTER} if after is None else after)
    stand.issue = replace(ISSUE, findings=blobs.put(encode(())))
    route = Route(kind=Kind.DEAD_CODE, agent="dead_code", fallbacks=(), bids=())
    routed = Attempt(stage=Stage.ROUTE, number=1, verdict=Verdict.PASS, reason="routed", route=(route,))
    made = {UNITS: blobs.put(encode(((0, units),))), SEEN: blobs.put(encode(found))}
    work = replace(routed, stage=stage, route=(), sha=head, traits=(Trait.CHANGED,), blobs=made)
    ran = replace(routed, stage=Stage.TEST, route=(), sha=head)
    attempt = stand.perform(Stage.VERIFY, stand.state(base, routed, work, ran))
    risky = {"covered", "beyond tests"}
    return {gate.gate: (gate.verdict, gate.reason) for gate in attempt.gates if gate.gate in risky}


@pytest.fixture
def stand(stand: Stand) -> Stand:
    stand.preferences = AUTO
    stand.house.tests.untested.add("a.py")
    return stand


def test_a_line_that_says_something_else_has_to_be_run_and_one_that_only_looks_so_has_not(
    stand: Stand,
) -> None:
    assert verified(stand, NEUTRAL, UNSAFE) == {"covered": LINES}
    assert [only for _, only in stand.house.tests.ran] == [()]
    assert verified(stand, UNSAFE, stage=Stage.CHILD) == {"covered": LINES}
    stand.house.tests.untested.clear()
    assert verified(stand, UNSAFE) == {"covered": (Verdict.PASS, "the tests run every changed line")}


def test_what_is_neutral_costs_no_run_and_what_nobody_found_is_not_known_to_be_so(
    stand: Stand,
) -> None:
    assert verified(stand, NEUTRAL) == {}
    assert stand.house.tests.ran == []
    assert verified(stand, NEUTRAL, found=()) == {"covered": LINES}


def test_nobody_is_warned_who_merges_himself(stand: Stand) -> None:
    stand.preferences = Preferences()
    assert (verified(stand, UNSAFE), stand.house.tests.ran) == ({}, [])


def test_what_no_test_can_run_is_named(stand: Stand) -> None:
    unit = Unit(path="pyproject.toml", rule="DEP002", tool="deptry")
    said = verified(stand, unit, UNSAFE, after={"a.py": b"", "pyproject.toml": b""})
    what = "a.py: f, which is gone; pyproject.toml"
    reason = f"2 edit(s) that no test can show to be harmless: {what}"
    assert said == {"beyond tests": (Verdict.ESCALATE, reason)}


def test_an_edit_of_a_test_is_not_asked_for(stand: Stand) -> None:
    unit = Unit(path="tests/test_a.py", rule="PT009")
    assert verified(stand, unit, after={"tests/test_a.py": b"def test_a():\n    assert 1\n"}) == {}
