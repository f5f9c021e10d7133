"""The handoff table of DESIGN §3, row by row: from this run so far to that stage, or that end."""

from dataclasses import replace

import pytest

from sparky.domain.attempt import Attempt, GateResult, Responsibility, Stage, Strategy, Trait, Verdict
from sparky.domain.flow import CRITERIA, FAULT, decide
from sparky.domain.issue import Severity
from sparky.domain.state import End, Handoff, MergePolicy, Outcome, PipelineState
from tests.builders import (
    BASE,
    RUN,
    changed,
    executed,
    refusal,
    routed,
    sha,
    state_of,
    visited,
)

REVIEW, TEST, VERIFY, MERGE = Stage.REVIEW, Stage.TEST, Stage.VERIFY, Stage.MERGE
PASS, REVISE, ESCALATE, SKIP = Verdict
DIRECT, MECHANICAL, SIMPLER, MINIMAL = Strategy
ASK, AUTO, APPROVED = MergePolicy
Rows = dict[str, tuple[PipelineState, Handoff | End]]
ONE, TWO, NEW_BASE = sha("1"), sha("2"), sha("d")


def to(
    stage: Stage, reason: str, *, at: str, number: int = 1, part: int = 0, items: tuple[str, ...] = ()
) -> Handoff:
    return Handoff(
        stage=stage,
        reason=reason,
        success_criteria=CRITERIA[stage],
        action_items=items,
        rollback=f"sparky undo {RUN}",
        rollback_sha=at,
        part=part,
        number=number,
    )


def execute(
    agent: str,
    reason: str,
    *,
    at: str,
    strategy: Strategy = DIRECT,
    part: int = 0,
    items: tuple[str, ...] = (),
) -> Handoff:
    number = list(Strategy).index(strategy) + 1
    asked = to(Stage.EXECUTE, reason, at=at, number=number, part=part, items=items)
    return replace(asked, agent=agent, strategy=strategy)


def blocked(reason: str, *steps: str, whose: Responsibility = Responsibility.PERSON) -> End:
    return End(outcome=Outcome.BLOCKED, reason=reason, responsibility=whose, manual_steps=steps)


def ready(reason: str) -> End:
    steps = (f"look at it: sparky diff {RUN}", f"then: sparky merge {RUN}")
    return End(outcome=Outcome.READY, reason=reason, manual_steps=steps)


def all_failed(*reasons: str, outcome: Outcome = Outcome.FAILED) -> End:
    return End(
        outcome=outcome,
        reason=f"All agents failed for DEAD_CODE: {'; '.join(reasons)}",
        manual_steps=(f"read `sparky show {RUN}` and mend it by hand, or say more in the issue",),
    )


def unreviewed(reason: str) -> End:
    return End(
        outcome=Outcome.FAILED,
        reason=f"what is on the branch did not pass the review: {reason}",
        manual_steps=("look at the branch and the findings of the review",),
    )


def faulty(attempt: Attempt, whose: Responsibility) -> Attempt:
    return replace(attempt, error_type=FAULT, responsibility=whose, items=("report it",))


PASSED = GateResult(gate="parses", verdict=PASS, reason="it does", severity=Severity.HIGH)


def refused(severity: Severity, number: int = 1, items: tuple[str, ...] = ()) -> Attempt:
    said = visited(REVIEW, REVISE, number=number, items=items)
    return replace(said, gates=(PASSED, refusal(severity)))


def failed(agent: str, *traits: Trait, number: int = 1, part: int = 0, to: str | None = None) -> Attempt:
    return executed(agent, REVISE, *traits, number=number, part=part, to=to)


def again(state: PipelineState, outcome: Outcome, merge: MergePolicy) -> PipelineState:
    """The next segment of a run whose segment ended so."""
    ended = state.ended(End(outcome=outcome, reason="the end", manual_steps=("do it",)))
    return ended.next_segment(replace(state.preferences, merge=merge))


ADA = routed(("ada",))
ADA_BOB = routed(("ada", "bob"))
THREE = routed(("ada",), (), ("cy",))
REVIEWED = (ADA, changed("ada", ONE), visited(REVIEW))
TESTED = (*REVIEWED, visited(TEST, to=ONE))
VERIFIED = (*TESTED, visited(VERIFY, to=ONE))
MOVED = replace(visited(MERGE, REVISE, Trait.MOVED, to=TWO), base=NEW_BASE)
READY = state_of(*VERIFIED)
MERGED_END = End(outcome=Outcome.MERGED, reason="merge said 1", responsibility=Responsibility.UNKNOWN)

