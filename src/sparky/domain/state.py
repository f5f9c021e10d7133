"""The pipeline state: a run so far. It grows only by `record`."""

from dataclasses import dataclass, field, replace
from enum import Enum

from sparky.domain.agent import USUAL, Route, Thresholds
from sparky.domain.attempt import (
    Attempt,
    Budget,
    Responsibility,
    Spent,
    Stage,
    Strategy,
    Trait,
    Verdict,
    cost_of,
)
from sparky.domain.escalation import Answer, Choice, Escalation
from sparky.domain.issue import Issue
from sparky.domain.plan import Child

SCHEMA = 1


class Outcome(Enum):
    """How a run ended; or, with `ready` and `blocked`, how a segment of it ended."""

    MERGED = "merged"
    READY = "ready"
    NOTHING_TO_DO = "nothing_to_do"
    PARTIAL = "partial"
    BLOCKED = "blocked"
    FAILED = "failed"
    CANCELLED = "cancelled"


class MergePolicy(Enum):
    """Who merges a verified change.

    `ask`: the run ends ready, a person merges; `auto`: the run merges what bears no risk; `approved`: a
    person has said so (`sparky merge`), risks seen.
    """

    ASK = "ask"
    AUTO = "auto"
    APPROVED = "approved"


@dataclass(frozen=True, kw_only=True)
class Context:
    """Where a run works. `repo_path` is the repository's top directory; `base` the sha the run starts from.

    `git_dir` is its common git directory; `target` the branch to merge into, None with a detached HEAD.
    `source_repo` is its remote; where the issue is another repository's (`is_external`), the top directory of
    that one. `result_file` is the file beside the issue that each segment's result is written to, "": none.
    """

    repo_name: str
    repo_path: str
    git_dir: str
    base: str
    target: str | None
    branch: str
    source_repo: str = ""
    is_external: bool = False
    result_file: str = ""


@dataclass(frozen=True, kw_only=True)
class Preferences:
    """What the user wants of this run. `fallback_runner` stands in where `runner` gets no answer.

    `attempt_budget` is what one session may cost, `day_budget` what all of the repository's may in a day.
    `update_snapshots`: stale snapshots are rewritten, which a person then looks at.
    """

    merge: MergePolicy = MergePolicy.ASK
    test_command: tuple[str, ...] | None = None
    test_report: str = ""
    test_setup: tuple[str, ...] = ()
    test_timeout_s: float = 900.0
    session_timeout_s: float = 1800.0
    sandbox: bool = True
    constraints: tuple[str, ...] = ()
    script: str | None = None
    attempt_budget: Budget = field(default_factory=Budget)
    day_budget: Budget = field(default_factory=Budget)
    runner: str = ""
    fallback_runner: str = ""
    model: str = ""
    update_snapshots: bool = False
    thresholds: Thresholds = USUAL


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """What an ended run of the same issue came to, in short; `refused`: changes that did not hold, why."""

    run_id: str
    outcome: Outcome
    reason: str
    refused: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Handoff:
    """What the next stage is told. `rollback` is a command that can be run, `rollback_sha` where it leads.

    `previous_errors` and `avoided` are what earlier attempts came to and should not be tried again; `words`
    is what a person answered. `agent`, `part`, `number`, `strategy` and `runner` become those of the attempt;
    `not_before` is when it may begin, in seconds since 1970, None: at once.
    """

    stage: Stage
    reason: str
    success_criteria: tuple[str, ...] = ()
    action_items: tuple[str, ...] = ()
    previous_errors: tuple[str, ...] = ()
    avoided: tuple[str, ...] = ()
    words: str = ""
    rollback: str = ""
    rollback_sha: str = ""
    agent: str = "sparky"
    part: int = 0
    number: int = 1
    strategy: Strategy | None = None
    runner: str = ""
    not_before: float | None = None

    def begin(self, verdict: Verdict, reason: str) -> Attempt:
        """The attempt that answers this handoff, to be filled with what was seen."""
        return Attempt(
            stage=self.stage,
            number=self.number,
            verdict=verdict,
            reason=reason,
            agent=self.agent,
            part=self.part,
            strategy=self.strategy,
            runner=self.runner,
        )


@dataclass(frozen=True, kw_only=True)
class End:
    """How a segment ends: the outcome, why, and what a person should do next; `question`: what is asked."""

    outcome: Outcome
    reason: str
    responsibility: Responsibility = Responsibility.PERSON
    manual_steps: tuple[str, ...] = ()
    question: Escalation | None = None

    @property
    def asks(self) -> bool:
        """Whether the run waits for a person's answer: nothing else can change what stands in its way."""
        return self.question is not None and self.responsibility is Responsibility.PERSON


