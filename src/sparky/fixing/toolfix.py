"""EXECUTE by a deterministic agent: a tool edits, sparky looks again, and only what helped is kept."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from sparky.domain.agent import ToolFix
from sparky.domain.attempt import Attempt, Tally, Trait, Verdict
from sparky.domain.change import Change
from sparky.domain.finding import Finding, Fix, Left, fingerprint, left
from sparky.domain.issue import Issue, Kind, Source
from sparky.domain.reference import in_scope, paths_mentioned
from sparky.domain.state import Handoff, PipelineState
from sparky.evidence.change import (
    SEEN,
    UNITS,
    base_findings,
    diff_evidence,
    findings_at,
    kinds_of,
    looked_for,
    named,
    syntax_error,
    with_files,
)
from sparky.evidence.detect import bind, detect
from sparky.evidence.tests import heard_at, trace_calls, withheld
from sparky.fixing.early import Worse, safe_part, worse_for
from sparky.fixing.stack import Layer, apply, message
from sparky.formats.values_json import encode
from sparky.ports import Ports
from sparky.tools.faults import appeared, fixed, told_once
from sparky.tools.neutral import unshown
from sparky.tools.table import ALONE
from sparky.tools.tool import SILENT, ToolError, Unit, units

_NO_TYPE = "needs a coding agent: no type was found that the checker and the tests bear out"

_ROUNDS = 2
"""How often what a fix brings is mended with it."""


@dataclass(frozen=True, kw_only=True)
class _Work:
    """What there is to do: what is found at the start, and `after`, and the units that may be applied.

    `brought`: what is mended with it that was not there at the start.
    """

    root: Path
    start: str
    kind: Kind
    works: ToolFix
    worse: Worse
    before: tuple[Finding, ...]
    units: tuple[Unit, ...]
    refused: dict[str, str]
    after: tuple[Finding, ...] = ()
    brought: tuple[Finding, ...] = ()

    @property
    def touched(self) -> tuple[str, ...]:
        """The files that are edited, sorted."""
        return tuple(sorted({unit.path for unit in self.units}))

    @property
    def old(self) -> tuple[Finding, ...]:
        """What was found in them at the start, and what no answer was given to."""
        touched = {*self.touched}
        return tuple(f for f in self.before if f.location.path in touched or f.rule == SILENT)


def perform(handoff: Handoff, state: PipelineState, ports: Ports, works: ToolFix) -> Attempt:
    """Mend the findings of one kind in the run's worktree, as one commit."""
    start = handoff.rollback_sha
    root = ports.repository.open(state.run_id, state.context.branch, start)
    try:
        work = _mend(state, ports, _find(handoff, state, ports, works, root))
        attempt = _keep(handoff, state, ports, _spared(handoff, state, ports, work))
    except ToolError as error:
        ports.repository.reset(state.run_id, start)
        attempt = replace(handoff.begin(Verdict.REVISE, str(error)), traits=(Trait.CRASHED,), sha=start)
        return replace(attempt, error_type="tool", validation_errors=(str(error),))
    return attempt


def _find(handoff: Handoff, state: PipelineState, ports: Ports, works: ToolFix, root: Path) -> _Work:
    start, kind = handoff.rollback_sha, state.routes[handoff.part].kind
    before = findings_at(state, ports, start)
    if before is None:
        known = base_findings(state, ports)
        paths = sorted({f.location.path for f in known}) if known is not None else ["."]
        kinds, heard = (*looked_for(state), kind), heard_at(state, ports, lambda: start)
        before = detect(ports, root, start, kinds, paths, before=known, hear=heard).findings if paths else ()
    mine = [one for one in before if one.kind is kind]
    refused = withheld(ports, state.context, state.preferences, mine)
    refused |= _outside(state.issue, ports.repository.files(start), mine)
    refused |= _unread(ports, start, [one for one in mine if one.fix is not Fix.NONE])
    todo = units(mine, works, refused)
    return _Work(
        root=root,
        start=start,
        kind=kind,
        works=works,
        worse=worse_for(handoff, state, ports),
        before=before,
        units=todo,
        refused=refused,
    )


def _outside(issue: Issue, files: Sequence[str], findings: Iterable[Finding]) -> dict[str, str]:
    """Fingerprints of what an issue does not name, or leaves out, with that as the reason."""
    if issue.source is Source.FINDINGS:
        return {}
    meant, spared = paths_mentioned(issue.title, frozenset(files))
    said = issue.files or meant
    alone, but = f"the issue speaks of {', '.join(said)} alone", f"the issue leaves {', '.join(spared)} alone"
    out = {fingerprint(one): alone for one in findings if not in_scope(one.location.path, said)}
    left_out = (one for one in findings if spared and in_scope(one.location.path, spared))
    return {**out, **{fingerprint(one): but for one in left_out}}


def _unread(ports: Ports, start: str, findings: Sequence[Finding]) -> dict[str, str]:
    """Fingerprints of what stands in files that this Python can't read, with why: no gate could judge it."""
    paths = sorted({path for one in findings if (path := one.location.path).endswith((".py", ".pyi"))})
    judged = ((path, syntax_error(source)) for path, source in ports.repository.contents(start, paths))
    told = {path: f"sparky's own Python can't read this file: {why}" for path, why in judged if why}
    return {fingerprint(one): told[one.location.path] for one in findings if one.location.path in told}


