"""The store: runs, attempts, claims and refusals, for any number of processes at once."""

import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.adapters.store import SqliteStore
from sparky.adapters.store_file import StoreError
from sparky.domain.attempt import Spent, Stage, Verdict
from sparky.domain.errors import NeedsPersonError
from sparky.domain.run import RunRow, Take
from sparky.domain.state import End, MergePolicy, Outcome, PipelineState
from sparky.formats.values_json import UnreadableStateError, encode
from tests.builders import BASE, CONTEXT, ISSUE, routed, sha, state_of, visited

RACERS = 8
RACER = """
import sys
from pathlib import Path
from sparky.adapters.store import SqliteStore
from sparky.domain.run import Take
from sparky.formats.state_json import decode_state

store = SqliteStore(Path(sys.argv[1]))
print("here", flush=True)
for line in sys.stdin:
    state = decode_state(line)
    store.prepare()
    taken = store.claim(state, sys.argv[2], lambda held: Take.START if held is None else Take.JOIN)
    print(taken.value, flush=True)
"""
REMEDY = "; make it writable, or set SPARKY_STATE_DIR"
READY = End(outcome=Outcome.READY, reason="verified")
FAILED = End(outcome=Outcome.FAILED, reason="no")


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    made = SqliteStore(tmp_path / "state" / "sparky.db")
    made.prepare()
    return made


def test_the_runs_of_an_issue_that_have_an_end_are_listed_oldest_first(store: SqliteStore) -> None:
    for number in (1, 2, 3):
        store.claim(a_run(number), "executor", start)
        store.save_end(a_run(number).ended(FAILED))
    store.claim(a_run(4), "executor", start)
    store.claim(a_run(5, issue="8"), "executor", start)
    store.save_end(a_run(5, issue="8").ended(FAILED))
    assert [row.run_id for row in store.ended("key-of-7", 2)] == ["run-2", "run-3"]


def start(_: RunRow | None) -> Take:
    return Take.START


def a_run(number: int, issue: str = "7", git_dir: str = CONTEXT.git_dir) -> PipelineState:
    """The state of the run "run-NUMBER" of an issue."""
    return replace(
        state_of(issue=replace(ISSUE, id=issue, key=f"key-of-{issue}")),
        run_id=f"run-{number}",
        pipeline_id=f"run-{number}",
        context=replace(CONTEXT, git_dir=git_dir),
    )


def row_as_stored(store: SqliteStore, state: PipelineState, executor: str = "one") -> RunRow:
    """The row of a run that has just started; its times are the database's own."""
    found = store.row(state.run_id)
    assert found is not None
    return RunRow(
        run_id=state.run_id,
        pipeline_id=state.pipeline_id,
        issue_key=state.issue.key,
        repository=state.context.git_dir,
        repo_path=state.context.repo_path,
        issue_id=state.issue.id,
        title=state.issue.title,
        base=state.context.base,
        branch=state.context.branch,
        executor=executor,
        segment=state.segment,
        outcome=None,
        reason="",
        stage="",
        created=found.created,
        updated=found.updated,
    )


def test_of_eight_processes_that_ask_for_one_issue_at_once_exactly_one_starts(tmp_path: Path) -> None:
    path = tmp_path / "state" / "sparky.db"
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(path), f"executor-{n}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(RACERS)
    ]
    assert [_read(racer) for racer in racers] == ["here"] * RACERS
    for number in range(5):
        state = a_run(number, issue=str(number))
        for racer in racers:
            _write(racer, encode(state).decode())
        answers = [_read(racer) for racer in racers]
        assert sorted(answers) == ["join"] * (RACERS - 1) + ["start"]
        store = SqliteStore(path)
        winner = f"executor-{answers.index('start')}"
        assert store.holder(state.issue.key) == row_as_stored(store, state, winner)
        assert store.count_at(state.issue.key, BASE) == 1
    for racer in racers:
        racer.communicate()
        assert racer.returncode == 0


def _write(racer: "subprocess.Popen[str]", line: str) -> None:
    assert racer.stdin is not None
    racer.stdin.write(f"{line}\n")
    racer.stdin.flush()


def _read(racer: "subprocess.Popen[str]") -> str:
    assert racer.stdout is not None
    return racer.stdout.readline().strip()


