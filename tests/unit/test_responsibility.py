"""Whose turn it is after a red test: one table for each sort of failure."""

from typing import Any

import pytest

from sparky.domain.attempt import Responsibility
from sparky.reports.responsibility import FailureClass, RedFacts, classify, frames, judge, missing_package

CODER, TESTER, UNKNOWN = Responsibility.CODER, Responsibility.TESTER, Responsibility.UNKNOWN
ENVIRONMENT, PRE_EXISTING = Responsibility.ENVIRONMENT, Responsibility.PRE_EXISTING

SOURCE, TEST, NEW_TEST = "src/shop.py", "tests/test_shop.py", "tests/test_new.py"

TABLE: list[tuple[FailureClass, dict[str, Any], Responsibility]] = [
    # assertion
    (FailureClass.ASSERTION, {"red_at_base": True, "same_at_base": True}, PRE_EXISTING),
    (FailureClass.ASSERTION, {"red_at_base": False, "changed": (SOURCE,)}, CODER),
    (FailureClass.ASSERTION, {"red_at_base": False, "changed": (SOURCE, NEW_TEST)}, CODER),
    (FailureClass.ASSERTION, {"red_at_base": False, "changed": (TEST,)}, TESTER),
    (FailureClass.ASSERTION, {"red_at_base": False, "changed": (SOURCE, TEST)}, UNKNOWN),
    (FailureClass.ASSERTION, {"red_at_base": False, "changed": ("README.md",)}, UNKNOWN),
    (FailureClass.ASSERTION, {"changed": (SOURCE, TEST), "deepest": TEST}, UNKNOWN),
    (FailureClass.ASSERTION, {"changed": (SOURCE, TEST), "new_test_red_at_base": True}, UNKNOWN),
    (FailureClass.ASSERTION, {"changed": (SOURCE, TEST), "new_test_red_at_base": False}, CODER),
    (FailureClass.ASSERTION, {"red_at_base": False, "changed": (SOURCE,), "again": False}, UNKNOWN),
    (FailureClass.ASSERTION, {"red_at_base": True, "same_at_base": False, "changed": (SOURCE,)}, UNKNOWN),
    # exception
    (FailureClass.EXCEPTION, {"deepest": SOURCE, "changed": (SOURCE, TEST)}, CODER),
    (FailureClass.EXCEPTION, {"deepest": "src/other.py", "changed": (SOURCE, TEST)}, UNKNOWN),
    (FailureClass.EXCEPTION, {"deepest": TEST, "changed": (SOURCE, TEST)}, UNKNOWN),
    # a file that can't be loaded
    (FailureClass.BROKEN_SOURCE, {"deepest": SOURCE, "changed": (SOURCE,)}, CODER),
    (FailureClass.BROKEN_SOURCE, {"deepest": TEST, "changed": (SOURCE, TEST)}, TESTER),
    (FailureClass.BROKEN_SOURCE, {"deepest": TEST, "changed": (SOURCE,), "red_at_base": False}, CODER),
    (FailureClass.BROKEN_SOURCE, {"changed": (SOURCE,), "red_at_base": False}, CODER),
    (FailureClass.BROKEN_SOURCE, {"deepest": TEST, "changed": (SOURCE,)}, UNKNOWN),
    # a package that is missing
    (FailureClass.MISSING_PACKAGE, {"package": "attr", "package_declared": True}, ENVIRONMENT),
    (FailureClass.MISSING_PACKAGE, {"package_added": False, "red_at_base": False}, ENVIRONMENT),
    (
        FailureClass.MISSING_PACKAGE,
        {"package": "attr", "package_added": True, "package_declared": False, "deepest": SOURCE},
        CODER,
    ),
    (FailureClass.MISSING_PACKAGE, {"package_added": True, "package_declared": False}, TESTER),
    (FailureClass.MISSING_PACKAGE, {"package_added": True, "package_declared": True}, ENVIRONMENT),
    (FailureClass.MISSING_PACKAGE, {"red_at_base": False}, UNKNOWN),
    # a command that is missing
    (FailureClass.COMMAND_NOT_FOUND, {"red_at_base": False, "changed": (SOURCE,)}, ENVIRONMENT),
    # time
    (FailureClass.TIMED_OUT, {"red_at_base": True}, ENVIRONMENT),
    (FailureClass.TIMED_OUT, {"red_at_base": False, "again": True, "changed": (SOURCE,)}, CODER),
    (FailureClass.TIMED_OUT, {"red_at_base": False, "again": True, "changed": (TEST,)}, TESTER),
    (FailureClass.TIMED_OUT, {"red_at_base": False, "again": True, "changed": (SOURCE, TEST)}, UNKNOWN),
    (FailureClass.TIMED_OUT, {"red_at_base": False, "again": True}, UNKNOWN),
    (FailureClass.TIMED_OUT, {"red_at_base": False, "changed": (SOURCE,)}, UNKNOWN),
    (FailureClass.TIMED_OUT, {"changed": (SOURCE,)}, UNKNOWN),
    # memory
    (FailureClass.OUT_OF_MEMORY, {"red_at_base": True, "same_at_base": True}, PRE_EXISTING),
    (FailureClass.OUT_OF_MEMORY, {"red_at_base": True, "same_at_base": False}, ENVIRONMENT),
    (FailureClass.OUT_OF_MEMORY, {"red_at_base": False, "again": True, "changed": (SOURCE,)}, CODER),
    (FailureClass.OUT_OF_MEMORY, {"changed": (SOURCE,)}, UNKNOWN),
    # disk
    (FailureClass.DISK, {"red_at_base": False, "again": True, "changed": (SOURCE,)}, ENVIRONMENT),
    # network
    (FailureClass.NETWORK, {}, ENVIRONMENT),
    (FailureClass.NETWORK, {"red_at_base": True}, ENVIRONMENT),
    (FailureClass.NETWORK, {"red_at_base": False, "again": True, "changed": (SOURCE,)}, UNKNOWN),
    # whatever else
    (FailureClass.UNKNOWN, {"red_at_base": False, "changed": (SOURCE,)}, UNKNOWN),
]


