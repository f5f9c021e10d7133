"""CHILD: one deliverable of a plan, as a run of its own inside the run that it is a part of."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from sparky.app.read import House
from sparky.domain.attempt import Attempt, Budget, GateResult, Stage, Verdict
from sparky.domain.finding import ASKED, Left, left
from sparky.domain.issue import Issue, Severity, Source, branch_name, slug
from sparky.domain.plan import Child
from sparky.domain.result import REST, calls_of
from sparky.domain.run import RunRow, Take
from sparky.domain.state import Earlier, End, Handoff, MergePolicy, Outcome, PipelineState
from sparky.evidence.change import UNITS, base_findings, by_tools_alone
from sparky.formats.values_json import decode, encode
from sparky.pipeline import Steps, drive
from sparky.ports import Ports, Progress

_VERDICTS = {
    Outcome.READY: Verdict.PASS,
    Outcome.MERGED: Verdict.PASS,
    Outcome.PARTIAL: Verdict.REVISE,
    Outcome.FAILED: Verdict.REVISE,
    Outcome.CANCELLED: Verdict.REVISE,
    Outcome.BLOCKED: Verdict.ESCALATE,
    Outcome.NOTHING_TO_DO: Verdict.SKIP,
}


def perform_child(
    handoff: Handoff, state: PipelineState, house: House, ports: Ports, steps: Callable[[Ports], Steps]
) -> Attempt:
    """One deliverable, on top of those before it; one whose need is not met is skipped.

    A child that was interrupted goes on where the store has it, as any run does.
    """
    child = state.plan[handoff.part]
    unmet = [need for need in child.needs if not _is_done(state, need)]
    if unmet:
        said = f"{child.title}: skipped, since {', '.join(unmet)} is not done"
        return handoff.begin(Verdict.SKIP, said)
    issue = decode(ports.blobs.get(child.issue), Issue)
    first = _first(state, child, handoff, issue, house.earlier(issue.key))
    ports = replace(ports, progress=_Both(inner=ports.progress, whole=state.run_id, part=child.id))
    done = _earlier(state, handoff, house) or _driven(first, state, house, steps(ports))
    if isinstance(done, RunRow):
        way = "answer" if done.asks else "merge or cancel"
        step = f"{way} {done.run_id}, then: sparky retry {state.run_id}"
        attempt = handoff.begin(Verdict.ESCALATE, f"{child.title}: {done.run_id} has this issue")
        return replace(attempt, items=(step,), child=done.run_id)
    return _told(handoff, state, child, done, ports)


def _first(
    state: PipelineState, child: Child, handoff: Handoff, issue: Issue, earlier: tuple[Earlier, ...]
) -> PipelineState:
    """The child's first state: under the same id each time for the same handoff of the same run."""
    mark = hashlib.sha256(f"{state.run_id}\0{handoff.part}".encode()).hexdigest()[:8]
    run = f"{slug(issue.id, 24)}-{mark}-{handoff.number}"
    return PipelineState(
        run_id=run,
        pipeline_id=state.run_id,
        issue=replace(issue, title=child.title),
        context=replace(state.context, base=state.head, branch=branch_name(issue, run), result_file=""),
        # The day's budget is asked about by the whole, once, before each of its parts.
        preferences=replace(state.preferences, merge=MergePolicy.ASK, day_budget=Budget()),
        budget=state.budget.less(state.spent),
        earlier=earlier,
    )


def _earlier(state: PipelineState, handoff: Handoff, house: House) -> PipelineState | None:
    """What the deliverable's earlier run has come to since, by a person's answer; None if it is of no use."""
    tried = state.of(Stage.CHILD, handoff.part)
    run = tried[-1].child if tried else None
    row = house.store.row(run) if run is not None else None
    if row is None or row.outcome is not Outcome.READY or row.base != state.head:
        return None
    return house.store.state(row.run_id)


