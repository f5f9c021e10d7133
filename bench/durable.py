"""What a recorded stage costs: our loop against two plain DBOS steps and one equal insert, in one process.

A stage of ours is a decision, recorded; a performance that does nothing, recorded; and its projection into
the store. The plain loop records values of the same JSON in the same database, and inserts the same bytes.
"""

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dbos import DBOS

from sparky.adapters.progress import FileProgress
from sparky.adapters.receipts import FileReceipts
from sparky.adapters.store import SqliteStore
from sparky.domain.attempt import Attempt, Evidence, GateResult, Stage, Verdict
from sparky.domain.issue import Issue, Source
from sparky.domain.run import Take
from sparky.domain.state import Context, End, Handoff, Outcome, PipelineState
from sparky.durable import Durable
from sparky.formats.state_json import dump_next, load_next
from sparky.formats.values_json import dump, encode, load

GOAL = 1.3
STAGES = 24
LONG = 10 * STAGES
ROUNDS = 21

SHA = "b" * 40
HANDOFF = Handoff(
    stage=Stage.TEST,
    reason="all 7 gates pass",
    success_criteria=("no test is worse than at base",),
    rollback="sparky undo fix-98040926-1",
    rollback_sha=SHA,
)
SEEN = Evidence(
    command=("pytest",), code=0, output="0" * 64, sha=SHA, seconds=1.2, note="156 passed", sandbox="landlock"
)
ATTEMPT = Attempt(
    stage=Stage.TEST,
    number=1,
    verdict=Verdict.PASS,
    reason="156 passed, none worse than at base",
    gates=(GateResult(gate="no test worse than at base", verdict=Verdict.PASS, reason="156 passed"),),
    evidence=(SEEN, SEEN),
    blobs={"comparison": "0" * 64},
    files_modified=tuple(f"src/package/module_{number}.py" for number in range(12)),
    sha=SHA,
    started="2026-01-01T00:00:00+00:00",
    seconds=1.2,
)
DONE = End(outcome=Outcome.NOTHING_TO_DO, reason="that was all")


class Idle:
    """The loop's steps, with stages that do nothing; `seconds` is what they took together."""

    def __init__(self, store: SqliteStore, stages: int) -> None:
        self._store = store
        self._stages = stages
        self._started = 0.0
        self.seconds = 0.0

    def decide(self, state: PipelineState) -> Handoff | End:
        self._started = self._started or time.perf_counter()
        self._store.cancelled(state.run_id)
        return HANDOFF if len(state.attempts) < self._stages else DONE

    def perform(self, handoff: Handoff, state: PipelineState) -> Attempt:
        del handoff
        self._store.save_attempt(state.run_id, len(state.attempts), ATTEMPT)
        return ATTEMPT

    def close(self, state: PipelineState) -> None:
        del state
        self.seconds = time.perf_counter() - self._started


class Ours:
    """Runs of our loop."""

    def __init__(self, database: Path) -> None:
        self._store = SqliteStore(database)
        self._store.prepare()
        self._count = 0
        self._idle = Idle(self._store, 0)
        self.engine = Durable(database, "bench", lambda _: self._idle, adopting=False)

    def milliseconds(self, stages: int) -> float:
        """One run; milliseconds per stage."""
        self._count += 1
        self._idle = Idle(self._store, stages)
        state = state_of(self._count)
        self._store.claim(state, "bench", lambda _: Take.START)
        self.engine.start(state)
        return self._idle.seconds / stages * 1000


def state_of(number: int) -> PipelineState:
    """A run that has done nothing yet."""
    context = Context(
        repo_name="shop", repo_path="/shop", git_dir="/shop/.git", base=SHA, target="main", branch="work"
    )
    issue = Issue(id=str(number), key=f"key-{number}", title="Tidy the report", source=Source.FINDINGS)
    return PipelineState(run_id=f"run-{number}", pipeline_id=f"run-{number}", issue=issue, context=context)


