"""kill -9 anywhere, and the run goes on: finished, each effect exactly once."""

import signal

import pytest

from tests.durable.driver import exit_code
from tests.durable.world import QUICK, World

STAGES = ("route", "execute", "review", "test", "verify", "merge")


def killed(world: World, *points: str) -> None:
    """Drive the run until it dies at one of the points; fails if it does not die there."""
    assert exit_code(world, *points) == -signal.SIGKILL


def assert_merged_once(world: World, base: str) -> None:
    """One commit on main that mends the bug, no trace of the work, and a run that says so."""
    assert world.git("log", "--format=%P", "main").splitlines()[0] == base
    assert world.git("show", "main:calc.py") == "import os\n\n\ndef double(x):\n    return x * 2"
    assert world.git("status", "--porcelain") == ""
    assert world.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert len(world.git("worktree", "list").splitlines()) == 1
    runs = world.runs()
    assert [(run["life"], run["outcome"]) for run in runs] == [("ended", "merged")]


@pytest.mark.parametrize(
    "stage",
    [pytest.param(stage, marks=[] if stage == "merge" else pytest.mark.soak) for stage in STAGES],
)
def test_a_run_killed_before_and_after_a_stage_is_merged_once(world: World, stage: str) -> None:
    here = world if stage == "test" else world.another("quick", files=QUICK)
    base = here.git("rev-parse", "HEAD")
    killed(here, f"before:perform:{stage}")
    killed(here, f"after:perform:{stage}")
    done = here.sparky("resume", "--json")
    assert done.returncode == 0, done.stderr
    assert_merged_once(here, base)


@pytest.mark.soak
def test_a_run_killed_around_every_decision_and_its_closing_is_merged_once(world: World) -> None:
    base = world.git("rev-parse", "HEAD")
    for point in ("before:decide:0", "after:decide:2", "before:decide:6", "before:close", "after:close"):
        killed(world, point)
        if point != "after:close":
            assert [run["life"] for run in world.runs()] == ["interrupted"]
    assert world.sparky("resume").returncode == 0
    assert_merged_once(world, base)


@pytest.mark.soak
def test_a_session_whose_end_was_seen_is_not_paid_for_twice_nor_is_its_review(world: World) -> None:
    killed(world, "after:perform:execute")
    killed(world, "after:perform:review")
    assert world.sparky("resume").returncode == 0
    (run,) = world.runs()
    said = world.sparky("logs", str(run["run_id"])).stdout
    assert (said.count("execute 1 by coder …"), said.count("review 1 …")) == (1, 1)
