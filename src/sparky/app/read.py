"""Reading what is stored, without the engine: verbs that only look never pay for it."""

import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace

from sparky.adapters.blobs import FileBlobs
from sparky.adapters.cancellation import Cancellation
from sparky.adapters.locks import FileLocks
from sparky.adapters.progress import FileProgress
from sparky.adapters.receipts import FileReceipts
from sparky.adapters.store import SqliteStore
from sparky.domain.attempt import WHOLE, Attempt
from sparky.domain.errors import UsageError, UserError
from sparky.domain.finding import Left
from sparky.domain.moves import tried
from sparky.domain.result import Result, rest_blobs, result_of
from sparky.domain.run import Life, RunRow
from sparky.domain.state import Earlier, PipelineState
from sparky.environment import Environment
from sparky.formats.values_json import UnreadableStateError, decode

EARLIER_RUNS = 5
"""How many runs of an issue a new one is told of."""


class RunNotFoundError(UsageError):
    """No run, or several, answer to what was asked for; the text says which there are."""


@dataclass(frozen=True, kw_only=True)
class House:
    """sparky's own files: the store and what lies beside it."""

    environment: Environment
    store: SqliteStore
    blobs: FileBlobs
    locks: FileLocks
    progress: FileProgress
    receipts: FileReceipts

    def life(self, row: RunRow) -> Life:
        """Where a run stands."""
        return row.life(driven=self.locks.is_held(row.executor))

    def cancellation(self, *runs: str) -> Cancellation:
        """Whether a person asked for the end of any of these runs."""
        once = dict.fromkeys(runs)
        return Cancellation(asked=lambda: any(self.store.cancelled(run) for run in once))

    def find(self, prefix: str) -> RunRow:
        """The one run whose id starts so; raises RunNotFoundError for none and for several.

        No run starts with an empty word: it is what a script makes of a variable that it never set.
        """
        found = self.store.find(prefix) if prefix.strip() else []
        if len(found) == 1:
            return found[0]
        if found:
            raise RunNotFoundError(
                f"{prefix!r} fits {len(found)} runs: {', '.join(r.run_id for r in found[:8])}"
            )
        newest = ", ".join(row.run_id for row in self.store.rows(limit=3))
        raise RunNotFoundError(
            f"no run starts with {prefix!r}; the newest are: {newest or '(there are none)'}"
        )

    def earlier(self, issue_key: str) -> tuple[Earlier, ...]:
        """What the newest ended runs of an issue came to, oldest first; without those of a newer sparky."""
        told = []
        for row in self.store.ended(issue_key, EARLIER_RUNS):
            with suppress(UnreadableStateError):
                told.append(tried(self.store.state(row.run_id)))
        return tuple(told)

    def result(self, state: PipelineState) -> Result:
        """The result of a run, with all files and all that stays named."""
        state = replace(state, attempts=tuple(self._whole(attempt) for attempt in state.attempts))
        blobs = (decode(self.blobs.get(digest), tuple[Left, ...]) for digest in rest_blobs(state))
        rest = {one.what: one.line for told in blobs for one in told}  # the newest reason counts
        return result_of(state, tuple(rest.values()))

    def _whole(self, attempt: Attempt) -> Attempt:
        digest = attempt.blobs.get(WHOLE)
        return decode(self.blobs.get(digest), Attempt) if digest else attempt


class UnwritableCacheError(UserError):
    """The cache can't be made; the text says where, and what to do."""


def prepare_cache(environment: Environment) -> None:
    """Make the cache where it is missing, and write a byte into it; raises UnwritableCacheError."""
    try:
        environment.cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=environment.cache, buffering=0) as probe:
            probe.write(b"\0")
    except OSError as error:
        said = f"cannot write in {environment.cache}: {error.strerror}"
        remedy = "make it writable and make room there, or set SPARKY_CACHE_DIR"
        raise UnwritableCacheError(f"{said}; {remedy}") from error


def open_house(environment: Environment) -> House:
    """sparky's files, made where they are missing."""
    state = environment.state
    store = SqliteStore(environment.database)
    store.prepare()
    return House(
        environment=environment,
        store=store,
        blobs=FileBlobs(state / "blobs"),
        locks=FileLocks(state / "locks"),
        progress=FileProgress(state / "progress"),
        receipts=FileReceipts(state / "receipts"),
    )
