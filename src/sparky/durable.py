"""The durable engine: the only place that knows DBOS.

A segment of a run is one workflow. Each decision, each performance and the closing are recorded steps, so
that a run goes on where it stood, also when the flow was edited in between. JSON at the door, never pickle.
"""

import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID, WorkflowHandle
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.pool import ConnectionPoolEntry

from sparky.domain.attempt import Attempt
from sparky.domain.state import End, Handoff, PipelineState
from sparky.formats.state_json import dump, dump_next, load, load_next
from sparky.pipeline import Steps, drive

APPLICATION_VERSION = "1"
"""Pinned by hand. Raise it only when recorded runs can't be continued by the new code."""

_POLL_S = 0.05
"""How often the end of a workflow is looked for; in DBOS's own second every verb would wait at its end."""

_DONE = {"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"}


class DurableError(Exception):
    """A recorded run ended by an error that nobody planned; the text is the error's."""


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
        return load_next(DBOS.run_step({"name": "decide"}, lambda: dump_next(self._steps.decide(state))))

    def perform(self, handoff: Handoff, state: PipelineState) -> Attempt:
        plain = DBOS.run_step({"name": "perform"}, lambda: dump(self._steps.perform(handoff, state)))
        return load(plain, Attempt)

    def close(self, state: PipelineState) -> None:
        DBOS.run_step({"name": "close"}, lambda: self._steps.close(state))


class Durable:
    """Runs segments as DBOS workflows in one SQLite file, as one executor."""

    def __init__(
        self, database: Path, executor: str, steps: Callable[[PipelineState], Steps], *, adopting: bool
    ) -> None:
        """`adopting`: it takes over runs of others, and so listens to one queue, its own."""
        self._executor = executor
        self._adopting = adopting
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
            state = load(plain, PipelineState)
            drive(state, _Recorded(steps(state)))

        self._segment = segment

    def launch(self) -> None:
        """Start the engine."""
        DBOS.listen_queues([self._executor] if self._adopting else [])
        DBOS.launch()
        if self._adopting:
            DBOS.register_queue(self._executor, polling_interval_sec=0.1)

    def start(self, state: PipelineState) -> None:
        """Start the current segment of a run; one that was started before is left as it is."""
        with SetWorkflowID(workflow_id(state)):
            DBOS.start_workflow(self._segment, dump(state))

    def adopt(self, state: PipelineState) -> None:
        """Go on with a segment whose executor is gone, or start it if it never came so far."""
        found = DBOS.get_workflow_status(workflow_id(state))
        if found is None:
            self.start(state)
        elif found.status not in _DONE:
            DBOS.resume_workflows([found.workflow_id], queue_name=self._executor)

    def wait(self, state: PipelineState) -> None:
        """Wait for the segment's end; raises DurableError if it ended by an error."""
        handle: WorkflowHandle[Any] = DBOS.retrieve_workflow(workflow_id(state))
        try:
            handle.get_result(polling_interval_sec=_POLL_S)
        except Exception as error:
            raise DurableError(f"{type(error).__name__}: {error}") from error

    def stop(self) -> None:
        """Stop the engine. What is still running stays recorded, and can be resumed."""
        if self._adopting:
            DBOS.delete_queue(self._executor)
        DBOS.destroy(destroy_registry=True)


def workflow_id(state: PipelineState) -> str:
    """The workflow of a segment: the run and the segment's number."""
    return f"{state.run_id}.{state.segment}"
