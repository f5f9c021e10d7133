"""What makes two findings the same."""

from dataclasses import replace

import pytest

from sparky.domain.finding import (
    Finding,
    Fix,
    Left,
    Location,
    fingerprint,
    left,
    marks,
    normal_message,
)
from sparky.domain.issue import Kind, Severity

FOUND = Finding(
    tool="ruff",
    rule="F401",
    kind=Kind.DEAD_CODE,
    message="`os` imported but unused",
    location=Location(path="src/a.py", line=3, column=8, symbol="A.f"),
)


def at(line: int | None) -> Finding:
    return replace(FOUND, location=replace(FOUND.location, line=line))


@pytest.mark.parametrize(
    "other",
    [
        replace(FOUND, location=replace(FOUND.location, line=99, column=1)),
        replace(FOUND, tool="flake8", severity=Severity.HIGH, fix=Fix.SAFE, kind=Kind.IMPORT_ERROR),
    ],
)
def test_a_finding_stays_itself_when_lines_move_and_tools_change_their_mind(other: Finding) -> None:
    assert fingerprint(other) == fingerprint(FOUND) == "831157fcdd588852"


@pytest.mark.parametrize(
    "other",
    [
        replace(FOUND, rule="F811"),
        replace(FOUND, message="`sys` imported but unused"),
        replace(FOUND, location=replace(FOUND.location, path="src/b.py")),
        replace(FOUND, location=replace(FOUND.location, symbol="A.g")),
    ],
)
def test_another_rule_message_file_or_symbol_is_another_finding(other: Finding) -> None:
    assert fingerprint(other) != fingerprint(FOUND)


@pytest.mark.parametrize(
    ("message", "normal"),
    [
        ("redefinition of unused `x1` from line 12", "redefinition of unused `x1` from line #"),
        ("Line too long (120 > 88)", "Line too long (# > #)"),
        ("'a2' is not \"b3\", 4 times", "'a2' is not \"b3\", # times"),
        ("it's 5 o'clock", "it's 5 o'clock"),
        ("it's 5 past", "it's # past"),
        ("", ""),
    ],
)
def test_numbers_outside_quoted_names_do_not_count(message: str, normal: str) -> None:
    assert normal_message(message) == normal


@pytest.mark.parametrize(("line", "shown"), [(3, 3), (None, 1)])
def test_a_finding_that_stays_says_where_what_and_why(line: int | None, shown: int) -> None:
    stays = left(at(line), "its fix is unsafe")
    what = f"src/a.py:{shown} F401 `os` imported but unused"
    assert stays == Left(mark=fingerprint(FOUND), what=what, why="its fix is unsafe")
    assert stays.line == f"{what}: its fix is unsafe"


def test_findings_that_are_alike_are_named_by_their_order() -> None:
    mark, other = fingerprint(FOUND), replace(FOUND, rule="F811")
    assert marks([at(3), other, at(9)]) == (f"{mark}.1", f"{fingerprint(other)}.1", f"{mark}.2")
