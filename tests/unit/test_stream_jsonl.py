"""What the lines of our pytest plugin mean."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparky.domain.testing import TestCase, TestOutcome
from sparky.targets.suite import SuiteReport
from sparky.targets.suites.stream_jsonl import parse

ID = "tests/test_a.py::test_x[1::2]"


def lines(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def phase(outcome: str, message: str = "", seconds: float = 0.5, test: str = ID) -> dict[str, Any]:
    return {"event": "phase", "id": test, "outcome": outcome, "message": message, "seconds": seconds}


def test_a_whole_run_is_read() -> None:
    told = parse(
        lines(
            {"event": "session", "pytest": "9.2.0"},
            {"event": "collect", "id": "b.py", "outcome": "error", "message": "No"},
            {"event": "start", "id": ID},
            phase("passed"),
            {"event": "end", "id": ID},
            {"event": "modules", "files": {"pkg": ["/a/pkg/__init__.py"]}},
            {"event": "modules", "files": {"other": ["/a/other"]}},
            {"event": "finish"},
        )
    )
    assert told == SuiteReport(
        cases=(
            TestCase(id="b.py", outcome=TestOutcome.ERROR, message="No"),
            TestCase(id=ID, outcome=TestOutcome.PASSED, seconds=0.5),
        ),
        imported={"pkg": ("/a/pkg/__init__.py",), "other": ("/a/other",)},
        started=True,
        ended=True,
    )


def test_a_torn_last_line_is_left_out_and_the_test_in_flight_is_named() -> None:
    data = lines({"event": "session"}, {"event": "start", "id": ID}) + lines(phase("failed"))[:-9]
    assert parse(data) == SuiteReport(running=(ID,), started=True)


@pytest.mark.parametrize(
    ("phases", "outcome", "message"),
    [
        ([phase("passed"), phase("error", "after")], TestOutcome.ERROR, "after"),
        ([phase("failed", "in it"), phase("error", "after")], TestOutcome.FAILED, "in it"),
        ([phase("failed", "a part"), phase("passed")], TestOutcome.FAILED, "a part"),
        ([phase("passed"), phase("skipped")], TestOutcome.SKIPPED, ""),
    ],
)
def test_the_phases_of_a_test_are_one_case(
    phases: list[dict[str, Any]], outcome: TestOutcome, message: str
) -> None:
    expected = TestCase(id=ID, outcome=outcome, message=message, seconds=1.0)
    assert parse(lines(*phases)).cases == (expected,)


def test_messages_name_no_directory_of_this_run_and_are_one_short_line() -> None:
    text = "OSError: no\n  /cache/x/tree/a.py in /cache/x/tmp" + " long" * 100
    (case,) = parse(lines(phase("failed", text)), {"/cache/x/tree/": "", "/cache/x": "<scratch>"}).cases
    assert case.message == ("OSError: no a.py in <scratch>/tmp" + " long" * 100)[:300]


@given(st.binary() | st.lists(st.text()).map(lambda texts: "\n".join(map(json.dumps, texts)).encode()))
def test_whatever_the_lines_are_they_are_read(data: bytes) -> None:
    assert parse(data) == SuiteReport()
