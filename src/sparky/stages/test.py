"""TEST: the tests at base and at head, run by sparky itself, compared by the identity of each failure."""

from contextlib import suppress
from dataclasses import replace

from sparky.domain.attempt import Attempt, Evidence, GateResult, Responsibility, Trait, Verdict
from sparky.domain.state import Handoff, PipelineState
from sparky.domain.testing import Comparison, TestRun, Trouble, compare
from sparky.formats.state_json import encode
from sparky.ports import Ports

_SHOWN = 20

WARM_S = 15.0
"""How long the tests may run ahead of time."""


def perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """No worse than base passes; the rest says whose turn it is."""
    return replace(_perform(handoff, state, ports), sha=state.head, agent="tester")


def _perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    command = find_command(state, ports)
    if command is None:
        attempt = handoff.begin(Verdict.SKIP, "unverified by tests: no test command was found")
        return replace(attempt, traits=(Trait.NO_TESTS,))
    base = run_tests(state, ports, command, state.base)
    if base.trouble is Trouble.NO_TESTS:
        attempt = handoff.begin(
            Verdict.SKIP, f"unverified by tests: {base.detail or 'no test was collected'}"
        )
        return replace(attempt, traits=(Trait.NO_TESTS,), evidence=(evidence_of(base),))
    if base.trouble is not None:
        return _blocked(handoff, base, "at base")
    head = run_tests(state, ports, command, state.head)
    if head.trouble in {Trouble.ENVIRONMENT, Trouble.FOREIGN_CODE}:
        return _blocked(handoff, head, "at head")
    if head.trouble is not None:
        return _broken(handoff, base, head)
    return _compared(handoff, state, ports, (base, head))


def find_command(state: PipelineState, ports: Ports) -> tuple[str, ...] | None:
    """The test command: the user's, else what the repository looks like; None if it has no tests."""
    told = state.preferences.test_command
    return told or ports.tests.discover(state.context, state.head)


def run_tests(
    state: PipelineState, ports: Ports, command: tuple[str, ...], sha: str, only: tuple[str, ...] = ()
) -> TestRun:
    """One run of the tests at a commit, with a line of progress."""
    what = "again, alone" if only else ("at base" if sha == state.base else "at head")
    ports.progress.say(state.run_id, f"running the tests {what} ({sha[:10]})")
    limit = state.preferences.test_timeout_s
    done = ports.tests.run(state.context, sha, command, only=only, timeout_s=limit)
    red = sum(case.red for case in done.cases)
    said = done.trouble.value if done.trouble else f"{done.passed} passed, {red} failed"
    ports.progress.say(state.run_id, f"tests {what}: {said} in {done.seconds:.1f} s")
    return done


def warm_baseline(state: PipelineState, ports: Ports) -> None:
    """Run the tests at the base ahead of time: their result is kept, and found again by the stage.

    A suite that takes longer than a moment is left to the stage, and so is what goes wrong here.
    """
    moment = min(state.preferences.test_timeout_s, WARM_S)
    quick = replace(state, preferences=replace(state.preferences, test_timeout_s=moment))
    with suppress(Exception):
        command = find_command(state, ports)
        if command is not None:
            run_tests(quick, ports, command, state.base)


def evidence_of(run: TestRun) -> Evidence:
    """A test run as evidence."""
    red = sum(case.red for case in run.cases)
    said = f"{run.passed} passed, {red} failed, {len(run.cases)} in all"
    note = f"{said}; {run.detail}" if run.detail else said
    return Evidence(
        command=run.command,
        code=int(red > 0 or run.trouble is not None),
        output=run.output,
        sha=run.sha,
        seconds=round(run.seconds, 3),
        note=f"{run.trouble.value}: {run.detail}" if run.trouble else note,
        sandbox=run.level,
    )


def judge(state: PipelineState, ports: Ports, base: TestRun, head: TestRun) -> Comparison:
    """Head against base; what is red only at head is run once more, alone, to tell the flaky."""
    first = compare(base, head)
    suspects = (*first.new, *first.changed)
    if not suspects:
        return first
    again = run_tests(state, ports, head.command, head.sha, suspects)
    return compare(base, head, again)


def _compared(handoff: Handoff, state: PipelineState, ports: Ports, runs: tuple[TestRun, TestRun]) -> Attempt:
    base, head = runs
    seen = judge(state, ports, base, head)
    traits = (Trait.FLAKY,) if seen.flaky else ()
    if seen.worse:
        items = tuple(f"{i}: {seen.messages.get(i, 'is gone')}" for i in seen.worse[:_SHOWN])
        reason = f"{len(seen.worse)} test(s) worse than at base: {', '.join(seen.worse[:3])}"
        attempt = replace(handoff.begin(Verdict.REVISE, reason), items=items, validation_errors=seen.worse)
        attempt = replace(attempt, responsibility=Responsibility.CODER)
    elif head.passed or seen.flaky:
        attempt = replace(handoff.begin(Verdict.PASS, _said(head, seen)), items=seen.flaky)
    else:
        reason = "unverified by tests: not one of them passes, at base or at head"
        attempt, traits = handoff.begin(Verdict.SKIP, reason), (Trait.NO_TESTS,)
    gate = GateResult(gate="no test worse than at base", verdict=attempt.verdict, reason=attempt.reason)
    return replace(
        attempt,
        traits=traits,
        gates=(gate,),
        evidence=(evidence_of(base), evidence_of(head)),
        blobs={"comparison": ports.blobs.put(encode(seen))},
    )


def _said(head: TestRun, seen: Comparison) -> str:
    parts = [f"{head.passed} passed, none worse than at base"]
    if seen.fixed:
        parts.append(f"{len(seen.fixed)} fixed: {', '.join(seen.fixed[:3])}")
    if seen.same:
        parts.append(f"{len(seen.same)} failing at base too (pre-existing)")
    if seen.flaky:
        parts.append(f"{len(seen.flaky)} flaky")
    return "; ".join(parts)


def _broken(handoff: Handoff, base: TestRun, head: TestRun) -> Attempt:
    """The tests ran through at base and don't at head: that is the change's doing."""
    said = head.trouble.value if head.trouble else ""
    attempt = handoff.begin(Verdict.REVISE, f"the tests ran through at base, and not at head: {said}")
    return replace(
        attempt,
        items=(f"{said}: {head.detail}",),
        validation_errors=(said,),
        responsibility=Responsibility.CODER,
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