class Plain:
    """Runs of a workflow of plain DBOS steps."""

    def __init__(self, database: Path) -> None:
        self._count = 0
        connection = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(
            "CREATE TABLE plain (run TEXT, ordinal INTEGER, stage TEXT, data BLOB, "
            "PRIMARY KEY (run, ordinal)) WITHOUT ROWID"
        )
        decided, performed, data = dump_next(HANDOFF), dump(ATTEMPT), encode(ATTEMPT)

        def perform(run: str, ordinal: int) -> object:
            row = (run, ordinal, "test", data)
            connection.execute("INSERT OR REPLACE INTO plain VALUES (?, ?, ?, ?)", row)
            return performed

        @DBOS.workflow(name="plain")
        def workflow(run: str, stages: int) -> float:
            started = time.perf_counter()
            for ordinal in range(stages):
                DBOS.run_step({"name": "plain-decide"}, lambda: decided)
                DBOS.run_step({"name": "plain-perform"}, perform, run, ordinal)
            DBOS.run_step({"name": "plain-decide"}, lambda: decided)
            return time.perf_counter() - started

        self._workflow: Callable[[str, int], float] = workflow

    def milliseconds(self, stages: int) -> float:
        """One run; milliseconds per stage."""
        self._count += 1
        handle = DBOS.start_workflow(self._workflow, f"plain-{self._count}", stages)
        return float(handle.get_result()) / stages * 1000


def put_profile(rounds: int = 1000) -> None:
    """Print our share of one stage, piece by piece, without DBOS; the last two are the stages' own."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        store, lines, receipts = SqliteStore(place / "x.db"), FileProgress(place), FileReceipts(place)
        store.prepare()
        state = replace(state_of(1), attempts=(ATTEMPT,) * STAGES)
        plain = dump(ATTEMPT)
        costs: dict[str, Callable[[], object]] = {
            "attempt to plain values": lambda: dump(ATTEMPT),
            "attempt from plain values": lambda: load(plain, Attempt),
            "handoff to plain values and back": lambda: load_next(dump_next(HANDOFF)),
            "the state grows by one": lambda: state.record(ATTEMPT),
            "store: was the run cancelled": lambda: store.cancelled("run-1"),
            "store: encode and insert": lambda: store.save_attempt("run-1", 0, ATTEMPT),
            "beside it: a line of progress": lambda: lines.say("run-1", "test 1: PASS"),
            "beside it: a receipt, on disk": lambda: receipts.put("run-1", 0, ATTEMPT),
        }
        for name, work in costs.items():
            started = time.perf_counter()
            for _ in range(rounds):
                work()
            print(f"    {name:34} {(time.perf_counter() - started) / rounds * 1000:.3f} ms")


def main() -> None:
    """Measure, interleaved, and print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "sparky.db"
        ours = Ours(database)
        plain = Plain(database)
        ours.engine.launch()
        pairs = []
        for number in range(ROUNDS + 1):
            first, second = (ours, plain) if number % 2 else (plain, ours)
            taken = {first: first.milliseconds(STAGES), second: second.milliseconds(STAGES)}
            pairs.append((taken[ours], taken[plain]))
        own, peer = (statistics.median(values) for values in zip(*pairs[1:], strict=True))
        ratio = statistics.median(a / b for a, b in pairs[1:])
        long = statistics.median(ours.milliseconds(LONG) for _ in range(3))
        ours.engine.stop()
    size = len(encode(ATTEMPT))
    print(f"a recorded stage ({size} bytes of JSON): ours {own:.2f} ms, plain {peer:.2f} ms (medians)")
    said = "goal met" if ratio <= GOAL else "goal missed"
    print(f"  ratio {ratio:.2f}, goal <= {GOAL}: {said} (median of {ROUNDS} interleaved pairs)")
    print(f"  in a run {LONG // STAGES} times as long: {long:.2f} ms per stage, {long / own:.2f} times that")
    print("  our share of it:")
    put_profile()


if __name__ == "__main__":
    main()
