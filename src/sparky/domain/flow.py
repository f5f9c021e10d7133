"""The handoff table (DESIGN §3) as one pure function: from a run so far to the next stage, or its end."""

from dataclasses import replace

from sparky.domain.agent import Route
from sparky.domain.attempt import Attempt, Responsibility, Stage, Strategy, Trait, Verdict
from sparky.domain.issue import Severity
from sparky.domain.state import End, Handoff, MergePolicy, Outcome, PipelineState

EXECUTE_LIMIT = 4
"""How often EXECUTE may be performed on one part."""

VISIT_LIMIT = 3
"""How often any other stage may be visited after one EXECUTE."""

FAULT = "fault"
"""The error type of an attempt whose stage could not be performed at all."""

CRITERIA = {
    Stage.ROUTE: ("an agent bids enough for each kind",),
    Stage.EXECUTE: ("files are changed", "changed files parse"),
    Stage.REVIEW: ("every gate of the mechanical review passes",),
    Stage.TEST: ("no test is worse than at base",),
    Stage.VERIFY: ("the findings are gone", "nothing new appeared", "the tested commit is the head"),
    Stage.MERGE: ("the target is fast-forwarded to the tested commit",),
}
"""What each stage has to reach, as its Handoff says it."""


def decide(state: PipelineState, *, cancelled: bool = False) -> Handoff | End:
    """The next stage and what it is told, or the end of this segment and why."""
    if cancelled and not _is_merged(state):
        return End(outcome=Outcome.CANCELLED, reason="a person cancelled the run")
    if len(state.attempts) == state.segment_start:
        return _start(state)
    last = state.attempts[-1]
    if last.error_type == FAULT:
        return _fault(last)
    match last.stage:
        case Stage.ROUTE:
            return _after_route(state, last)
        case Stage.EXECUTE:
            return _after_execute(state, last)
        case Stage.REVIEW:
            return _after_review(state, last)
        case Stage.TEST:
            return _after_test(state, last)
        case Stage.VERIFY:
            return _after_verify(state, last)
        case Stage.MERGE:
            return _after_merge(state, last)


def _is_merged(state: PipelineState) -> bool:
    """Whether the change is in its target: a person who cancels came too late for it."""
    newest = state.attempts[state.segment_start :][-1:]
    return any(a.stage is Stage.MERGE and a.verdict is Verdict.PASS for a in newest)


def _fault(last: Attempt) -> End:
    """What no stage planned for: sparky's own fault fails the run, the environment's blocks it."""
    own = last.responsibility is Responsibility.SPARKY
    return End(
        outcome=Outcome.FAILED if own else Outcome.BLOCKED,
        reason=last.reason,
        responsibility=last.responsibility,
        manual_steps=last.items,
    )


def _start(state: PipelineState) -> Handoff | End:
    if not state.ends or state.ends[-1].outcome is not Outcome.READY:
        return _visit(state, Stage.ROUTE, "a new segment starts")
    if state.preferences.merge is MergePolicy.APPROVED:
        return _visit(state, Stage.MERGE, "a person asked for the merge")
    return state.ends[-1]


def _after_route(state: PipelineState, last: Attempt) -> Handoff | End:
    if Trait.NOTHING_TO_DO in last.traits:
        return End(outcome=Outcome.NOTHING_TO_DO, reason=last.reason)
    if last.verdict is not Verdict.PASS:
        steps = ("add an agent for the kind, or name one in the issue",)
        return End(outcome=Outcome.BLOCKED, reason=last.reason, manual_steps=steps)
    return _next_part(state, -1, last.reason)


def _after_execute(state: PipelineState, last: Attempt) -> Handoff | End:
    if last.verdict is Verdict.PASS and Trait.CHANGED in last.traits:
        return _visit(state, Stage.REVIEW, last.reason)
    if last.verdict is Verdict.PASS:
        return _next_part(state, last.part, last.reason)
    if Trait.WITHDRAWN in last.traits:
        return End(outcome=Outcome.FAILED, reason=last.reason)
    if Trait.BROKEN_SYNTAX in last.traits:
        return _again(state, last, last.agent)
    return _again(state, last, _successor(state, last))


