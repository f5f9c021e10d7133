"""TEST: the tests at base and at head, run by sparky itself, compared by the identity of each failure."""

from dataclasses import replace

from sparky.domain.attempt import Attempt, GateResult, Responsibility, Stage, Trait, Verdict
from sparky.domain.state import Handoff, PipelineState
from sparky.domain.testing import OUTSIDE, Comparison, TestRun, Trouble
from sparky.evidence.change import by_tools_alone
from sparky.evidence.imports import broken_imports, with_imports
from sparky.evidence.renamed import without_renamed
from sparky.evidence.tests import (
    COMPARED,
    StoppedError,
    evidence_of,
    find_command,
    is_red,
    is_untested,
    judge,
    run_tests,
)
from sparky.evidence.whose import maker, whose_turn
from sparky.formats.values_json import decode, encode
from sparky.ports import Ports
from sparky.reports.responsibility import Judgement

_SHOWN = 20
_IMPORTS = "no import broken"


def perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """No worse than base passes; the rest says whose turn it is."""
    attempt = _tested(handoff, state, ports)
    if attempt.verdict in {Verdict.PASS, Verdict.SKIP}:
        attempt = _imported(handoff, state, ports, attempt)
    return replace(attempt, sha=state.head, agent="tester")


def _imported(handoff: Handoff, state: PipelineState, ports: Ports, tested: Attempt) -> Attempt:
    """What the tests let pass, or say nothing of, where it can be imported as before; else it is refused."""
    broken = broken_imports(state, ports, state.head)
    if not broken.tried:
        return tested
    if not broken.modules:
        gate = GateResult(
            gate=_IMPORTS, verdict=Verdict.PASS, reason=f"{broken.tried} module(s) import as at base"
        )
        return replace(tested, gates=(*tested.gates, gate))
    digest = tested.blobs.get(COMPARED)
    seen = with_imports(decode(ports.blobs.get(digest), Comparison) if digest else Comparison(), broken)
    items = tuple(f"{i}: {seen.messages[i]}" for i in seen.imports[:_SHOWN])
    reason = f"{len(seen.imports)} import(s) worked at base and do not at head: {'; '.join(items[:3])}"
    refused = handoff.begin(Verdict.REVISE, reason)
    return replace(
        refused,
        items=items,
        validation_errors=seen.imports,
        responsibility=maker(state, ports),
        gates=(*tested.gates, GateResult(gate=_IMPORTS, verdict=Verdict.REVISE, reason=reason)),
        evidence=tested.evidence,
        blobs={**tested.blobs, COMPARED: ports.blobs.put(encode(seen))},
    )


