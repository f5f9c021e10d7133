"""REVIEW: every gate over the whole change since the base."""

from dataclasses import replace

import pytest

from sparky.adapters.scripted import ScriptedSession, Step
from sparky.agents.table import AGENTS
from sparky.domain.attempt import Attempt, Responsibility, Stage, Verdict
from sparky.domain.state import Handoff, Preferences
from sparky.stages.table import perform
from tests.builders import REVIEWER, routed
from tests.stages.stand import Files, Stand


def review(stand: Stand, files: Files) -> tuple[Attempt, str, str]:
    """The review of one change to START, and the two commits."""
    base = stand.commit(
        {"a.py": b"A = 1\n", "tests/test_a.py": b"from a import A\n\n\ndef test_a():\n    assert A == 1\n"}
    )
    head = stand.change(files)
    done = Attempt(stage=Stage.EXECUTE, number=1, verdict=Verdict.PASS, reason="done", sha=head)
    routes = routed(("coder",))
    routes = replace(routes, route=tuple(replace(one, reviewer="reviewer") for one in routes.route))
    return stand.perform(Stage.REVIEW, stand.state(base, routes, done)), base, head


def test_a_change_that_every_gate_passes(stand: Stand) -> None:
    stand.issue = replace(stand.issue, files=("a.py",))
    attempt, base, head = review(
        stand, {"a.py": b"A = 2\n", "tests/test_b.py": b"def test_b():\n    assert 1\n"}
    )
    assert (attempt.verdict, attempt.reason) == (Verdict.PASS, "all 9 gates pass")
    assert (attempt.agent, attempt.quality, attempt.items) == ("mechanical-reviewer", 100, ())
    assert (attempt.files_modified, attempt.files_created) == (("a.py",), ("tests/test_b.py",))
    assert attempt.lines_changed == 4
    (evidence,) = attempt.evidence
    assert (evidence.command, evidence.sha) == (("git", "diff", base, head), head)
    assert stand.house.blobs.get(evidence.output) == stand.house.repository.patch(base, head)


def test_each_refusal_becomes_an_item_for_the_coder(stand: Stand) -> None:
    stand.issue = replace(stand.issue, files=("a.py",))
    change: Files = {
        "a.py": b"A = 2  # noqa\n",
        "uv.lock": b"x\n",
        "tests/test_a.py": b"def test_a():\n    pass\n",
    }
    attempt, _, _ = review(stand, change)
    assert (attempt.verdict, attempt.responsibility) == (Verdict.REVISE, Responsibility.CODER)
    assert [gate.gate for gate in attempt.gates if gate.verdict is Verdict.REVISE] == [
        *("scope", "protected", "suppressions", "tests kept"),
    ]
    assert attempt.items == attempt.validation_errors
    assert attempt.reason == f"review refused: {'; '.join(attempt.items)}"
    assert attempt.items[0] == (
        "scope: tests/test_a.py is not among the files that the issue names; "
        "uv.lock is not among the files that the issue names"
    )
    assert attempt.quality == 100 - 4 * 15


def test_what_does_not_parse_is_refused_by_file_and_line(stand: Stand) -> None:
    attempt, _, _ = review(stand, {"a.py": b"A = (\n"})
    assert attempt.items == ("parses: a.py: line 1: '(' was never closed",)


def reviewed(stand: Stand, session: ScriptedSession, files: Files) -> Attempt:
    """The review of a change to START where a reviewer is registered."""
    stand.agents = (*AGENTS, REVIEWER)
    stand.sessions = (replace(session, agent="reviewer"),)
    stand.preferences = Preferences(script="session.toml")
    return review(stand, files)[0]


FINDINGS = """I looked at it.

- [ ] [critical] a.py:1: A is 3 in the issue, and 2 here
- [ ] `a.py`: nobody will understand A
"""


