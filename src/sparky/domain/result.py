"""The result of a run: what a person, a script and the last page see. Derived from the state alone."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from sparky.domain.attempt import Attempt, Evidence, Responsibility, Stage, Trait, Verdict
from sparky.domain.state import End, Outcome, PipelineState

RESULT_SCHEMA = 1

REST = "rest"
"""The blob of an attempt that names every finding that stays, as a tuple of Left."""


class FinalStatus(Enum):
    """The four words that scripts of the old pipeline know."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILED = "failed"
    BLOCKED = "blocked"
    RUNNING = "running"


@dataclass(frozen=True, kw_only=True)
class WorkCompleted:
    """What was done. `tests_passed` and `review_passed` are None where there was no test or review."""

    files_modified: tuple[str, ...] = ()
    files_created: tuple[str, ...] = ()
    files_deleted: tuple[str, ...] = ()
    lines_changed: int = 0
    findings_fixed: int = 0
    tests_passed: bool | None = None
    review_passed: bool | None = None
    quality_score: int | None = None


@dataclass(frozen=True, kw_only=True)
class Result:
    """How a run stands or ended. `execution_time` is in seconds, `cost_estimate` in USD.

    `responsibility` says whose turn it is by its end, None before that; with `sparky` the end is a bug.
    `risks` are what VERIFY left to a person, each as "gate: reason".
    """

    pipeline_id: str
    run_id: str
    issue: str
    final_status: FinalStatus
    outcome: Outcome | None
    reason: str
    work_completed: WorkCompleted
    issues_remaining: tuple[str, ...]
    manual_steps_needed: tuple[str, ...]
    partial_fixes: tuple[str, ...]
    attempts: int
    all_errors: tuple[str, ...]
    recommendation: str
    execution_time: float
    cost_estimate: float
    tokens: int
    branch: str
    base: str
    commit: str
    evidence: tuple[Evidence, ...]
    sandbox: str
    notes: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    calls: Mapping[str, int] = field(default_factory=dict)
    responsibility: Responsibility | None = None
    schema: int = RESULT_SCHEMA


_STATUS = {
    Outcome.MERGED: FinalStatus.SUCCESS,
    Outcome.READY: FinalStatus.SUCCESS,
    Outcome.NOTHING_TO_DO: FinalStatus.PARTIAL,
    Outcome.PARTIAL: FinalStatus.PARTIAL,
    Outcome.BLOCKED: FinalStatus.BLOCKED,
    Outcome.FAILED: FinalStatus.FAILED,
    Outcome.CANCELLED: FinalStatus.FAILED,
}


def rest_blobs(state: PipelineState) -> tuple[str, ...]:
    """The digests of the blobs that name all that stays, as VERIFY saw it, else the parts of its plan."""
    verify = state.last(Stage.VERIFY)
    told = (verify,) if verify else state.of(Stage.CHILD)
    return tuple(attempt.blobs[REST] for attempt in told if REST in attempt.blobs)


def result_of(state: PipelineState, rest: tuple[str, ...] = ()) -> Result:
    """The result of a run as its state has it; a run without an end is `running`.

    `rest` is what the blob of `rest_blobs` says; without it what stays is named as far as the state has it.
    """
    end = state.ends[-1] if len(state.ends) >= state.segment else None
    outcome = end.outcome if end else None
    rest = rest or _rest(state)
    status = FinalStatus.RUNNING if outcome is None else _STATUS[outcome]
    if outcome is Outcome.NOTHING_TO_DO and not rest:
        status = FinalStatus.SUCCESS
    return Result(
        pipeline_id=state.pipeline_id,
        run_id=state.run_id,
        issue=state.issue.title,
        final_status=status,
        outcome=outcome,
        reason=end.reason if end else "",
        work_completed=_work(state),
        issues_remaining=rest,
        manual_steps_needed=end.manual_steps if end else (),
        partial_fixes=_partial(state, outcome),
        attempts=sum(calls_of(state).values()),
        all_errors=tuple(_errors(state)),
        recommendation=_recommendation(end),
        execution_time=round(sum(a.seconds for a in state.attempts), 3),
        cost_estimate=round(sum(a.cost_usd for a in state.attempts), 6),
        tokens=sum(a.tokens for a in state.attempts),
        branch=state.context.branch,
        base=state.base,
        commit=state.head,
        evidence=tuple(e for a in state.attempts for e in a.evidence),
        sandbox=_sandbox(state),
        notes=_notes(state),
        risks=_risks(state),
        calls=calls_of(state),
        responsibility=end.responsibility if end else None,
    )


