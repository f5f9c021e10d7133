"""Runs of the tests at base and at head, compared by the identity of each failure."""

from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from sparky.domain.attempt import Evidence, Stage, Trait, Verdict
from sparky.domain.finding import Fate, Finding, Stay, fingerprint, kept
from sparky.domain.state import Context, PipelineState, Preferences
from sparky.domain.testing import Comparison, TestRun, Trouble, compare, normal_failure
from sparky.evidence.elsewhere import why_kept
from sparky.evidence.failing import Hear, hear
from sparky.ports import Ports
from sparky.tools.neutral import UNSHOWN, unshown

COMPARED = "comparison"
"""The blob of a TEST attempt that holds head against base, by the identity of each failure."""


class StoppedError(Exception):
    """The tests gave no verdict, for a reason that lies outside of the code; `run` says which."""

    def __init__(self, run: TestRun) -> None:
        super().__init__(f"{run.trouble.value if run.trouble else ''}: {run.detail}")
        self.run = run


def find_command(state: PipelineState, ports: Ports) -> tuple[str, ...] | None:
    """The test command: the user's, else what the repository looks like; None if it has no tests."""
    told = state.preferences.test_command
    return told or ports.tests.discover(state.context, state.head)


def withheld(
    ports: Ports, context: Context, preferences: Preferences, findings: Iterable[Finding]
) -> dict[str, str]:
    """Fingerprints of what is not to be mended, with why; see `why_withheld`."""
    why = why_withheld(ports, context, preferences)
    marks = ((fingerprint(one), stay.why) for one in findings if (stay := why(one)))
    return {**dict(marks), **ports.refusals.refusals(context.git_dir)}


def why_withheld(
    ports: Ports, context: Context, preferences: Preferences
) -> Callable[[Finding], Stay | None]:
    """What says why a finding is not to be mended; None if it is.

    It was withdrawn before, no test would judge it, or it stays for another file's sake.
    """
    tested = preferences.test_command or ports.tests.discover(context, context.base)
    refused = ports.refusals.refusals(context.git_dir)
    elsewhere = why_kept(ports, context.base)

    def why(finding: Finding) -> Stay | None:
        if refused and (known := refused.get(fingerprint(finding))):
            return Stay(fate=Fate.WITHDRAWN, why=known)
        return kept(UNSHOWN) if not tested and unshown(finding) else elsewhere(finding)

    return why


def is_untested(state: PipelineState) -> bool:
    """Whether a run was refused because its command finds no test to judge what it mended."""
    return any(a.verdict is Verdict.REVISE and Trait.NO_TESTS in a.traits for a in state.of(Stage.TEST))


def run_tests(
    state: PipelineState,
    ports: Ports,
    command: tuple[str, ...],
    sha: str,
    *,
    only: tuple[str, ...] = (),
    turn: int = 1,
    lines: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
) -> TestRun:
    """One run of the tests at a commit, with a line of progress; see the port `Tests`."""
    what = "again, alone" if only else ("at base" if sha == state.base else "at head")
    what += " once more" if turn > 1 else ""
    what += ", watching the changed lines" if lines else ""
    ports.progress.say(state.run_id, f"running the tests {what} ({sha[:10]})")
    limit = state.preferences.test_timeout_s
    done = ports.tests.run(state.context, sha, command, only=only, timeout_s=limit, turn=turn, lines=lines)
    red = sum(case.red for case in done.cases)
    said = done.trouble.value if done.trouble else f"{done.passed} passed, {red} failed"
    ports.progress.say(state.run_id, f"tests {what}: {said} in {done.seconds:.1f} s{_beside(done)}")
    return done


def warm_baseline(state: PipelineState, ports: Ports) -> None:
    """Run the tests at the base ahead of time: the stage waits for their result, and says what comes of it.

    What goes wrong here is left to the stage.
    """
    with suppress(Exception):
        command = find_command(state, ports)
        if command is not None:
            limit = state.preferences.test_timeout_s
            ports.tests.run(state.context, state.base, command, timeout_s=limit)


