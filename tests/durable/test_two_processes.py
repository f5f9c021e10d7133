"""Two processes and one issue: one runs it, the other joins; and a killed process's run is gone on with."""

import os
import signal

from tests.durable.world import World, make_world

_SLOW = """
[[session]]
summary = "doubled"
[[session.steps]]
do = "replace"
path = "calc.py"
old = "x * 3"
text = "x * 2"
[[session.steps]]
do = "run"
argv = ["sleep", "3"]
"""


def slow(world: World, seconds: int = 3) -> World:
    """The same world, whose session takes its time."""
    return make_world(world.root / "slow", world.cache, _SLOW.replace('"3"', f'"{seconds}"'))


def test_two_at_once_do_one_issue_once(world: World) -> None:
    here = slow(world)
    words = ("run", "1", "--auto", "--script", str(here.script), "--json")
    both = [here.start(*words) for _ in range(2)]
    said = [process.communicate(timeout=180)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sum("joining run" in text for text in said) == 1, said
    assert all('"outcome": "merged"' in text for text in said), said
    assert len(here.git("log", "--format=%H", "main").splitlines()) == 2
    assert len(here.runs()) == 1


def test_a_run_whose_process_was_killed_in_its_session_is_gone_on_with(world: World) -> None:
    here = slow(world)
    words = ("run", "1", "--auto", "--script", str(here.script))
    process = here.start(*words)
    assert process.stdout is not None
    for line in process.stdout:
        if "execute 1 by coder …" in line:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.communicate()
    again = here.sparky(*words)
    assert again.returncode == 0, again.stderr
    assert "going on with the interrupted run" in again.stderr
    assert here.git("show", "main:calc.py").endswith("return x * 2")
    assert [run["outcome"] for run in here.runs()] == ["merged"]


def test_a_cancelled_run_ends_its_session_and_keeps_the_work_on_its_branch(world: World) -> None:
    here = slow(world, 600)
    words = ("run", "1", "--auto", "--script", str(here.script))
    process = here.start(*words)
    assert process.stdout is not None
    line = next(line for line in process.stdout if "execute 1 by coder …" in line)
    (run,) = here.runs()
    cancelled = here.sparky("cancel", str(run["run_id"]))
    process.communicate(timeout=120)
    assert (line != "", cancelled.returncode, process.returncode) == (True, 0, 1)
    (run,) = here.runs()
    assert run["outcome"] == "cancelled"
    assert here.git("show", f"{run['branch']}:calc.py").endswith("return x * 2")
    assert here.git("status", "--porcelain") == ""
