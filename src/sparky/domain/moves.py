"""The next stage and what it is told, as the rows of the handoff table ask. Limits are kept here."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import takewhile

from sparky.domain.attempt import Attempt, Stage, Strategy, Trait, Verdict
from sparky.domain.ends import AGAIN, TOLD, WHOSE, all_failed, ask, undone, unreviewed, why
from sparky.domain.escalation import Choice, Option
from sparky.domain.state import Earlier, End, Handoff, Outcome, PipelineState

Move = Callable[[PipelineState], Handoff | End]

_IDLE = frozenset({Trait.NOTHING_TO_DO, Trait.WITHDRAWN})

EXECUTE_LIMIT = 4
"""How often EXECUTE may be performed on one part in a segment."""

WAIT_LIMIT = 12
"""How often in a row a model is waited for before a person is asked."""

PAUSE_S, LONGEST_PAUSE_S = 5.0, 900.0

TESTER_LIMIT = 3
"""How often the tester may be asked to mend its tests among these."""

VISIT_LIMIT = 3
"""How often any other stage may be visited after one EXECUTE."""

EARLIER_TOLD, EARLIER_LENGTH = 10, 300
"""How many lines of what an earlier run tried are kept, and how many characters of each."""

CRITERIA = {
    Stage.ROUTE: ("an agent bids enough for each kind",),
    Stage.DECOMPOSE: ("every deliverable comes after what it needs",),
    Stage.CHILD: ("the deliverable is verified",),
    Stage.EXECUTE: ("files are changed", "changed files parse"),
    Stage.REVIEW: ("every gate of the mechanical review passes",),
    Stage.TEST: ("no test is worse than at base",),
    Stage.VERIFY: ("the findings are gone", "nothing new appeared", "the tested commit is the head"),
    Stage.MERGE: ("the target is fast-forwarded to the tested commit",),
}
"""What each stage has to reach, as its Handoff says it."""


def visit(stage: Stage) -> Move:
    """A stage other than EXECUTE, unless it was visited too often since the last EXECUTE."""
    return lambda state: _visit(state, stage, why(state))


def first_part(state: PipelineState) -> Handoff | End:
    """The first part that has an agent."""
    return _next_part(state, -1, why(state))


def next_part(state: PipelineState) -> Handoff | End:
    """The part after this one."""
    return _next_part(state, state.newest.part, why(state))


def next_child(state: PipelineState) -> Handoff | End:
    """The next deliverable that is not done and was not tried in this segment; after the last, TEST."""
    for part in range(len(state.plan)):
        done = any(a.verdict is Verdict.PASS for a in state.of(Stage.CHILD, part))
        if not done and not state.here(Stage.CHILD, part):
            number = len(state.of(Stage.CHILD, part)) + 1
            return replace(_handoff(state, Stage.CHILD, why(state)), part=part, number=number)
    return _visit(state, Stage.TEST, why(state)) if state.head != state.base else undone(state)


def coder(state: PipelineState) -> Handoff | End:
    """The agent of the part where the run stands."""
    return _execute(state, *_standing(state), why(state))


def tester(state: PipelineState) -> Handoff | End:
    """The tester of the part, with the output; where there is none, a person."""
    part = _standing(state)[0]
    name = state.routes[part].tester
    if name is None:
        return ask(state, "Who mends the test?", (WHOSE[0],), ("mend the test yourself, or add a tester",))
    if sum(a.agent == name for a in state.here(Stage.EXECUTE, part)) >= TESTER_LIMIT:
        return all_failed(state, state.newest)
    return _again(state, name)


def tester_too(state: PipelineState) -> Handoff | End:
    """The tester, at the coder's commit; REVIEW where there is none, or no attempt is left."""
    following = tester(state)
    return following if isinstance(following, Handoff) else _visit(state, Stage.REVIEW, why(state))


def other(state: PipelineState) -> Handoff | End:
    """The tester for what the coder handed over, the coder for what the tester did."""
    part = state.newest.part
    return coder(state) if state.newest.agent == state.routes[part].tester else tester(state)


def same_agent(state: PipelineState) -> Handoff | End:
    """The agent that made the change, with what was said of it; not the validator, who made it parse."""
    route = state.routes[state.newest.part]
    made = [a.agent for a in state.of(Stage.EXECUTE, state.newest.part) if a.agent != route.validator]
    return _again(state, made[-1])


