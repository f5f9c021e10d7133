"""Five figures of how agents work together: each counted from runs, none without its denominator."""

from dataclasses import replace

import pytest

from sparky.domain.agent import Role
from sparky.domain.attempt import Attempt, Responsibility, Stage, Trait, Verdict
from sparky.domain.report import Filed, ReportId
from sparky.domain.state import End, Outcome, PipelineState
from sparky.reports.metrics import Cost, Goal, Metric, Told, cost, measure
from sparky.reports.told import Briefing, Scenario
from tests.builders import RUN, changed, executed, sha, state_of, visited


def red(*tests: str, stage: Stage = Stage.TEST, who: Responsibility = Responsibility.CODER) -> Attempt:
    attempt = visited(stage, Verdict.REVISE, items=tests)
    return replace(attempt, validation_errors=tests, responsibility=who)


def ended(outcome: Outcome, *attempts: Attempt) -> PipelineState:
    return state_of(*attempts).ended(End(outcome=outcome, reason="so"))


def figures(*runs: Told) -> dict[str, tuple[int, int]]:
    return {metric.name: (metric.numerator, metric.denominator) for metric in measure(runs)}


NOTHING = dict.fromkeys(
    ("newest_version", "responsibility", "wasted_retries", "review_awareness", "coordination"), (0, 0)
)


def test_a_run_without_a_refusal_counts_for_nothing() -> None:
    state = ended(Outcome.MERGED, changed("coder", sha("a")), visited(Stage.TEST))
    assert figures(Told(state=state)) == NOTHING
    assert [(metric.value, metric.met, metric.runs) for metric in measure([Told(state=state)])] == [
        (None, None, ())
    ] * 5


def test_an_accepted_result_costs_what_all_runs_cost_also_those_that_came_to_nothing() -> None:
    dear = replace(changed("coder", sha("a")), cost_usd=0.3, tokens=100)
    part = replace(ended(Outcome.READY, dear), run_id="part", pipeline_id="whole")
    runs = [Told(state=ended(outcome, dear, dear)) for outcome in (Outcome.MERGED, Outcome.FAILED)]
    assert cost([*runs, Told(state=part)]) == Cost(usd=1.2, tokens=400, accepted=(RUN,))
    assert cost([*runs]).usd_each == 1.2
    assert cost(runs[1:]).usd_each is None


def test_a_refusal_that_is_answered_at_once_speaks_for_all_figures() -> None:
    state = ended(
        Outcome.READY,
        changed("coder", sha("a")),
        red("scope", stage=Stage.REVIEW),
        changed("coder", sha("b"), number=2),
        visited(Stage.REVIEW),
        red("test_a"),
        changed("coder", sha("c"), number=3),
        visited(Stage.REVIEW),
        visited(Stage.TEST),
    )
    assert figures(Told(state=state)) == {
        **NOTHING,
        "responsibility": (1, 1),
        "wasted_retries": (0, 2),
        "review_awareness": (1, 1),
        "coordination": (1, 1),
    }


def test_retries_that_change_nothing_or_meet_the_same_refusal_are_wasted() -> None:
    state = ended(
        Outcome.FAILED,
        changed("coder", sha("a")),
        red("test_a"),
        executed("coder", Verdict.REVISE, Trait.NO_CHANGE, number=2),
        changed("coder", sha("b"), number=3),
        red("test_a"),
        changed("coder", sha("c"), number=4),
    )
    assert figures(Told(state=state)) == {
        **NOTHING,
        "responsibility": (0, 1),
        "wasted_retries": (1, 2),
        "coordination": (0, 1),
    }


def test_an_unknown_turn_and_a_run_in_flight_are_not_counted() -> None:
    state = state_of(
        changed("coder", sha("a")), red("test_a", who=Responsibility.UNKNOWN), visited(Stage.TEST)
    )
    assert figures(Told(state=state)) == NOTHING


def briefing(version: int, *passed_over: str) -> Briefing:
    filed = Filed(
        id=ReportId(agent="review", issue="7", version=version), path=f"Review_Issue#7_Report_v{version}.md"
    )
    return Briefing(
        role=Role.CODER,
        scenario=Scenario.RETRY_AFTER_REVIEW,
        responsibility=Responsibility.CODER,
        reason="so",
        chosen=filed,
        passed_over=tuple((path, "why") for path in passed_over),
    )


def test_reading_the_newest_version_is_counted_from_briefings() -> None:
    briefings = {
        0: briefing(10, "Review_Issue#7_Report_v9.md", "Coding_Issue#7_Report_v11.md"),
        1: briefing(2, "Review_Issue#7_Report_v10.md"),
        2: replace(briefing(1), chosen=None),
    }
    assert figures(Told(state=state_of(), briefings=briefings))["newest_version"] == (1, 2)


@pytest.mark.parametrize(
    ("goal", "target", "numerator", "met"),
    [
        (Goal.AT_LEAST, 1.0, 10, True),
        (Goal.AT_LEAST, 1.0, 9, False),
        (Goal.ABOVE, 0.9, 9, False),
        (Goal.ABOVE, 0.9, 10, True),
        (Goal.BELOW, 0.5, 4, True),
        (Goal.BELOW, 0.5, 5, False),
    ],
)
def test_a_figure_meets_its_target_or_not(goal: Goal, target: float, numerator: int, *, met: bool) -> None:
    metric = Metric(
        name="n", means="m", numerator=numerator, denominator=10, goal=goal, target=target, runs=(RUN,)
    )
    assert (metric.value, metric.met) == (numerator / 10, met)