def test_a_claim_shows_the_holder_and_is_left_alone_unless_the_judge_says_start(store: SqliteStore) -> None:
    shown: list[RunRow | None] = []

    def join(holder: RunRow | None) -> Take:
        shown.append(holder)
        return Take.JOIN

    first, second = a_run(1), a_run(2)
    assert store.claim(first, "one", join) is Take.JOIN
    assert store.row("run-1") is None
    assert store.claim(first, "one", start) is Take.START
    assert store.claim(second, "two", join) is Take.JOIN
    assert shown == [None, row_as_stored(store, first)]
    assert store.row("run-2") is None
    assert store.claim(second, "two", start) is Take.START
    assert store.holder(ISSUE.key) == row_as_stored(store, second, "two")


def test_a_judge_that_raises_leaves_the_claim_as_it_was(store: SqliteStore) -> None:
    def broken(_: RunRow | None) -> Take:
        raise KeyError("no idea")

    with pytest.raises(KeyError):
        store.claim(a_run(1), "one", broken)
    assert store.holder(ISSUE.key) is None
    assert store.claim(a_run(1), "one", start) is Take.START


def test_a_run_that_started_and_ended_meanwhile_is_not_written_over(store: SqliteStore) -> None:
    store.claim(a_run(1), "one", start)
    store.save_end(a_run(1).ended(FAILED))
    with pytest.raises(StoreError, match=r"^run-1 was started and ended meanwhile: ask once more$"):
        store.claim(a_run(1), "two", start)
    assert store.state("run-1") == a_run(1).ended(FAILED)
    assert store.holder(ISSUE.key) is None


def test_the_state_is_the_one_last_written_whole_with_the_attempts_since(store: SqliteStore) -> None:
    whole = a_run(1).record(routed(("ada",)))
    attempts = [visited(Stage.REVIEW), visited(Stage.TEST), visited(Stage.VERIFY)]
    store.claim(whole, "one", start)
    for ordinal in (2, 1, 3):
        store.save_attempt("run-1", ordinal, attempts[ordinal - 1])
    expected = whole
    for attempt in attempts:
        expected = expected.record(attempt)
    assert store.state("run-1") == expected
    row = store.row("run-1")
    assert row is not None
    assert row.stage == "verify"


def test_an_attempt_that_is_saved_twice_is_there_once_as_it_was_last(store: SqliteStore) -> None:
    store.claim(a_run(1), "one", start)
    first, again = visited(Stage.TEST, Verdict.REVISE), visited(Stage.TEST, number=2)
    store.save_attempt("run-1", 0, first)
    store.save_attempt("run-1", 0, first)
    assert store.state("run-1") == a_run(1).record(first)
    store.save_attempt("run-1", 0, again)
    assert store.state("run-1") == a_run(1).record(again)


@pytest.mark.parametrize("times", [1, 2])
def test_an_end_frees_the_claim_however_often_it_is_saved(store: SqliteStore, times: int) -> None:
    state = a_run(1).record(routed(("ada",))).ended(FAILED)
    store.claim(a_run(1), "one", start)
    store.save_attempt("run-1", 0, routed(("ada",)))
    started = row_as_stored(store, a_run(1))
    for _ in range(times):
        store.save_end(state)
    assert store.state("run-1") == state
    row = store.row("run-1")
    assert row is not None
    ended = replace(started, outcome=Outcome.FAILED, reason="no", stage="route", updated=row.updated)
    assert row == ended
    assert store.holder(ISSUE.key) is None
    assert store.unfinished() == []


def test_a_ready_run_holds_its_claim_and_an_end_never_frees_anothers(store: SqliteStore) -> None:
    store.claim(a_run(1), "one", start)
    store.save_end(a_run(1).ended(READY))
    holder = store.holder(ISSUE.key)
    assert holder is not None
    assert (holder.run_id, holder.outcome) == ("run-1", Outcome.READY)
    store.claim(a_run(2), "two", start)
    store.save_end(a_run(1).ended(FAILED))
    assert store.holder(ISSUE.key) == row_as_stored(store, a_run(2), "two")


