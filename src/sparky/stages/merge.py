"""MERGE: the target is fast-forwarded to the commit that the evidence covers, or nothing happens."""

from dataclasses import replace

from sparky.domain.attempt import Attempt, Trait, Verdict
from sparky.domain.state import Handoff, PipelineState
from sparky.ports import DirtyCheckoutError, GitError, Ports, TargetMovedError

_SHOWN = 3


def perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """Merge, one at a time for each repository; a target that moved is rebased onto, and tested again."""
    target, head = state.context.target, state.head
    if target is None:
        return _waits(handoff, "HEAD is detached: there is no branch to merge into", "check out a branch")
    if state.tested_sha() != head:
        attempt = handoff.begin(Verdict.REVISE, f"{head[:10]} is not the commit that was tested")
        return replace(attempt, traits=(Trait.MOVED,))
    with ports.lock.hold(f"merge {state.context.git_dir}"):
        try:
            ports.repository.merge(target, state.base, head)
        except TargetMovedError:
            return _rebased(handoff, state, ports, target)
        except DirtyCheckoutError as error:
            return replace(_waits(handoff, str(error), "commit or stash your changes"), traits=(Trait.DIRTY,))
        except GitError as error:
            return _waits(handoff, str(error), error.step)
    told = "which no test looked at" if state.has(Trait.NO_TESTS) else "the tested commit"
    attempt = handoff.begin(Verdict.PASS, f"{target} has {head[:10]}, {told}{_beside(state, ports, target)}")
    return replace(attempt, traits=(Trait.MERGED,), sha=head)


def _beside(state: PipelineState, ports: Ports, target: str) -> str:
    """What a person put on the work branch, and the target does not have; "" for nothing."""
    branch = state.context.branch
    tip = ports.repository.resolve(f"refs/heads/{branch}")
    if tip is None or tip == state.head:
        return ""
    more = ports.repository.log(ports.repository.resolve(f"refs/heads/{target}") or state.head, tip)
    if not more:
        return ""
    shown = "; ".join(f"{sha[:10]} {subject}" for sha, subject in more[:_SHOWN])
    rest = f" (and {len(more) - _SHOWN} more)" if len(more) > _SHOWN else ""
    return f"; not merged, since not tested: {len(more)} commit(s) of others on {branch}: {shown}{rest}"


def _rebased(handoff: Handoff, state: PipelineState, ports: Ports, target: str) -> Attempt:
    onto = ports.repository.resolve(f"refs/heads/{target}")
    if onto is None:
        return _waits(handoff, f"the branch {target} is gone", f"make {target} again")
    ports.repository.open(state.run_id, state.context.branch, state.head)
    head, conflicts = ports.repository.rebase(state.run_id, onto)
    if head is None:
        again = f"or run it again: it starts anew at {onto[:10]}"
        steps = (*(f"resolve conflict in {path}" for path in conflicts), again)
        attempt = handoff.begin(Verdict.ESCALATE, f"{target} moved, and does not go with this change")
        return replace(attempt, traits=(Trait.CONFLICT,), items=steps, validation_errors=conflicts)
    if head == onto:
        attempt = handoff.begin(Verdict.PASS, f"{target} has this change already")
        return replace(attempt, traits=(Trait.MERGED,), sha=head, base=onto)
    reason = f"{target} moved to {onto[:10]}: rebased, to be tested again"
    return replace(handoff.begin(Verdict.REVISE, reason), traits=(Trait.MOVED,), sha=head, base=onto)


def _waits(handoff: Handoff, reason: str, step: str) -> Attempt:
    return replace(handoff.begin(Verdict.ESCALATE, reason), items=(step,), error_type="merge")