def _tested(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    command = find_command(state, ports)
    if command is None:
        attempt = handoff.begin(Verdict.SKIP, "unverified by tests: no test command was found")
        return replace(attempt, traits=(Trait.NO_TESTS,))
    base = run_tests(state, ports, command, state.base)
    if base.trouble is Trouble.NO_TESTS:
        attempt = _unjudged(handoff, state, ports, base.detail or "no test was collected")
        return replace(attempt, evidence=(evidence_of(base),))
    if base.trouble is not None:
        return _blocked(handoff, base, "at base")
    head = run_tests(state, ports, command, state.head)
    if head.trouble in OUTSIDE:
        return _blocked(handoff, head, "at head")
    if head.trouble is not None:
        return _broken(handoff, base, head, maker(state, ports))
    try:
        return _compared(handoff, state, ports, (base, head))
    except StoppedError as stopped:
        return _blocked(handoff, stopped.run, "at head")


def _unjudged(handoff: Handoff, state: PipelineState, ports: Ports, said: str) -> Attempt:
    """No test judges anything: tools have to take back what may change what the program does."""
    unshown = any(Trait.UNSHOWN in attempt.traits for attempt in state.of(Stage.EXECUTE))
    if unshown and by_tools_alone(state) and not is_untested(state):
        attempt = handoff.begin(Verdict.REVISE, f"{said}: nothing shows that the program stays as it is")
        attempt = replace(attempt, responsibility=maker(state, ports))
    else:
        attempt = handoff.begin(Verdict.SKIP, f"unverified by tests: {said}")
    return replace(attempt, traits=(Trait.NO_TESTS,))


def _compared(handoff: Handoff, state: PipelineState, ports: Ports, runs: tuple[TestRun, TestRun]) -> Attempt:
    base, head = runs
    second = (run_tests(state, ports, base.command, base.sha, turn=2),) if is_red(base) else ()
    seen = without_renamed(ports, base.sha, head, judge(state, ports, base, head))
    if seen.worse:
        items = tuple(f"{i}: {seen.messages.get(i, 'is gone')}" for i in seen.worse[:_SHOWN])
        reason = f"{len(seen.worse)} test(s) worse than at base: {', '.join(seen.worse[:3])}"
        attempt = replace(handoff.begin(Verdict.REVISE, reason), items=items, validation_errors=seen.worse)
        attempt = _judged(attempt, whose_turn(state, ports, base, head, seen))
    elif head.passed or seen.flaky:
        attempt = replace(handoff.begin(Verdict.PASS, _said(head, seen)), items=seen.flaky)
    else:
        attempt = _unjudged(handoff, state, ports, "not one of them passes, at base or at head")
    gate = GateResult(gate="no test worse than at base", verdict=attempt.verdict, reason=attempt.reason)
    return replace(
        attempt,
        traits=(*attempt.traits, *((Trait.FLAKY,) if seen.flaky else ())),
        gates=(gate,),
        evidence=tuple(evidence_of(run) for run in (base, *second, head)),
        blobs={COMPARED: ports.blobs.put(encode(seen))},
    )


def _judged(attempt: Attempt, judged: Judgement) -> Attempt:
    """The refusal with whose turn it is; what the environment lacks is nobody's to mend in the code."""
    mine = judged.responsibility is Responsibility.ENVIRONMENT
    return replace(
        attempt,
        verdict=Verdict.ESCALATE if mine else Verdict.REVISE,
        reason=f"{attempt.reason}: {'; '.join(judged.facts)}" if mine else attempt.reason,
        responsibility=judged.responsibility,
        confidence=judged.confidence,
        because=judged.facts,
    )


def _said(head: TestRun, seen: Comparison) -> str:
    parts = [f"{head.passed} passed, none worse than at base"]
    if seen.fixed:
        parts.append(f"{len(seen.fixed)} fixed: {', '.join(seen.fixed[:3])}")
    if seen.same:
        parts.append(f"{len(seen.same)} failing at base too (pre-existing)")
    if seen.renamed:
        parts.append(f"{len(seen.renamed)} under another name")
    if seen.flaky:
        parts.append(f"{len(seen.flaky)} flaky")
    return "; ".join(parts)


def _broken(handoff: Handoff, base: TestRun, head: TestRun, made_by: Responsibility) -> Attempt:
    """The tests ran through at base and don't at head: that is the change's doing."""
    said = head.trouble.value if head.trouble else ""
    attempt = handoff.begin(Verdict.REVISE, f"the tests ran through at base, and not at head: {said}")
    return replace(
        attempt,
        items=(f"{said}: {head.detail}",),
        validation_errors=(said,),
        responsibility=made_by,
        evidence=(evidence_of(base), evidence_of(head)),
    )


def _blocked(handoff: Handoff, run: TestRun, where: str) -> Attempt:
    said = run.trouble.value if run.trouble else ""
    attempt = handoff.begin(Verdict.ESCALATE, f"{said} {where}: {run.detail}")
    return replace(
        attempt,
        responsibility=Responsibility.ENVIRONMENT,
        items=("mend the cause named above, then run it again",),
        evidence=(evidence_of(run),),
        error_type=said,
    )
