"""What tools edited that no test shows to be harmless: named to a person, where it would merge by itself."""

from collections.abc import Iterator

from sparky.domain.attempt import Stage
from sparky.domain.change import is_test_path
from sparky.domain.finding import Finding
from sparky.domain.state import MergePolicy, PipelineState
from sparky.evidence.change import SEEN, applied, base_findings
from sparky.evidence.risks import Risks, covered, listed, risk, watched
from sparky.evidence.tests import evidence_of
from sparky.formats.values_json import decode
from sparky.ports import Ports
from sparky.tools.altered import altered
from sparky.tools.neutral import unshown
from sparky.tools.tool import Unit


def tool_risks(state: PipelineState, ports: Ports) -> Risks:
    """The edits that may change what the program does, and that no test runs; asked of what merges by itself.

    That costs a run of the tests, where there are lines to be watched.
    """
    if state.preferences.merge is not MergePolicy.AUTO:
        return Risks(gates=())
    lines, beyond = _altered(state, ports)
    gates = (risk("beyond tests", _said(beyond)),) if beyond else ()
    run = watched(state, ports, lines)
    if run is None:
        return Risks(gates=gates)
    return Risks(gates=(*gates, covered(run)), evidence=(evidence_of(run),))


def _altered(state: PipelineState, ports: Ports) -> tuple[dict[str, tuple[int, ...]], list[str]]:
    """The lines to be run, by path, and what can't be."""
    paths = sorted(path for path in _doubtful(state, ports) if not is_test_path(path))
    before, after = (dict(ports.repository.contents(sha, paths)) for sha in (state.base, state.head))
    lines: dict[str, tuple[int, ...]] = {}
    beyond = []
    for path in paths:
        old, new = before.get(path, b""), after.get(path, b"")
        if path.endswith(".py"):
            seen = altered(old, new)
            lines |= {path: seen.lines} if seen.lines else {}
            beyond += [f"{path}: {what}" for what in seen.beyond]
        elif old != new:
            beyond.append(path)
    return lines, beyond


def _doubtful(state: PipelineState, ports: Ports) -> set[str]:
    """The files with an edit that is not known to leave the program as it is."""
    known: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in _findings(state, ports):
        known.setdefault((finding.location.path, finding.rule, finding.tool), []).append(finding)
    units = ((unit, known.get((unit.path, unit.rule, unit.tool))) for unit in _units(state, ports))
    return {unit.path for unit, found in units if not found or any(map(unshown, found))}


def _findings(state: PipelineState, ports: Ports) -> Iterator[Finding]:
    """All that was found before any of the edits."""
    yield from base_findings(state, ports) or ()
    for attempt in state.of(Stage.EXECUTE):
        if SEEN in attempt.blobs:
            yield from decode(ports.blobs.get(attempt.blobs[SEEN]), tuple[Finding, ...])


def _units(state: PipelineState, ports: Ports) -> Iterator[Unit]:
    """What tools applied, and did not take back: of a part what was applied last."""
    own = {part: units for _, part, units in applied(state, ports, Stage.EXECUTE)}
    theirs = (units for _, _, units in applied(state, ports, Stage.CHILD))
    yield from (unit for units in (*own.values(), *theirs) for unit in units)


def _said(beyond: list[str]) -> str:
    return f"{len(beyond)} edit(s) that no test can show to be harmless: {listed(beyond)}"
