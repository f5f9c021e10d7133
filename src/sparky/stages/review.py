"""REVIEW: the mechanical reviewer. Every gate over the whole change since the run's base."""

from collections import Counter
from dataclasses import replace

from sparky.domain.attempt import Attempt, Responsibility, Verdict
from sparky.domain.gates import Facts, review
from sparky.domain.result import quality_score
from sparky.domain.state import Handoff, PipelineState
from sparky.evidence.change import diff_evidence, read_change, whole_issue, with_files
from sparky.evidence.tamper import is_for_tester
from sparky.ports import Ports


def perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """Judge the change; the refusals become the coder's items."""
    base, head = state.base, state.head
    change = read_change(ports.repository, base, head)
    facts = Facts(issue=whole_issue(state, ports), change=change, for_tester=is_for_tester(state, ports))
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
        responsibility=Responsibility.CODER if refused else Responsibility.UNKNOWN,
        agent="mechanical-reviewer",
    )
    return with_files(attempt, change)