ROUTE_ROWS: Rows = {
    "a run starts with its route": (state_of(), to(Stage.ROUTE, "a new segment starts", at=BASE)),
    "best agent found: it executes, directly": (state_of(ADA_BOB), execute("ada", "routed", at=BASE)),
    "a part that nobody takes is passed over": (
        state_of(routed((), ("bob",))),
        execute("bob", "routed", at=BASE, part=1),
    ),
    "nobody bids enough: blocked": (
        state_of(visited(Stage.ROUTE, ESCALATE, Trait.NO_AGENT)),
        blocked("route said 1", "add an agent for the kind, or name one in the issue"),
    ),
    "nothing to route: nothing to do": (
        state_of(visited(Stage.ROUTE, PASS, Trait.NOTHING_TO_DO)),
        End(outcome=Outcome.NOTHING_TO_DO, reason="route said 1"),
    ),
}

EXECUTE_ROWS: Rows = {
    "files changed: review": (state_of(ADA, changed("ada", ONE)), to(REVIEW, "ada said 1", at=ONE)),
    "said success and changed nothing: the fallback agent": (
        state_of(ADA_BOB, failed("ada", Trait.LIE, Trait.NO_CHANGE)),
        execute("bob", "ada said 1", at=BASE, strategy=MECHANICAL),
    ),
    "all of the chain failed: the first again, with the next strategy": (
        state_of(ADA_BOB, failed("ada", Trait.CRASHED), failed("bob", Trait.TIMED_OUT, number=2)),
        execute("ada", "bob said 2", at=BASE, strategy=SIMPLER),
    ),
    "in a chain of three the next one is asked, in order": (
        state_of(routed(("ada", "bob", "cy")), failed("ada"), failed("bob", number=2)),
        execute("cy", "bob said 2", at=BASE, strategy=SIMPLER),
    ),
    "changed files don't parse: the same agent with the errors": (
        state_of(ADA_BOB, executed("ada", REVISE, Trait.BROKEN_SYNTAX, to=ONE, items=("a.py: line 1",))),
        execute("ada", "ada said 1", at=ONE, strategy=MECHANICAL, items=("a.py: line 1",)),
    ),
    "the last attempt is the smallest safe fix": (
        state_of(
            ADA_BOB,
            failed("ada", Trait.CRASHED),
            failed("bob", Trait.CRASHED, number=2),
            failed("ada", Trait.TIMED_OUT, number=3),
        ),
        execute("bob", "ada said 3", at=BASE, strategy=MINIMAL),
    ),
    "attempts used up: failed, with all errors": (
        state_of(
            ADA_BOB,
            failed("ada", Trait.CRASHED),
            failed("bob", Trait.CRASHED, number=2),
            failed("ada", Trait.TIMED_OUT, number=3),
            failed("bob", Trait.TIMED_OUT, number=4),
        ),
        all_failed("ada: ada said 1", "bob: bob said 2", "ada: ada said 3", "bob: bob said 4"),
    ),
    "twice the same from the same agent: no progress, ended early": (
        state_of(ADA, failed("ada", Trait.CRASHED), failed("ada", Trait.CRASHED, number=2)),
        all_failed("ada: ada said 1", "ada: ada said 2"),
    ),
    "all tried and nobody changed anything: nothing to do": (
        state_of(ADA, failed("ada", Trait.NO_CHANGE), failed("ada", Trait.NO_CHANGE, number=2)),
        all_failed("ada: ada said 1", "ada: ada said 2", outcome=Outcome.NOTHING_TO_DO),
    ),
    "nothing of the fix was safe, all is withdrawn: failed": (
        state_of(ADA, changed("ada", ONE), visited(REVIEW, REVISE), failed("ada", Trait.WITHDRAWN, number=2)),
        End(outcome=Outcome.FAILED, reason="ada said 2"),
    ),
    "nothing to mend in the only part: nothing to do": (
        state_of(ADA, executed("ada", PASS, Trait.NOTHING_TO_DO)),
        End(outcome=Outcome.NOTHING_TO_DO, reason="ada said 1"),
    ),
    "nothing to mend in this part: the next part that has an agent": (
        state_of(THREE, executed("ada", PASS, Trait.NOTHING_TO_DO)),
        execute("cy", "ada said 1", at=BASE, part=2),
    ),
    "a part is given up: the next part": (
        state_of(THREE, failed("ada", Trait.CRASHED), failed("ada", Trait.CRASHED, number=2)),
        execute("cy", "given up: ada said 2", at=BASE, part=2, items=()),
    ),
    "one part failed and the others had nothing to mend: failed": (
        state_of(
            routed(("ada",), ("cy",)),
            failed("ada", Trait.CRASHED),
            failed("ada", Trait.CRASHED, number=2),
            executed("cy", PASS, Trait.NOTHING_TO_DO, part=1),
        ),
        all_failed("ada: ada said 1", "ada: ada said 2"),
    ),
    "the last part had nothing to mend: test what the others changed": (
        state_of(
            routed(("ada",), ("cy",)),
            changed("ada", ONE),
            visited(REVIEW),
            executed("cy", PASS, Trait.NOTHING_TO_DO, part=1, to=ONE),
        ),
        to(TEST, "cy said 1", at=ONE, part=1),
    ),
    "the last part is given up: test what the others changed": (
        state_of(
            routed(("ada",), ("cy",)),
            changed("ada", ONE),
            visited(REVIEW),
            executed("cy", REVISE, Trait.CRASHED, part=1, to=ONE),
            executed("cy", REVISE, Trait.CRASHED, part=1, to=ONE, number=2),
        ),
        to(TEST, "given up: cy said 2", at=ONE, part=1),
    ),
    "what was given up is on the branch and never reviewed: failed": (
        state_of(
            routed(("ada",), ()),
            failed("ada", Trait.BROKEN_SYNTAX, to=ONE),
            failed("ada", Trait.BROKEN_SYNTAX, number=2, to=ONE),
        ),
        unreviewed("given up: ada said 2"),
    ),
}

