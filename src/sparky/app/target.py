"""What is done to a target beside the runs: merging several of them together, and taking one back.

A batch is rebased in a row and tested at its tip; if that is red, its largest green part is found by
bisection. Nothing but the runs' branches is changed until the target moves, and those are put back. A batch
that is cut off right after that leaves ready runs, whose change the target has already.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sparky.domain.attempt import Attempt, Stage, Trait, Verdict
from sparky.domain.errors import NeedsPersonError
from sparky.domain.moves import CRITERIA
from sparky.domain.state import Handoff, Outcome, PipelineState
from sparky.fixing.bisect import largest_safe
from sparky.ports import DirtyCheckoutError, Ports, TargetMovedError
from sparky.stages import test, verify

Row = tuple[PipelineState, ...]
"""Runs, each rebased onto the one before it."""
Names = tuple[str, ...]

_SUBJECT = 60
"""Characters of an issue's title in the subject of the commit that takes it back."""


class UndecidedError(Exception):
    """The tests gave no verdict on the batch; the text says why."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """`merged`: the runs that the target has now, with the evidence; `left`: why each other one is left."""

    merged: Row
    left: Mapping[str, str]


def merge_batch(ready: Row, ports: Ports) -> Batch:
    """Merge as many of the runs into their common target as are green together, in their order.

    Raises UndecidedError, and NeedsPersonError if the target can't be moved; then nothing is changed.
    """
    trials = _Trials(ready[0], ports)
    merged: Row = ()
    try:
        fitting = trials.fitting(ready)
        row = trials.largest(fitting) if fitting else ()
        if row:
            trials.move_target(row)
        merged = row
    finally:
        trials.put_back({state.run_id for state in merged})
    return Batch(merged=merged, left=trials.left)


class _Trials:
    """Sets of runs that are tried on one commit of the target."""

    def __init__(self, first: PipelineState, ports: Ports) -> None:
        self._first = first
        self._ports = ports
        self._target = str(first.context.target)
        onto = ports.repository.resolve(f"refs/heads/{self._target}")
        if onto is None:
            raise NeedsPersonError(f"the branch {self._target} is gone: make it again")
        self._onto = onto
        self._opened: dict[str, PipelineState] = {}
        self._green: dict[Names, Row] = {}
        self._red: dict[Names, str] = {}
        self.left: dict[str, str] = {}

    def fitting(self, ready: Row) -> Row:
        """The runs that can be rebased onto the target in a row; why the others can't is in `left`."""
        fitting: Row = ()
        tip = self._onto
        for state in ready:
            head, conflicts = self._rebased(state, tip)
            if head is None:
                said = f"conflicts in {', '.join(conflicts)} with {self._target} or a run before it"
                self.left[state.run_id] = said
            else:
                tip = head
                fitting += (state,)
        return fitting

    def largest(self, fitting: Row) -> Row:
        """The largest part that is green together, as a row; why the others are not in it is in `left`."""
        if self._is_green(fitting):
            return self._green[_names(fitting)]
        kept, culprits = largest_safe(fitting, self._is_green)
        for culprit in culprits:
            before = tuple(s for s in fitting[: fitting.index(culprit)] if s in kept)
            why = self._red.get(_names((*before, culprit))) or self._red[_names(fitting)]
            beside = f"beside {len(before)} run(s) merged before it" if before else f"on {self._target}"
            self.left[culprit.run_id] = f"{beside}: {why}"
        return self._green[_names(kept)] if kept else ()

    def move_target(self, row: Row) -> None:
        """Fast-forward the target to the tip that was tested, each run's branch being where it was tested."""
        for state in row:
            self._ports.repository.reset(state.run_id, state.head)
        with self._ports.lock.hold(f"merge {self._first.context.git_dir}"):
            _move(self._target, self._onto, row[-1].head, self._ports)

    def put_back(self, merged: set[str]) -> None:
        """Leave the branches of the others as they were."""
        for run, state in self._opened.items():
            if run not in merged:
                self._ports.repository.reset(run, state.head)
                self._ports.repository.close(run)

    def _is_green(self, states: Row) -> bool:
        """Whether no test at the tip of these is worse than at the target, and each one is verified."""
        row = self._placed(states)
        if row is None:
            return self._refuse(states, "conflicts without the runs that are left out")
        tested = self._tested(row)
        if tested.verdict is not Verdict.PASS:
            return self._refuse(states, tested.reason)
        row = tuple(self._verified(state, tested, len(row)) for state in row)
        refused = [state.newest.reason for state in row if state.newest.verdict is Verdict.REVISE]
        if refused:
            return self._refuse(states, refused[0])
        self._green[_names(states)] = row
        return True

    def _refuse(self, states: Row, why: str) -> bool:
        self._red[_names(states)] = why
        return False

    def _placed(self, states: Row) -> Row | None:
        """The runs, rebased; None if one conflicts."""
        row: Row = ()
        tip = self._onto
        for state in states:
            head, _ = self._rebased(state, tip)
            if head is None:
                return None
            said = f"{self._target} moved to {self._onto[:10]}: rebased, number {len(row) + 1} of a batch"
            made = _begin(state, Stage.MERGE).begin(Verdict.REVISE, said)
            row += (state.record(replace(made, traits=(Trait.MOVED,), sha=head, base=tip)),)
            tip = head
        return row

    def _rebased(self, state: PipelineState, onto: str) -> tuple[str | None, tuple[str, ...]]:
        self._opened[state.run_id] = state
        self._ports.repository.open(state.run_id, state.context.branch, state.head)
        return self._ports.repository.rebase(state.run_id, onto)

    def _tested(self, row: Row) -> Attempt:
        """TEST, of all together; raises UndecidedError unless it is green or red."""
        context = replace(self._first.context, base=self._onto)
        whole = replace(self._first, context=context, attempts=row[-1].attempts[-1:])
        whole = replace(whole, attempts=(replace(whole.newest, base=self._onto),))
        said = f"testing {len(row)} run(s) together on {self._target} at {self._onto[:10]}"
        self._ports.progress.say(self._first.run_id, said)
        attempt = test.perform(_begin(whole, Stage.TEST), whole, self._ports)
        if attempt.verdict not in {Verdict.PASS, Verdict.REVISE}:
            raise UndecidedError(attempt.reason)
        return attempt

    def _verified(self, state: PipelineState, tested: Attempt, count: int) -> PipelineState:
        """A run of the row with the TEST of all as its own, and VERIFY."""
        said = f"{tested.reason}; at {str(tested.sha)[:10]}, together with {count - 1} other run(s)"
        number = _begin(state, Stage.TEST).number
        state = state.record(replace(tested, number=number, reason=said, sha=state.head))
        return state.record(verify.perform(_begin(state, Stage.VERIFY), state, self._ports))


