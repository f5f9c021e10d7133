"""The durable engine: the only place that knows DBOS.

A segment of a run is one workflow. Each decision, each performance and the closing are recorded steps, so
that a run goes on where it stood, also when the flow was edited in between. JSON at the door, never pickle.

An error is never recorded, neither as a step's result nor as the workflow's: the step would be over for good.
The workflow stays pending instead, and whoever takes it up performs that step anew.
"""

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from sparky.domain.attempt import Attempt
from sparky.domain.errors import UserError, database_trouble
from sparky.domain.state import End, Handoff, PipelineState
from sparky.formats.state_json import dump_next, load_next
from sparky.formats.values_json import dump, load
from sparky.pipeline import Steps, drive

APPLICATION_VERSION = "1"
"""Pinned by hand. Raise it only when recorded runs can't be continued by the new code."""

T = TypeVar("T")

_POLL_S = 0.05
"""How often the queue is looked at; in DBOS's own second every adoption would wait at its start."""

_PROBE_S = 1.0
"""How often it is tried whether the database takes writes, while the queue has not taken a workflow up."""

_SETTLE_S = 5.0
"""How long the end of a segment may wait for DBOS's note of it."""

_OVER = {"SUCCESS", "ERROR"}
"""A workflow that DBOS does not let go on; its copy can, from any of its steps."""


class DurableError(UserError):
    """The engine's records can't be read or written; the text says where they are and what to do."""


class _InterruptedError(BaseException):
    """Carries an error past DBOS, which would record an Exception as the end."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


@event.listens_for(Engine, "connect")
def _write_ahead(connection: object, _entry: ConnectionPoolEntry) -> None:
    """WAL with synchronous NORMAL: readers never wait, and a commit costs no fsync."""
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")


class _Recorded:
    """The loop's steps, each recorded by DBOS under its own name."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def decide(self, state: PipelineState) -> Handoff | End:
        return load_next(_step("decide", lambda: dump_next(self._steps.decide(state))))

    def perform(self, handoff: Handoff, state: PipelineState) -> Attempt:
        plain = _step("perform", lambda: dump(self._steps.perform(handoff, state)))
        return load(plain, Attempt)

    def close(self, state: PipelineState) -> None:
        _step("close", lambda: self._steps.close(state))


