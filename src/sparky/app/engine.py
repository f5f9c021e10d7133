"""Driving runs: the claim, the durable engine under it, and the closing."""

import errno
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from sparky.adapters.cancellation import Cancellation
from sparky.adapters.result_file import write_result
from sparky.adapters.store_file import StoreError
from sparky.adapters.turn import Turn
from sparky.adapters.waiting import told
from sparky.app.build import ports_for
from sparky.app.children import perform_child
from sparky.app.read import House
from sparky.domain.attempt import TRACEBACK, Attempt, Budget, Responsibility, Stage, Verdict
from sparky.domain.conditions import FAULT
from sparky.domain.errors import UserError
from sparky.domain.flow import decide
from sparky.domain.run import Life, RunRow
from sparky.domain.state import End, Handoff, Outcome, PipelineState
from sparky.durable import Durable
from sparky.evidence.briefing import leave
from sparky.pipeline import Steps
from sparky.ports import GitError, Ports
from sparky.stages.table import perform
from sparky.tools.tool import ToolError

KEPT = frozenset({Outcome.READY, Outcome.PARTIAL, Outcome.BLOCKED, Outcome.FAILED, Outcome.CANCELLED})
"""Outcomes after which the work branch stays, if it holds anything."""

FOREIGN = frozenset({Stage.EXECUTE, Stage.REVIEW, Stage.TEST})
"""Stages that run foreign code, which may take long."""

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})
"""What the system says of a disk that takes no more."""


class DiskError(UserError):
    """A file can't be written for want of room; the text says which, and what to do."""


class LocalSteps:
    """The loop's steps, against the real world and the store."""

    def __init__(self, house: House, ports: Ports) -> None:
        self._house = house
        self._ports = ports
        self._turn = Turn(house.locks)

    def decide(self, state: PipelineState) -> Handoff | End:
        """The flow's decision, with what a person asked for in between."""
        return decide(self._with_today(state), cancelled=self._cancellation(state).asked())

    def _with_today(self, state: PipelineState) -> PipelineState:
        """The state with what the repository's sessions have cost today, where that is limited."""
        if state.preferences.day_budget == Budget():
            return state
        day = datetime.now(UTC).date().isoformat()
        return replace(state, today=self._house.store.spent_since(state.context.git_dir, day))

    def perform(self, handoff: Handoff, state: PipelineState) -> Attempt:
        """One attempt, projected into the store; raises StoreError, and OSError for a disk that is full."""
        try:
            halting = self._cancellation(state).halting(self._ports.shell.halt)
            with halting if handoff.stage in FOREIGN else nullcontext(), self._turn.ended_by_errors():
                attempt = self._perform(handoff, self._with_today(state))
        except GitError as error:
            attempt = _fault(handoff, str(error), Responsibility.ENVIRONMENT, error.step)
        except ToolError as error:
            attempt = _fault(handoff, str(error), Responsibility.ENVIRONMENT, "mend what stops the tool")
        except Exception as error:
            if isinstance(error, StoreError) or _is_of_disk(error):
                raise
            report = self._ports.blobs.put(traceback.format_exc().encode())
            said = f"{type(error).__name__}: {error}"
            step = f"report it with the traceback: sparky logs {state.run_id} --blob {report[:12]}"
            attempt = _fault(handoff, f"sparky's own fault: {said}", Responsibility.SPARKY, step)
            attempt = replace(attempt, blobs={TRACEBACK: report})
        self._house.store.save_attempt(state.run_id, len(state.attempts), attempt)
        return attempt

    def _perform(self, handoff: Handoff, state: PipelineState) -> Attempt:
        if handoff.not_before is not None and not self._waited(handoff.not_before, state):
            return handoff.begin(Verdict.ESCALATE, "cancelled while it waited for its model")
        if handoff.stage is Stage.MERGE and not self._is_its_turn(state):
            return handoff.begin(Verdict.ESCALATE, "cancelled while it waited for its turn")
        if handoff.stage is not Stage.CHILD:
            return perform(handoff, state, self._ports)
        return perform_child(
            handoff, state, self._house, self._ports, lambda ports: LocalSteps(self._house, ports)
        )

    def _waited(self, until: float, state: PipelineState) -> bool:
        """Wait until then; False if cancelled. The moment was recorded: a resumed run waits for the rest."""
        if (left := until - time.time()) > 0:
            self._house.progress.say(state.run_id, f"waits {left:.0f} s until its model can be asked again")
        return self._cancellation(state).waited(lambda: time.time() >= until)

    def _is_its_turn(self, state: PipelineState) -> bool:
        """Whether the run can be merged now: when those before it have been, unless it is cancelled."""
        say = partial(self._house.progress.say, state.run_id)
        return self._turn.take(state.context, say, self._cancellation(state).waited)

    def _cancellation(self, state: PipelineState) -> Cancellation:
        """Whether a person asked for the end of the run, or of what it is a part of."""
        return self._house.cancellation(state.run_id, state.pipeline_id)

    def close(self, state: PipelineState) -> None:
        """Remove the worktree; keep the branch if it holds work that is nowhere else; store the end."""
        run, end = state.run_id, state.ends[-1]
        try:
            self._tidy(state, kept=end.outcome in KEPT and state.head != state.base)
        except GitError as error:
            self._house.progress.say(run, f"left as it is: {error}")
        self._trace(state)
        self._write_result(state)  # before the end is stored: what has an end is not resumed
        self._house.store.save_end(state)
        self._turn.end()
        self._house.progress.say(run, f"{end.outcome.value}: {end.reason}")

    def _trace(self, state: PipelineState) -> None:
        """Send the segment to a collector of traces, where one is named."""
        if collector := self._house.environment.collector:
            try:
                from sparky.adapters.traces import send  # an optional extra
            except ImportError:
                said = "no trace is sent: it takes the extra, sparky-agents[otel]"
                self._house.progress.say(state.run_id, said)
            else:
                send(state, collector)

    def _write_result(self, state: PipelineState) -> None:
        """Leave the result beside the issue, where that is wanted; what hinders it is said, and no more."""
        if path := state.context.result_file:
            try:
                write_result(Path(path), self._house.result(state), state.context)
            except OSError as error:
                self._house.progress.say(state.run_id, f"{path} could not be written: {error.strerror}")

    def _tidy(self, state: PipelineState, *, kept: bool) -> None:
        run, repository = state.run_id, self._ports.repository
        repository.close(run)
        if state.head != state.context.base:
            # After a rebase the kept ref holds the commits from before it, which are nowhere else; also where
            # nothing was left of them, since the target had the change already.
            repository.keep(run, state.head)
        if kept or state.ends[-1].outcome is Outcome.BLOCKED:  # an answer goes on with what was reported
            leave(state, self._ports)
        else:
            self._ports.reports.drop(run)
        if not kept:
            repository.drop(run, state.context.branch)


