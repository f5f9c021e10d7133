"""Lines of progress: appended by one, followed by others."""

import re
from pathlib import Path
from queue import Queue
from threading import Event, Thread

import pytest

from sparky.adapters.progress import FileProgress


@pytest.fixture
def progress(tmp_path: Path) -> FileProgress:
    return FileProgress(tmp_path / "progress")


def words(lines: list[str]) -> list[str]:
    """The lines without their times, each of which has to be one."""
    found = [re.fullmatch(r"\d\d:\d\d:\d\d (.*)", line) for line in lines]
    return [match[1] for match in found if match is not None]


def test_a_run_that_said_nothing_has_no_lines(progress: FileProgress) -> None:
    assert progress.lines("run-1") == []


def test_each_saying_is_one_line_with_its_time_whatever_breaks_it_holds(progress: FileProgress) -> None:
    progress.say("run-1", "route 1 …")
    progress.say("run-1", "two\nlines\r\nand\x0ca feed\u2028and\tmore")
    progress.say("run-2", "another run's")
    assert words(progress.lines("run-1")) == ["route 1 …", "two lines and a feed and more"]
    assert words(progress.lines("run-2")) == ["another run's"]


def test_lines_are_followed_as_they_come_until_the_end_and_then_all_of_them(progress: FileProgress) -> None:
    ended, came = Event(), Queue[str]()

    def follow() -> None:
        for line in progress.follow("run-1", ended):
            came.put(line)

    follower = Thread(target=follow)
    follower.start()
    progress.say("run-1", "first")
    assert words([came.get(timeout=10)]) == ["first"]
    progress.say("run-1", "second")
    progress.say("run-1", "third")
    ended.set()
    follower.join()
    assert words([came.get_nowait(), came.get_nowait()]) == ["second", "third"]
    assert came.empty()


@pytest.mark.parametrize(("start", "shown"), [(0, ["one", "two"]), (1, ["two"]), (2, []), (9, [])])
def test_what_was_seen_already_is_left_out(progress: FileProgress, start: int, shown: list[str]) -> None:
    ended = Event()
    ended.set()
    progress.say("run-1", "one")
    progress.say("run-1", "two")
    assert words(list(progress.follow("run-1", ended, start))) == shown


def test_lines_that_are_dropped_are_gone_and_dropping_them_twice_is_no_error(progress: FileProgress) -> None:
    progress.say("run-1", "one")
    progress.drop("run-1")
    progress.drop("run-1")
    assert progress.lines("run-1") == []