def _after_review(state: PipelineState, last: Attempt) -> Handoff | End:
    if last.verdict is Verdict.PASS:
        return _next_part(state, last.part, last.reason)
    refusals = [a for a in state.of(Stage.REVIEW, last.part) if a.verdict is not Verdict.PASS]
    if len(refusals) > 1 and _is_major(last) and _is_major(refusals[-2]):
        return End(
            outcome=Outcome.BLOCKED,
            reason=f"manual intervention: review refused twice: {last.reason}",
            manual_steps=("look at the branch and the findings of the review",),
        )
    return _again(state, last, _performer(state, last.part))


def _after_test(state: PipelineState, last: Attempt) -> Handoff | End:
    if last.verdict in {Verdict.PASS, Verdict.SKIP}:
        return _visit(state, Stage.VERIFY, last.reason)
    if last.verdict is Verdict.REVISE:
        return _again(state, last, _performer(state, last.part))
    return End(
        outcome=Outcome.BLOCKED,
        reason=last.reason,
        responsibility=last.responsibility,
        manual_steps=last.items,
    )


def _after_verify(state: PipelineState, last: Attempt) -> Handoff | End:
    if last.verdict is Verdict.REVISE:
        return _again(state, last, _performer(state, last.part))
    if _may_merge(state, last):
        return _visit(state, Stage.MERGE, last.reason)
    return End(
        outcome=Outcome.READY,
        reason=last.reason,
        manual_steps=(f"look at it: sparky diff {state.run_id}", f"then: sparky merge {state.run_id}"),
    )


def _may_merge(state: PipelineState, verify: Attempt) -> bool:
    """Whether a person approved of just this change, or tests and VERIFY passed and none is asked for."""
    match state.preferences.merge:
        case MergePolicy.APPROVED:
            return all(a.stage is not Stage.EXECUTE for a in state.attempts[state.segment_start :])
        case MergePolicy.AUTO:
            test = state.last(Stage.TEST)
            return verify.verdict is Verdict.PASS and test is not None and test.verdict is Verdict.PASS
        case MergePolicy.ASK:
            return False


def _after_merge(state: PipelineState, last: Attempt) -> Handoff | End:
    if last.verdict is Verdict.PASS:
        return End(outcome=Outcome.MERGED, reason=last.reason, responsibility=Responsibility.UNKNOWN)
    if Trait.MOVED in last.traits:
        return _visit(state, Stage.TEST, last.reason)
    if Trait.CONFLICT in last.traits:
        return End(outcome=Outcome.BLOCKED, reason=last.reason, manual_steps=last.items)
    steps = (*last.items, f"then: sparky merge {state.run_id}")
    return End(outcome=Outcome.READY, reason=last.reason, manual_steps=steps)


def _next_part(state: PipelineState, part: int, reason: str) -> Handoff | End:
    """The next part that has an agent; when all are done, TEST if anything is changed."""
    for index, route in enumerate(state.routes[part + 1 :], part + 1):
        if route.agent is not None and len(state.of(Stage.EXECUTE, index)) < EXECUTE_LIMIT:
            return _execute(state, index, route.agent, reason)
    if state.head != state.base:
        return _visit(state, Stage.TEST, reason) if _is_reviewed(state) else _unreviewed(reason)
    failures = [a for a in state.of(Stage.EXECUTE) if a.verdict is not Verdict.PASS]
    if not failures:
        said = "; ".join(dict.fromkeys(a.reason for a in state.of(Stage.EXECUTE)))
        return End(outcome=Outcome.NOTHING_TO_DO, reason=said)
    return _all_failed(state, failures[-1])


def _is_reviewed(state: PipelineState) -> bool:
    """Whether the newest REVIEW passed, and no EXECUTE has moved the head since."""
    passed, head = False, state.context.base
    for attempt in state.attempts:
        if attempt.stage is Stage.REVIEW:
            passed = attempt.verdict is Verdict.PASS
        elif attempt.stage is Stage.EXECUTE and attempt.sha not in {None, head}:
            passed = False
        head = attempt.sha or head
    return passed


