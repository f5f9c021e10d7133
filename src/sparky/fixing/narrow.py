"""EXECUTE again, after a stack of deterministic fixes was refused: the largest part of it that is safe.

What is left out is named with what it
broke; what a gate, a finding or a test speaks against is remembered, so that the next run does not try it
again. Where the tests can't be run the search ends, and nothing is held against anything.
"""

from collections.abc import Sequence
from dataclasses import replace

from sparky.domain.attempt import Attempt, Responsibility, Trait, Verdict
from sparky.domain.conditions import FAULT
from sparky.domain.finding import Left, fingerprint, left
from sparky.domain.state import Handoff, PipelineState
from sparky.evidence.change import UNITS, base_findings, diff_evidence, named, read_change, with_files
from sparky.evidence.tests import StoppedError, is_untested, withheld
from sparky.fixing.search import Pieces, RestlessError, search
from sparky.fixing.stack import Layer, layers
from sparky.fixing.trial import Trial, trial_of
from sparky.formats.values_json import encode
from sparky.ports import Ports
from sparky.tools.neutral import unshown
from sparky.tools.tool import ToolError, joined, mends, units


def perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """Build the stack anew from its safe units; with none left, the run's commits are withdrawn."""
    stack = layers(state, ports)
    if stack is None:
        reason = "a session's work is among it, which can't be taken apart"
        return replace(handoff.begin(Verdict.REVISE, reason), sha=state.head, error_type="narrow")
    stack = _widened(stack, state, ports)
    trial = trial_of(state, ports, stack)
    try:
        stays = _neutral(trial) if is_untested(state) else ()
        kept, culprits = search(trial)
        sha = trial.build(kept)
    except (ToolError, RestlessError) as error:
        ports.repository.reset(state.run_id, state.base)
        attempt = replace(handoff.begin(Verdict.REVISE, str(error)), sha=state.base, error_type="tool")
        return replace(attempt, traits=(Trait.CRASHED,), validation_errors=(str(error),))
    except StoppedError as stopped:
        ports.repository.reset(state.run_id, state.head)
        return _stopped(handoff, state, stopped)
    return _told(handoff, trial, sha, (kept, culprits), stays)


def _stopped(handoff: Handoff, state: PipelineState, stopped: StoppedError) -> Attempt:
    """The attempt whose search could not go on: the refused commit stays as it is, and nothing is learnt."""
    reason = f"the search for the safe part of the fix was broken off: {stopped}"
    attempt = replace(handoff.begin(Verdict.ESCALATE, reason), sha=state.head, error_type=FAULT)
    step = "mend the cause named above, then run it again"
    return replace(attempt, responsibility=Responsibility.ENVIRONMENT, items=(step,))


def _widened(stack: Sequence[Layer], state: PipelineState, ports: Ports) -> tuple[Layer, ...]:
    """The stack with the units that an earlier layer made needless: without that layer they are needed."""
    known = base_findings(state, ports) or ()
    refused = withheld(ports, state.context, state.preferences, known)
    touched: set[str] = set()
    wide = []
    for layer in stack:
        there = {(unit.path, unit.rule) for unit in layer.units}
        mine = units([f for f in known if f.kind is layer.kind], layer.works, refused)
        needless = [unit for unit in mine if unit.path in touched and (unit.path, unit.rule) not in there]
        touched |= {unit.path for unit in layer.units}
        wide.append(replace(layer, units=tuple(sorted((*layer.units, *needless)))))
    return tuple(wide)


def _neutral(trial: Trial) -> tuple[Left, ...]:
    """Leave the trial nothing but edits that leave the program as it is; what stays for that, with why."""
    state, ports = trial.state, trial.ports
    lines: dict[str, Left] = {}
    kept: Pieces = ()
    for index, layer in enumerate(trial.stack):
        there = {(unit.path, unit.rule) for unit in layer.units}
        paths = sorted({path for path, _ in there})
        all_found = trial.composer.findings(trial.composer.texts(kept), paths, (layer.kind,))
        found = [one for one in all_found if one.kind is layer.kind]
        barred = [one for one in found if mends(layer.works, one) and unshown(one)]
        lines |= {fingerprint(one): left(one, unshown(one)) for one in barred}
        refused = {*withheld(ports, state.context, state.preferences, found), *lines}
        mine = units(found, layer.works, refused)
        kept += tuple((index, unit) for unit in mine if (unit.path, unit.rule) in there)
    trial.stack = tuple(
        replace(layer, units=tuple(unit for i, unit in kept if i == index))
        for index, layer in enumerate(trial.stack)
    )
    return tuple(lines.values())


def _told(
    handoff: Handoff, trial: Trial, sha: str, found: tuple[Pieces, Pieces], stays: tuple[Left, ...]
) -> Attempt:
    """The attempt: what was kept, what was withdrawn and why; what is sure to break again is remembered.

    `stays`: what there are no tests to judge.
    """
    state, ports = trial.state, trial.ports
    kept, culprits = found
    lines, marks = trial.withdrawn(base_findings(state, ports) or (), culprits)
    lines += stays
    ports.refusals.refuse(state.context.git_dir, marks)
    said = f"{len(kept)} edit(s) kept, {len(culprits)} withdrawn after {trial.count} trial(s)"
    said += f", {len(stays)} finding(s) left that only tests could judge" if stays else ""
    # With nothing left of it the run goes on, where other kinds are still to come.
    later = any(route.agent is not None for route in state.routes[handoff.part + 1 :])
    changed = sha != state.base or later
    attempt = handoff.begin(Verdict.PASS if changed or stays else Verdict.REVISE, said)
    attempt = named(replace(attempt, sha=sha), ports, lines)
    if not changed:
        return replace(attempt, traits=(Trait.WITHDRAWN, Trait.NO_CHANGE))
    applied = tuple(
        (layer.part, joined(unit for index, unit in kept if index == i))
        for i, layer in enumerate(trial.stack)
    )
    change = read_change(ports.repository, state.base, sha)
    attempt = replace(
        attempt,
        traits=(Trait.CHANGED, Trait.WITHDRAWN),
        avoided_patterns=tuple(f"{p[1].rule} in {p[1].path}: {trial.why(p).why}" for p in culprits)[:20],
        blobs={**attempt.blobs, UNITS: ports.blobs.put(encode(applied))},
        evidence=(diff_evidence(ports.repository, ports.blobs, state.base, sha),),
    )
    return with_files(attempt, change)