def _driven(first: PipelineState, whole: PipelineState, house: House, steps: Steps) -> PipelineState | RunRow:
    """The child at its end; or the run of somebody else that has its issue."""
    row = house.store.row(first.run_id)
    if row is None:
        parent = house.store.row(whole.run_id)
        executor = parent.executor if parent is not None else ""
        held: list[RunRow] = []

        def judge(holder: RunRow | None) -> Take:
            held.extend([holder] if holder is not None else [])
            return Take.START if holder is None else Take.JOIN

        if house.store.claim(first, executor, judge) is not Take.START:
            return held[0]
        return drive(first, steps)
    state = house.store.state(first.run_id)
    return state if row.outcome is not None else drive(state, steps)


def _told(handoff: Handoff, state: PipelineState, child: Child, done: PipelineState, ports: Ports) -> Attempt:
    end: End = done.ends[-1]
    kept = end.outcome in {Outcome.READY, Outcome.PARTIAL} and done.head != done.base
    if kept:
        ports.repository.open(state.run_id, state.context.branch, done.head)
    attempt = handoff.begin(_VERDICTS[end.outcome], f"{child.title}: {end.outcome.value}: {end.reason}")
    failed = not kept and done.issue.source is Source.LEFTOVERS
    rest = _left_by(done, attempt, ports) if failed else _rest(done, ports)
    return replace(
        attempt,
        blobs={**rest, **(_newest(done, UNITS) if kept and by_tools_alone(done) else {})},
        gates=_for_a_person(done) if kept else (),
        child=done.run_id,
        calls=calls_of(done),
        sha=done.head if kept else None,
        items=tuple(f"{done.run_id}: {step}" for step in end.manual_steps) if not kept else (),
        tokens=sum(one.tokens for one in done.attempts),
        turns=sum(one.turns for one in done.attempts),
        cost_usd=sum(one.cost_usd for one in done.attempts),
        seconds=round(sum(one.seconds for one in done.attempts), 3),
    )


def _for_a_person(done: PipelineState) -> tuple[GateResult, ...]:
    """What a run left to a person: the risks of its last VERIFY, and a change taken against its review."""
    verify = done.last(Stage.VERIFY)
    risks = (gate for gate in verify.gates if gate.verdict is Verdict.ESCALATE) if verify else ()
    if not done.accepted:
        return tuple(risks)
    said = "a person took the change in spite of what its review found"
    taken = GateResult(gate="accepted", verdict=Verdict.ESCALATE, reason=said, severity=Severity.HIGH)
    return (*risks, taken)


def _rest(done: PipelineState, ports: Ports) -> dict[str, str]:
    """The blob of what stays, by its name: as the run's VERIFY saw it, else as the last work on each part."""
    verify = done.last(Stage.VERIFY)
    newest = {(a.stage, a.part): a for a in done.attempts if REST in a.blobs and a.stage is not Stage.VERIFY}
    told = [verify] if verify is not None and REST in verify.blobs else newest.values()
    rest = [one for a in told for one in decode(ports.blobs.get(a.blobs[REST]), tuple[Left, ...])]
    return {REST: ports.blobs.put(encode(tuple(dict.fromkeys(rest))))} if told else {}


def _left_by(done: PipelineState, attempt: Attempt, ports: Ports) -> dict[str, str]:
    """The blob of what a session was given and did not mend, with why; none where nobody had one."""
    found = base_findings(done, ports) if done.of(Stage.EXECUTE) else None
    rest = tuple(left(one, f"{ASKED}: {attempt.reason}") for one in found or ())
    return {REST: ports.blobs.put(encode(rest))} if rest else {}


def _newest(done: PipelineState, name: str) -> dict[str, str]:
    """The newest blob of a run's attempts that has this name, by it; none if none has."""
    digests = [attempt.blobs[name] for attempt in done.attempts if name in attempt.blobs]
    return {name: digests[-1]} if digests else {}


def _is_done(state: PipelineState, need: str) -> bool:
    part = next(part for part, child in enumerate(state.plan) if child.id == need)
    return any(attempt.verdict is Verdict.PASS for attempt in state.of(Stage.CHILD, part))


@dataclass(frozen=True, kw_only=True)
class _Both:
    """Says what a child does to whoever follows it, and to whoever follows the whole."""

    inner: Progress
    whole: str
    part: str

    def say(self, run: str, text: str) -> None:
        self.inner.say(run, text)
        self.inner.say(self.whole, f"{self.part}: {text}")