@dataclass(frozen=True, kw_only=True)
class PipelineState:
    """A run so far. `ends` holds the end of every earlier segment, the last being the run's own.

    `earlier` are the runs of the same issue before this one, oldest first; none of them counts as an attempt.
    `today` is what the repository's sessions have cost today, as far as somebody has looked.
    """

    run_id: str
    pipeline_id: str
    issue: Issue
    context: Context
    preferences: Preferences = field(default_factory=Preferences)
    budget: Budget = field(default_factory=Budget)
    earlier: tuple[Earlier, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    ends: tuple[End, ...] = ()
    answers: tuple[Answer, ...] = ()
    segment: int = 1
    segment_start: int = 0
    today: Spent = field(default_factory=Spent)
    schema: int = SCHEMA

    def record(self, attempt: Attempt) -> "PipelineState":
        """The state with one more attempt."""
        return replace(self, attempts=(*self.attempts, attempt))

    def ended(self, end: End) -> "PipelineState":
        """The state with its segment ended."""
        return replace(self, ends=(*self.ends, end))

    def next_segment(self, preferences: Preferences) -> "PipelineState":
        """The state as the next segment starts with it."""
        start = len(self.attempts)
        return replace(self, segment=self.segment + 1, segment_start=start, preferences=preferences)

    def answered(self, answer: Answer) -> "PipelineState":
        """The state as the segment starts with it that the answer begins."""
        following = self.next_segment(self.preferences)
        return replace(following, answers=(*self.answers, replace(answer, segment=following.segment)))

    @property
    def spent(self) -> Spent:
        """What this segment has cost so far."""
        return cost_of(self.attempts[self.segment_start :])

    @property
    def overspent(self) -> tuple[str, ...]:
        """The limits that are reached, in words. That of the day is not asked about twice in one segment."""
        sessions = [a for a in self.attempts[self.segment_start :] if a.stage is Stage.EXECUTE][-1:]
        one = self.preferences.attempt_budget.reached(cost_of(sessions))
        allowed = self.answer is not None and self.answer.choice is Choice.GO_ON
        day = () if allowed else self.preferences.day_budget.reached(self.today)
        said = (*(f"{words} in one session" for words in one), *self.budget.reached(self.spent))
        return (*said, *(f"{words} today" for words in day))

    @property
    def allowed(self) -> Budget:
        """What one session may cost now."""
        left = self.budget.less(self.spent).within(self.preferences.attempt_budget)
        if self.answer is not None and self.answer.choice is Choice.GO_ON:
            return left
        return left.within(self.preferences.day_budget.less(self.today))

    @property
    def given_up(self) -> tuple[str, ...]:
        """The kinds, or the parts of the plan, that agents were asked to work on, and none of them could."""
        if self.plan:
            done = {a.part for a in self.of(Stage.CHILD) if a.verdict is Verdict.PASS}
            return tuple(child.title for part, child in enumerate(self.plan) if part not in done)
        newest = {attempt.part: attempt for attempt in self.of(Stage.EXECUTE)}
        refused = (part for part, attempt in sorted(newest.items()) if attempt.verdict is not Verdict.PASS)
        return tuple(self.routes[part].kind.value for part in refused)

    @property
    def accepted(self) -> bool:
        """Whether a person accepted the head in spite of what REVIEW said."""
        return any(a.choice is Choice.ACCEPT and a.about == self.head for a in self.answers)

    @property
    def newest(self) -> Attempt:
        """The newest attempt; raises IndexError if there is none."""
        return self.attempts[-1]

    @property
    def answer(self) -> Answer | None:
        """What a person said to begin this segment; None if nothing."""
        newest = self.answers[-1] if self.answers else None
        return newest if newest is not None and newest.segment == self.segment else None

    @property
    def routes(self) -> tuple[Route, ...]:
        """One route per part (kind), in order; empty before ROUTE."""
        return next((a.route for a in reversed(self.attempts) if a.stage is Stage.ROUTE), ())

    @property
    def plan(self) -> tuple[Child, ...]:
        """The deliverables that the issue was taken apart into, in order; empty if it was not."""
        return next((a.plan for a in reversed(self.attempts) if a.stage is Stage.DECOMPOSE), ())

    @property
    def is_child(self) -> bool:
        """Whether the run is a part of another run, which is what `pipeline_id` names."""
        return self.pipeline_id != self.run_id

    @property
    def head(self) -> str:
        """The newest commit of the run; the base while there is none."""
        return next((a.sha for a in reversed(self.attempts) if a.sha is not None), self.context.base)

    @property
    def base(self) -> str:
        """The commit that the change is measured against: the base, or what it was rebased onto."""
        return next((a.base for a in reversed(self.attempts) if a.base is not None), self.context.base)

    def of(self, stage: Stage, part: int | None = None) -> tuple[Attempt, ...]:
        """The attempts of a stage, oldest first; of one part if `part` is given."""
        return tuple(a for a in self.attempts if a.stage is stage and part in {None, a.part})

    def here(self, stage: Stage, part: int) -> tuple[Attempt, ...]:
        """The attempts of a stage on one part in this segment, oldest first."""
        return tuple(a for a in self.attempts[self.segment_start :] if (a.stage, a.part) == (stage, part))

    def last(self, stage: Stage) -> Attempt | None:
        """The newest attempt of a stage."""
        return next((a for a in reversed(self.attempts) if a.stage is stage), None)

    def tested_sha(self) -> str | None:
        """The sha whose tests passed, if the newest TEST did."""
        test = self.last(Stage.TEST)
        return test.sha if test is not None and test.verdict in {Verdict.PASS, Verdict.SKIP} else None

    def has(self, trait: Trait) -> bool:
        """Whether any attempt bears the trait."""
        return any(trait in attempt.traits for attempt in self.attempts)
