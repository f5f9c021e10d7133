"""Driving runs: the claim, the durable engine under it, and the closing."""

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from threading import Event, Thread

from sparky.app.build import ports_for
from sparky.app.read import House
from sparky.domain.attempt import Attempt, Responsibility, Stage, Verdict
from sparky.domain.flow import FAULT, decide
from sparky.domain.run import Life, RunRow
from sparky.domain.state import End, Handoff, Outcome, PipelineState
from sparky.durable import Durable
from sparky.pipeline import Steps
from sparky.ports import GitError, Ports
from sparky.stages.table import perform
from sparky.tools.tool import ToolError

KEPT = frozenset({Outcome.READY, Outcome.PARTIAL, Outcome.BLOCKED, Outcome.FAILED, Outcome.CANCELLED})
"""Outcomes after which the work branch stays, if it holds anything."""

FOREIGN = frozenset({Stage.EXECUTE, Stage.TEST})
"""Stages that run foreign code, which may take long."""

_LOOK_S = 0.3
"""How often a stage that is being performed looks whether its run was cancelled."""


class LocalSteps:
    """The loop's steps, against the real world and the store."""

    def __init__(self, house: House, ports: Ports) -> None:
        self._house = house
        self._ports = ports

    def decide(self, state: PipelineState) -> Handoff | End:
        """The flow's decision, with what a person asked for in between."""
        return decide(state, cancelled=self._house.store.cancelled(state.run_id))

    def perform(self, handoff: Handoff, state: PipelineState) -> Attempt:
        """One attempt, projected into the store."""
        try:
            with self._watching(state.run_id) if handoff.stage in FOREIGN else nullcontext():
                attempt = perform(handoff, state, self._ports)
        except GitError as error:
            attempt = _fault(handoff, str(error), Responsibility.ENVIRONMENT, "mend what git says")
        except ToolError as error:
            attempt = _fault(handoff, str(error), Responsibility.ENVIRONMENT, "mend what stops the tool")
        except Exception as error:  # noqa: BLE001 - nothing may leave a run without an end
            report = self._ports.blobs.put(traceback.format_exc().encode())
            said = f"{type(error).__name__}: {error}"
            step = f"report it with the traceback: sparky logs {state.run_id} --blob {report[:12]}"
            attempt = _fault(handoff, f"sparky's own fault: {said}", Responsibility.SPARKY, step)
            attempt = replace(attempt, blobs={"traceback": report})
        self._house.store.save_attempt(state.run_id, len(state.attempts), attempt)
        return attempt

    @contextmanager
    def _watching(self, run: str) -> Iterator[None]:
        """End the foreign commands of a stage as soon as a person asks for the run's end."""
        done = Event()

        def watch() -> None:
            while not done.wait(_LOOK_S):
                if self._house.store.cancelled(run):
                    self._ports.shell.halt()
                    return

        watcher = Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()

    def close(self, state: PipelineState) -> None:
        """Remove the worktree; keep the branch if it holds work that is nowhere else; store the end."""
        run, end = state.run_id, state.ends[-1]
        try:
            self._tidy(state, kept=end.outcome in KEPT and state.head != state.base)
        except GitError as error:
            self._house.progress.say(run, f"left as it is: {error}")
        self._house.store.save_end(state)
        self._house.progress.say(run, f"{end.outcome.value}: {end.reason}")

    def _tidy(self, state: PipelineState, *, kept: bool) -> None:
        run, repository = state.run_id, self._ports.repository
        repository.close(run)
        if state.head != state.base:
            # After a rebase the kept ref holds the commits from before it, which are nowhere else.
            repository.keep(run, state.head)
        if not kept:
            repository.drop(run, state.context.branch)


def local_steps(house: House, state: PipelineState) -> Steps:
    """The steps of a run in its own repository."""
    return LocalSteps(house, ports_for(house, state.context, state.preferences))


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
        """Drive a segment whose claim is held, to its end."""
        self._durable.start(state)
        self._durable.wait(state)

    def adopt(self, row: RunRow) -> bool:
        """Go on with an interrupted run, to its end; False if another process has it already."""
        with self._house.locks.attempt(row.executor) as free:
            current = self._house.store.row(row.run_id)
            if not free or current is None or self._life(current, row.executor) is not Life.INTERRUPTED:
                return False
            self._house.store.adopt(row.run_id, self._executor)
            state = self._house.store.state(row.run_id)
            self._durable.adopt(state)
        self._durable.wait(state)
        return True

    def stop(self) -> None:
        """Stop; what is not at its end can be resumed."""
        self._durable.stop()

    def _life(self, row: RunRow, held: str) -> Life:
        """Where a run stands, not counting the lock that this very process holds to adopt it."""
        return row.life(driven=row.executor != held and self._house.locks.is_held(row.executor))


def _fault(handoff: Handoff, reason: str, whose: Responsibility, step: str) -> Attempt:
    attempt = handoff.begin(Verdict.ESCALATE, reason)
    return replace(attempt, responsibility=whose, error_type=FAULT, items=(step,))
