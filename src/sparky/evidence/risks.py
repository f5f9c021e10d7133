"""What is risky in the change of a session: named to a person, who then merges it or not.

No risk is a refusal: with any of them a run that would merge by itself ends ready.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sparky.domain.attempt import Evidence, GateResult, Stage, Verdict
from sparky.domain.change import Change, is_lock_file, is_migration, is_test_path, read_patch
from sparky.domain.state import MergePolicy, PipelineState
from sparky.domain.testing import TestRun
from sparky.evidence.detect import exported
from sparky.evidence.tests import evidence_of, find_command, run_tests
from sparky.ports import Ports
from sparky.tools.api_diff import UnreadableApiError, breaks

SIZE_LIMIT = 1000
"""Changed lines above which a session's work is not merged without a person."""

_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class Risks:
    """A gate for each sort of risk, and what was seen on the way."""

    gates: tuple[GateResult, ...]
    evidence: tuple[Evidence, ...] = ()


def find_risks(state: PipelineState, ports: Ports) -> Risks:
    """The risks of the change from base to head.

    Whether the tests run its lines is looked at only where nobody would look otherwise: that costs a run.
    """
    patch = ports.repository.patch(state.base, state.head).decode("utf-8", "replace")
    files = ports.repository.changes(state.base, state.head)
    change = Change(files=files, lines=read_patch(patch))
    paths = [path for file in change.files for path in (file.old_path, file.path) if path]
    gates = (
        size(change),
        touched("migrations", [path for path in paths if is_migration(path)]),
        touched("lock files", [path for path in paths if is_lock_file(path)]),
        _public_api(state, ports, paths),
    )
    run = watched(state, ports, lines_of(change))
    if run is None:
        return Risks(gates=gates)
    return Risks(gates=(*gates, covered(run)), evidence=(evidence_of(run),))


def size(change: Change) -> GateResult:
    """Nobody looks through a change of any size without being asked to."""
    if change.size <= SIZE_LIMIT:
        return _gate("size", f"{change.size} line(s) changed")
    return risk("size", f"{change.size} lines changed, more than {SIZE_LIMIT}")


def touched(gate: str, paths: Sequence[str]) -> GateResult:
    """What no test of the code shows: files that act on data, or on what is installed."""
    return risk(gate, f"{gate}: {listed(paths)}") if paths else _gate(gate, "none is touched")


def rewrote(snapshots: Collection[str], still_red: Sequence[str]) -> tuple[GateResult, ...]:
    """What a person asked to be rewritten that person looks at; no gate where nothing is rewritten.

    `still_red`: what is found in spite of it.
    """
    if not snapshots:
        return ()
    if still_red:
        reason = f"a snapshot is rewritten, and its test is red all the same: {listed(still_red)}"
        return (GateResult(gate="snapshots", verdict=Verdict.REVISE, reason=reason),)
    said = f"rewrote {len(snapshots)} snapshot(s), as asked: look at them: {listed(sorted(snapshots))}"
    return (risk("snapshots", said),)


def lines_of(change: Change) -> dict[str, tuple[int, ...]]:
    """The numbers of the lines of Python that a change adds, by path; tests are not asked who runs them."""
    return {
        path: lines.numbers
        for path, lines in sorted(change.lines.items())
        if path.endswith(".py") and not is_test_path(path) and lines.numbers
    }


def covered(run: TestRun) -> GateResult:
    """Every changed line is run by a test, as far as it was seen."""
    if not run.unrun:
        return _gate("covered", "the tests run every changed line")
    count = sum(map(len, run.unrun.values()))
    shown = listed([f"{path}:{ranges(numbers)}" for path, numbers in sorted(run.unrun.items())])
    stopped = f" ({run.trouble.value}: {run.detail})" if run.trouble else ""
    return risk("covered", f"{count} changed line(s) that no test was seen to run{stopped}: {shown}")


def ranges(numbers: Sequence[int]) -> str:
    """Sorted numbers as "3-5,9"."""
    starts = [n for n in numbers if n - 1 not in numbers]
    ends = [n for n in numbers if n + 1 not in numbers]
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True))


def _public_api(state: PipelineState, ports: Ports, paths: Sequence[str]) -> GateResult:
    if not any(path.endswith(".py") for path in paths):
        return _gate("public API", "no Python is changed")
    with exported(ports, state.base) as before, exported(ports, state.head) as after:
        try:
            broken = breaks(before, after, paths)
        except UnreadableApiError as error:
            return risk("public API", f"the public API can't be compared: {error}")
    if broken:
        return risk("public API", f"the public API is changed: {listed(broken)}")
    return _gate("public API", "nothing that others may import is gone or asks for more")


def watched(state: PipelineState, ports: Ports, lines: Mapping[str, tuple[int, ...]]) -> TestRun | None:
    """The tests once more, watched; None where nothing is to be seen, or a person looks anyway."""
    test = state.last(Stage.TEST)
    ran = test is not None and test.verdict is Verdict.PASS
    command = find_command(state, ports)
    if not (lines and ran and command and state.preferences.merge is MergePolicy.AUTO):
        return None
    return run_tests(state, ports, command, state.head, lines=lines)


def listed(names: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    more = f" (and {len(names) - _SHOWN} more)" if len(names) > _SHOWN else ""
    return "; ".join(names[:_SHOWN]) + more


def _gate(gate: str, reason: str) -> GateResult:
    return GateResult(gate=gate, verdict=Verdict.PASS, reason=reason)


def risk(gate: str, reason: str) -> GateResult:
    """The gate that leaves something to a person."""
    return GateResult(gate=gate, verdict=Verdict.ESCALATE, reason=reason)