def validator(state: PipelineState) -> Handoff | End:
    """Who makes it parse; where there is none, the agent that made the change."""
    name = state.routes[state.newest.part].validator
    return same_agent(state) if name is None else _again(state, name)


def wait(state: PipelineState) -> Handoff | End:
    """The same agent again when its model can be asked; at once with who stands in, if there is one."""
    last, part = state.newest, state.newest.part
    idle = list(takewhile(lambda attempt: not attempt.is_earnest, reversed(state.of(Stage.EXECUTE, part))))
    if len(idle) > WAIT_LIMIT:
        again = Option(choice=Choice.CODER, says="the agent once more")
        step = "see why the model does not answer, or name another with fallback_runner"
        return ask(state, "Does the model answer again?", (again,), (step,))
    following = _execute(state, part, last.agent, why(state))
    stands_in = state.preferences.fallback_runner
    if stands_in and last.runner != stands_in:
        return replace(following, runner=stands_in)
    newest = {attempt.runner: attempt for attempt in reversed(idle)}
    first = min(newest.values(), key=lambda attempt: attempt.retry_at or 0.0)
    return replace(following, runner=first.runner, not_before=first.retry_at)


def pause_s(state: PipelineState, part: int) -> float:
    """How long to leave a model alone that does not say how long: twice as long each time, up to a limit."""
    tried = takewhile(lambda attempt: not attempt.is_earnest, reversed(state.here(Stage.EXECUTE, part)))
    return float(min(PAUSE_S * 2 ** len(list(tried)), LONGEST_PAUSE_S))


def next_agent(state: PipelineState) -> Handoff | End:
    """The next agent of the chain after the one that failed; the first again after the last.

    A tool that found nothing to mend, or nothing safe, would only find that again.
    """
    last = state.newest
    route = state.routes[last.part]
    chain = [name for name in (route.agent, *route.fallbacks) if name is not None]
    after = chain.index(last.agent) + 1 if last.agent in chain else 0
    done = {a.agent for a in state.here(Stage.EXECUTE, last.part) if not _IDLE.isdisjoint(a.traits)}
    following = (name for name in (*chain[after:], *chain[:after]) if name not in done)
    return _again(state, next(following, chain[0]))


def _next_part(state: PipelineState, part: int, reason: str) -> Handoff | End:
    """The next part that has an agent; when all are done, TEST if anything is changed."""
    for index, route in enumerate(state.routes[part + 1 :], part + 1):
        if route.agent is not None and _tried(state, index) < EXECUTE_LIMIT:
            return _execute(state, index, route.agent, reason)
    if state.head != state.base:
        return _visit(state, Stage.TEST, reason) if _is_reviewed(state) else unreviewed(reason)
    failures = [a for a in state.of(Stage.EXECUTE) if a.verdict is not Verdict.PASS]
    if not failures:
        said = "; ".join(dict.fromkeys(a.reason for a in state.of(Stage.EXECUTE)))
        return End(outcome=Outcome.NOTHING_TO_DO, reason=said)
    return all_failed(state, failures[-1])


def _again(state: PipelineState, agent: str) -> Handoff | End:
    """EXECUTE once more on the same part, unless the limit is reached or there is no progress."""
    last = state.newest
    if _tried(state, last.part) < EXECUTE_LIMIT and not _stuck(state.here(Stage.EXECUTE, last.part)):
        return _execute(state, last.part, agent, why(state))
    if last.stage is Stage.EXECUTE and len(state.routes) > 1:
        return _next_part(state, last.part, f"given up: {last.reason}")
    return all_failed(state, last)


def tried(state: PipelineState) -> Earlier:
    """What an ended run came to, as a later run of the same issue is told it: the newest lines, shortened."""
    end = state.ends[-1]
    return Earlier(
        run_id=state.run_id,
        outcome=end.outcome,
        reason=_short(end.reason),
        refused=_newest(map(_short, _refused_changes(state.attempts)), EARLIER_TOLD),
        errors=_newest(map(_short, _errors(state.attempts)), EARLIER_TOLD),
    )


def _execute(state: PipelineState, part: int, agent: str, reason: str) -> Handoff:
    blank = _handoff(state, Stage.EXECUTE, reason)
    mine = [attempt for attempt in state.attempts if attempt.part == part]
    errors = [f"run {run.run_id}: {error}" for run in state.earlier for error in run.errors]
    refused = [f"run {run.run_id}: {change}" for run in state.earlier for change in run.refused]
    return replace(
        blank,
        agent=agent,
        part=part,
        number=len(state.of(Stage.EXECUTE, part)) + 1,
        strategy=list(Strategy)[_tried(state, part)],
        previous_errors=_newest((*errors, *_errors(mine)), TOLD),
        avoided=_newest((*refused, *_refused_changes(mine)), TOLD),
    )