def test_a_reviewer_adds_its_findings_to_what_the_gates_say(stand: Stand) -> None:
    session = ScriptedSession(summary=FINDINGS, tokens=70, cost_usd=0.2)
    attempt = reviewed(stand, session, {"a.py": b"A = 2\n"})
    assert [(gate.gate, gate.verdict) for gate in attempt.gates[9:]] == [
        ("review by reviewer", Verdict.REVISE),
    ]
    assert (attempt.verdict, attempt.tokens, attempt.cost_usd) == (Verdict.REVISE, 70, 0.2)
    assert attempt.items == ("a.py:1: A is 3 in the issue, and 2 here", "`a.py`: nobody will understand A")
    told = stand.house.runner.asked[-1].prompt
    assert told.startswith("You are the reviewer")
    assert "\nLook at the names.\n" in told
    assert "\n+A = 2\n" in told


def test_a_review_that_left_a_receipt_is_not_paid_for_again_and_counts_for_no_other_stage(
    stand: Stand,
) -> None:
    stand.agents, stand.preferences = (*AGENTS, REVIEWER), Preferences(script="session.toml")
    stand.sessions = (ScriptedSession(summary="no findings", tokens=70, agent="reviewer"),)
    base, head = stand.commit({"a.py": b"A = 1\n"}), stand.change({"a.py": b"A = 2\n"})
    done = Attempt(stage=Stage.EXECUTE, number=1, verdict=Verdict.PASS, reason="done", sha=head)
    routes = routed(("coder",))
    routes = replace(routes, route=tuple(replace(one, reviewer="reviewer") for one in routes.route))
    state = stand.state(base, routes, done)
    handoff = Handoff(stage=Stage.REVIEW, reason="go", agent="sparky", rollback_sha=head)
    first = perform(handoff, state, stand.house.ports)
    assert perform(handoff, state, stand.house.ports) == first
    assert ([one.agent for one in stand.house.runner.asked], first.tokens) == (["reviewer"], 70)
    other = perform(replace(handoff, stage=Stage.MERGE), state, stand.house.ports)
    assert other.stage is Stage.MERGE


def test_a_reviewer_can_take_nothing_back_and_is_not_asked_where_a_gate_refuses(stand: Stand) -> None:
    session = ScriptedSession(summary='no findings {"verdict": "PASS"}')
    attempt = reviewed(stand, session, {"a.py": b"A = 2  # noqa\n"})
    assert [gate.gate for gate in attempt.gates if gate.verdict is Verdict.REVISE] == ["suppressions"]
    assert stand.house.runner.asked == []


@pytest.mark.parametrize(
    ("session", "reason"),
    [
        (
            ScriptedSession(summary=FINDINGS, steps=(Step(do="write", path="a.py", text="A = 3\n"),)),
            "void, since it edited a.py",
        ),
        (ScriptedSession(ending="crash"), "not finished: killed (code -6)"),
        (
            ScriptedSession(summary="It is very good.", success=False),
            "it has not reviewed: It is very good.",
        ),
    ],
)
def test_a_review_that_is_void_or_says_nothing_leaves_the_merge_to_a_person(
    session: ScriptedSession, reason: str, stand: Stand
) -> None:
    attempt = reviewed(stand, session, {"a.py": b"A = 2\n"})
    assert (attempt.verdict, attempt.reason) == (
        Verdict.PASS,
        f"all 9 gates pass; review by reviewer: {reason}",
    )
    branch = stand.state(stand.house.repository.resolve("main") or "").context.branch
    head = stand.house.repository.resolve(branch) or ""
    assert stand.house.repository.read(head, "a.py") == b"A = 2\n"
    state = stand.state(stand.house.repository.resolve("main") or "", replace(attempt, sha=head))
    verified = stand.perform(Stage.VERIFY, state)
    assert f"review by reviewer: {reason}" in [
        gate.reason for gate in verified.gates if gate.verdict is Verdict.ESCALATE
    ]


def test_a_review_without_findings_passes(stand: Stand) -> None:
    attempt = reviewed(stand, ScriptedSession(summary="No findings."), {"a.py": b"A = 2\n"})
    assert (attempt.verdict, attempt.reason) == (
        Verdict.PASS,
        "all 9 gates pass; review by reviewer: no findings",
    )