def test_one_process_alone_goes_on_with_the_next_segment(store: SqliteStore) -> None:
    ended = a_run(1).ended(READY)
    following = ended.next_segment(replace(ended.preferences, merge=MergePolicy.APPROVED))
    refused = r"^another process is at run-1: `sparky show run-1`$"
    with pytest.raises(StoreError, match=refused):
        store.continue_run(following, "two")
    store.claim(a_run(1), "one", start)
    with pytest.raises(StoreError, match=refused):
        store.continue_run(following, "two")
    store.save_end(ended)
    store.cancel("run-1")
    store.continue_run(following, "two")
    assert store.row("run-1") == row_as_stored(store, following, "two")
    assert (store.state("run-1"), store.cancelled("run-1")) == (following, False)
    with pytest.raises(StoreError, match=refused):
        store.continue_run(following, "three")


def test_a_run_goes_on_with_its_claim_and_never_while_another_has_it(store: SqliteStore) -> None:
    ended = a_run(1).ended(READY)
    following = ended.next_segment(replace(ended.preferences, merge=MergePolicy.APPROVED))
    store.claim(a_run(1), "one", start)
    store.save_end(ended)
    store.claim(a_run(2), "two", start)
    before = store.row("run-1")
    with pytest.raises(NeedsPersonError, match=r"^run-2 has this issue now: `sparky show run-2`, then "):
        store.continue_run(following, "one")
    assert store.row("run-1") == before
    store.save_end(a_run(2).ended(FAILED))
    store.continue_run(following, "one")
    assert store.holder(ISSUE.key) == row_as_stored(store, following)


def test_a_ready_run_can_be_ended_while_another_has_its_issue(store: SqliteStore) -> None:
    ended = a_run(1).ended(READY)
    store.claim(a_run(1), "one", start)
    store.save_end(ended)
    store.claim(a_run(2), "two", start)
    following = ended.next_segment(ended.preferences)
    store.cancel_next(following, "one")
    assert store.cancelled("run-1")
    assert store.row("run-1") == replace(row_as_stored(store, following), cancelled=True)
    assert store.holder(ISSUE.key) == row_as_stored(store, a_run(2), "two")


def test_who_adopts_a_run_is_its_executor_from_then_on(store: SqliteStore) -> None:
    store.claim(a_run(1), "one", start)
    store.adopt("run-1", "two")
    assert store.row("run-1") == row_as_stored(store, a_run(1), "two")


def test_a_run_is_cancelled_when_somebody_asked_for_it(store: SqliteStore) -> None:
    store.claim(a_run(1), "one", start)
    store.claim(a_run(2, issue="8"), "one", start)
    store.cancel("run-1")
    assert [store.cancelled(run) for run in ("run-1", "run-2", "run-3")] == [True, False, False]
    assert store.row("run-1") == replace(row_as_stored(store, a_run(1)), cancelled=True)


@pytest.mark.parametrize(
    ("prefix", "found"),
    [
        ("fix-1", {"fix-1"}),
        ("fix-", {"fix-1", "fix-12", "fix-1x"}),
        ("fix-12", {"fix-12"}),
        ("a_b", {"a_b-1"}),
        ("a%", {"a%b-1"}),
        ("a\\", {"a\\b-1"}),
        ("%", set()),
        ("_", set()),
        ("x", set()),
    ],
)
def test_runs_are_found_by_how_their_id_starts_and_an_exact_id_wins(
    store: SqliteStore, prefix: str, found: set[str]
) -> None:
    for number, run in enumerate(("fix-1", "fix-12", "fix-1x", "a_b-1", "acb-1", "a%b-1", "a\\b-1")):
        store.claim(replace(a_run(0, issue=str(number)), run_id=run), "one", start)
    assert {row.run_id for row in store.find(prefix)} == found


def test_runs_are_listed_newest_first_of_one_repository_or_of_all(store: SqliteStore) -> None:
    for number, place in enumerate(("/here", "/there", "/here", "/here")):
        store.claim(a_run(number, issue=str(number), git_dir=place), "one", start)
    store.save_end(a_run(2).ended(FAILED))
    assert [row.run_id for row in store.rows()] == ["run-3", "run-2", "run-1", "run-0"]
    assert [row.run_id for row in store.rows(limit=2)] == ["run-3", "run-2"]
    assert [row.run_id for row in store.rows("/here", limit=2)] == ["run-3", "run-2"]
    assert [row.run_id for row in store.rows("/there")] == ["run-1"]
    assert [row.run_id for row in store.unfinished()] == ["run-0", "run-1", "run-3"]