def _errors(attempts: Iterable[Attempt]) -> Iterator[str]:
    """What refused attempts were told, oldest first."""
    refused = (a for a in attempts if a.verdict is Verdict.REVISE and a.retry_at is None)
    return (error for a in refused for error in a.validation_errors or (a.reason,))


def _refused_changes(attempts: Iterable[Attempt]) -> Iterator[str]:
    """What was changed and did not hold, each with the reason, oldest first."""
    made: dict[int, Attempt | None] = {}
    for attempt in attempts:
        change = made.get(attempt.part)
        if attempt.stage is Stage.EXECUTE:
            made[attempt.part] = attempt if Trait.CHANGED in attempt.traits else None
            yield from attempt.avoided_patterns
        elif change is not None and attempt.verdict is Verdict.REVISE:
            paths = ", ".join((*change.files_modified, *change.files_created, *change.files_deleted)[:5])
            yield f"attempt {change.number} by {change.agent} changed {paths or 'files'}: {attempt.reason}"


def _newest(lines: Iterable[str], limit: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))[-limit:]


def _short(line: str) -> str:
    return line if len(line) <= EARLIER_LENGTH else f"{line[:EARLIER_LENGTH]} …"


def _visit(state: PipelineState, stage: Stage, reason: str) -> Handoff | End:
    since = max((i for i, a in enumerate(state.attempts) if a.stage is Stage.EXECUTE), default=-1)
    recent = state.attempts[max(since + 1, state.segment_start) :]
    if sum(a.stage is stage for a in recent) >= VISIT_LIMIT:
        said = f"{stage.value} was visited {VISIT_LIMIT} times without getting further: {reason}"
        again = Option(choice=AGAIN[stage], says=f"{stage.value} once more")
        return ask(state, "Is it quiet now?", (again,), ("wait until it is quiet",), said)
    return _handoff(state, stage, reason)


def _handoff(state: PipelineState, stage: Stage, reason: str) -> Handoff:
    last = state.attempts[-1] if state.attempts else None
    return Handoff(
        stage=stage,
        reason=reason,
        success_criteria=CRITERIA[stage],
        action_items=last.items if last is not None and last.verdict is Verdict.REVISE else (),
        words=state.answer.text if state.answer is not None else "",
        rollback=f"sparky undo {state.run_id}",
        rollback_sha=state.head,
        part=last.part if last is not None else 0,
        number=len(state.of(stage)) + 1,
    )


def _standing(state: PipelineState) -> tuple[int, str]:
    """The part where the run stands, and the coder that works on it."""
    part = state.newest.part
    route = state.routes[part]
    others = {route.tester, route.validator}
    done = [a.agent for a in state.of(Stage.EXECUTE, part) if a.agent not in others]
    return part, done[-1] if done else route.agent or ""


def _tried(state: PipelineState, part: int) -> int:
    """How often EXECUTE was tried in earnest on a part in this segment."""
    return sum(a.is_earnest for a in state.here(Stage.EXECUTE, part))


def _is_reviewed(state: PipelineState) -> bool:
    """Whether the newest REVIEW passed, or a person accepted, and no EXECUTE has moved the head since."""
    passed, head = False, state.context.base
    for attempt in state.attempts:
        if attempt.stage is Stage.REVIEW:
            passed = attempt.verdict is Verdict.PASS
        elif attempt.stage is Stage.EXECUTE and attempt.sha not in {None, head}:
            passed = False
        head = attempt.sha or head
    return passed or state.accepted


def _stuck(tried: tuple[Attempt, ...]) -> bool:
    """Whether the newest attempt of an agent came to just what its attempt before came to."""
    earnest = [a for a in tried if a.is_earnest]
    earlier = [a for a in earnest[:-1] if a.agent == earnest[-1].agent]
    return bool(earlier) and _trace(earlier[-1]) == _trace(earnest[-1])


def _trace(attempt: Attempt) -> tuple[object, ...]:
    return (attempt.verdict, attempt.traits, attempt.sha, attempt.error_type, attempt.validation_errors)
