"""Taking a merged run back: one new commit on the target, merged like any other change."""

from dataclasses import dataclass

from sparky.domain.errors import NeedsPersonError
from sparky.domain.state import Outcome, PipelineState
from sparky.ports import DirtyCheckoutError, Ports, TargetMovedError


@dataclass(frozen=True, kw_only=True)
class Undone:
    """What was taken back: the target branch, its new commit, and a sentence about it."""

    branch: str
    commit: str
    what: str


def undo(state: PipelineState, ports: Ports) -> Undone:
    """Revert what a merged run brought to its target; raises NeedsPersonError where a person has to."""
    target = state.context.target
    if target is None or not state.ends or state.ends[-1].outcome is not Outcome.MERGED:
        raise NeedsPersonError(
            f"nothing of {state.run_id} is merged, so there is nothing to take back; "
            f"`sparky cancel {state.run_id}` ends it, and its branch can be deleted"
        )
    if state.base == state.head:
        said = f"{state.run_id} brought nothing to {target}, which had this change already"
        raise NeedsPersonError(f"{said}: there is nothing to take back; see `git log {target}`")
    with ports.lock.hold(f"merge {state.context.git_dir}"):
        onto = ports.repository.resolve(f"refs/heads/{target}")
        if onto is None:
            raise NeedsPersonError(f"the branch {target} is gone")
        message = f'Revert "{state.issue.title[:60]}"\n\nSparky-Undo: {state.run_id}\n'
        head, conflicts = ports.repository.revert(state.base, state.head, onto, message)
        if head is None:
            raise NeedsPersonError(
                f"later commits changed the same lines: resolve {', '.join(conflicts)} by hand"
            )
        if ports.repository.tree(head) == ports.repository.tree(onto):
            return Undone(branch=target, commit=onto, what=f"{target} does not have these changes any more")
        try:
            ports.repository.merge(target, onto, head)
        except TargetMovedError as error:
            raise NeedsPersonError(f"{error}: run it again") from error
        except DirtyCheckoutError as error:
            raise NeedsPersonError(f"{error}: commit or stash it, then run it again") from error
    return Undone(branch=target, commit=head, what=f"{target} is at {head[:10]}, without the run's changes")