def test_runs_are_counted_by_issue_and_base_and_a_forgotten_one_still_counts(store: SqliteStore) -> None:
    elsewhere = replace(a_run(3), context=replace(CONTEXT, base=sha("c")))
    for state in (a_run(1), a_run(2), elsewhere, a_run(4, issue="8")):
        store.claim(state, "one", start)
    store.save_attempt("run-1", 0, visited(Stage.ROUTE))
    assert store.count_at("key-of-7", BASE) == 2
    store.forget(["run-1", "run-3", "run-3", "run-9"])
    assert [store.count_at(f"key-of-{n}", base) for n in "78" for base in (BASE, sha("c"))] == [2, 1, 1, 0]
    assert [row.run_id for row in store.rows()] == ["run-4", "run-2"]
    with pytest.raises(StoreError, match=r"^no run run-1$"):
        store.state("run-1")


def test_a_forgotten_run_frees_its_claim_and_leaves_no_attempts(store: SqliteStore) -> None:
    store.claim(a_run(1), "one", start)
    store.save_attempt("run-1", 0, visited(Stage.ROUTE))
    store.forget(["run-1"])
    assert store.holder(ISSUE.key) is None
    store.claim(a_run(1), "one", start)
    assert store.state("run-1") == a_run(1)


def test_what_a_repository_has_spent_in_a_day_counts_the_parts_of_a_plan_once(store: SqliteStore) -> None:
    store.claim(a_run(1), "executor", start)
    dear = replace(visited(Stage.TEST), cost_usd=0.5, tokens=100, seconds=2.0, turns=3)
    for ordinal, (day, stage) in enumerate(
        [
            ("2026-11-20T23:59:59+00:00", Stage.EXECUTE),
            ("2026-11-21T00:00:00+00:00", Stage.EXECUTE),
            ("2026-11-21T10:00:00+00:00", Stage.CHILD),
            ("2026-11-21T11:00:00+00:00", Stage.REVIEW),
        ]
    ):
        store.save_attempt("run-1", ordinal, replace(dear, started=day, stage=stage))
    on_the_day = Spent(usd=1.0, tokens=200, seconds=4.0, turns=6)
    assert store.spent_since(CONTEXT.git_dir, "2026-11-21") == on_the_day
    assert store.spent_since(CONTEXT.git_dir, "2026-11-22") == Spent()
    assert store.spent_since("/elsewhere", "2026-11-21") == Spent()


def test_what_a_forgotten_run_has_spent_in_a_day_is_not_forgotten(store: SqliteStore) -> None:
    dear = replace(visited(Stage.EXECUTE), cost_usd=0.1, tokens=100, started="2026-11-21T10:00:00+00:00")
    for number in (1, 2):
        store.claim(a_run(number, issue=str(number)), "executor", start)
        store.save_attempt(f"run-{number}", 0, dear)
        store.save_attempt(f"run-{number}", 1, replace(dear, started="2026-11-22T10:00:00+00:00"))
    store.forget(["run-1"])
    store.forget(["run-1"])
    assert store.spent_since(CONTEXT.git_dir, "2026-11-21") == Spent(usd=0.4, tokens=400)
    assert store.spent_since(CONTEXT.git_dir, "2026-11-22") == Spent(usd=0.2, tokens=200)


def test_refusals_are_remembered_by_repository_the_newest_reason_each(store: SqliteStore) -> None:
    store.refuse("/here", {"mark-1": "broke a test", "mark-2": "brings F821"})
    store.refuse("/here", {"mark-2": "scope"})
    store.refuse("/there", {"mark-1": "other"})
    store.refuse("/here", {})
    assert store.refusals("/here") == {"mark-1": "broke a test", "mark-2": "scope"}
    store.forgive("/here")
    assert (store.refusals("/here"), store.refusals("/there")) == ({}, {"mark-1": "other"})


def test_what_is_prepared_twice_keeps_what_it_holds(store: SqliteStore) -> None:
    store.claim(a_run(1), "one", start)
    store.prepare()
    assert store.state("run-1") == a_run(1)