@pytest.mark.parametrize(("failure", "seen", "who"), TABLE)
def test_the_turn_follows_from_the_facts(
    failure: FailureClass, seen: dict[str, Any], who: Responsibility
) -> None:
    judged = judge(RedFacts(failure=failure, **{"test_path": TEST, **seen}))
    assert judged.responsibility is who
    assert (judged.confidence == 0.0) == (who is UNKNOWN)
    assert judged.facts
    assert all(judged.facts)


def test_a_judgement_names_what_it_rests_on() -> None:
    judged = judge(
        RedFacts(
            failure=FailureClass.MISSING_PACKAGE, package="attr", package_added=True, package_declared=False
        )
    )
    assert judged.facts == ("the change imports attr", "the project does not declare attr")


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("E   AssertionError: assert 1 == 2", FailureClass.ASSERTION),
        ("Failed: DID NOT RAISE <class 'ValueError'>", FailureClass.ASSERTION),
        ("KeyError: 'a'", FailureClass.EXCEPTION),
        ("ConnectionRefusedError: Connection refused: 127.0.0.1:5432", FailureClass.EXCEPTION),
        ("ConnectionError: Connection refused by pypi", FailureClass.NETWORK),
        ("gaierror: Temporary failure in name resolution", FailureClass.NETWORK),
        ("ModuleNotFoundError: No module named 'attr'", FailureClass.MISSING_PACKAGE),
        ("ImportError: cannot import name 'Slot' from 'app.slots'", FailureClass.BROKEN_SOURCE),
        ("  File a.py, line 3\nSyntaxError: '(' was never closed", FailureClass.BROKEN_SOURCE),
        ("fixture 'db' not found", FailureClass.BROKEN_SOURCE),
        ("bash: pytest: command not found", FailureClass.COMMAND_NOT_FOUND),
        ("sh: 1: tox: not found", FailureClass.COMMAND_NOT_FOUND),
        ("Failed: Timeout >10.0s", FailureClass.TIMED_OUT),
        ("MemoryError", FailureClass.OUT_OF_MEMORY),
        ("tests/test_big.py\nKilled", FailureClass.OUT_OF_MEMORY),
        ("OSError: [Errno 28] No space left on device", FailureClass.DISK),
        ("it is red", FailureClass.UNKNOWN),
        ("", FailureClass.UNKNOWN),
    ],
)
def test_a_failure_is_sorted_by_what_its_message_says(text: str, failure: FailureClass) -> None:
    assert classify(text) is failure


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("No module named 'google.cloud'", "google"),
        ("Cannot find module '@vue/test'", "@vue/test"),
        ("no required module provides package example.org/x", "example.org/x"),
        ("No module named nothing", ""),
    ],
)
def test_the_missing_package_is_named(text: str, name: str) -> None:
    assert missing_package(text) == name


def test_frames_are_read_as_python_and_pytest_print_them() -> None:
    trace = 'Traceback:\n  File "src/a.py", line 3, in f\n    g()\nsrc/b.py:7: KeyError\nE   x.py: no\n'
    assert frames(trace) == (("src/a.py", 3), ("src/b.py", 7))
