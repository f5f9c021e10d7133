"""What VERIFY asks of a diff that edits tests: base's tests with head's code, and the other way round."""

from collections.abc import Sequence
from dataclasses import dataclass

from sparky.domain.agent import Role
from sparky.domain.attempt import Evidence, GateResult, Stage, Trait, Verdict
from sparky.domain.change import FileChange, is_test_path
from sparky.domain.issue import Kind, Severity
from sparky.domain.state import PipelineState
from sparky.domain.testing import TestRun
from sparky.evidence.change import UNITS, edits_of
from sparky.evidence.tests import evidence_of, find_command, run_tests
from sparky.ports import Ports
from sparky.tamper.behaviour import Runs, killed, settle, shown_by
from sparky.tamper.judge import means
from sparky.tamper.mutants import Mutant, mutants

_FOR_TESTER = {Kind.TEST_CREATION, Kind.TEST_ORGANIZATION}
_MUTANTS, _MUTANTS_S = 16, 240.0
"""How many mutants are tried at most, and for how many seconds of tests' runs."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the runs said: gates, the tests that show the change, and the evidence."""

    gates: tuple[GateResult, ...]
    shown: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


def is_for_tester(state: PipelineState, ports: Ports) -> bool:
    """Whether the run's work is on tests: by its kinds, or by the role of the agents routed to."""
    testers = {agent.name for agent in ports.agents if agent.role is Role.TESTER}
    routes = state.routes
    return bool(routes) and all(r.kind in _FOR_TESTER or r.agent in testers for r in routes)


def ask(state: PipelineState, ports: Ports, files: Sequence[FileChange]) -> Asked:
    """Judge a diff by its tests, where it touches any; no gate where it does not, or no test can run."""
    command = find_command(state, ports)
    tests = [file for file in files if is_test_path(file.path) or is_test_path(file.old_path or file.path)]
    if command is None or not tests or state.has(Trait.NO_TESTS) or _by_tools_alone(state):
        return Asked(gates=())
    if len(tests) < len(files):
        return _with_source(state, ports, command, tests)
    return _tests_alone(state, ports, command, tests)


def _by_tools_alone(state: PipelineState) -> bool:
    """Whether nobody but deterministic fixers worked on it: what they do to a test does not depend on it."""
    changed = [attempt for attempt in state.of(Stage.EXECUTE) if Trait.CHANGED in attempt.traits]
    return bool(changed) and all(UNITS in attempt.blobs for attempt in changed)


def _with_source(
    state: PipelineState, ports: Ports, command: tuple[str, ...], tests: Sequence[FileChange]
) -> Asked:
    old_code = _run(state, ports, command, _overlaid(ports, state.base, state.head, tests, old=False))
    new_new = run_tests(state, ports, command, state.head)
    paths = [file.path for file in tests]
    shown = shown_by(old_code, new_new, paths)
    if all(file.status == "A" for file in tests):
        return Asked(gates=(), shown=shown, evidence=(evidence_of(old_code),))
    old_old = run_tests(state, ports, command, state.base)
    new_old = _run(state, ports, command, _overlaid(ports, state.head, state.base, tests, old=True))
    runs = Runs(old_old=old_old, new_old=new_old, new_new=new_new, old_new=old_code)
    settled = settle(runs, {*paths, *(file.old_path or file.path for file in tests)})
    if settled.fitted:
        said = f"made to fit, they pass with the old code, too: {', '.join(settled.fitted[:3])}"
        gate = _gate(Verdict.REVISE, f"{len(settled.fitted)} edited test(s) {said}")
    elif settled.altered:
        said = f"their versions at base fail at head: {', '.join(settled.altered[:3])}"
        gate = _gate(
            Verdict.ESCALATE, f"{len(settled.altered)} edited test(s) ask for something else now; {said}"
        )
    else:
        gate = _gate(Verdict.PASS, "the edited tests' versions at base pass at head")
    return Asked(gates=(gate,), shown=shown, evidence=(evidence_of(old_code), evidence_of(new_old)))


