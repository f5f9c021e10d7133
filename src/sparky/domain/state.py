"""The pipeline state: a run so far. It grows only by `record`."""

from dataclasses import dataclass, field, replace
from enum import Enum

from sparky.domain.agent import Route
from sparky.domain.attempt import Attempt, Responsibility, Stage, Strategy, Trait, Verdict
from sparky.domain.issue import Issue

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
    """

    repo_name: str
    repo_path: str
    git_dir: str
    base: str
    target: str | None
    branch: str
    source_repo: str = ""
    is_external: bool = False


@dataclass(frozen=True, kw_only=True)
class Preferences:
    """What the user wants of this run, from flags and `sparky.toml`."""

    merge: MergePolicy = MergePolicy.ASK
    test_command: tuple[str, ...] | None = None
    test_timeout_s: float = 900.0
    session_timeout_s: float = 1800.0
    sandbox: bool = True
    script: str | None = None


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Limits of a run; None means no limit."""

    usd: float | None = None
    tokens: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class Handoff:
    """What the next stage is told. `rollback` is a command that can be run, `rollback_sha` where it leads.

    `agent`, `part`, `number` and `strategy` become those of the attempt.
    """

    stage: Stage
    reason: str
    success_criteria: tuple[str, ...] = ()
    action_items: tuple[str, ...] = ()
    rollback: str = ""
    rollback_sha: str = ""
    agent: str = "sparky"
    part: int = 0
    number: int = 1
    strategy: Strategy | None = None

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
        )


@dataclass(frozen=True, kw_only=True)
class End:
    """How a segment ends: the outcome, why, and what a person should do next."""

    outcome: Outcome
    reason: str
    responsibility: Responsibility = Responsibility.PERSON
    manual_steps: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PipelineState:
    """A run so far. `ends` holds the end of every earlier segment, the last being the run's own."""

    run_id: str
    pipeline_id: str
    issue: Issue
    context: Context
    preferences: Preferences = field(default_factory=Preferences)
    budget: Budget = field(default_factory=Budget)
    attempts: tuple[Attempt, ...] = ()
    ends: tuple[End, ...] = ()
    segment: int = 1
    segment_start: int = 0
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

    @property
    def routes(self) -> tuple[Route, ...]:
        """One route per part (kind), in order; empty before ROUTE."""
        return next((a.route for a in reversed(self.attempts) if a.stage is Stage.ROUTE), ())

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
