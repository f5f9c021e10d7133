"""Projections: what the command line, JSON and pages show. Made from stored values alone."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from sparky.domain.agent import Bid, Route
from sparky.domain.attempt import Attempt, Evidence, GateResult, Verdict
from sparky.domain.escalation import Answer, Escalation
from sparky.domain.result import Result
from sparky.domain.run import Life
from sparky.domain.state import Earlier, PipelineState
from sparky.reports.told import Briefing


@dataclass(frozen=True, kw_only=True)
class StoryStep:
    """One attempt as the story tells it. `commands` reproduce the evidence.

    `turn`: whose turn it was judged to be, how sure that is (0..1), and the facts; None: nobody judged it.
    """

    stage: str
    number: int
    agent: str
    strategy: str | None
    verdict: Verdict
    reason: str
    seconds: float
    gates: tuple[GateResult, ...]
    evidence: tuple[Evidence, ...]
    commands: tuple[str, ...]
    items: tuple[str, ...]
    turn: str | None = None
    briefing: Briefing | None = None


@dataclass(frozen=True, kw_only=True)
class Story:
    """One run on one screen: who bid, what was done, what every gate said, and what a person does next."""

    run_id: str
    title: str
    life: Life
    repo_path: str
    target: str | None
    routes: tuple[Route, ...]
    steps: tuple[StoryStep, ...]
    result: Result
    answers: tuple[Answer, ...] = ()
    earlier: tuple[Earlier, ...] = ()
    question: Escalation | None = None


def story(
    state: PipelineState, life: Life, result: Result, briefings: Mapping[int, Briefing] | None = None
) -> Story:
    """A run as a story, with its result, and what its attempts were told by reports."""
    told = briefings or {}
    return Story(
        run_id=state.run_id,
        title=state.issue.title,
        life=life,
        repo_path=state.context.repo_path,
        target=state.context.target,
        routes=state.routes,
        steps=tuple(_step(attempt, told.get(place)) for place, attempt in enumerate(state.attempts)),
        result=result,
        answers=state.answers,
        earlier=state.earlier,
        question=state.ends[-1].question if life is not Life.RUNNING and state.ends else None,
    )


def bid_line(bid: Bid, route: Route) -> str:
    """A bid in words: who, how sure, why, and what became of it."""
    if bid.agent == route.agent:
        fate = "chosen"
    elif bid.agent in route.fallbacks:
        fate = f"fallback {route.fallbacks.index(bid.agent) + 1}"
    else:
        fate = "passed over"
    return f"{bid.agent} {bid.confidence:.2f} (priority {bid.priority}): {bid.reason}: {fate}"


def briefing_lines(told: Briefing) -> tuple[str, ...]:
    """Which report was chosen, whose items it has, which were passed over, and what was answered since."""
    by = f" by {told.chosen.id.name}" if told.chosen else ""
    first = f"{told.role.value}: {told.scenario.value}{by}: {told.reason}"
    items = (f"for the {item.owner.value}: {item.text}" for item in told.items)
    over = (f"passed over {path}: {why}" for path, why in told.passed_over)
    settled = (f"{one.item} {one.settled.value}: {one.reason}" for one in told.settled)
    return (first, *items, *settled, *over)


def _step(attempt: Attempt, told: Briefing | None) -> StoryStep:
    return StoryStep(
        stage=attempt.stage.value,
        number=attempt.number,
        agent=attempt.agent,
        strategy=attempt.strategy.value if attempt.strategy else None,
        verdict=attempt.verdict,
        reason=attempt.reason,
        seconds=attempt.seconds,
        gates=attempt.gates,
        evidence=attempt.evidence,
        commands=tuple(shlex.join(e.command) for e in attempt.evidence),
        items=attempt.items,
        turn=_turn(attempt),
        briefing=told,
    )


def _turn(attempt: Attempt) -> str | None:
    if attempt.confidence is None:
        return None
    why = f": {'; '.join(attempt.because)}" if attempt.because else ""
    return f"{attempt.responsibility.value} ({attempt.confidence:.2f}){why}"
