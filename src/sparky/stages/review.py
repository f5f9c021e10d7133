"""REVIEW: the mechanical reviewer, every gate over the whole change since the run's base; then the others.

A reviewer with a session only adds to what the gates say: it is asked where they pass.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sparky.domain.agent import Role, Session
from sparky.domain.attempt import Attempt, GateResult, Responsibility, Verdict
from sparky.domain.gates import Facts, review
from sparky.domain.issue import Severity
from sparky.domain.result import quality_score
from sparky.domain.state import Handoff, PipelineState
from sparky.evidence.change import by_tools_alone, diff_evidence, read_change, whole_issue, with_files
from sparky.evidence.tamper import is_for_tester
from sparky.ports import Ports, SessionEnding, SessionResult, UncommittableError
from sparky.reports.read import read
from sparky.stages.route import available
from sparky.stages.session import ask

_SEVERITY = re.compile(r"\[(low|medium|high|critical)\]", re.IGNORECASE)
_NONE = re.compile(r"\bno findings\b", re.IGNORECASE)


def perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """Judge the change; the refusals become the coder's items."""
    base, head = state.base, state.head
    change = read_change(ports.repository, base, head)
    facts = Facts(issue=whole_issue(state, ports), change=change, for_tester=is_for_tester(state, ports))
    gates = review(facts)
    passed = all(gate.verdict is Verdict.PASS for gate in gates) and not by_tools_alone(state)
    opinions = tuple(_opinions(handoff, state, ports)) if passed else ()
    gates = (*gates, *(gate for opinion in opinions for gate in opinion.gates))
    refused = tuple(gate for gate in gates if gate.verdict is Verdict.REVISE)
    items = tuple(f"{gate.gate}: {gate.reason}" for gate in refused)
    if refused:
        attempt = handoff.begin(Verdict.REVISE, "review refused: " + "; ".join(items))
    else:
        void = (f"; {gate.gate}: {gate.reason}" for gate in gates if gate.verdict is not Verdict.PASS)
        passing = sum(gate.verdict is Verdict.PASS for gate in gates)
        attempt = handoff.begin(Verdict.PASS, f"all {passing} gates pass{''.join(void)}")
    found = Counter(gate.severity.value for gate in refused)
    attempt = replace(
        attempt,
        gates=gates,
        items=items,
        evidence=(diff_evidence(ports.repository, ports.blobs, base, head),),
        quality=quality_score(found),
        validation_errors=items,
        responsibility=Responsibility.CODER if refused else Responsibility.UNKNOWN,
        agent="mechanical-reviewer",
        blobs={f"session of {one.agent}": ports.blobs.put(one.result.output) for one in opinions},
        tokens=sum(one.result.tokens for one in opinions),
        level=next((one.result.level.value for one in opinions), ""),
        turns=sum(one.result.turns for one in opinions),
        cost_usd=sum(one.result.cost_usd for one in opinions),
    )
    return with_files(attempt, change)


_UNASKED = SessionResult(claimed_success=False, summary="", ending=SessionEnding.OVER_BUDGET)
"""The review of whoever may not be asked any more."""


@dataclass(frozen=True, kw_only=True)
class _Opinion:
    """What a reviewer found, and the session in which it did."""

    agent: str
    result: SessionResult
    gates: tuple[GateResult, ...]


def _opinions(handoff: Handoff, state: PipelineState, ports: Ports) -> Iterator[_Opinion]:
    """Of each reviewer for the issue's kinds, one session; one without kinds is for all."""
    kinds = {route.kind for route in state.routes}
    for agent in available(ports.agents, sessions=bool(state.preferences.script or state.preferences.runner)):
        if agent.role is Role.REVIEWER and isinstance(agent.works, Session):
            if agent.kinds and kinds.isdisjoint(agent.kinds):
                continue
            worktree = ports.repository.open(state.run_id, state.context.branch, state.head)
            asked = replace(handoff, agent=agent.name)
            result = _UNASKED if state.overspent else ask(asked, state, ports, agent.works, worktree)
            edited = _edited(state, ports)
            gates = _found(f"review by {agent.name}", result, edited)
            yield _Opinion(agent=agent.name, result=result, gates=gates)


def _edited(state: PipelineState, ports: Ports) -> str:
    """What a reviewer edited, which is taken back; "" for nothing."""
    try:
        sha = ports.repository.commit(state.run_id, "edits of a reviewer, taken back")
    except UncommittableError as error:
        ports.repository.reset(state.run_id, state.head)
        return str(error)
    if sha is None:
        return ""
    paths = [file.path for file in ports.repository.changes(state.head, sha)]
    ports.repository.reset(state.run_id, state.head)
    return ", ".join(paths[:5])


def _found(gate: str, result: SessionResult, edited: str) -> tuple[GateResult, ...]:
    """A review as gates: its findings refuse; one that is void or can't be read is left to a person."""
    reading, said = read(result.summary), result.summary.splitlines()
    if edited:
        lacks = f"void, since it edited {edited}"
    elif result.ending is not SessionEnding.FINISHED:
        lacks = f"not finished: {result.detail or result.ending.value}"
    elif reading.open_items:
        at = dict(reading.lines)
        return tuple(
            _finding(gate, i.text, "".join(said[at[i.id] - 1 : at[i.id]])) for i in reading.open_items
        )
    elif _NONE.search(result.summary):
        return (GateResult(gate=gate, verdict=Verdict.PASS, reason="no findings", severity=Severity.LOW),)
    else:
        lacks = "it names no finding, and does not say that there is none"
    return (GateResult(gate=gate, verdict=Verdict.ESCALATE, reason=lacks, severity=Severity.MEDIUM),)


def _finding(gate: str, text: str, line: str) -> GateResult:
    said = _SEVERITY.search(line)
    severity = Severity(said[1].lower()) if said else Severity.HIGH
    return GateResult(gate=gate, verdict=Verdict.REVISE, reason=text, severity=severity)
