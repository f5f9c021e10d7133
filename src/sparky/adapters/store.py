"""The store: runs, attempts, claims and refusals in SQLite. A projection of what the engine recorded."""

from collections.abc import Container, Iterable, Iterator, Mapping

from sparky.adapters.store_claims import Claims
from sparky.adapters.store_file import StoreError
from sparky.domain.attempt import Attempt, Spent
from sparky.domain.state import Outcome, PipelineState
from sparky.formats.state_json import decode_state
from sparky.formats.values_json import decode, encode


class SqliteStore(Claims):
    """Runs with their attempts, and what was learned from them."""

    def count_at(self, issue_key: str, base: str) -> int:
        """How many runs of the issue at that base there have been, those that were forgotten among them."""
        query = """SELECT count(*) FROM
            (SELECT issue_key, base FROM runs UNION ALL SELECT issue_key, base FROM forgotten)
            WHERE issue_key = ? AND base = ?"""
        with self._errors():
            return int(self._connection().execute(query, (issue_key, base)).fetchone()[0])

    def save_attempt(self, run_id: str, ordinal: int, attempt: Attempt) -> None:
        """Keep an attempt; the same ordinal again replaces it."""
        with self._errors():
            self._connection().execute(
                "INSERT OR REPLACE INTO attempts (run_id, ordinal, stage, attempt) VALUES (?, ?, ?, ?)",
                (run_id, ordinal, attempt.stage.value, encode(attempt)),
            )

    def save_end(self, state: PipelineState) -> None:
        """Keep how the segment ended, with the whole state. Only what waits goes on holding its claim."""
        end = state.ends[-1]
        with self._transaction() as connection:
            connection.execute(
                "UPDATE runs SET outcome = ?, reason = ?, asks = ?, state = ?, "
                "updated = strftime('%Y-%m-%dT%H:%M:%SZ') WHERE run_id = ?",
                (end.outcome.value, end.reason, end.asks, encode(state), state.run_id),
            )
            if not end.asks and (end.outcome is not Outcome.READY or state.is_child):
                connection.execute("DELETE FROM claims WHERE run_id = ?", (state.run_id,))

    def cancel(self, run_id: str) -> None:
        """Ask for the run's end."""
        with self._transaction() as connection:
            connection.execute("UPDATE runs SET cancelled = 1 WHERE run_id = ?", (run_id,))

    def cancelled(self, run_id: str) -> bool:
        """Whether a person asked for the run's end."""
        with self._errors():
            query = "SELECT cancelled FROM runs WHERE run_id = ?"
            found = self._connection().execute(query, (run_id,)).fetchone()
            return bool(found and found[0])

    def state(self, run_id: str) -> PipelineState:
        """The run so far: its state as it was last written whole, and the attempts since."""
        with self._errors():
            connection = self._connection()
            found = connection.execute("SELECT state FROM runs WHERE run_id = ?", (run_id,)).fetchone()
            if found is None:
                raise StoreError(f"no run {run_id}")
            state = decode_state(found[0])
            later = connection.execute(
                "SELECT attempt FROM attempts WHERE run_id = ? AND ordinal >= ? ORDER BY ordinal",
                (run_id, len(state.attempts)),
            ).fetchall()
        for (attempt,) in later:
            state = state.record(decode(attempt, Attempt))
        return state

    def spent_since(self, repository: str, day: str) -> Spent:
        """What was spent on a day (YYYY-MM-DD, UTC) or later, also by runs that were forgotten since."""
        query = """SELECT round(total(usd), 6), total(tokens), round(total(seconds), 3), total(turns)
            FROM (SELECT * FROM days UNION ALL SELECT * FROM past_days) WHERE repository = ? AND day >= ?"""
        with self._errors():
            found = self._connection().execute(query, (repository, day)).fetchone()
        usd, tokens, seconds, turns = found
        return Spent(usd=usd, tokens=int(tokens), seconds=seconds, turns=int(turns))

    def refuse(self, repository: str, reasons: Mapping[str, str]) -> None:
        """Remember, by fingerprint, the findings whose fix was withdrawn, and why."""
        with self._transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO refusals (repository, fingerprint, reason) VALUES (?, ?, ?)",
                [(repository, mark, reason) for mark, reason in reasons.items()],
            )

    def forgive(self, repository: str) -> None:
        """Forget what was withdrawn in a repository, so that it is tried again."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM refusals WHERE repository = ?", (repository,))

    def refusals(self, repository: str) -> dict[str, str]:
        """Fingerprint to reason, for all findings of the repository whose fix was withdrawn."""
        query = "SELECT fingerprint, reason FROM refusals WHERE repository = ?"
        with self._errors():
            return dict(self._connection().execute(query, (repository,)).fetchall())

    def texts(self, but: Container[str]) -> Iterator[bytes]:
        """Everything that is stored of runs, `but` for these, as it was encoded."""
        query = "SELECT run_id, state FROM runs UNION ALL SELECT run_id, attempt FROM attempts"
        with self._errors():
            yield from (text for run, text in self._connection().execute(query) if run not in but)

    def forget(self, runs: Iterable[str]) -> None:
        """Remove runs and their attempts; their ids, which the engine knows, stay taken, and their costs."""
        keep = "INSERT OR REPLACE INTO forgotten SELECT run_id, issue_key, base FROM runs WHERE run_id = ?"
        costs = "INSERT OR REPLACE INTO past_days SELECT * FROM days WHERE run_id = ?"
        with self._transaction() as connection:
            for run in runs:
                connection.execute(keep, (run,))
                connection.execute(costs, (run,))
                connection.execute("DELETE FROM attempts WHERE run_id = ?", (run,))
                connection.execute("DELETE FROM claims WHERE run_id = ?", (run,))
                connection.execute("DELETE FROM runs WHERE run_id = ?", (run,))
