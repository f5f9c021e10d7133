"""The state of a run: what it grows by, and what is read off it."""

from dataclasses import replace

import pytest

from sparky.domain.attempt import Attempt, Budget, Responsibility, Spent, Stage, Strategy, Trait, Verdict
from sparky.domain.errors import database_trouble
from sparky.domain.escalation import Answer, Choice, Escalation, Option
from sparky.domain.moves import tried
from sparky.domain.state import Earlier, End, Handoff, MergePolicy, Outcome, Preferences
from tests.builders import BASE, ISSUE, RUN, changed, routed, sha, state_of, visited

ONE, TWO, NEW_BASE = sha("1"), sha("2"), sha("d")
END = End(outcome=Outcome.READY, reason="done")
QUESTION = Escalation(
    question="Is it quiet now?",
    reason="it was not",
    options=(Option(choice=Choice.TEST, says="test once more"),),
    default=Choice.TEST,
)


def test_a_state_grows_by_attempts_ends_and_segments_and_never_in_place() -> None:
    before = state_of()
    after = before.record(visited(Stage.ROUTE)).record(visited(Stage.TEST)).ended(END)
    approved = Preferences(merge=MergePolicy.APPROVED)
    assert before == state_of()
    assert after == replace(state_of(visited(Stage.ROUTE), visited(Stage.TEST)), ends=(END,))
    assert after.next_segment(approved) == replace(after, segment=2, segment_start=2, preferences=approved)


def test_before_anything_happened_head_and_base_are_where_the_run_starts() -> None:
    state = state_of()
    assert (state.head, state.base, state.routes, state.last(Stage.TEST)) == (BASE, BASE, (), None)
    assert state.tested_sha() is None


def test_the_newest_attempt_that_names_a_commit_a_base_or_routes_counts() -> None:
    moved = replace(visited(Stage.MERGE, Verdict.REVISE, to=TWO), base=NEW_BASE)
    first, second = routed(("ada",)), routed(("bob",), ("cy",))
    state = state_of(first, changed("ada", ONE), moved, second, visited(Stage.REVIEW))
    assert (state.head, state.base, state.routes) == (TWO, NEW_BASE, second.route)


def test_attempts_are_found_by_stage_and_part_oldest_first() -> None:
    one, two, other = changed("ada", ONE), changed("ada", TWO, 2), changed("bob", TWO, part=1)
    state = state_of(routed(("ada",)), one, visited(Stage.REVIEW), two, other)
    assert state.of(Stage.EXECUTE) == (one, two, other)
    assert state.of(Stage.EXECUTE, 0) == (one, two)
    assert state.of(Stage.EXECUTE, 2) == ()
    assert state.last(Stage.EXECUTE) == other


@pytest.mark.parametrize(
    ("verdict", "tested"),
    [(Verdict.PASS, ONE), (Verdict.SKIP, ONE), (Verdict.REVISE, None), (Verdict.ESCALATE, None)],
)
def test_a_commit_counts_as_tested_if_the_newest_tests_were_not_against_it(
    verdict: Verdict, tested: str | None
) -> None:
    assert state_of(visited(Stage.TEST, to=TWO), visited(Stage.TEST, verdict, to=ONE)).tested_sha() == tested


def test_a_trait_of_any_attempt_is_a_trait_of_the_run() -> None:
    state = state_of(visited(Stage.TEST, Verdict.PASS, Trait.FLAKY), visited(Stage.VERIFY))
    assert (state.has(Trait.FLAKY), state.has(Trait.RISKY)) == (True, False)


def test_an_attempt_begins_with_what_its_handoff_says() -> None:
    handoff = Handoff(
        stage=Stage.EXECUTE,
        reason="why",
        agent="ada",
        part=2,
        number=3,
        strategy=Strategy.SIMPLIFIED_APPROACH,
    )
    assert handoff.begin(Verdict.REVISE, "no") == Attempt(
        stage=Stage.EXECUTE,
        number=3,
        verdict=Verdict.REVISE,
        reason="no",
        agent="ada",
        part=2,
        strategy=Strategy.SIMPLIFIED_APPROACH,
    )