def _tests_alone(
    state: PipelineState, ports: Ports, command: tuple[str, ...], tests: Sequence[FileChange]
) -> Asked:
    edits = edits_of(ports.repository, state.base, state.head, tests)
    edited = [edit for edit in edits if edit.before is not None and means(edit.before) != means(edit.after)]
    if not edited:
        return Asked(gates=())
    if not is_for_tester(state, ports):
        paths = ", ".join(edit.path for edit in edited[:3])
        reason = f"only tests are changed, and the issue does not ask a tester for that: {paths}"
        return Asked(gates=(_gate(Verdict.ESCALATE, reason),))
    return _mutated(state, ports, command, [file.path for file in tests])


def _mutated(state: PipelineState, ports: Ports, command: tuple[str, ...], paths: Sequence[str]) -> Asked:
    """Count the mutants that the tests kill before and after: no fewer may they be."""
    before, after = (run_tests(state, ports, command, sha) for sha in (state.base, state.head))
    spent, lost, won, tried = 0.0, [], 0, 0
    for mutant in _chosen(state, ports, paths):
        if spent > _MUTANTS_S:
            break
        data = {mutant.path: mutant.source.encode()}
        old, new = (
            _run(state, ports, command, ports.repository.overlay(sha, data))
            for sha in (state.base, state.head)
        )
        spent, tried = spent + old.seconds + new.seconds, tried + 1
        was, now = killed(old, before), killed(new, after)
        won += now and not was
        if was and not now:
            lost.append(f"{mutant.path}:{mutant.line} ({mutant.what})")
    if len(lost) > won:
        gate = _gate(
            Verdict.REVISE,
            f"the tests notice fewer of {tried} faults put into the code: not {', '.join(lost[:3])}",
        )
    elif tried:
        gate = _gate(
            Verdict.PASS, f"of {tried} faults put into the code the tests notice no fewer than before"
        )
    else:
        gate = _gate(Verdict.ESCALATE, "no fault could be put into the code to try the tests with")
    return Asked(gates=(gate,), evidence=(evidence_of(before), evidence_of(after)))


def _chosen(state: PipelineState, ports: Ports, paths: Sequence[str]) -> list[Mutant]:
    """Mutants of the modules that the changed tests name, evenly."""
    repository = ports.repository
    text = "\n".join(
        (repository.read(sha, path) or b"").decode("utf-8", "replace")
        for sha in (state.base, state.head)
        for path in paths
    )
    files = [p for p in repository.files(state.base) if p.endswith(".py") and not is_test_path(p)]
    named = [p for p in files if p.rpartition("/")[2].removesuffix(".py") in text]
    sources = {p: (repository.read(state.base, p) or b"").decode("utf-8", "replace") for p in named}
    each = max(1, _MUTANTS // max(1, len(named)))
    return [mutant for path, source in sources.items() for mutant in mutants(path, source, each)][:_MUTANTS]


def _overlaid(ports: Ports, code: str, tests_of: str, tests: Sequence[FileChange], *, old: bool) -> str:
    """A commit with the code of one commit and the edited tests of another (`old`: that is the base)."""
    data: dict[str, bytes | None] = {}
    for file in tests:
        path, gone = (file.old_path or file.path, file.path) if old else (file.path, file.old_path)
        if file.old_path is not None and gone is not None:
            data[gone] = None
        if not (old and file.status == "A"):
            data[path] = ports.repository.read(tests_of, path)
    return ports.repository.overlay(code, data)


def _run(state: PipelineState, ports: Ports, command: tuple[str, ...], sha: str) -> TestRun:
    limit = state.preferences.test_timeout_s
    return ports.tests.run(state.context, sha, command, timeout_s=limit)


def _gate(verdict: Verdict, reason: str) -> GateResult:
    return GateResult(gate="tests of base", verdict=verdict, reason=reason, severity=Severity.HIGH)