def _names(states: Row) -> Names:
    return tuple(state.run_id for state in states)


def _begin(state: PipelineState, stage: Stage) -> Handoff:
    number = len(state.of(stage)) + 1
    return Handoff(stage=stage, reason="merged in a batch", success_criteria=CRITERIA[stage], number=number)


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
            f"what it did is on its branch alone, if anywhere: see `sparky show {state.run_id}`"
        )
    if state.base == state.head:
        said = f"{state.run_id} brought nothing to {target}, which had this change already"
        raise NeedsPersonError(f"{said}: there is nothing to take back; see `git log {target}`")
    with ports.lock.hold(f"merge {state.context.git_dir}"):
        onto = ports.repository.resolve(f"refs/heads/{target}")
        if onto is None:
            raise NeedsPersonError(f"the branch {target} is gone")
        title = state.issue.title
        shown = title if len(title) <= _SUBJECT else f"{title[: _SUBJECT - 1]}…"
        message = f'Revert "{shown}"\n\nSparky-Undo: {state.run_id}\n'
        head, conflicts = ports.repository.revert(state.base, state.head, onto, message)
        if head is None:
            raise NeedsPersonError(
                f"later commits changed the same lines: resolve {', '.join(conflicts)} by hand"
            )
        if ports.repository.tree(head) == ports.repository.tree(onto):
            return Undone(branch=target, commit=onto, what=f"{target} does not have these changes any more")
        _move(target, onto, head, ports)
    return Undone(branch=target, commit=head, what=f"{target} is at {head[:10]}, without the run's changes")


def _move(target: str, onto: str, head: str, ports: Ports) -> None:
    """Fast-forward the target; raises NeedsPersonError if it can't be moved now."""
    try:
        ports.repository.merge(target, onto, head)
    except TargetMovedError as error:
        raise NeedsPersonError(f"{error}: run it again") from error
    except DirtyCheckoutError as error:
        raise NeedsPersonError(f"{error}: commit or stash it, then run it again") from error