def _unreviewed(reason: str) -> End:
    return End(
        outcome=Outcome.FAILED,
        reason=f"what is on the branch did not pass the review: {reason}",
        manual_steps=("look at the branch and the findings of the review",),
    )


def _again(state: PipelineState, last: Attempt, agent: str) -> Handoff | End:
    """EXECUTE once more on the same part, unless the limit is reached or there is no progress."""
    tried = state.of(Stage.EXECUTE, last.part)
    if len(tried) < EXECUTE_LIMIT and not _stuck(tried):
        return _execute(state, last.part, agent, last.reason)
    if last.stage is Stage.EXECUTE and len(state.routes) > 1:
        return _next_part(state, last.part, f"given up: {last.reason}")
    return _all_failed(state, last)


def _all_failed(state: PipelineState, last: Attempt) -> End:
    tried = state.of(Stage.EXECUTE)
    idle = all(Trait.NO_CHANGE in a.traits for a in tried)
    kind = state.routes[last.part].kind.value
    refused = (a for a in state.attempts if a.verdict is Verdict.REVISE)
    said = "; ".join(dict.fromkeys(f"{a.agent}: {a.reason}" for a in refused))
    return End(
        outcome=Outcome.NOTHING_TO_DO if idle else Outcome.FAILED,
        reason=f"All agents failed for {kind}: {said}",
        manual_steps=(f"read `sparky show {state.run_id}` and mend it by hand, or say more in the issue",),
    )


def _execute(state: PipelineState, part: int, agent: str, reason: str) -> Handoff:
    number = len(state.of(Stage.EXECUTE, part)) + 1
    strategy = list(Strategy)[number - 1]
    blank = _handoff(state, Stage.EXECUTE, reason)
    return replace(blank, agent=agent, part=part, number=number, strategy=strategy)


def _visit(state: PipelineState, stage: Stage, reason: str) -> Handoff | End:
    """A stage other than EXECUTE, unless it was visited too often since the last EXECUTE."""
    since = max((i for i, a in enumerate(state.attempts) if a.stage is Stage.EXECUTE), default=-1)
    recent = state.attempts[max(since + 1, state.segment_start) :]
    if sum(a.stage is stage for a in recent) >= VISIT_LIMIT:
        return End(
            outcome=Outcome.BLOCKED,
            reason=f"{stage.value} was visited {VISIT_LIMIT} times without getting further: {reason}",
            manual_steps=("run it again when it is quiet",),
        )
    return _handoff(state, stage, reason)


def _handoff(state: PipelineState, stage: Stage, reason: str) -> Handoff:
    last = state.attempts[-1] if state.attempts else None
    return Handoff(
        stage=stage,
        reason=reason,
        success_criteria=CRITERIA[stage],
        action_items=last.items if last is not None and last.verdict is Verdict.REVISE else (),
        rollback=f"sparky undo {state.run_id}",
        rollback_sha=state.head,
        part=last.part if last is not None else 0,
        number=len(state.of(stage)) + 1,
    )


def _performer(state: PipelineState, part: int) -> str:
    return state.of(Stage.EXECUTE, part)[-1].agent


def _successor(state: PipelineState, last: Attempt) -> str:
    """The next agent of the chain after the one that failed; the first again after the last."""
    route: Route = state.routes[last.part]
    chain = [name for name in (route.agent, *route.fallbacks) if name is not None]
    return chain[(chain.index(last.agent) + 1) % len(chain)]


def _stuck(tried: tuple[Attempt, ...]) -> bool:
    """Whether the newest attempt of an agent came to just what its attempt before came to."""
    newest = tried[-1]
    earlier = [a for a in tried[:-1] if a.agent == newest.agent]
    return bool(earlier) and _trace(earlier[-1]) == _trace(newest)


def _trace(attempt: Attempt) -> tuple[object, ...]:
    return (attempt.verdict, attempt.traits, attempt.sha, attempt.error_type, attempt.validation_errors)


def _is_major(attempt: Attempt) -> bool:
    grave = {Severity.HIGH, Severity.CRITICAL}
    return any(g.verdict is not Verdict.PASS and g.severity in grave for g in attempt.gates)
