"""Trials of parts of a fix: whom they blame, and what they ask of the tests and the tools."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.adapters.memory import MemoryTests
from sparky.adapters.shell import SystemShell
from sparky.domain.state import Context
from sparky.domain.testing import TestCase, TestOutcome, TestRun
from sparky.evidence.answers import answered
from sparky.evidence.tests import judge_again, trace_calls, warm_traces
from tests.stages.stand import Stand

PASSED, FAILED = TestOutcome.PASSED, TestOutcome.FAILED


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    return Stand(root=tmp_path)


def test_bug_what_was_red_before_was_new_where_a_command_ran_more_than_it_was_asked_for(stand: Stand) -> None:
    stand.red = lambda _: {"test_b": "ever"}
    state = stand.state(stand.commit({"a.py": b""}))
    red = TestCase(id="test_b", outcome=FAILED, message="ever")
    run = TestRun(sha=state.base, command=("pytest",), cases=(TestCase(id="test_a", outcome=PASSED), red))
    seen = judge_again(state, stand.house.ports, run, run, {"test_a": "it broke"})
    assert (seen.worse, seen.flaky) == ((), ())


def test_bug_offers_were_lost_where_another_process_removed_one_or_wrote_its_own(
    stand: Stand, tmp_path: Path
) -> None:
    ports = replace(stand.house.ports, shell=SystemShell({"PATH": os.environ["PATH"]}))
    folder = ports.kept / "answers"
    folder.mkdir(parents=True)
    (folder / "gone.json").symlink_to("nowhere")
    (folder / "other.part").touch()
    for number in range(50):
        (folder / f"{number}.json").touch()
    assert answered(ports, tmp_path, ("echo", "yes")).stdout == b"yes\n"
    assert (folder / "other.part").is_file()
    assert len(list(folder.iterdir())) == 41


def test_what_was_said_is_known_until_a_file_that_tools_read_is_another(stand: Stand, tmp_path: Path) -> None:
    ports = replace(stand.house.ports, shell=SystemShell({"PATH": os.environ["PATH"]}))
    target = tmp_path / "target"
    target.mkdir()

    def said() -> bytes:
        return answered(ports, target, ("sh", "-c", "echo $$")).stdout

    (target / "a.py").write_text("x = 1\n")
    first = said()
    (target / "notes.txt").touch()
    assert said() == first
    (target / "a.py").write_text("x = 2\n")
    second = said()
    assert second != first
    (target / "a.py").rename(target / "b.py")
    assert said() not in {first, second}


class Watched(MemoryTests):
    """Tests that can't be watched."""

    def trace(self, context: Context, sha: str, command: tuple[str, ...], *, timeout_s: float) -> Path | None:
        del context, timeout_s
        raise OSError(sha, *command)


def test_what_goes_wrong_while_the_tests_are_watched_ahead_of_time_is_left_to_who_asks_for_it(
    stand: Stand,
) -> None:
    state = stand.state(stand.commit({"a.py": b""}))
    memory = stand.house.tests
    tests = Watched(repository=memory.repository, judge=memory.judge, command=memory.command)
    ports = replace(stand.house.ports, tests=tests)
    warm_traces(state, ports)
    with pytest.raises(OSError, match=state.base):
        trace_calls(state, ports)