REVIEW_ROWS: Rows = {
    "review passed, last part: test": (state_of(*REVIEWED), to(TEST, "review said 1", at=ONE)),
    "review passed: the next part that has an agent": (
        state_of(THREE, changed("ada", ONE), visited(REVIEW)),
        execute("cy", "review said 1", at=ONE, part=2),
    ),
    "review refused: the same agent with the findings": (
        state_of(*REVIEWED[:2], refused(Severity.LOW, items=("scope: too far",))),
        execute("ada", "review said 1", at=ONE, strategy=MECHANICAL, items=("scope: too far",)),
    ),
    "major findings twice: manual intervention": (
        state_of(
            ADA,
            changed("ada", ONE),
            refused(Severity.HIGH),
            changed("ada", TWO, 2),
            refused(Severity.CRITICAL, 2),
        ),
        blocked(
            "manual intervention: review refused twice: review said 2",
            "look at the branch and the findings of the review",
        ),
    ),
    "major findings twice, with tests that were red in between: manual intervention": (
        state_of(
            ADA,
            changed("ada", ONE),
            refused(Severity.HIGH),
            changed("ada", TWO, 2),
            visited(REVIEW, number=2),
            visited(TEST, REVISE),
            changed("ada", sha("3"), 3),
            refused(Severity.HIGH, 3),
        ),
        blocked(
            "manual intervention: review refused twice: review said 3",
            "look at the branch and the findings of the review",
        ),
    ),
    "major, then minor: the agent once more": (
        state_of(
            ADA,
            changed("ada", ONE),
            refused(Severity.HIGH),
            changed("ada", TWO, 2),
            refused(Severity.MEDIUM, 2),
        ),
        execute("ada", "review said 2", at=TWO, strategy=SIMPLER),
    ),
    "refused after the fourth attempt: failed": (
        state_of(
            ADA,
            *(
                step
                for n in (1, 2, 3, 4)
                for step in (changed("ada", sha(str(n)), n), refused(Severity.LOW, n))
            ),
        ),
        all_failed(*(f"sparky: review said {n}" for n in (1, 2, 3, 4))),
    ),
    "refused after the fourth attempt, with a part to come: failed all the same": (
        state_of(
            routed(("ada",), ("cy",)),
            *(
                step
                for n in (1, 2, 3, 4)
                for step in (changed("ada", sha(str(n)), n), refused(Severity.LOW, n))
            ),
        ),
        all_failed(*(f"sparky: review said {n}" for n in (1, 2, 3, 4))),
    ),
    "the review refused and the agent left it so: failed, never tested": (
        state_of(
            ADA,
            changed("ada", ONE),
            refused(Severity.HIGH),
            executed("ada", PASS, Trait.NOTHING_TO_DO, number=2),
        ),
        unreviewed("ada said 2"),
    ),
}

