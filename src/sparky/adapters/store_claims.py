"""Who works on which issue: claims, and who drives the runs that hold them."""

import sqlite3
from collections.abc import Callable

from sparky.adapters.store_file import StoreError
from sparky.adapters.store_rows import ROW, Rows, row_of
from sparky.domain.errors import NeedsPersonError
from sparky.domain.run import RunRow, Take
from sparky.domain.state import PipelineState
from sparky.formats.values_json import encode

_HOLDER = "WHERE run_id = (SELECT run_id FROM claims WHERE issue_key = ?)"


class Claims(Rows):
    """At most one run works on an issue at a time."""

    def claim(self, state: PipelineState, executor: str, judge: Callable[[RunRow | None], Take]) -> Take:
        """Take the issue for a new run, unless `judge` says to join or adopt the run that holds it.

        One transaction: of several processes that ask at once for one issue, exactly one starts.
        """
        with self._transaction() as connection:
            held = connection.execute(ROW + _HOLDER, (state.issue.key,)).fetchone()
            decision = judge(row_of(held) if held else None)
            if decision is not Take.START:
                return decision
            if connection.execute("SELECT 1 FROM runs WHERE run_id = ?", (state.run_id,)).fetchone():
                raise StoreError(f"{state.run_id} was started and ended meanwhile: ask once more")
            self._claim(connection, state)
            self._insert(connection, state, executor)
        return decision

    def holder(self, issue_key: str) -> RunRow | None:
        """The run that holds the claim on an issue."""
        return next(iter(self._rows(_HOLDER, (issue_key,))), None)

    def continue_run(self, state: PipelineState, executor: str) -> None:
        """Note that a new segment of the run starts, driven by `executor`, with the claim on its issue.

        Raises NeedsPersonError if another run has the claim, StoreError if the segment was started already.
        """
        with self._transaction() as connection:
            self._require_next(connection, state)
            query = "SELECT run_id FROM claims WHERE issue_key = ? AND run_id != ?"
            held = connection.execute(query, (state.issue.key, state.run_id)).fetchone()
            if held is not None:
                way = f"`sparky show {held[0]}`, then merge or cancel one of the two"
                raise NeedsPersonError(f"{held[0]} has this issue now: {way}")
            self._claim(connection, state)
            self._insert(connection, state, executor)

    def cancel_next(self, state: PipelineState, executor: str) -> None:
        """Note that a new segment starts whose only aim is the run's end; it needs no claim.

        Raises StoreError if the segment was started already.
        """
        with self._transaction() as connection:
            self._require_next(connection, state)
            self._insert(connection, state, executor)
            connection.execute("UPDATE runs SET cancelled = 1 WHERE run_id = ?", (state.run_id,))

    def adopt(self, run_id: str, executor: str) -> None:
        """Note who drives the run from now on."""
        with self._transaction() as connection:
            connection.execute("UPDATE runs SET executor = ? WHERE run_id = ?", (executor, run_id))

    def _require_next(self, connection: sqlite3.Connection, state: PipelineState) -> None:
        query = "SELECT segment, outcome FROM runs WHERE run_id = ?"
        found = connection.execute(query, (state.run_id,)).fetchone()
        if found is None or found[0] != state.segment - 1 or found[1] is None:
            raise StoreError(f"another process is at {state.run_id}: `sparky show {state.run_id}`")

    def _claim(self, connection: sqlite3.Connection, state: PipelineState) -> None:
        connection.execute(
            "INSERT OR REPLACE INTO claims (issue_key, run_id) VALUES (?, ?)",
            (state.issue.key, state.run_id),
        )

    def _insert(self, connection: sqlite3.Connection, state: PipelineState, executor: str) -> None:
        issue, context = state.issue, state.context
        connection.execute(
            "INSERT INTO runs (run_id, pipeline_id, issue_key, repository, repo_path, issue_id, title, base, "
            "branch, executor, segment, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (run_id) DO UPDATE SET executor = excluded.executor, segment = excluded.segment, "
            "state = excluded.state, outcome = NULL, reason = '', cancelled = 0, asks = 0",
            (
                state.run_id,
                state.pipeline_id,
                issue.key,
                context.git_dir,
                context.repo_path,
                issue.id,
                issue.title,
                context.base,
                context.branch,
                executor,
                state.segment,
                encode(state),
            ),
        )