class Durable:
    """Runs segments as DBOS workflows in one SQLite file, as one executor."""

    def __init__(
        self, database: Path, executor: str, steps: Callable[[PipelineState], Steps], *, adopting: bool
    ) -> None:
        """`adopting`: it takes over runs of others, and so listens to one queue, its own."""
        self._database = database
        self._executor = executor
        self._adopting = adopting
        self._driven: dict[str, Future[None]] = {}
        logging.getLogger("dbos").setLevel(logging.CRITICAL)
        self._dbos = DBOS(
            config=DBOSConfig(
                name="sparky",
                system_database_url=f"sqlite:///{database}",
                application_version=APPLICATION_VERSION,
                executor_id=executor,
                serializer=DBOSPortableJSONSerializer(),
                log_level="CRITICAL",
                notification_listener_polling_interval_sec=_POLL_S,
            )
        )

        @DBOS.workflow(name="segment")
        def segment(plain: dict[str, Any]) -> None:
            with self._told(str(DBOS.workflow_id)):
                state = load(plain, PipelineState)
                drive(state, _Recorded(steps(state)))

        self._segment = segment

    def launch(self) -> None:
        """Start the engine; raises DurableError."""
        with self._errors():
            DBOS.listen_queues([self._executor] if self._adopting else [])
            DBOS.launch()
            if self._adopting:
                self._listen()

    def start(self, state: PipelineState) -> None:
        """Drive the current segment of a run, which never was started, to its end.

        Raises DurableError, and whatever the steps raise; the run can then be adopted.
        """
        self._start(workflow_id(state), state)

    def adopt(self, state: PipelineState) -> Callable[[], None]:
        """Take over a segment whose executor is gone; returns what waits for its end.

        One that DBOS holds to be over, though the run has no end, or that has an error recorded, goes on as a
        copy of itself from the step that failed. Both calls raise as `start` does.
        """
        with self._errors():
            name = _newest(workflow_id(state))
            found = DBOS.get_workflow_status(name)
            if found is None:
                return lambda: self._start(name, state)
            first = _failed_step(name, over=found.status in _OVER)
            going = name if first is None else f"{name}+"
            self._driven[going] = Future()
            if first is None:
                DBOS.resume_workflows([name], queue_name=self._executor)
            else:
                with SetWorkflowID(going):
                    DBOS.fork_workflow(
                        name, first, application_version=APPLICATION_VERSION, queue_name=self._executor
                    )
            return lambda: self._wait(going)

    def stop(self) -> None:
        """Stop the engine. What is still running stays recorded, and can be resumed."""
        if self._adopting:
            # The queue is a row that nobody else listens to.
            with suppress(SQLAlchemyError):
                DBOS.delete_queue(self._executor)
        DBOS.destroy(destroy_registry=True)

    def _listen(self) -> None:
        DBOS.register_queue(self._executor, polling_interval_sec=2 * _POLL_S)

    def _start(self, name: str, state: PipelineState) -> None:
        with self._errors(), SetWorkflowID(name):
            handle = DBOS.start_workflow(self._segment, dump(state))
            try:
                handle.get_result(polling_interval_sec=_POLL_S)
            except _InterruptedError as stop:
                raise stop.cause from None

    def _wait(self, name: str) -> None:
        driven = self._driven[name]
        with self._errors():
            while wait([driven], _PROBE_S).not_done:
                if not driven.running():
                    self._require_taking_up(name, driven)
            driven.result()
            # DBOS notes the end a moment later, unless it can't; the run has its end all the same.
            last = time.monotonic() + _SETTLE_S
            while _is_open(name) and time.monotonic() < last:
                time.sleep(_POLL_S)

    def _require_taking_up(self, name: str, driven: Future[None]) -> None:
        """Raise what DBOS's queue keeps to itself: that it can't write, or not read what the workflow is."""
        self._listen()
        if not _is_open(name) and not driven.done():
            raise DurableError(
                f"{self._database}: the record of {name} can't be read; `sparky cancel` ends the run"
            )

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """Tell whoever waits how the segment came out."""
        driven = self._driven.setdefault(name, Future())
        driven.set_running_or_notify_cancel()
        try:
            with _kept_from_dbos():
                yield
        except _InterruptedError as stop:
            driven.set_exception(stop.cause)
            raise
        driven.set_result(None)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            said = getattr(error, "orig", None) or error
            raise DurableError(database_trouble(self._database, said)) from error


def workflow_id(state: PipelineState) -> str:
    """The workflow of a segment: the run and the segment's number."""
    return f"{state.run_id}.{state.segment}"


def _newest(name: str) -> str:
    """The last of a workflow's copies, each named by one "+" more; itself if there is none."""
    while DBOS.get_workflow_status(f"{name}+") is not None:
        name += "+"
    return name


def _failed_step(name: str, *, over: bool) -> int | None:
    """The step whose error is recorded; without one the last, if the workflow is `over`, else None."""
    steps = DBOS.list_workflow_steps(name)
    failed = [step["function_id"] for step in steps if step["error"] is not None]
    return min(failed, default=len(steps) if over else None)


def _is_open(name: str) -> bool:
    found = DBOS.get_workflow_status(name)
    return found is not None and found.status not in _OVER


def _step(name: str, work: Callable[[], T]) -> T:
    """A recorded step; its error is not recorded."""

    def kept() -> T:
        with _kept_from_dbos():
            return work()

    return DBOS.run_step({"name": name}, kept)


@contextmanager
def _kept_from_dbos() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise _InterruptedError(error) from error