def local_steps(house: House, state: PipelineState) -> Steps:
    """The steps of a run in its own repository."""
    waiting = told(partial(house.progress.say, state.run_id))
    return LocalSteps(house, replace(ports_for(house, state.context, state.preferences), waiting=waiting))


class Engine:
    """One process's engine: it drives the runs that it starts, and those that it adopts."""

    def __init__(
        self,
        house: House,
        executor: str,
        *,
        adopting: bool,
        steps: Callable[[House, PipelineState], Steps] = local_steps,
    ) -> None:
        self._house = house
        self._executor = executor
        self._durable = Durable(
            house.environment.database, executor, lambda state: steps(house, state), adopting=adopting
        )
        self._durable.launch()

    def start(self, state: PipelineState) -> None:
        """Drive a segment whose claim is held, to its end.

        Raises UserError for what a person can mend, else what nobody planned; the run can then be resumed.
        """
        with self._disk():
            self._durable.start(state)

    def adopt(self, row: RunRow) -> bool:
        """Go on with an interrupted run, to its end; False if another process has it. Raises as `start`."""
        with self._house.locks.attempt(row.executor) as free:
            current = self._house.store.row(row.run_id)
            if not free or current is None or self._life(current, row.executor) is not Life.INTERRUPTED:
                return False
            self._house.store.adopt(row.run_id, self._executor)
            wait = self._durable.adopt(self._house.store.state(row.run_id))
        with self._disk():
            wait()
        return True

    def stop(self) -> None:
        """Stop; what is not at its end can be resumed."""
        self._durable.stop()

    @contextmanager
    def _disk(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if not _is_of_disk(error):
                raise
            said = f"{error.filename or self._house.environment.state}: {error.strerror}"
            raise DiskError(f"{said}; make room there, then `sparky resume`") from error

    def _life(self, row: RunRow, held: str) -> Life:
        """Where a run stands, not counting the lock that this very process holds to adopt it."""
        return row.life(driven=row.executor != held and self._house.locks.is_held(row.executor))


def _is_of_disk(error: Exception) -> bool:
    return isinstance(error, OSError) and error.errno in _FULL


def _fault(handoff: Handoff, reason: str, whose: Responsibility, step: str) -> Attempt:
    attempt = handoff.begin(Verdict.ESCALATE, reason)
    return replace(attempt, responsibility=whose, error_type=FAULT, items=(step,))
