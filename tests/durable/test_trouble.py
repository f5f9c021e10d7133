"""Trouble that nobody planned, in the middle of a run: it is named, and when it is over the run goes on."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.acceptance.world import Nursery
from tests.durable.driver import exit_code
from tests.durable.test_kill import assert_merged_once, killed
from tests.durable.world import QUICK, World, make_world

KB = 1024


@pytest.fixture
def world(tmp_path: Path, cache: Path, nursery: Nursery) -> World:
    return make_world(tmp_path, cache, nursery, files=QUICK)


def ask(world: World) -> tuple[str, ...]:
    """The words of a run that merges by itself."""
    return ("run", "1", "--auto", "--script", str(world.script))


@contextmanager
def connected(world: World) -> Iterator[sqlite3.Connection]:
    """The store's file; what is written stays."""
    with closing(sqlite3.connect(world.state / "sparky.db", timeout=60)) as connection, connection:
        yield connection


@contextmanager
def refusing(world: World, what: str) -> Iterator[None]:
    """A database that refuses a write for as long as this lasts; `what` is a trigger's condition."""
    with connected(world) as connection:
        connection.execute(f"CREATE TRIGGER trouble BEFORE {what} BEGIN SELECT RAISE(ABORT, 'no way'); END")
    yield
    with connected(world) as connection:
        connection.execute("DROP TRIGGER trouble")


def stranded(world: World, status: str) -> None:
    """A run whose workflow ended without it, as versions left it that recorded errors of steps."""
    killed(world, "before:decide:3")
    with connected(world) as connection:
        connection.execute("UPDATE workflow_status SET status = ?", (status,))
        connection.execute(
            "UPDATE operation_outputs SET output = NULL, error = ? "
            "WHERE function_id = (SELECT max(function_id) FROM operation_outputs)",
            ('{"name": "StoreError", "message": "no way"}',),
        )


@pytest.mark.parametrize(
    "what",
    [
        pytest.param("INSERT ON attempts WHEN NEW.ordinal = 2", marks=pytest.mark.soak),
        "UPDATE OF outcome ON runs WHEN NEW.outcome IS NOT NULL",
        pytest.param("INSERT ON operation_outputs WHEN NEW.function_id = 4", marks=pytest.mark.soak),
        pytest.param("UPDATE ON workflow_status WHEN NEW.status = 'ENQUEUED'", marks=pytest.mark.soak),
    ],
    ids=["an attempt", "the end", "a step", "the workflow"],
)
def test_a_write_that_is_refused_names_the_file_and_the_way_on_and_the_run_can_be_resumed(
    world: World, what: str
) -> None:
    base = world.git("rev-parse", "HEAD")
    killed(world, "before:decide:0")
    with refusing(world, what):
        said = world.sparky(*ask(world))
        assert said.returncode == 1, said.stderr
        last = said.stderr.splitlines()[-1]
        assert last.startswith(f"error: {world.state}/sparky.db: no way"), said.stderr
        assert "`sparky resume`" in last
    assert [run["life"] for run in world.runs()] == ["interrupted"]
    assert exit_code(world) == 0
    assert_merged_once(world, base)


@pytest.mark.soak
def test_trouble_in_a_run_that_was_just_started_leaves_it_to_be_resumed(world: World) -> None:
    base = world.git("rev-parse", "HEAD")
    assert world.runs() == []
    with refusing(world, "INSERT ON attempts WHEN NEW.ordinal = 1"):
        said = world.sparky(*ask(world))
        assert (said.returncode, "sparky.db: no way; look at " in said.stderr) == (1, True), said.stderr
    assert exit_code(world) == 0
    assert_merged_once(world, base)


@pytest.mark.soak  # the small disk is too small for what measures coverage, too
def test_a_disk_that_gets_full_again_and_again_leads_to_one_commit(world: World) -> None:
    base = world.git("rev-parse", "HEAD")
    killed(world, "before:decide:0")
    with connected(world) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    full = 0
    for room in range(140, 3000, 160):
        said = world.within(room * KB, *ask(world))
        if said.returncode == 0:
            break
        last = said.stderr.splitlines()[-1]
        assert (said.returncode, last[:7], "`sparky resume`" in last) == (1, "error: ", True), said.stderr
        full += 1
    assert full > 1
    assert_merged_once(world, base)


def test_a_disk_that_is_full_for_a_stage_leaves_the_run_to_be_resumed(world: World) -> None:
    base = world.git("rev-parse", "HEAD")
    assert exit_code(world, "full before:perform:review") == 1
    assert [run["life"] for run in world.runs()] == ["interrupted"]
    assert exit_code(world) == 0
    assert_merged_once(world, base)


@pytest.mark.parametrize(
    "status", ["ERROR", pytest.param("MAX_RECOVERY_ATTEMPTS_EXCEEDED", marks=pytest.mark.soak)]
)
def test_a_run_whose_workflow_ended_without_it_is_resumed_at_the_step_that_failed(
    world: World, status: str
) -> None:
    base = world.git("rev-parse", "HEAD")
    stranded(world, status)
    assert exit_code(world) == 0
    assert_merged_once(world, base)


@pytest.mark.soak
def test_a_run_that_cannot_be_driven_any_more_can_be_cancelled_and_cleaned(world: World) -> None:
    killed(world, "before:perform:execute")
    with connected(world) as connection:
        connection.execute("UPDATE workflow_input SET inputs = 'nonsense'")
        connection.execute("UPDATE workflow_status SET inputs = 'nonsense'")
    (run,) = world.runs()
    said = world.sparky("resume")
    assert (said.returncode, "can't be read; `sparky cancel` ends the run" in said.stderr) == (1, True)
    said = world.sparky("cancel", str(run["run_id"]))
    assert said.returncode == 0, said.stderr
    (run,) = world.runs()
    assert (run["life"], run["outcome"]) == ("ended", "cancelled")
    assert world.sparky("clean").returncode == 0
    assert world.runs() == []


@pytest.mark.soak
def test_a_cancel_that_comes_too_late_says_how_the_run_ended(world: World) -> None:
    base = world.git("rev-parse", "HEAD")
    killed(world, "before:close")
    (run,) = world.runs()
    said = world.sparky("cancel", str(run["run_id"]), "--json")
    assert (said.returncode, '"outcome": "merged"' in said.stdout) == (3, True), said.stderr
    assert said.stderr.splitlines()[-1] == (
        f"it ended as merged before it could be cancelled; `sparky undo {run['run_id']}` takes it back"
    )
    assert_merged_once(world, base)


def test_a_run_that_cannot_be_resumed_is_named_and_the_others_are_gone_on_with(world: World) -> None:
    killed(world, "before:decide:0")
    with connected(world) as connection:
        names = ", ".join(row[1] for row in connection.execute("PRAGMA table_info(runs)"))
        others = (
            names.replace("run_id", "'000'")
            .replace("pipeline_id", "'000'")
            .replace("created", "'2020'")
            .replace("state", "?")
        )
        newer = b'{"run_id": "000", "schema": 99}'
        connection.execute(f"INSERT INTO runs ({names}) SELECT {others} FROM runs", (newer,))  # noqa: S608
    said = world.sparky("resume", "--json")
    assert said.returncode == 1, said.stderr
    assert "error: 000: run 000 was written by a newer sparky" in said.stderr
    assert [run["outcome"] for run in json.loads(said.stdout)] == ["merged"]