def quality_score(open_findings: Mapping[str, int]) -> int:
    """100 less a fixed weight for each open finding, by severity; never below 0."""
    weights = {"low": 1, "medium": 5, "high": 15, "critical": 40}
    return max(0, 100 - sum(weights[severity] * count for severity, count in open_findings.items()))


_TESTED = {Verdict.PASS: True, Verdict.REVISE: False}
"""What TEST says of the tests; where it was skipped, or the environment stood in the way, it says nothing."""


def _work(state: PipelineState) -> WorkCompleted:
    verify = state.last(Stage.VERIFY)
    review, test = state.last(Stage.REVIEW), state.last(Stage.TEST)
    whole = verify or review
    changed = state.head != state.base
    if whole is None or not changed:
        return WorkCompleted()
    tested = test.verdict if test is not None and test.sha == state.head else Verdict.SKIP
    return WorkCompleted(
        files_modified=whole.files_modified,
        files_created=whole.files_created,
        files_deleted=whole.files_deleted,
        lines_changed=whole.lines_changed,
        findings_fixed=verify.tally.fixed if verify else 0,
        tests_passed=_TESTED.get(tested),
        review_passed=None if review is None else review.verdict is Verdict.PASS,
        quality_score=review.quality if review else None,
    )


def _rest(state: PipelineState) -> tuple[str, ...]:
    """What stays, by the newest look at the whole: VERIFY, else each part's last EXECUTE, else ROUTE."""
    verify = state.last(Stage.VERIFY)
    if verify is not None:
        return verify.items
    parts: dict[int, Attempt] = {a.part: a for a in state.of(Stage.EXECUTE)}
    if parts:
        return tuple(dict.fromkeys(item for a in parts.values() for item in a.items))
    route = state.last(Stage.ROUTE)
    return route.items if route else ()


def _partial(state: PipelineState, outcome: Outcome | None) -> tuple[str, ...]:
    if outcome in {Outcome.MERGED, Outcome.READY, None} or state.head == state.base:
        return ()
    verify = state.last(Stage.VERIFY)
    seen = verify is not None and verify.verdict is not Verdict.REVISE and verify.sha == state.head
    sure = seen and not state.has(Trait.NO_TESTS)
    return (f"{'' if sure else 'un'}verified work is kept at {state.head[:12]} on {state.context.branch}",)


def _errors(state: PipelineState) -> list[str]:
    failed = (a for a in state.attempts if a.verdict in {Verdict.REVISE, Verdict.ESCALATE})
    errors = (a for a in failed if Trait.RISKY not in a.traits)
    return [f"{a.stage.value} {a.number} ({a.agent}): {a.reason}" for a in errors]


def _recommendation(end: End | None) -> str:
    if end is None:
        return "wait for it, or look at `sparky logs`"
    if end.manual_steps:
        return end.manual_steps[0]
    return "nothing" if end.outcome is Outcome.MERGED else "read `sparky show` for what was tried"


def _sandbox(state: PipelineState) -> str:
    levels = {a.level for a in state.attempts if a.level}
    levels |= {e.sandbox for a in state.attempts for e in a.evidence if a.stage is Stage.TEST}
    return ", ".join(sorted(levels)) or "none needed"


def _notes(state: PipelineState) -> tuple[str, ...]:
    passed = (a for a in state.of(Stage.TEST) if a.verdict is Verdict.PASS and Trait.FLAKY in a.traits)
    flaky = (f"flaky: {item}" for a in passed for item in a.items)
    untested = ("unverified by tests",) if state.has(Trait.NO_TESTS) else ()
    return (*untested, *flaky)


def _risks(state: PipelineState) -> tuple[str, ...]:
    verify = state.last(Stage.VERIFY)
    if verify is None or verify.sha != state.head or Trait.RISKY not in verify.traits:
        return ()
    return tuple(f"{g.gate}: {g.reason}" for g in verify.gates if g.verdict is Verdict.ESCALATE)


def calls_of(state: PipelineState) -> dict[str, int]:
    """How often each agent worked in a run and in its parts, by its name."""
    calls = Counter(attempt.agent for attempt in state.of(Stage.EXECUTE))
    for part in state.of(Stage.CHILD):
        calls.update(part.calls)
    return dict(calls)
