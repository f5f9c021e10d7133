"""What the command line, JSON and pages show of what is stored."""

from dataclasses import replace

import pytest

from sparky.domain.agent import Bid, Route
from sparky.domain.attempt import Evidence, Stage, Verdict
from sparky.domain.issue import Kind, Severity
from sparky.domain.result import result_of
from sparky.domain.run import Life
from sparky.domain.state import Outcome
from sparky.status import StatusLine, ordered, status_line, status_lines
from sparky.views import Story, StoryStep, bid_line, story
from tests.builders import CONTEXT, RUN, changed, refusal, routed, row_of, sha, state_of, visited

LINE = StatusLine(
    run_id=RUN,
    issue="7",
    title="Tidy the report",
    life=Life.WAITING,
    outcome=Outcome.READY,
    stage="verify",
    reason="why",
    created="2026-11-21T10:00:00Z",
    branch=CONTEXT.branch,
    repo_path=CONTEXT.repo_path,
    needs_person=True,
    next_step=f"sparky merge {RUN}",
)


@pytest.mark.parametrize(
    ("outcome", "life", "needs_person", "next_step"),
    [
        (Outcome.READY, Life.WAITING, True, f"sparky merge {RUN}"),
        (None, Life.RUNNING, False, f"sparky logs -f {RUN}"),
        (None, Life.INTERRUPTED, False, f"sparky resume {RUN}"),
        (Outcome.BLOCKED, Life.ENDED, True, f"sparky show {RUN}"),
        (Outcome.FAILED, Life.ENDED, False, f"sparky show {RUN}"),
    ],
)
def test_a_line_says_how_a_run_stands_and_what_a_person_does_next(
    outcome: Outcome | None, life: Life, next_step: str, *, needs_person: bool
) -> None:
    expected = replace(LINE, outcome=outcome, life=life, needs_person=needs_person, next_step=next_step)
    assert status_line(row_of(outcome), life) == expected


def test_what_waits_for_a_person_comes_first_and_else_the_order_stays() -> None:
    done = status_line(row_of(Outcome.MERGED), Life.ENDED)
    running = status_line(row_of(), Life.RUNNING)
    interrupted = status_line(row_of(), Life.INTERRUPTED)
    blocked = status_line(row_of(Outcome.BLOCKED), Life.ENDED)
    older = replace(blocked, run_id="older")
    lines = (done, running, LINE, interrupted, blocked, older)
    assert ordered(lines) == (LINE, blocked, older, interrupted, running, done)


def test_bug_what_was_blocked_came_first_also_when_a_newer_run_of_its_issue_was_merged() -> None:
    other = replace(row_of(Outcome.BLOCKED), issue_key="another")
    asks = replace(row_of(Outcome.BLOCKED), asks=True)
    rows = ((row_of(Outcome.BLOCKED), Life.ENDED), (row_of(Outcome.MERGED), Life.ENDED))
    older = ((asks, Life.WAITING), (other, Life.ENDED), (row_of(), Life.RUNNING))
    lines = tuple(status_lines((*rows, *older)))
    assert [line.needs_person for line in lines] == [True, False, False, True, False]
    assert ordered(lines) == (lines[0], lines[3], lines[4], lines[1], lines[2])


def test_a_story_tells_every_attempt_with_its_gates_and_the_commands_that_show_it_again() -> None:
    seen = Evidence(command=("pytest", "-q", "a b"), code=0, output="e", sha=sha("1"), seconds=1.0)
    review = replace(
        visited(Stage.REVIEW, Verdict.REVISE, items=("scope: too far",)),
        gates=(refusal(Severity.HIGH),),
        evidence=(seen,),
        agent="mechanical-reviewer",
        seconds=0.25,
    )
    state = state_of(routed(("ada",)), changed("ada", sha("1")), review)
    result = result_of(state)
    told = story(state, Life.RUNNING, result)
    routing = StoryStep(
        stage="route",
        number=1,
        agent="sparky",
        strategy=None,
        verdict=Verdict.PASS,
        reason="routed",
        seconds=0.0,
        gates=(),
        evidence=(),
        commands=(),
        items=(),
    )
    assert told == Story(
        run_id=RUN,
        title="Tidy the report",
        life=Life.RUNNING,
        repo_path=CONTEXT.repo_path,
        target="main",
        routes=state.routes,
        steps=(
            routing,
            replace(routing, stage="execute", agent="ada", strategy="direct_fix", reason="ada said 1"),
            StoryStep(
                stage="review",
                number=1,
                agent="mechanical-reviewer",
                strategy=None,
                verdict=Verdict.REVISE,
                reason="review said 1",
                seconds=0.25,
                gates=(refusal(Severity.HIGH),),
                evidence=(seen,),
                commands=("pytest -q 'a b'",),
                items=("scope: too far",),
            ),
        ),
        result=result,
    )


def test_a_bid_is_told_with_what_became_of_it() -> None:
    bids = tuple(
        Bid(agent=name, confidence=sure, reason=f"{name} knows", priority=rank)
        for name, sure, rank in (("ada", 0.9, 10), ("bob", 0.45, 20), ("cy", 0.1, 100), ("dee", 1.0, 200))
    )
    route = Route(kind=Kind.DEAD_CODE, agent="ada", fallbacks=("dee", "bob"), bids=bids)
    assert [bid_line(bid, route) for bid in bids] == [
        "ada 0.90 (priority 10): ada knows: chosen",
        "bob 0.45 (priority 20): bob knows: fallback 2",
        "cy 0.10 (priority 100): cy knows: passed over",
        "dee 1.00 (priority 200): dee knows: fallback 1",
    ]
