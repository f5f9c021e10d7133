"""Locks between processes: held by the living, free when they die."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread

import pytest

from sparky.adapters.locks import FileLocks
from sparky.adapters.turn import Turn
from sparky.domain.state import Context

HOLDER = """
import sys
from pathlib import Path
from sparky.adapters.locks import FileLocks

with FileLocks(Path(sys.argv[1])).hold(sys.argv[2]):
    print("held", flush=True)
    sys.stdin.read()
"""
EXECUTOR = """
import sys
from pathlib import Path
from sparky.adapters.locks import FileLocks

with FileLocks(Path(sys.argv[1])).executor() as name:
    print(name, flush=True)
    sys.stdin.read()
"""
QUEUED = """
import sys
from pathlib import Path
from sparky.adapters.locks import FileLocks

with FileLocks(Path(sys.argv[1])).queue(sys.argv[2]) as is_first:
    print(is_first(), flush=True)
    sys.stdin.read()
"""
Other = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "locks"


@pytest.fixture
def other(root: Path) -> Iterator[Other]:
    """Starts a process that runs a script, and lives until its standard input ends or it is killed."""
    started = []

    def start(script: str, *args: str) -> "subprocess.Popen[str]":
        call = [sys.executable, "-c", script, str(root), *args]
        process = subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.communicate()


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def is_free(locks: FileLocks, name: str) -> bool:
    with locks.attempt(name) as held:
        return held


def test_a_lock_that_another_process_holds_is_not_to_be_had_and_free_when_it_is_killed(
    root: Path, other: Other
) -> None:
    locks = FileLocks(root)
    process = other(HOLDER, "merge shop")
    assert said(process) == "held"
    assert (locks.is_held("merge shop"), is_free(locks, "merge shop")) == (True, False)
    process.kill()
    process.wait()
    assert (locks.is_held("merge shop"), is_free(locks, "merge shop")) == (False, True)


def test_who_waits_for_a_lock_gets_it_when_the_holder_is_killed(root: Path, other: Other) -> None:
    process = other(HOLDER, "merge shop")
    assert said(process) == "held"
    got = Event()

    def wait() -> None:
        with FileLocks(root).hold("merge shop"):
            got.set()

    waiter = Thread(target=wait)
    waiter.start()
    assert not got.wait(0.05)
    process.kill()
    process.wait()
    assert got.wait(10)
    waiter.join()


def test_an_executor_is_alive_as_long_as_its_process(root: Path, other: Other) -> None:
    locks = FileLocks(root)
    ended, killed = other(EXECUTOR), other(EXECUTOR)
    one, two = said(ended), said(killed)
    assert one != two
    assert (locks.is_held(one), locks.is_held(two)) == (True, True)
    ended.communicate()
    killed.kill()
    killed.wait()
    assert (locks.is_held(one), locks.is_held(two)) == (False, False)
    assert [path.name for path in root.iterdir()] == [f"{two}.lock"]


def test_a_lock_is_free_again_after_the_block_and_after_an_error_in_it(root: Path) -> None:
    locks = FileLocks(root)
    with locks.hold("one"):
        assert locks.is_held("one")
        assert not locks.is_held("two")
    assert not locks.is_held("one")
    with pytest.raises(KeyError), locks.hold("one"):
        raise KeyError("broken")
    assert not locks.is_held("one")


def test_an_attempt_holds_the_lock_for_its_block(root: Path) -> None:
    locks = FileLocks(root)
    with locks.attempt("one") as first, locks.attempt("one") as second:
        assert (first, second, locks.is_held("one")) == (True, False, True)
    assert not locks.is_held("one")


def test_to_look_whether_a_lock_is_held_leaves_no_trace_where_it_never_was(root: Path) -> None:
    assert not FileLocks(root).is_held("one")
    assert not root.exists()


def test_those_who_look_at_once_do_not_take_one_another_for_the_holder(root: Path) -> None:
    assert is_free(FileLocks(root), "one")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: FileLocks(root).is_held("one"), range(2000)))
    assert found == [False] * 2000


def test_names_that_files_cannot_bear_are_locks_of_their_own(root: Path) -> None:
    locks = FileLocks(root)
    with locks.hold("merge /home/ada/shop/.git"):
        assert locks.is_held("merge /home/ada/shop/.git")
        assert not locks.is_held("merge /home/bob/shop/.git")


def context(target: str) -> Context:
    return Context(
        repo_name="shop", repo_path="/shop", git_dir="/shop/.git", base="b" * 40, target=target, branch="work"
    )


def look_once(is_so: Callable[[], bool]) -> bool:
    """Waits no longer than it takes to look."""
    return is_so()


def test_a_turn_is_had_by_one_at_each_target_until_it_ends(root: Path) -> None:
    first, second, other = (Turn(FileLocks(root)) for _ in range(3))
    said: list[str] = []

    def has(turn: Turn, target: str) -> bool:
        return turn.take(context(target), said.append, look_once)

    assert (has(first, "main"), has(first, "main"), has(other, "side")) == (True, True, True)
    assert (has(second, "main"), said) == (False, ["waiting: another run is being merged into main"])
    first.end()
    assert (has(second, "main"), has(first, "main")) == (True, False)


def test_a_turn_is_had_by_who_came_first_of_all_who_wait(root: Path) -> None:
    order: list[int] = []
    waiting, over = [Event() for _ in range(4)], Event()

    def wait(number: int) -> None:
        def waited(is_so: Callable[[], bool]) -> bool:
            while not is_so():
                waiting[number].set()
                assert not over.wait(0.001 * (4 - number))  # who came last looks most often
            return True

        turn = Turn(FileLocks(root))
        assert turn.take(context("main"), lambda _: None, waited)
        order.append(number)
        turn.end()

    held = Turn(FileLocks(root))
    assert held.take(context("main"), lambda _: None, look_once)
    waiters = [Thread(target=wait, args=(number,)) for number in range(4)]
    for waiter, event in zip(waiters, waiting, strict=True):
        waiter.start()
        assert event.wait(10)
    held.end()
    for waiter in waiters:
        waiter.join(10)
    over.set()
    assert order == [0, 1, 2, 3]


def test_who_is_killed_in_a_queue_is_not_waited_for_and_leaves_no_place(root: Path, other: Other) -> None:
    with FileLocks(root).queue("main") as first:
        killed = other(QUEUED, "main")
        assert said(killed) == "False"
        with FileLocks(root).queue("main") as last:
            assert (first(), last()) == (True, False)
            killed.kill()
            killed.wait()
            assert (first(), last()) == (True, False)
    with FileLocks(root).queue("main") as alone:
        assert alone()
    assert [path.name for path in root.iterdir()] == ["queue-main.lock"]


def test_an_error_ends_the_turn(root: Path) -> None:
    said: list[str] = []
    first, second = Turn(FileLocks(root)), Turn(FileLocks(root))
    assert first.take(context("main"), said.append, look_once)
    with pytest.raises(OSError, match="full"), first.ended_by_errors():
        raise OSError("full")
    assert (second.take(context("main"), said.append, look_once), said) == (True, [])