def test_what_is_left_of_a_budget_is_never_below_nothing_and_no_limit_stays_none() -> None:
    spent = Spent(usd=0.75, tokens=100, seconds=30.0, turns=4)
    limits = Budget(usd=1.0, tokens=90, seconds=20.0, turns=9)
    assert limits.less(spent) == Budget(usd=0.25, tokens=0, seconds=0.0, turns=5)
    assert Budget().less(spent) == Budget()
    assert Budget().reached(spent) == ()


def test_what_a_segment_has_spent_is_the_sum_of_its_own_attempts() -> None:
    one = replace(visited(Stage.TEST), cost_usd=0.1, tokens=3, seconds=1.5, turns=2)
    state = replace(state_of(one, one, one), segment_start=1)
    assert state.spent == Spent(usd=0.2, tokens=6, seconds=3.0, turns=4)


def test_a_session_may_cost_what_the_lowest_of_all_limits_leaves() -> None:
    limits = Preferences(
        attempt_budget=Budget(usd=1.0, tokens=50), day_budget=Budget(tokens=90, seconds=60.0, turns=9)
    )
    one = replace(visited(Stage.TEST), cost_usd=0.5, tokens=3)
    state = replace(
        state_of(one),
        preferences=limits,
        budget=Budget(usd=1.25, turns=20),
        today=Spent(tokens=70, seconds=80.0, turns=1),
    )
    assert state.allowed == Budget(usd=0.75, tokens=20, seconds=0.0, turns=8)
    assert state.overspent == ("1.3 of 1.0 minutes today",)
    more = state.answered(Answer(choice=Choice.GO_ON, about=BASE))
    assert more.allowed == Budget(usd=1.0, tokens=50, turns=20)
    assert more.overspent == ()


def test_what_a_run_has_tried_is_told_in_short_to_a_later_one() -> None:
    change = replace(changed("ada", ONE), files_modified=("a.py",))
    red = replace(visited(Stage.TEST, Verdict.REVISE), validation_errors=("test_a: 1 != 2", "x" * 400))
    end = End(outcome=Outcome.FAILED, reason="no\n" * 200)
    assert tried(state_of(routed(("ada",)), change, red).ended(end)) == Earlier(
        run_id=RUN,
        outcome=Outcome.FAILED,
        reason=f"{end.reason[:300]} …",
        refused=("attempt 1 by ada changed a.py: test said 1",),
        errors=("test_a: 1 != 2", f"{'x' * 300} …"),
    )


def test_of_many_errors_a_later_run_is_told_the_newest() -> None:
    refused = [replace(visited(Stage.TEST, Verdict.REVISE), reason=f"error {n}") for n in range(50)]
    told = tried(state_of(*refused).ended(END))
    assert told.errors == tuple(f"error {n}" for n in range(40, 50))


def test_a_run_of_another_pipeline_is_a_part_of_it() -> None:
    assert state_of().is_child is False
    assert replace(state_of(), pipeline_id="7-0a1b2c3d-9").is_child is True


@pytest.mark.parametrize(
    ("whose", "question", "expected"),
    [
        (Responsibility.PERSON, QUESTION, True),
        (Responsibility.ENVIRONMENT, QUESTION, False),
        (Responsibility.PERSON, None, False),
    ],
)
def test_an_end_waits_for_a_person_where_only_an_answer_helps(
    whose: Responsibility, question: Escalation | None, *, expected: bool
) -> None:
    assert replace(END, responsibility=whose, question=question).asks is expected


def test_an_issue_is_done_when_its_text_says_so() -> None:
    assert (replace(ISSUE, status="Closed").done, ISSUE.done) == (True, False)


def test_what_is_said_of_a_database_names_it_and_the_way_on() -> None:
    assert database_trouble("/s/sparky.db", "disk I/O error") == (
        "/s/sparky.db: disk I/O error; look at its permissions and the disk's free space, "
        "then `sparky resume`. A corrupt file can be moved away: branches and worktrees stay."
    )
