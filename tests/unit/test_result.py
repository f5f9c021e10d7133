"""The result of a run: what a person, a script and the last page see."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparky.domain.attempt import Attempt, Evidence, GateResult, Responsibility, Stage, Tally, Trait, Verdict
from sparky.domain.issue import Severity
from sparky.domain.result import (
    REST,
    FinalStatus,
    Result,
    WorkCompleted,
    quality_score,
    rest_blobs,
    result_of,
)
from sparky.domain.state import End, Outcome, PipelineState
from tests.builders import BASE, CONTEXT, RUN, changed, executed, routed, sha, state_of, visited

ONE = sha("1")
RAN = Evidence(command=("pytest", "-q"), code=0, output="e", sha=ONE, seconds=1.0, sandbox="landlock")
STAYS = "a.py:3 F401 unused: its fix is unsafe"

REVIEW = replace(
    visited(Stage.REVIEW), files_modified=("a.py",), lines_changed=4, quality=85, seconds=0.1, tokens=5
)
TEST = replace(visited(Stage.TEST, to=ONE), evidence=(RAN,), seconds=2.0)
VERIFY = replace(
    visited(Stage.VERIFY, to=ONE),
    files_modified=("a.py", "b.py"),
    files_created=("c.py",),
    files_deleted=("d.py",),
    lines_changed=9,
    tally=Tally(before=3, fixed=2, rest=1),
    items=(STAYS,),
    blobs={REST: "digest"},
)
WORKED = replace(
    changed("ada", ONE), tokens=1200, cost_usd=0.0400004, seconds=3.0004, level="bubblewrap", items=("open",)
)
FAILED = replace(executed("bob", Verdict.REVISE, Trait.CRASHED), seconds=1.5)
READY = End(outcome=Outcome.READY, reason="verified", manual_steps=("look at it", "then: merge it"))


def ended(outcome: Outcome, *attempts: Attempt, steps: tuple[str, ...] = ()) -> PipelineState:
    return state_of(*attempts).ended(End(outcome=outcome, reason="the end", manual_steps=steps))


def test_the_result_of_a_run_that_is_ready_says_all_of_it() -> None:
    state = state_of(routed(("bob", "ada")), FAILED, replace(WORKED, number=2), REVIEW, TEST, VERIFY)
    assert result_of(state.ended(READY)) == Result(
        pipeline_id=RUN,
        run_id=RUN,
        issue="Tidy the report",
        final_status=FinalStatus.SUCCESS,
        outcome=Outcome.READY,
        reason="verified",
        work_completed=WorkCompleted(
            files_modified=("a.py", "b.py"),
            files_created=("c.py",),
            files_deleted=("d.py",),
            lines_changed=9,
            findings_fixed=2,
            tests_passed=True,
            review_passed=True,
            quality_score=85,
        ),
        issues_remaining=(STAYS,),
        manual_steps_needed=("look at it", "then: merge it"),
        partial_fixes=(),
        attempts=2,
        all_errors=("execute 1 (bob): bob said 1",),
        recommendation="look at it",
        execution_time=6.6,
        cost_estimate=0.04,
        tokens=1205,
        branch=CONTEXT.branch,
        base=BASE,
        commit=ONE,
        evidence=(RAN,),
        sandbox="bubblewrap, landlock",
        calls={"bob": 1, "ada": 1},
        responsibility=Responsibility.PERSON,
    )


def test_the_result_of_a_run_that_goes_on_claims_nothing() -> None:
    assert result_of(state_of()) == Result(
        pipeline_id=RUN,
        run_id=RUN,
        issue="Tidy the report",
        final_status=FinalStatus.RUNNING,
        outcome=None,
        reason="",
        work_completed=WorkCompleted(),
        issues_remaining=(),
        manual_steps_needed=(),
        partial_fixes=(),
        attempts=0,
        all_errors=(),
        recommendation="wait for it, or look at `sparky logs`",
        execution_time=0,
        cost_estimate=0,
        tokens=0,
        branch=CONTEXT.branch,
        base=BASE,
        commit=BASE,
        evidence=(),
        sandbox="none needed",
    )


def test_a_run_that_was_taken_up_again_is_running_whatever_its_earlier_segment_came_to() -> None:
    state = state_of(WORKED, REVIEW).ended(READY)
    result = result_of(state.next_segment(state.preferences))
    assert (result.final_status, result.outcome, result.reason) == (FinalStatus.RUNNING, None, "")


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Outcome.MERGED, FinalStatus.SUCCESS),
        (Outcome.READY, FinalStatus.SUCCESS),
        (Outcome.PARTIAL, FinalStatus.PARTIAL),
        (Outcome.BLOCKED, FinalStatus.BLOCKED),
        (Outcome.FAILED, FinalStatus.FAILED),
        (Outcome.CANCELLED, FinalStatus.FAILED),
    ],
)
def test_every_outcome_is_one_of_the_four_words_that_scripts_know(
    outcome: Outcome, status: FinalStatus
) -> None:
    assert result_of(ended(outcome)).final_status is status


def test_nothing_to_do_is_a_success_only_if_nothing_stays() -> None:
    assert result_of(ended(Outcome.NOTHING_TO_DO)).final_status is FinalStatus.SUCCESS
    stays = ended(Outcome.NOTHING_TO_DO, replace(FAILED, items=(STAYS,)))
    assert result_of(stays).final_status is FinalStatus.PARTIAL


def test_what_stays_is_told_by_the_blob_else_by_the_newest_look_at_the_whole() -> None:
    route = replace(routed(("ada",)), items=("no agent for REVIEW",))
    again = replace(WORKED, number=2, items=("less",))
    other = replace(WORKED, part=1, items=("less", "other"))
    assert result_of(state_of(route, WORKED, VERIFY), ("all of it",)).issues_remaining == ("all of it",)
    assert result_of(state_of(route, WORKED, VERIFY)).issues_remaining == (STAYS,)
    assert result_of(state_of(route, WORKED, again, other)).issues_remaining == ("less", "other")
    assert result_of(state_of(route)).issues_remaining == ("no agent for REVIEW",)


def test_the_blob_of_what_stays_is_that_of_the_newest_verify() -> None:
    assert rest_blobs(state_of(VERIFY, WORKED)) == ("digest",)
    assert rest_blobs(state_of(replace(VERIFY, blobs={}))) == ()
    assert rest_blobs(state_of(WORKED)) == ()


def test_before_that_of_a_plan_all_parts_say_what_stays() -> None:
    parts = [replace(visited(Stage.CHILD, part=n), blobs={REST: f"part {n}"}) for n in (0, 1)]
    assert rest_blobs(state_of(*parts, visited(Stage.CHILD, part=2))) == ("part 0", "part 1")


def test_no_work_is_shown_where_nothing_was_changed_or_nobody_looked_at_the_whole() -> None:
    assert result_of(state_of(REVIEW, TEST)).work_completed.lines_changed == 4
    assert result_of(state_of(REVIEW)).work_completed == WorkCompleted()
    assert result_of(state_of(WORKED)).work_completed == WorkCompleted()


@pytest.mark.parametrize(
    ("tests", "passed"),
    [
        ((), None),
        ((Verdict.PASS,), True),
        ((Verdict.REVISE,), False),
        ((Verdict.SKIP,), None),
        ((Verdict.ESCALATE,), None),
        ((Verdict.PASS, Verdict.REVISE), False),
    ],
)
def test_tests_that_were_skipped_or_never_ran_have_not_passed(
    tests: tuple[Verdict, ...], *, passed: bool | None
) -> None:
    state = state_of(WORKED, VERIFY, *(visited(Stage.TEST, verdict, to=ONE) for verdict in tests))
    assert result_of(state).work_completed == WorkCompleted(
        files_modified=("a.py", "b.py"),
        files_created=("c.py",),
        files_deleted=("d.py",),
        lines_changed=9,
        findings_fixed=2,
        tests_passed=passed,
    )


def test_tests_of_another_commit_say_nothing_about_this_one() -> None:
    state = state_of(WORKED, REVIEW, TEST, changed("ada", sha("2"), 2))
    assert result_of(state).work_completed.tests_passed is None


def test_a_review_that_refused_says_so() -> None:
    refused = replace(REVIEW, verdict=Verdict.REVISE)
    assert result_of(state_of(WORKED, refused)).work_completed == WorkCompleted(
        files_modified=("a.py",), lines_changed=4, review_passed=False, quality_score=85
    )


@pytest.mark.parametrize("outcome", [Outcome.BLOCKED, Outcome.FAILED, Outcome.CANCELLED, Outcome.PARTIAL])
def test_work_of_a_run_that_came_to_no_good_end_is_kept_and_named(outcome: Outcome) -> None:
    kept = f"unverified work is kept at {ONE[:12]} on {CONTEXT.branch}"
    assert result_of(ended(outcome, WORKED)).partial_fixes == (kept,)
    assert result_of(ended(outcome, FAILED)).partial_fixes == ()


def test_work_that_was_verified_and_could_not_be_merged_is_called_verified() -> None:
    kept = f"verified work is kept at {ONE[:12]} on {CONTEXT.branch}"
    assert result_of(ended(Outcome.BLOCKED, WORKED, VERIFY)).partial_fixes == (kept,)
    risky = replace(VERIFY, verdict=Verdict.ESCALATE)
    assert result_of(ended(Outcome.PARTIAL, WORKED, risky)).partial_fixes == (kept,)
    again = changed("ada", sha("2"), 2)
    assert result_of(ended(Outcome.FAILED, WORKED, VERIFY, again)).partial_fixes == (
        f"unverified work is kept at {sha('2')[:12]} on {CONTEXT.branch}",
    )


def test_what_is_refused_or_stuck_is_an_error_and_a_risk_or_what_was_skipped_is_none() -> None:
    state = state_of(
        FAILED,
        visited(Stage.TEST, Verdict.SKIP),
        visited(Stage.VERIFY, Verdict.ESCALATE, Trait.RISKY),
        visited(Stage.MERGE, Verdict.ESCALATE, Trait.CONFLICT),
    )
    errors = ("execute 1 (bob): bob said 1", "merge 1 (sparky): merge said 1")
    assert result_of(state).all_errors == errors


def test_a_merged_run_recommends_nothing_and_one_without_steps_to_read_on() -> None:
    merged, failed = result_of(ended(Outcome.MERGED, WORKED)), result_of(ended(Outcome.FAILED))
    assert (merged.recommendation, merged.partial_fixes) == ("nothing", ())
    assert failed.recommendation == "read `sparky show` for what was tried"


def test_flaky_tests_are_listed_and_those_that_are_really_worse_are_not_called_flaky() -> None:
    worse = visited(Stage.TEST, Verdict.REVISE, Trait.FLAKY, items=("test_b: 1 != 2",))
    passed = visited(Stage.TEST, Verdict.PASS, Trait.FLAKY, number=2, items=("test_a",))
    assert result_of(state_of(worse, passed)).notes == ("flaky: test_a",)


def test_a_change_that_no_test_looked_at_is_called_unverified() -> None:
    state = state_of(WORKED, visited(Stage.TEST, Verdict.SKIP, Trait.NO_TESTS))
    assert result_of(state).notes == ("unverified by tests",)


def test_the_risks_of_the_newest_commit_are_told_one_by_one() -> None:
    size = GateResult(gate="size", verdict=Verdict.ESCALATE, reason="1200 lines")
    fine = GateResult(gate="nothing new", verdict=Verdict.PASS, reason="no finding appeared")
    risky = replace(VERIFY, verdict=Verdict.ESCALATE, traits=(Trait.RISKY,), gates=(fine, size))
    assert result_of(state_of(WORKED, risky)).risks == ("size: 1200 lines",)
    assert result_of(state_of(WORKED, VERIFY)).risks == ()
    assert result_of(state_of(WORKED, risky, changed("ada", sha("2"), 2))).risks == ()


def test_quality_is_100_less_what_is_open_by_severity() -> None:
    assert quality_score({}) == 100
    assert quality_score({"low": 2, "medium": 1, "high": 1, "critical": 1}) == 100 - 2 - 5 - 15 - 40
    assert quality_score({"critical": 3}) == 0


@given(st.dictionaries(st.sampled_from([severity.value for severity in Severity]), st.integers(0, 50)))
def test_quality_stays_within_0_and_100(found: dict[str, int]) -> None:
    assert 0 <= quality_score(found) <= 100


def test_who_worked_in_the_parts_of_a_plan_worked_in_the_whole() -> None:
    parts = [replace(visited(Stage.CHILD, part=n), calls={"coder": n + 1, f"agent {n}": 1}) for n in range(2)]
    result = result_of(state_of(*parts))
    assert (result.attempts, result.calls) == (5, {"coder": 3, "agent 0": 1, "agent 1": 1})