TEST_ROWS: Rows = {
    "no worse than base: verify": (state_of(*TESTED), to(VERIFY, "test said 1", at=ONE)),
    "no test command: verify": (
        state_of(*REVIEWED, visited(TEST, SKIP, Trait.NO_TESTS, to=ONE)),
        to(VERIFY, "test said 1", at=ONE),
    ),
    "new failures: the coder, with the output": (
        state_of(*REVIEWED, visited(TEST, REVISE, to=ONE, items=("test_a: 1 != 2",))),
        execute("ada", "test said 1", at=ONE, strategy=MECHANICAL, items=("test_a: 1 != 2",)),
    ),
    "red three times, and changed after each: tested a fourth time": (
        state_of(
            ADA,
            *(
                step
                for n in (1, 2, 3)
                for step in (changed("ada", sha(str(n)), n), visited(REVIEW), visited(TEST, REVISE, number=n))
            ),
            changed("ada", sha("4"), 4),
            visited(REVIEW, number=4),
        ),
        to(TEST, "review said 4", at=sha("4"), number=4),
    ),
    "the environment: blocked, no agent is asked to mend code for it": (
        state_of(
            *REVIEWED,
            replace(
                visited(TEST, ESCALATE, to=ONE, items=("mend the cause",)),
                responsibility=Responsibility.ENVIRONMENT,
            ),
        ),
        blocked("test said 1", "mend the cause", whose=Responsibility.ENVIRONMENT),
    ),
}

VERIFY_ROWS: Rows = {
    "not verified: the coder with the evidence": (
        state_of(*TESTED, visited(VERIFY, REVISE, to=ONE, items=("nothing new: E501",)), merge=AUTO),
        execute("ada", "verify said 1", at=ONE, strategy=MECHANICAL, items=("nothing new: E501",)),
    ),
    "verified, policy ask: ready": (state_of(*VERIFIED, merge=ASK), ready("verify said 1")),
    "verified, policy auto: merge": (state_of(*VERIFIED, merge=AUTO), to(MERGE, "verify said 1", at=ONE)),
    "too risky to merge by itself: ready": (
        state_of(*TESTED, visited(VERIFY, ESCALATE, Trait.RISKY, to=ONE), merge=AUTO),
        ready("verify said 1"),
    ),
    "unverified by tests: ready, never merged by itself": (
        state_of(*REVIEWED, visited(TEST, SKIP, Trait.NO_TESTS, to=ONE), visited(VERIFY, to=ONE), merge=AUTO),
        ready("verify said 1"),
    ),
    "rebased and tested again, approved by a person: merge, risks seen": (
        again(READY, Outcome.READY, APPROVED)
        .record(MOVED)
        .record(visited(TEST, number=2, to=TWO))
        .record(visited(VERIFY, ESCALATE, number=2, to=TWO)),
        to(MERGE, "verify said 2", at=TWO, number=2),
    ),
    "changed again after a person approved: ready again": (
        again(READY, Outcome.READY, APPROVED)
        .record(MOVED)
        .record(visited(TEST, REVISE, number=2, to=TWO))
        .record(changed("ada", sha("3"), 2))
        .record(visited(REVIEW, number=2))
        .record(visited(TEST, number=3, to=sha("3")))
        .record(visited(VERIFY, ESCALATE, number=2, to=sha("3"))),
        ready("verify said 2"),
    ),
}

