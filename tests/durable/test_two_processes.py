"""Processes at once: one runs an issue, the others join; one merges, the others wait; none loses anything."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator

import pytest

from sparky.adapters.locks import FileLocks
from tests.durable.world import QUICK, World

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
    return world.another("slow", _SLOW.replace('"3"', f'"{seconds}"'), QUICK)


@pytest.mark.parametrize("count", [2, pytest.param(8, marks=pytest.mark.soak)])
def test_several_at_once_do_one_issue_once(count: int, world: World) -> None:
    here = slow(world, 1 + count)
    words = ("run", "1", "--auto", "--script", str(here.script), "--json")
    processes = [here.start(*words) for _ in range(count)]
    said = [process.communicate(timeout=180)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * count, said
    assert sum("joining run" in text for text in said) == count - 1, said
    assert all('"outcome": "merged"' in text for text in said), said
    assert len(here.git("log", "--format=%H", "main").splitlines()) == 2
    assert len(here.runs()) == 1


@pytest.mark.soak
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
    until = time.monotonic() + 60
    while not any("x * 2" in path.read_text() for path in (here.state / "work").glob("*/*/calc.py")):
        assert time.monotonic() < until
        time.sleep(0.01)
    (run,) = here.runs()
    cancelled = here.sparky("cancel", str(run["run_id"]))
    process.communicate(timeout=120)
    assert (line != "", cancelled.returncode, process.returncode) == (True, 0, 1)
    (run,) = here.runs()
    assert run["outcome"] == "cancelled"
    assert here.git("show", f"{run['branch']}:calc.py").endswith("return x * 2")
    assert here.git("status", "--porcelain") == ""


def ready(world: World, name: str) -> str:
    """A run that has written a file and waits to be merged."""
    script = world.root / f"{name}.toml"
    text = _SLOW.replace("calc.py", name).replace('do = "replace"', 'do = "write"').replace('"3"', '"0"')
    script.write_text(text, encoding="utf-8")
    said = world.sparky("run", f"write {name}", "--script", str(script), "--json")
    assert said.returncode == 0, said.stderr
    return str(json.loads(said.stdout)["run_id"])


def seen(process: subprocess.Popen[str], line: str) -> Iterator[str]:
    """What a process says, up to a line."""
    assert process.stdout is not None
    for said in process.stdout:
        yield said
        if line in said:
            return
    pytest.fail(f"it never said {line!r}")


@pytest.mark.soak
def test_a_run_that_is_being_merged_is_tested_in_peace_and_the_next_one_waits(world: World) -> None:
    first, second = ready(world, "one.txt"), ready(world, "two.txt")
    world.git("commit", "-q", "--allow-empty", "-m", "moved")
    one = world.start("merge", first)
    said = [*seen(one, "running the tests at head")]
    os.kill(one.pid, signal.SIGSTOP)
    two = world.start("merge", second)
    also = [*seen(two, "waiting: another run is being merged into main")]
    os.kill(one.pid, signal.SIGCONT)
    ended = (one.communicate(timeout=120)[0], two.communicate(timeout=120)[0])
    assert (one.returncode, two.returncode) == (0, 0), ended
    told = ["".join(said) + ended[0], "".join(also) + ended[1]]
    assert [text.count("rebased, to be tested again") for text in told] == [1, 1], told
    assert world.git("log", "--format=%s", "main").splitlines() == [
        "write two.txt",
        "write one.txt",
        "moved",
        "base",
    ]


@pytest.mark.soak
def test_a_run_that_waits_for_its_turn_can_be_cancelled(world: World) -> None:
    run = ready(world, "one.txt")
    with FileLocks(world.state / "locks").queue(f"main {world.repo / '.git'}"):
        process = world.start("merge", run)
        list(seen(process, "waiting: another run is being merged into main"))
        cancelled = world.sparky("cancel", run)
        said = process.communicate(timeout=120)[0]
    assert (cancelled.returncode, process.returncode) == (0, 1), said
    assert [run["outcome"] for run in world.runs()] == ["cancelled"]
    assert world.git("log", "--format=%s", "main") == "base"


@pytest.mark.soak
@pytest.mark.parametrize(
    "line",
    [
        pytest.param("tests at head:", id="as it is tested"),
        pytest.param("merge 2 …", id="when the target has moved"),
    ],
)
def test_a_batch_that_is_killed_loses_nothing_and_is_merged_by_the_next_one(line: str, world: World) -> None:
    (world.repo / "calc.py").write_text("def double(x):\n    return x * 2\n", encoding="utf-8")
    world.git("commit", "-qam", "mended")
    runs = ready(world, "one.txt"), ready(world, "two.txt")
    batch = world.start("merge", *runs)
    list(seen(batch, line))
    os.kill(batch.pid, signal.SIGKILL)
    batch.communicate()
    world.sparky("resume")
    again = world.sparky("merge", *runs)
    assert again.returncode == 0, again.stderr
    assert [run["outcome"] for run in world.runs()] == ["merged", "merged"]
    assert world.git("log", "--format=%s", "main").splitlines() == [
        "write two.txt",
        "write one.txt",
        "mended",
        "base",
    ]
    assert world.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert world.git("worktree", "list", "--porcelain").count("worktree ") == 1