def _mend(state: PipelineState, ports: Ports, work: _Work, rounds: int = _ROUNDS) -> _Work:
    """Apply the units, and look again at what was touched.

    What a fix brings that the same agent mends is mended with it: a comprehension that was a call of `dict`
    may be one of `dict.fromkeys`.
    """
    if not work.units:
        return replace(work, after=work.old)
    shown, heard = partial(trace_calls, state, ports), heard_at(state, ports, lambda: work.start)
    apply(ports, work.root, work.works, work.units, work.before, shown=shown, hear=heard)
    work = replace(work, after=_look(state, ports, work))
    more = _more(work) if rounds else work
    if more.units == work.units:
        return work
    _put_back(ports, work, work.touched)
    return _mend(state, ports, more, rounds - 1)


def _more(work: _Work) -> _Work:
    """With the units for what was brought, too, where the edits of a file follow from that file alone."""
    new = appeared((*work.old, *work.brought), work.after)
    brought = (*work.brought, *(f for f in new if f.kind is work.kind and f.tool in ALONE))
    mine = (*(f for f in work.before if f.kind is work.kind), *brought)
    return replace(work, units=units(mine, work.works, work.refused), brought=brought)


def _put_back(ports: Ports, work: _Work, paths: Iterable[str]) -> None:
    for path in paths:
        (work.root / path).write_bytes(ports.repository.read(work.start, path) or b"")


def _spared(handoff: Handoff, state: PipelineState, ports: Ports, work: _Work) -> _Work:
    """Without the edits that make something worse, if there are any."""
    fresh = work.worse(work.old, work.after)
    if not fresh:
        return work
    layer = Layer(part=handoff.part, kind=work.kind, agent=handoff.agent, works=work.works, units=work.units)
    safe = safe_part(state, ports, layer, start=work.start, before=work.before, fresh=fresh, worse=work.worse)
    return replace(work, units=safe.units, after=safe.after, refused={**work.refused, **safe.left})


def _keep(handoff: Handoff, state: PipelineState, ports: Ports, work: _Work) -> Attempt:
    """Put back the files whose edits have no ground to stay, commit the rest."""
    old, new, mine = work.old, work.after, {*work.touched}
    helped = {f.location.path for f in fixed(old, new) if f.kind is work.kind}
    # What ends no failure has none; a layout that a tool brought may stay.
    back = mine - helped if work.kind is Kind.TEST_FAILURE else set()
    if back:
        _put_back(ports, work, back)
        new = (
            *(f for f in new if f.location.path not in back),
            *(f for f in old if f.location.path in back),
        )
    gone = _told(state, work.kind, fixed(old, new))
    others = [f for f in work.before if f.location.path not in mine and f.rule != SILENT]
    kept = tuple(unit for unit in work.units if unit.path not in back)
    layer = Layer(part=handoff.part, kind=work.kind, agent=handoff.agent, works=work.works, units=kept)
    sha = ports.repository.commit(state.run_id, message(layer, state, ports, len(gone))) if gone else None
    if sha is None:
        ports.repository.reset(state.run_id, work.start)
    rest = _told(state, work.kind, (*new, *others))
    tally = Tally(before=len(gone) + len(rest), fixed=len(gone), refused=len(back), rest=len(rest))
    attempt = _said(handoff, work.kind, tally, changed=sha is not None)
    if any(map(unshown, (*gone, *work.brought))):
        attempt = replace(attempt, traits=(*attempt.traits, Trait.UNSHOWN))
    attempt = named(replace(attempt, sha=sha or work.start), ports, _lines(ports, work, rest))
    if sha is None:
        return attempt
    changes = ports.repository.changes(work.start, sha)
    evidence = (diff_evidence(ports.repository, ports.blobs, work.start, sha),)
    seen = ports.blobs.put(encode((*new, *others)))
    blobs = {**attempt.blobs, SEEN: seen, UNITS: ports.blobs.put(encode(((handoff.part, kept),)))}
    attempt = replace(attempt, blobs=blobs, evidence=evidence)
    return with_files(attempt, Change(files=changes))


def _told(state: PipelineState, kind: Kind, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Those of a kind; a fault that is told under several kinds of the run is of the one that is shown."""
    asked = {*kinds_of(state), kind}
    return tuple(one for one in told_once(f for f in findings if f.kind in asked) if one.kind is kind)


def _look(state: PipelineState, ports: Ports, work: _Work) -> tuple[Finding, ...]:
    there = {path: (work.root / path).read_bytes() for path in work.touched}
    kinds = (*looked_for(state), work.kind)
    heard = heard_at(state, ports, lambda: ports.repository.overlay(work.start, there))
    before = work.before
    return detect(ports, work.root, work.start, kinds, work.touched, before=before, hear=heard).findings


def _said(handoff: Handoff, kind: Kind, tally: Tally, *, changed: bool) -> Attempt:
    if changed:
        reason = f"{tally.fixed} of {tally.before} {kind.value} finding(s) mended, {tally.rest} left"
        return replace(handoff.begin(Verdict.PASS, reason), traits=(Trait.CHANGED,), tally=tally)
    reason = (
        f"none of {tally.before} {kind.value} finding(s) can be mended" if tally.before else "nothing found"
    )
    idle = (Trait.NOTHING_TO_DO, Trait.NO_CHANGE)
    return replace(handoff.begin(Verdict.PASS, reason), traits=idle, tally=tally)


def _lines(ports: Ports, work: _Work, rest: Sequence[Finding]) -> tuple[Left, ...]:
    tools = {name: bind(ports, name, work.root) for name in {finding.tool for finding in rest}}
    lines = []
    for finding in rest:
        tool = tools[finding.tool]
        stay = tool.why_left(finding, work.works)
        why = stay.why if stay else work.refused.get(fingerprint(finding))
        lines.append(left(finding, why or (_NO_TYPE if tool.learns else "its fix did not make it go away")))
    return tuple(lines)