def warm_traces(state: PipelineState, ports: Ports) -> None:
    """Watch the tests at the base ahead of time, in the same way."""
    with suppress(Exception):
        command = find_command(state, ports)
        if command is not None:
            limit = state.preferences.test_timeout_s
            ports.tests.trace(state.context, state.base, command, timeout_s=limit)


def trace_calls(state: PipelineState, ports: Ports) -> Path | None:
    """What the functions are called with by the tests at the base; see the port `Tests`."""
    command = find_command(state, ports)
    if command is None:
        return None
    ports.progress.say(state.run_id, "running the tests at base, watching what functions are called with")
    limit = state.preferences.test_timeout_s
    return ports.tests.trace(state.context, state.context.base, command, timeout_s=limit)


def heard_at(state: PipelineState, ports: Ports, at: Callable[[], str]) -> Hear:
    """What the tests say at a commit of the run, which is made, or found, when it is first asked."""
    return hear(ports, state.context, state.preferences, at)


def _beside(run: TestRun) -> str:
    """What a run says of its environment."""
    return f"; {run.detail}" if run.detail else ""


def evidence_of(run: TestRun) -> Evidence:
    """A test run as evidence."""
    red = sum(case.red for case in run.cases)
    note = f"{run.passed} passed, {red} failed, {len(run.cases)} in all" + _beside(run)
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
    """Head against base; what is red only at head is run once more, alone, to tell the flaky.

    A red base is run twice: what differs there of itself is nobody's doing. Raises StoppedError if a run was
    killed from outside: nothing is known then.
    """
    second = _second(state, ports, base)
    first = compare(base, head, second=second)
    suspects = (*first.new, *first.changed)
    if not suspects:
        return first
    again = run_tests(state, ports, head.command, head.sha, only=suspects)
    if again.trouble is Trouble.KILLED:
        raise StoppedError(again)
    return compare(base, head, again, second)


def judge_again(
    state: PipelineState, ports: Ports, base: TestRun, head: TestRun, known: Mapping[str, str]
) -> Comparison:
    """The same for a head of which just the tests `known` were run, by what each of them failed with before.

    One that fails so again is no flaky one, and is not run once more. A command may run others, too: those
    that are red at base have no say.
    """
    second = _second(state, ports, base)
    red = {case.id for run in (base, second) if run for case in run.cases if case.red}
    head = _without(head, red - known.keys())
    base, second = _only(base, known), _only(second, known) if second else None
    first = compare(base, head, second=second)
    strange = tuple(
        test
        for test in (*first.new, *first.changed)
        if normal_failure(first.messages[test]) != normal_failure(known.get(test, ""))
    )
    if not strange:
        return first
    limit = state.preferences.test_timeout_s
    again = ports.tests.run(state.context, head.sha, head.command, only=strange, timeout_s=limit)
    if again.trouble is Trouble.KILLED:
        raise StoppedError(again)
    return compare(base, head, again, second)


def _without(run: TestRun, others: Container[str]) -> TestRun:
    return replace(run, cases=tuple(case for case in run.cases if case.id not in others))


def _only(run: TestRun, known: Container[str]) -> TestRun:
    return replace(run, cases=tuple(case for case in run.cases if case.id in known))


def _second(state: PipelineState, ports: Ports, base: TestRun) -> TestRun | None:
    """Another run at base, where it is red; None if it gave no verdict."""
    if not is_red(base):
        return None
    limit = state.preferences.test_timeout_s
    second = ports.tests.run(state.context, base.sha, base.command, timeout_s=limit, turn=2)
    return second if second.trouble is None else None


def is_red(run: TestRun) -> bool:
    """Whether any test of a run speaks against the code."""
    return any(case.red for case in run.cases)
