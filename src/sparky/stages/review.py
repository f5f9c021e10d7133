"""REVIEW: the mechanical reviewer, every gate over the whole change; then, where there is one, an agent."""

import re
from collections import Counter
from dataclasses import replace

from sparky.domain.agent import Role, Session
from sparky.domain.attempt import Attempt, GateResult, Responsibility, Verdict
from sparky.domain.gates import Facts, review
from sparky.domain.issue import Severity
from sparky.domain.result import quality_score
from sparky.domain.state import Handoff, PipelineState
from sparky.events import SessionEnding, SessionResult
from sparky.evidence.briefing import REVIEW, briefing
from sparky.evidence.change import (
    by_tools_alone,
    diff_evidence,
    read_change,
    rewritten,
    whole_issue,
    with_files,
)
from sparky.evidence.tamper import is_for_tester
from sparky.evidence.whose import maker
from sparky.formats.values_json import encode
from sparky.ports import Ports
from sparky.reports.mine import whose
from sparky.reports.own import read_any
from sparky.reports.reading import REFUSED
from sparky.reports.told import BRIEFING
from sparky.stages.session import converse, with_session

_NONE = re.compile(r"\bno findings\b", re.IGNORECASE)

_DIFF_LIMIT = 100_000
"""How many characters of a diff a reviewer is shown; the files themselves lie before it."""


def perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """Judge the change; what is refused becomes items. What the gates refuse no agent has to look at."""
    attempt = _by_gates(handoff, state, ports)
    reviewer = _reviewer(handoff, state, ports)
    if attempt.verdict is not Verdict.PASS or reviewer is None:
        return attempt
    name, works = reviewer
    return _by_agent(replace(handoff, agent=name), state, ports, works, attempt)


def _by_gates(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    base, head = state.base, state.head
    change = read_change(ports.repository, base, head)
    facts = Facts(
        issue=whole_issue(state, ports),
        change=change,
        for_tester=is_for_tester(state, ports),
        rewritten=rewritten(state, ports, head),
    )
    gates = review(facts)
    refused = tuple(gate for gate in gates if gate.verdict is not Verdict.PASS)
    items = tuple(f"{gate.gate}: {gate.reason}" for gate in refused)
    if refused:
        attempt = handoff.begin(Verdict.REVISE, "review refused: " + "; ".join(items))
    else:
        attempt = handoff.begin(Verdict.PASS, f"all {len(gates)} gates pass")
    found = Counter(gate.severity.value for gate in refused)
    attempt = replace(
        attempt,
        gates=gates,
        items=items,
        evidence=(diff_evidence(ports.repository, ports.blobs, base, head),),
        quality=quality_score(found),
        validation_errors=items,
        responsibility=maker(state, ports) if refused else Responsibility.UNKNOWN,
        agent="mechanical-reviewer",
    )
    return with_files(attempt, change)


def _reviewer(handoff: Handoff, state: PipelineState, ports: Ports) -> tuple[str, Session] | None:
    """The reviewer of the part, and how it works; None if nobody reviews it, as what tools alone made."""
    routes = state.routes
    name = routes[handoff.part].reviewer if routes and not by_tools_alone(state) else None
    works = (agent.works for agent in ports.agents if agent.name == name)
    return next(((name, how) for how in works if name and isinstance(how, Session)), None)


def _by_agent(
    handoff: Handoff, state: PipelineState, ports: Ports, works: Session, passed: Attempt
) -> Attempt:
    """The report of a reviewer. What it says is a claim: what nobody can place, the tests are asked."""
    if state.overspent:
        return _void(passed, handoff.agent, "not asked, since the budget is used up")
    told = briefing(Role.REVIEWER, state, ports)
    diff = ports.blobs.get(passed.evidence[0].output).decode("utf-8", "replace")[:_DIFF_LIMIT]
    result = converse(replace(handoff, rollback_sha=state.head), state, ports, works, told, diff=diff)
    if lacks := _lacks(result, _edited(state, ports)):
        return with_session(_void(passed, handoff.agent, lacks), ports, result)
    report = result.report or result.summary
    blobs = {BRIEFING: ports.blobs.put(encode(told)), REVIEW: ports.blobs.put(report.encode())}
    attempt = _read(passed, report, handoff.agent)
    return with_session(replace(attempt, blobs={**blobs, **attempt.blobs}), ports, result)


def _void(passed: Attempt, reviewer: str, why: str) -> Attempt:
    """A review that tells nothing: the gates have passed, and a person says whether that is enough."""
    name, severity = f"review by {reviewer}", Severity.MEDIUM
    gate = GateResult(gate=name, verdict=Verdict.ESCALATE, reason=why, severity=severity)
    return replace(passed, reason=f"{passed.reason}; {name}: {why}", gates=(*passed.gates, gate))


def _lacks(result: SessionResult, edited: str) -> str:
    """Why a review is none; "" if it is one."""
    if edited:
        return f"void, since it edited {edited}"
    if result.ending is not SessionEnding.FINISHED:
        return f"not finished: {result.detail or result.ending.value}"
    return "" if result.report or result.claimed_success else f"it has not reviewed: {result.summary}"


def _edited(state: PipelineState, ports: Ports) -> str:
    """What a reviewer edited, which is taken back; "" for nothing."""
    sha = ports.repository.commit(state.run_id, "edits of a reviewer, taken back")
    if sha is None:
        return ""
    paths = [file.path for file in ports.repository.changes(state.head, sha)]
    ports.repository.reset(state.run_id, state.head)
    return ", ".join(paths[:5])


def _read(passed: Attempt, report: str, reviewer: str) -> Attempt:
    """The verdict of a reviewer's report, in front of what the gates said."""
    reading = read_any(report)
    turn = whose(reading)
    refused = reading.merge_decision in REFUSED
    none = not reading.open_items and bool(_NONE.search(report))
    verdict = Verdict.PASS if none else _verdict(turn.responsibility)
    if refused and verdict is Verdict.PASS:
        verdict = Verdict.SKIP
    why = "no findings" if none else turn.reason
    name = f"review by {reviewer}"
    grave = Severity.HIGH if refused else Severity.MEDIUM
    gate = GateResult(gate=name, verdict=verdict, reason=why, severity=grave)
    if verdict is Verdict.PASS:
        return replace(passed, reason=f"{passed.reason}; {name}: {why}", gates=(*passed.gates, gate))
    items = tuple(item.text for item in reading.open_items) or (turn.reason,)
    return replace(
        passed,
        verdict=verdict,
        reason=f"{name}: {'; '.join(items)}",
        gates=(*passed.gates, gate),
        items=items,
        validation_errors=items,
        responsibility=turn.responsibility or Responsibility.UNKNOWN,
        confidence=turn.confidence,
        agent=reviewer,
    )


def _verdict(whose_turn: Responsibility | None) -> Verdict:
    """What it comes to that it is somebody's turn; None: nobody's. SKIP leaves it to the tests."""
    match whose_turn:
        case None | Responsibility.PRE_EXISTING:
            return Verdict.PASS
        case Responsibility.CODER | Responsibility.TESTER | Responsibility.DOCUMENTER:
            return Verdict.REVISE
        case Responsibility.REVIEWER | Responsibility.UNKNOWN:
            return Verdict.SKIP
        case (
            Responsibility.PERSON | Responsibility.ENVIRONMENT | Responsibility.ISSUE | Responsibility.SPARKY
        ):
            return Verdict.ESCALATE
