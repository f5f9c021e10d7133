"""Projections: what the command line, JSON and pages show. Made from stored values alone."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sparky.domain.agent import Bid, Route
from sparky.domain.attempt import Attempt, Evidence, GateResult, Verdict
from sparky.domain.escalation import Answer, Escalation
from sparky.domain.result import Result
from sparky.domain.run import Life, RunRow
from sparky.domain.state import Earlier, Outcome, PipelineState
from sparky.reports.told import Briefing


@dataclass(frozen=True, kw_only=True)
class StatusLine:
    """One run in a list. `needs_person`: it waits for somebody."""

    run_id: str
    issue: str
    title: str
    life: Life
    outcome: Outcome | None
    stage: str
    reason: str
    created: str
    branch: str
    repo_path: str
    needs_person: bool
    next_step: str


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


def status_line(row: RunRow, life: Life) -> StatusLine:
    """A stored run as a line of a list."""
    waits = life is Life.WAITING or (life is Life.ENDED and row.outcome is Outcome.BLOCKED)
    return StatusLine(
        run_id=row.run_id,
        issue=row.issue_id,
        title=row.title,
        life=life,
        outcome=row.outcome,
        stage=row.stage,
        reason=row.reason,
        created=row.created,
        branch=row.branch,
        repo_path=row.repo_path,
        needs_person=waits,
        next_step=_next_step(row, life),
    )


def ordered(lines: Iterable[StatusLine]) -> tuple[StatusLine, ...]:
    """What waits for a person first, then what runs, then the rest, each newest first."""
    rank = {Life.WAITING: 0, Life.INTERRUPTED: 1, Life.RUNNING: 2, Life.ENDED: 3}
    return tuple(sorted(lines, key=lambda line: 0 if line.needs_person else rank[line.life]))


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


def _next_step(row: RunRow, life: Life) -> str:
    match life:
        case Life.WAITING:
            return f"sparky {'answer' if row.asks else 'merge'} {row.run_id}"
        case Life.INTERRUPTED:
            return f"sparky resume {row.run_id}"
        case Life.RUNNING:
            return f"sparky logs -f {row.run_id}"
        case Life.ENDED:
            return f"sparky show {row.run_id}"
