"""VERIFY: the findings are gone, nothing new appeared, the tested commit is the head; and what is risky."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from sparky.domain.attempt import Attempt, GateResult, Responsibility, Stage, Tally, Trait, Verdict
from sparky.domain.change import Change, is_test_path
from sparky.domain.finding import ASKED, Finding, Left, fingerprint, left
from sparky.domain.issue import Issue, Kind, Severity, Source
from sparky.domain.state import Handoff, PipelineState
from sparky.domain.testing import Comparison
from sparky.evidence.change import (
    base_findings,
    by_tools_alone,
    kinds_of,
    looked_for,
    named,
    reasons,
    rewritten,
    whole_issue,
    with_files,
)
from sparky.evidence.detect import Detected, detect, exported
from sparky.evidence.failing import red_all_the_same
from sparky.evidence.risks import Risks, find_risks, rewrote
from sparky.evidence.shown import tool_risks
from sparky.evidence.tamper import ask
from sparky.evidence.tests import COMPARED, heard_at
from sparky.evidence.whose import maker
from sparky.formats.values_json import decode
from sparky.ports import Ports
from sparky.tools.faults import appeared, fixed, told_once
from sparky.tools.tool import BROKEN

_GRAVE = (Kind.IMPORT_ERROR, Kind.DEAD_CODE, Kind.SECURITY)
"""What a session may not bring; what is slow to be found or a matter of taste is not among it."""


_BUGS = frozenset({Kind.GENERAL, Kind.TEST_FAILURE})
"""What a test has to show the end of, where no detector does."""


def perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """Judge the head as a whole. A risk turns `auto` into `ready`; a refusal goes back to the coder."""
    change = Change(files=ports.repository.changes(state.base, state.head))
    paths = _paths(state, ports, change)
    before = _before(state, ports, paths)
    # What configures the tools at the base: a change of that must not hide what it brings.
    after = _look(state, ports, state.head, paths, before, configured=state.base)
    fresh = _appeared(before, after.findings)
    hidden = bool(fresh) and not _appeared(before, _look(state, ports, state.head, paths, before).findings)
    asked = ask(state, ports, change.files)
    kinds = kinds_of(state)
    handed = _handed(state, ports)

    def told(findings: Iterable[Finding]) -> tuple[Finding, ...]:
        return told_once(f for f in findings if f.kind in kinds and handed(f))

    mine, gone = told(before), told(fixed(before, after.findings))
    still_red = tuple(dict.fromkeys(one.message for one in red_all_the_same(gone, after.findings)))
    required = (
        _tested(state),
        _nothing_new(fresh, hidden=hidden),
        *_mended(state.issue, len(gone)),
        _tests_show_it(state, ports, asked.shown, gone),
        *asked.gates,
        *_reviews(state),
        _criteria(state.issue),
        *rewrote(rewritten(state, ports, state.head), still_red),
    )
    # Work that goes back to its agent is not looked at any further.
    refused = any(gate.verdict is Verdict.REVISE for gate in required)
    mechanical = by_tools_alone(state) and not _renames_in_source(kinds, change)
    find = tool_risks if mechanical else find_risks
    risks = Risks(gates=()) if refused else find(state, ports)
    gates = tuple(dict.fromkeys((*required, *risks.gates, *_of_parts(state))))
    attempt = _judged(handoff, gates, maker(state, ports))
    rest = told(after.findings)
    unread = [f for f in after.findings if f.kind not in kinds and f.rule in BROKEN]
    tally = Tally(before=len(mine), fixed=len(gone), rest=len(rest))
    said = f"; {len(gone)} of {len(mine)} finding(s) gone" if mine else ""
    attempt = replace(
        attempt,
        reason=attempt.reason + said,
        gates=gates,
        tally=tally,
        evidence=(*after.evidence, *asked.evidence, *risks.evidence),
        sha=state.head,
        agent="verifier",
    )
    return named(with_files(attempt, change), ports, _rest(state, ports, (*rest, *unread)))


def _appeared(before: Sequence[Finding], after: Sequence[Finding]) -> tuple[Finding, ...]:
    """What is new to the detectors; of what fails anew the stage TEST has judged."""
    new = told_once(appeared(before, after))
    return tuple(finding for finding in new if finding.kind is not Kind.TEST_FAILURE)


def _renames_in_source(kinds: Sequence[Kind], change: Change) -> bool:
    """Whether code was led to other names, which is safe only where a test runs it."""
    return Kind.TEST_FAILURE in kinds and not all(is_test_path(file.path) for file in change.files)


def _judged(handoff: Handoff, gates: tuple[GateResult, ...], made_by: Responsibility) -> Attempt:
    refused = [g for g in gates if g.verdict is Verdict.REVISE]
    if refused:
        items = tuple(f"{g.gate}: {g.reason}" for g in refused)
        attempt = handoff.begin(Verdict.REVISE, "not verified: " + "; ".join(items))
        return replace(attempt, validation_errors=items, responsibility=made_by)
    risks = [g for g in gates if g.verdict is Verdict.ESCALATE]
    if risks:
        attempt = handoff.begin(Verdict.ESCALATE, "for a person: " + "; ".join(g.reason for g in risks))
        return replace(attempt, traits=(Trait.RISKY,), responsibility=Responsibility.PERSON)
    return handoff.begin(Verdict.PASS, "verified at the tested commit")


def _paths(state: PipelineState, ports: Ports, change: Change) -> Sequence[str]:
    """Where to look: everywhere for an issue made of findings, else at the changed Python files."""
    if state.issue.source in {Source.FINDINGS, Source.LEFTOVERS}:
        return whole_issue(state, ports).files or (".",)
    return [f.path for f in change.files if f.path.endswith((".py", ".pyi"))]


def _before(state: PipelineState, ports: Ports, paths: Sequence[str]) -> tuple[Finding, ...]:
    # Those that the run started from are of its own kinds; after a session more is looked for.
    known = base_findings(state, ports) if by_tools_alone(state) else None
    if known is not None and state.base == state.context.base:
        return known
    return _look(state, ports, state.base, paths).findings


def _look(
    state: PipelineState,
    ports: Ports,
    sha: str,
    paths: Sequence[str],
    before: Sequence[Finding] | None = None,
    *,
    configured: str | None = None,
) -> Detected:
    """The findings at a commit, as the tools are configured there, or at another."""
    with exported(ports, sha) as root:
        there = [path for path in paths if (root / path).exists()]
        if not there:
            return Detected(findings=(), evidence=())
        ports.progress.say(state.run_id, f"looking for findings at {sha[:10]}")
        read = partial(ports.repository.read, configured or sha)
        # A tool mends what it was asked for; who had a session may have brought what no careful team leaves.
        also = () if by_tools_alone(state) else _GRAVE
        kinds = (*looked_for(state), *kinds_of(state))
        heard = heard_at(state, ports, lambda: sha)
        return detect(ports, root, sha, kinds, there, also=also, before=before, configured=read, hear=heard)


def _tested(state: PipelineState) -> GateResult:
    test = state.last(Stage.TEST)
    if test is None or test.sha != state.head:
        return _gate("tested commit", Verdict.REVISE, "the head is not the commit that was tested")
    if test.verdict is Verdict.SKIP:
        return _gate("tested commit", Verdict.ESCALATE, test.reason)
    return _gate("tested commit", Verdict.PASS, f"the tests ran at {state.head[:10]}")


def _nothing_new(fresh: Sequence[Finding], *, hidden: bool) -> GateResult:
    """`hidden`: the configuration of the tools at the head, unlike that at the base, finds nothing of it."""
    if not fresh:
        return _gate("nothing new", Verdict.PASS, "no finding appeared")
    shown = "; ".join(left(finding, "").what for finding in fresh[:5])
    if hidden:
        said = (
            f"{len(fresh)} finding(s) appeared, which the changed configuration of the tools hides: {shown}"
        )
        return _gate("nothing new", Verdict.ESCALATE, said)
    return _gate("nothing new", Verdict.REVISE, f"{len(fresh)} finding(s) appeared: {shown}")


def _mended(issue: Issue, count: int) -> tuple[GateResult, ...]:
    """A session that was given findings has to end some of them; of a tool EXECUTE asks that."""
    if issue.source is not Source.LEFTOVERS:
        return ()
    said = f"{count} of the findings that it was given are gone"
    return (_gate("findings mended", Verdict.PASS if count else Verdict.REVISE, said),)


def _tests_show_it(
    state: PipelineState, ports: Ports, brought: Sequence[str], gone: Sequence[Finding]
) -> GateResult:
    """A fix of a bug is shown by a test that fails at base and passes at head."""
    mended = {finding.kind for finding in gone}
    if not (mended if state.issue.findings is not None else {r.kind for r in state.routes}) & _BUGS:
        return _gate("shown by a test", Verdict.PASS, "findings are shown by their detector")
    test = state.last(Stage.TEST)
    digest = test.blobs.get(COMPARED) if test else None
    fixed = decode(ports.blobs.get(digest), Comparison).fixed if digest else ()
    shown = fixed or brought
    if shown:
        return _gate("shown by a test", Verdict.PASS, f"failed at base, passes now: {', '.join(shown[:3])}")
    return _gate("shown by a test", Verdict.ESCALATE, "no test fails at base and passes at head")


def _reviews(state: PipelineState) -> tuple[GateResult, ...]:
    """Reviews that were asked for and gave nothing: skipped is not passed."""
    reviewed = state.last(Stage.REVIEW)
    gates = reviewed.gates if reviewed is not None else ()
    left = (gate for gate in gates if gate.verdict is Verdict.ESCALATE)
    return tuple(replace(gate, reason=f"{gate.gate}: {gate.reason}") for gate in left)


def _of_parts(state: PipelineState) -> tuple[GateResult, ...]:
    """What the parts that are kept left to a person: that is not settled by their being together."""
    return tuple(gate for part in state.of(Stage.CHILD) if part.sha is not None for gate in part.gates)


def _criteria(issue: Issue) -> GateResult:
    """Criteria in words are for a person to judge."""
    if not issue.criteria:
        return _gate("criteria", Verdict.PASS, "the issue states none")
    words = "; ".join(issue.criteria[:5])
    return _gate("criteria", Verdict.ESCALATE, f"{len(issue.criteria)} criterion/criteria to judge: {words}")


def _gate(gate: str, verdict: Verdict, reason: str) -> GateResult:
    return GateResult(gate=gate, verdict=verdict, reason=reason, severity=Severity.MEDIUM)


def _rest(state: PipelineState, ports: Ports, rest: Sequence[Finding]) -> tuple[Left, ...]:
    """What stays, with the reasons that the agents gave."""
    said = {} if state.issue.source is Source.LEFTOVERS else reasons(state, ports)
    handed = ASKED if state.issue.source is Source.LEFTOVERS else ""
    return tuple(left(one, handed or said.get(fingerprint(one)) or _unsaid(one)) for one in rest)


def _handed(state: PipelineState, ports: Ports) -> Callable[[Finding], bool]:
    """Whether a session was given the finding: of others its verification says nothing. A tool gets all."""
    known = base_findings(state, ports) if state.issue.source is Source.LEFTOVERS else None
    given = frozenset(map(fingerprint, known or ()))
    return lambda finding: known is None or fingerprint(finding) in given


def _unsaid(finding: Finding) -> str:
    if finding.rule in BROKEN:
        return "no tool can read this file, so nothing in it is mended"
    return "no agent was asked to mend it"
