"""How well the agents of past runs worked together: five figures, none without what it is counted from."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import PurePosixPath

from sparky.domain.attempt import Attempt, Responsibility, Stage, Trait, Verdict, cost_of
from sparky.domain.report import ReportId, read_name
from sparky.domain.state import Outcome, PipelineState
from sparky.reports.told import Briefing


class Goal(Enum):
    """How a figure stands against its target."""

    AT_LEAST = "at least"
    ABOVE = "above"
    BELOW = "below"


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One figure. `value` is numerator / denominator, None while nothing was counted.

    `runs` are those behind it.
    """

    name: str
    means: str
    goal: Goal
    target: float
    numerator: int = 0
    denominator: int = 0
    runs: tuple[str, ...] = ()

    @property
    def value(self) -> float | None:
        """The figure; None while there is nothing to count."""
        return self.numerator / self.denominator if self.denominator else None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None while there is nothing to count."""
        value = self.value
        if value is None:
            return None
        match self.goal:
            case Goal.AT_LEAST:
                return value >= self.target
            case Goal.ABOVE:
                return value > self.target
            case Goal.BELOW:
                return value < self.target


@dataclass(frozen=True, kw_only=True)
class Told:
    """A run, and what its attempts were told by reports: briefings by the attempt's place in the run."""

    state: PipelineState
    briefings: Mapping[int, Briefing] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What sessions have cost, also those of runs that came to nothing; `accepted` are the runs merged."""

    usd: float
    tokens: int
    accepted: tuple[str, ...]

    @property
    def usd_each(self) -> float | None:
        """US dollars for each accepted result; None while there is none."""
        return self.usd / len(self.accepted) if self.accepted else None


def cost(runs: Iterable[Told]) -> Cost:
    """What an accepted result costs; a part of a larger issue is counted in the whole."""
    whole = [told.state for told in runs if not told.state.is_child]
    spent = cost_of(attempt for state in whole for attempt in state.attempts)
    merged = (s.run_id for s in whole if s.ends and s.ends[-1].outcome is Outcome.MERGED)
    return Cost(usd=spent.usd, tokens=spent.tokens, accepted=tuple(merged))


Counted = Iterator[bool]
"""One entry for each case that is counted: whether it speaks for the figure."""


def measure(runs: Iterable[Told]) -> tuple[Metric, ...]:
    """The five figures over these runs."""
    told = tuple(runs)
    return tuple(_counted(blank, told, count) for blank, count in _COUNTS)


def _counted(blank: Metric, told: Sequence[Told], count: Callable[[Told], Counted]) -> Metric:
    counted = {one.state.run_id: list(count(one)) for one in told}
    cases = [case for found in counted.values() for case in found]
    behind = tuple(run for run, found in counted.items() if found)
    return replace(blank, numerator=sum(cases), denominator=len(cases), runs=behind)


def _newest(told: Told) -> Counted:
    """A report was read: no other version of its agent on that issue is higher."""
    for briefing in told.briefings.values():
        if briefing.chosen is not None:
            others = [read_name(PurePosixPath(path).name) for path, _ in briefing.passed_over]
            own = [
                one for one in others if isinstance(one, ReportId) and one.agent == briefing.chosen.id.agent
            ]
            yield all(one.version < briefing.chosen.id.version for one in own)


def _refusals(state: PipelineState, *stages: Stage) -> Iterator[tuple[int, Attempt]]:
    for index, attempt in enumerate(state.attempts):
        if attempt.stage in stages and attempt.verdict is Verdict.REVISE:
            yield index, attempt


def _next(state: PipelineState, index: int, stage: Stage) -> Attempt | None:
    """The next attempt of a stage that was made in earnest, not handed over."""
    later = (attempt for attempt in state.attempts[index + 1 :] if attempt.stage is stage)
    return next((attempt for attempt in later if Trait.HANDED_OVER not in attempt.traits), None)


def _blamed(told: Told) -> Counted:
    """A red test was given to somebody: what was red is no longer so at the next look."""
    for index, test in _refusals(told.state, Stage.TEST):
        again = _next(told.state, index, Stage.TEST)
        if test.responsibility is not Responsibility.UNKNOWN and again is not None:
            yield not set(test.validation_errors) & set(again.validation_errors)


def _wasted(told: Told) -> Counted:
    """A refusal was followed by a retry: it changed nothing, or the same was refused once more."""
    state = told.state
    for index, refused in _refusals(state, Stage.REVIEW, Stage.TEST, Stage.VERIFY):
        retry, again = _next(state, index, Stage.EXECUTE), _next(state, index, refused.stage)
        if retry is not None:
            same = again is not None and again.verdict is Verdict.REVISE and again.items == refused.items
            yield Trait.CHANGED not in retry.traits or same


def _aware(told: Told) -> Counted:
    """A review refused and was followed by a retry: what it asked for is not asked for again."""
    state = told.state
    for index, review in _refusals(state, Stage.REVIEW):
        again = _next(state, index, Stage.REVIEW)
        if again is not None:
            yield not set(review.items) & set(again.items)


def _together(told: Told) -> Counted:
    """Something was refused in a run that has ended: it ended well all the same."""
    refused = any(_refusals(told.state, Stage.REVIEW, Stage.TEST, Stage.VERIFY))
    if refused and told.state.ends:
        yield told.state.ends[-1].outcome in {Outcome.MERGED, Outcome.READY}


_COUNTS: tuple[tuple[Metric, Callable[[Told], Counted]], ...] = (
    (
        Metric(
            name="newest_version",
            means="reports read that were the newest of their agent",
            goal=Goal.AT_LEAST,
            target=1.0,
        ),
        _newest,
    ),
    (
        Metric(
            name="responsibility",
            means="turns given for a red test that the next look bore out",
            goal=Goal.ABOVE,
            target=0.95,
        ),
        _blamed,
    ),
    (
        Metric(
            name="wasted_retries",
            means="retries, per refusal, that changed nothing or met the same refusal",
            goal=Goal.BELOW,
            target=0.5,
        ),
        _wasted,
    ),
    (
        Metric(
            name="review_awareness",
            means="refusals of a review of which nothing was asked again",
            goal=Goal.AT_LEAST,
            target=1.0,
        ),
        _aware,
    ),
    (
        Metric(
            name="coordination",
            means="runs with a refusal that ended merged or ready",
            goal=Goal.ABOVE,
            target=0.9,
        ),
        _together,
    ),
)
