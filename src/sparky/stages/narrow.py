"""EXECUTE again, after a stack of deterministic fixes was refused: the largest part of it that is safe.

First by commit, then by unit (one rule in one file). What is left out is named with what it broke, and is
remembered, so that the next run does not try it again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sparky.domain.attempt import Attempt, Stage, Trait, Verdict
from sparky.domain.bisect import largest_safe
from sparky.domain.change import Change
from sparky.domain.finding import Finding, Left, appeared, fingerprint, left
from sparky.domain.gates import Facts, review
from sparky.domain.state import Handoff, PipelineState
from sparky.formats.state_json import encode
from sparky.ports import Ports
from sparky.stages.detect import detect
from sparky.stages.facts import (
    base_findings,
    diff_evidence,
    looked_for,
    named,
    read_change,
    whole_issue,
    with_files,
)
from sparky.stages.stack import UNITS, Layer, apply, layers, message
from sparky.stages.test import find_command, judge, run_tests
from sparky.tools.tool import ToolError, Unit, mends, units

MAX_TRIALS = 60
"""How many subsets are tried at most; what was not shown to be safe by then is left out."""

Piece = tuple[int, Unit]
"""A unit, and the index of its layer."""


def perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """Build the stack anew from its safe units; with none left, the run's commits are withdrawn."""
    stack = layers(state, ports)
    if stack is None:
        reason = "a session's work is among it, which can't be taken apart"
        return replace(handoff.begin(Verdict.REVISE, reason), sha=state.head, error_type="narrow")
    stack = _widened(stack, state, ports)
    trial = _Trial(state=state, ports=ports, stack=stack, stage=state.attempts[-1].stage)
    try:
        kept, culprits = _search(trial)
        sha = trial.build(kept)
    except ToolError as error:
        ports.repository.reset(state.run_id, state.base)
        attempt = replace(handoff.begin(Verdict.REVISE, str(error)), sha=state.base, error_type="tool")
        return replace(attempt, traits=(Trait.CRASHED,), validation_errors=(str(error),))
    return _told(handoff, trial, sha, kept, culprits)


def _widened(stack: Sequence[Layer], state: PipelineState, ports: Ports) -> tuple[Layer, ...]:
    """The stack with the units that an earlier layer made needless: without that layer they are needed."""
    refused = ports.refusals.refusals(state.context.git_dir)
    known = [f for f in base_findings(state, ports) or () if fingerprint(f) not in refused]
    touched: set[str] = set()
    wide = []
    for layer in stack:
        mine = units((f for f in known if f.kind is layer.kind), layer.works)
        needless = {unit for unit in mine if unit.path in touched}
        touched |= {unit.path for unit in layer.units}
        wide.append(replace(layer, units=tuple(sorted({*layer.units, *needless}))))
    return tuple(wide)


@dataclass(kw_only=True)
class _Trial:
    """Builds subsets of a stack and judges them by what refused the whole."""

    state: PipelineState
    ports: Ports
    stack: tuple[Layer, ...]
    stage: Stage
    count: int = 0
    blame: dict[Piece, str] = field(default_factory=dict)

    def is_green(self, pieces: Sequence[Piece]) -> bool:
        """Whether a subset passes the gates, brings no finding, and leaves every test as at base."""
        self.count += 1
        if self.count > MAX_TRIALS:
            return False
        said = f"trial {self.count}: {len(pieces)} of {sum(len(layer.units) for layer in self.stack)} edits"
        self.ports.progress.say(self.state.run_id, said)
        why = self._refusal(self.build(pieces))
        if why and pieces:
            self.blame[pieces[-1]] = why
        return not why

    def build(self, pieces: Sequence[Piece]) -> str:
        """The stack's commits with these units alone, in the run's worktree; returns the tip."""
        state, repository = self.state, self.ports.repository
        sha = state.base
        root = repository.open(state.run_id, state.context.branch, sha)
        wanted = set(pieces)
        for index, layer in enumerate(self.stack):
            chosen = tuple(unit for unit in layer.units if (index, unit) in wanted)
            if chosen:
                before = self._known(sha, sorted({unit.path for unit in chosen}))
                apply(self.ports, root, layer.works, chosen, before)
                count = sum(mends(layer.works, f) and _unit(f) in chosen for f in before)
                text = message(replace(layer, units=chosen), state.run_id, count)
                sha = repository.commit(state.run_id, text) or sha
        return sha

    def _known(self, sha: str, paths: list[str]) -> tuple[Finding, ...]:
        root = self.ports.repository.open(self.state.run_id, self.state.context.branch, sha)
        return detect(self.ports, root, sha, looked_for(self.state), paths).findings

    def _refusal(self, sha: str) -> str:
        """Why the commit is refused, "" if it is not."""
        state, ports = self.state, self.ports
        change = read_change(ports.repository, state.base, sha)
        for gate in review(Facts(issue=whole_issue(state, ports), change=change)):
            if gate.verdict is not Verdict.PASS:
                return f"{gate.gate}: {gate.reason}"
        if self.stage is Stage.REVIEW:
            return ""
        return self._new_findings(sha, change) or self._worse_tests(sha)

    def _new_findings(self, sha: str, change: Change) -> str:
        paths = [file.path for file in change.files if file.status != "D"]
        known = base_findings(self.state, self.ports)
        if not paths or known is None or self.state.base != self.state.context.base:
            return ""
        changed = set(paths)
        old = [f for f in known if f.location.path in changed]
        fresh = appeared(old, self._known(sha, paths))
        return f"brings {left(fresh[0], '').what}" if fresh else ""

    def _worse_tests(self, sha: str) -> str:
        command = find_command(self.state, self.ports)
        if command is None:
            return ""
        base = self.ports.tests.run(
            self.state.context, self.state.base, command, timeout_s=self.state.preferences.test_timeout_s
        )
        head = run_tests(self.state, self.ports, command, sha)
        if head.trouble is not None:
            return f"the tests: {head.trouble.value}"
        worse = judge(self.state, self.ports, base, head).worse
        return f"makes {len(worse)} test(s) worse, such as {worse[0]}" if worse else ""