MERGE_ROWS: Rows = {
    "done: merged": (state_of(*VERIFIED, visited(MERGE, to=ONE), merge=AUTO), MERGED_END),
    "target moved: test again at the new commit": (
        state_of(*VERIFIED, MOVED, merge=AUTO),
        to(TEST, "merge said 1", at=TWO, number=2),
    ),
    "conflict: blocked, the files named": (
        state_of(
            *VERIFIED,
            visited(MERGE, ESCALATE, Trait.CONFLICT, items=("resolve conflict in a.py",)),
            merge=AUTO,
        ),
        blocked("merge said 1", "resolve conflict in a.py"),
    ),
    "the target is checked out and dirty: ready": (
        state_of(
            *VERIFIED, visited(MERGE, ESCALATE, Trait.DIRTY, items=("commit your changes",)), merge=AUTO
        ),
        End(
            outcome=Outcome.READY,
            reason="merge said 1",
            manual_steps=("commit your changes", f"then: sparky merge {RUN}"),
        ),
    ),
    "the target moved three times: blocked": (
        state_of(
            *VERIFIED,
            MOVED,
            *(step for n in (2, 3) for step in (visited(TEST, number=n), visited(VERIFY, number=n), MOVED)),
            merge=AUTO,
        ),
        blocked(
            "test was visited 3 times without getting further: merge said 1", "run it again when it is quiet"
        ),
    ),
}

SEGMENT_ROWS: Rows = {
    "a person approved what is ready: merge": (
        again(READY, Outcome.READY, APPROVED),
        to(MERGE, "a person asked for the merge", at=ONE),
    ),
    "what is ready and not approved stays ready": (
        again(READY, Outcome.READY, ASK),
        End(outcome=Outcome.READY, reason="the end", manual_steps=("do it",)),
    ),
    "after blocked a new segment routes anew": (
        again(state_of(*REVIEWED), Outcome.BLOCKED, ASK),
        to(Stage.ROUTE, "a new segment starts", at=ONE, number=2),
    ),
    "attempts that earlier segments used up stay used up": (
        again(
            state_of(ADA, *(failed("ada", Trait.CRASHED, number=n) for n in (1, 2, 3, 4))),
            Outcome.BLOCKED,
            ASK,
        ).record(ADA),
        all_failed(*(f"ada: ada said {n}" for n in (1, 2, 3, 4))),
    ),
}

FAULT_ROWS: Rows = {
    "sparky's own fault: failed": (
        state_of(ADA, faulty(visited(REVIEW, ESCALATE), Responsibility.SPARKY)),
        End(
            outcome=Outcome.FAILED,
            reason="review said 1",
            responsibility=Responsibility.SPARKY,
            manual_steps=("report it",),
        ),
    ),
    "a stage that the environment did not let be performed: blocked": (
        state_of(ADA, faulty(visited(TEST, ESCALATE), Responsibility.ENVIRONMENT)),
        blocked("test said 1", "report it", whose=Responsibility.ENVIRONMENT),
    ),
}

ROWS: Rows = {
    **ROUTE_ROWS,
    **EXECUTE_ROWS,
    **REVIEW_ROWS,
    **TEST_ROWS,
    **VERIFY_ROWS,
    **MERGE_ROWS,
    **SEGMENT_ROWS,
    **FAULT_ROWS,
}


@pytest.mark.parametrize("row", ROWS)
def test_flow(row: str) -> None:
    state, expected = ROWS[row]
    assert decide(state) == expected


@pytest.mark.parametrize("row", ROWS)
def test_a_person_who_cancels_ends_the_run_wherever_it_stands_but_after_its_merge(row: str) -> None:
    state, expected = ROWS[row]
    merged = isinstance(expected, End) and expected.outcome is Outcome.MERGED
    cancelled = End(outcome=Outcome.CANCELLED, reason="a person cancelled the run")
    assert decide(state, cancelled=True) == (expected if merged else cancelled)


def test_a_handoff_says_everything_that_the_next_stage_has_to_know() -> None:
    assert decide(state_of(ADA_BOB, failed("ada", Trait.LIE))) == Handoff(
        stage=Stage.EXECUTE,
        reason="ada said 1",
        success_criteria=("files are changed", "changed files parse"),
        action_items=(),
        rollback="sparky undo 7-0a1b2c3d-1",
        rollback_sha=BASE,
        agent="bob",
        part=0,
        number=2,
        strategy=MECHANICAL,
    )
