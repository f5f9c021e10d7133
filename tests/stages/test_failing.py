"""What is heard of a target's tests, for findings."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.domain.state import Preferences
from sparky.domain.testing import TestCase, TestOutcome, Trouble
from sparky.evidence.failing import hear
from sparky.testing.house import MemoryHouse, memory_house
from sparky.tools.ruff_json import parse
from sparky.tools.tool import ToolError
from tests.builders import CONTEXT


def house(root: Path, *verdicts: set[str], command: tuple[str, ...] | None = ("pytest",)) -> MemoryHouse:
    """One whose tests a and b are red as is said, run by run."""
    runs = iter(verdicts)

    def judge(_: object) -> tuple[TestCase, ...]:
        red = next(runs)
        outcomes = {name: TestOutcome.FAILED if name in red else TestOutcome.PASSED for name in "ab"}
        return tuple(TestCase(id=name, outcome=done, message="E: no") for name, done in outcomes.items())

    return memory_house(root, judge, command=command)


def heard(house: MemoryHouse, base: str, sha: str) -> list[str]:
    answer = hear(house.ports, replace(CONTEXT, base=base), Preferences(), lambda: sha)({})
    return [one.message for one in parse(answer.stdout)]


def test_only_what_fails_each_time_at_the_base_is_told(tmp_path: Path) -> None:
    here = house(tmp_path, {"a", "b"}, {"b"})
    base = here.repository.write({"x.py": b""})
    assert heard(here, base, base) == ["b: E: no"]


def test_at_another_commit_what_is_new_there_is_left_to_the_stage_test(tmp_path: Path) -> None:
    here = house(tmp_path, {"a"}, {"a"}, {"a", "b"})
    base = here.repository.write({"x.py": b""})
    assert heard(here, base, here.repository.write({"x.py": b"1"})) == ["a: E: no"]
    assert len(here.tests.ran) == 3


def test_green_tests_run_once_and_none_not_at_all(tmp_path: Path) -> None:
    here = house(tmp_path, set())
    base = here.repository.write({"x.py": b""})
    assert (heard(here, base, base), len(here.tests.ran)) == ([], 1)
    none = house(tmp_path / "none", command=None)
    base = none.repository.write({"x.py": b""})
    assert (heard(none, base, base), none.tests.ran) == ([], [])


def test_tests_without_a_verdict_are_no_answer(tmp_path: Path) -> None:
    here = house(tmp_path)
    base = here.repository.write({"x.py": b""})
    here.tests.trouble[base] = Trouble.ENVIRONMENT
    with pytest.raises(ToolError, match=f"no verdict at {base[:10]}: environment: environment in memory"):
        heard(here, base, base)


def told(root: Path, *runs: Mapping[str, TestOutcome | str]) -> list[str]:
    """What is heard of the last run; what a test says makes it red."""
    left = iter(runs)

    def judge(_: object) -> tuple[TestCase, ...]:
        return tuple(
            TestCase(id=name, outcome=TestOutcome.FAILED, message=said)
            if isinstance(said, str)
            else TestCase(id=name, outcome=said)
            for name, said in next(left).items()
        )

    here = memory_house(root, judge, command=("pytest",))
    base = here.repository.write({"x.py": b""})
    return heard(here, base, here.repository.write({"x.py": b"1"}))


def test_bug_a_message_that_varies_made_a_new_finding_of_each_run(tmp_path: Path) -> None:
    runs = ({"a": f"E: '{word}'", "b": f"E: {word} in 0.{n} s"} for n, word in enumerate(("x", "y", "z")))
    varies = "it fails, each time with another message"
    assert told(tmp_path, *runs) == [f"a: {varies}", f"b: {varies}"]
    same = ({"a": f"E: {n} of 9 in 0.{n} s"} for n in range(3))
    assert told(tmp_path / "same", *same) == ["a: E: 2 of 9 in #"]


def test_bug_a_test_that_is_skipped_or_gone_counted_as_mended(tmp_path: Path) -> None:
    red = dict.fromkeys("abc", "E: no")
    head = {"a": TestOutcome.SKIPPED, "b": TestOutcome.PASSED}
    assert told(tmp_path, red, red, head) == ["a: E: no", "c: E: no"]


def test_bug_a_second_run_without_a_verdict_made_the_first_one_worthless(tmp_path: Path) -> None:
    red = {"a": "E: no"}
    assert told(tmp_path, red, {}, red) == ["a: E: no"]


def test_bug_a_commit_was_made_for_each_look_though_nobody_asked_for_its_tests(tmp_path: Path) -> None:
    unasked = hear(house(tmp_path).ports, CONTEXT, Preferences(), lambda: pytest.fail("a commit was made"))
    assert callable(unasked)