def _search(trial: _Trial) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """(kept, culprits): by layer first; then, within the layers that are red, by unit."""
    groups = [tuple((i, unit) for unit in layer.units) for i, layer in enumerate(trial.stack)]
    if len(groups) > 1:
        green, red = largest_safe(groups, lambda chosen: trial.is_green(_flat(chosen)))
    else:
        green, red = (), tuple(groups)
    kept = _flat(green)
    for group in red:
        good, _ = largest_safe(group, _beside(trial, kept))
        kept = (*kept, *good)
    left = set(_flat(groups)) - set(kept)
    return kept, tuple(piece for piece in _flat(groups) if piece in left)


def _beside(trial: _Trial, kept: tuple[Piece, ...]) -> Callable[[tuple[Piece, ...]], bool]:
    return lambda pieces: trial.is_green((*kept, *pieces))


def _flat(groups: Sequence[tuple[Piece, ...]]) -> tuple[Piece, ...]:
    return tuple(piece for group in groups for piece in group)


def _told(
    handoff: Handoff, trial: _Trial, sha: str, kept: tuple[Piece, ...], culprits: tuple[Piece, ...]
) -> Attempt:
    """The attempt: what was kept, what was withdrawn and why; the withdrawn is remembered."""
    state, ports = trial.state, trial.ports
    reasons = {unit: trial.blame.get((i, unit), "not shown to be safe") for i, unit in culprits}
    lines, marks = _withdrawn(base_findings(state, ports) or (), reasons)
    ports.refusals.refuse(state.context.git_dir, marks)
    said = f"{len(kept)} edit(s) kept, {len(culprits)} withdrawn after {trial.count} trial(s)"
    changed = sha != state.base
    attempt = handoff.begin(Verdict.PASS if changed else Verdict.REVISE, said)
    attempt = named(replace(attempt, sha=sha), ports, lines)
    if not changed:
        return replace(attempt, traits=(Trait.WITHDRAWN, Trait.NO_CHANGE))
    applied = tuple(
        (layer.part, tuple(unit for index, unit in kept if index == i)) for i, layer in enumerate(trial.stack)
    )
    change = read_change(ports.repository, state.base, sha)
    attempt = replace(
        attempt,
        traits=(Trait.CHANGED, Trait.WITHDRAWN),
        avoided_patterns=tuple(f"{unit.rule} in {unit.path}: {why}" for unit, why in reasons.items())[:20],
        blobs={**attempt.blobs, UNITS: ports.blobs.put(encode(applied))},
        evidence=(diff_evidence(ports.repository, ports.blobs, state.base, sha),),
    )
    return with_files(attempt, change)


def _withdrawn(
    before: Sequence[Finding], reasons: dict[Unit, str]
) -> tuple[tuple[Left, ...], dict[str, str]]:
    """The lines that name the withdrawn findings, and their fingerprints with the reasons."""
    lines: list[Left] = []
    marks: dict[str, str] = {}
    for finding in before:
        unit = _unit(finding)
        if unit in reasons:
            why = f"withdrawn: its fix {reasons[unit]}"
            lines.append(left(finding, why))
            marks[fingerprint(finding)] = why
    return tuple(lines), marks


def _unit(finding: Finding) -> Unit:
    return Unit(path=finding.location.path, rule=finding.rule)