def error_at(path: Path, why: str) -> str:
    return (
        f"{path}: {why}; look at its permissions and the disk's free space, then `sparky resume`. "
        "A corrupt file can be moved away: branches and worktrees stay."
    )


def test_a_place_where_no_directory_can_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError) as error:
        SqliteStore(tmp_path / "file" / "sparky" / "sparky.db").prepare()
    assert str(error.value) == f"cannot write in {tmp_path / 'file' / 'sparky'}: Not a directory{REMEDY}"


@pytest.mark.parametrize("call", ["prepare", "rows"])
def test_the_tables_of_another_version_are_named_and_left_as_they_are(tmp_path: Path, call: str) -> None:
    path = tmp_path / "sparky.db"
    with closing(sqlite3.connect(path)) as old:
        old.executescript("CREATE TABLE runs (run_id TEXT PRIMARY KEY, state BLOB NOT NULL)")
    before = path.read_bytes()
    with pytest.raises(StoreError) as error:
        getattr(SqliteStore(path), call)()
    assert str(error.value) == (
        f"{path} is another sparky's: its tables have layout 0, here it is 1; "
        "use that sparky, or set SPARKY_STATE_DIR to a new directory"
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize("call", ["prepare", "rows", "count_at", "save_attempt", "cancel", "refusals"])
def test_a_corrupt_file_is_named_with_what_to_do(tmp_path: Path, call: str) -> None:
    path = tmp_path / "sparky.db"
    path.write_bytes(b"this is no database\n" * 100)
    store = SqliteStore(path)
    calls: dict[str, Callable[[], object]] = {
        "prepare": store.prepare,
        "rows": store.rows,
        "count_at": lambda: store.count_at("key", BASE),
        "save_attempt": lambda: store.save_attempt("run-1", 0, visited(Stage.TEST)),
        "cancel": lambda: store.cancel("run-1"),
        "refusals": lambda: store.refusals("/here"),
    }
    with pytest.raises(StoreError) as error:
        calls[call]()
    assert str(error.value) == error_at(path, "file is not a database")
    assert error.value.code == 1


@pytest.fixture
def locked_directory() -> Iterator[Path]:
    """A directory that everybody may read, and nobody but root may write."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        SqliteStore(place / "sparky.db").prepare()
        (place / "sparky.db").chmod(0o444)
        place.chmod(0o555)
        yield place
        place.chmod(0o755)


@contextmanager
def nobody() -> Iterator[None]:
    """Be somebody whom permissions bind: root, for whom the tests may run, may write everything."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(me)


def test_what_may_not_be_written_is_named_with_what_to_do(locked_directory: Path) -> None:
    path = locked_directory / "sparky.db"
    store = SqliteStore(path)
    with nobody():
        with pytest.raises(StoreError) as error:
            store.prepare()
        assert str(error.value) == f"cannot write in {locked_directory}: Permission denied{REMEDY}"
        with pytest.raises(StoreError) as error:
            store.cancel("run-1")
        assert str(error.value) == error_at(path, "attempt to write a readonly database")


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """No file may grow beyond `room` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_said_and_what_was_there_stays_and_goes_on(store: SqliteStore, tmp_path: Path) -> None:
    store.claim(a_run(1), "one", start)
    large = a_run(2, issue="8")
    large = replace(large, issue=replace(large.issue, body="x" * 8_000_000))
    path = tmp_path / "state" / "sparky.db"
    with full_disk(1_000_000), pytest.raises(StoreError) as error:
        store.claim(large, "two", start)
    assert str(error.value) == error_at(path, "disk I/O error")
    assert [row.run_id for row in store.rows()] == ["run-1"]
    assert store.claim(large, "two", start) is Take.START


def test_what_is_stored_and_cannot_be_read_is_refused_as_such(store: SqliteStore, tmp_path: Path) -> None:
    store.claim(a_run(1), "one", start)
    with sqlite3.connect(tmp_path / "state" / "sparky.db") as connection:
        connection.execute("UPDATE runs SET state = '{'")
    connection.close()
    with pytest.raises(UnreadableStateError, match=r"^not a PipelineState: Input data was truncated$"):
        store.state("run-1")
