"""Tests that only have another name or place."""

import pytest

from sparky.tamper.edit import Edit
from sparky.tamper.renames import new_id, renames

PATH, BODY = "tests/test_a.py", "    assert double(2) == 4\n"


def function(name: str) -> str:
    return f"def {name}():\n{BODY}"


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (function("test_a"), function("test_b"), {"test_a": "test_b"}),
        (
            f"class TestA:\n    def test_a(self):\n    {BODY}",
            f"class TestB:\n    def helper(self): ...\n    def test_a(self):\n    {BODY}",
            {"TestA.test_a": "TestB.test_a"},
        ),
        (function("test_a"), "def test_b():\n    assert True\n", {}),
        (function("test_a"), f"@pytest.mark.skip\n{function('test_b')}", {}),
        (function("test_a"), f"async {function('test_b')}", {}),
        (function("test_a") + function("test_b"), function("test_c"), {}),
        (function("test_a"), function("test_b") + function("test_c"), {}),
        (function("test_a"), function("test_a") + function("test_b"), {}),
        (function("test_a"), "def test_b(:", {}),
        (function("test_a"), None, {}),
    ],
)
def test_a_test_is_renamed_if_all_else_of_it_is_as_it_was(
    before: str, after: str | None, found: dict[str, str]
) -> None:
    edit = Edit(path=PATH, before=before, after=after)
    assert renames([edit]) == {(PATH, old): (PATH, new) for old, new in found.items()}


def test_a_test_that_moved_with_its_file_or_into_another_is_found() -> None:
    one, other = function("test_a"), "def test_b():\n    assert b\n"
    moved = Edit(path="tests/test_d.py", before=one, after=one, old_path=PATH)
    gone = Edit(path="tests/test_c.py", before=other, after="")
    come = Edit(path="tests/test_b.py", before=None, after=other)
    assert renames([moved, gone, come]) == {
        (PATH, "test_a"): ("tests/test_d.py", "test_a"),
        ("tests/test_c.py", "test_b"): ("tests/test_b.py", "test_b"),
    }


def test_bug_a_test_that_moved_to_where_other_fixtures_are_was_said_to_be_the_same() -> None:
    test = "def test_x(client):\n    assert client.get() == 200\n"
    assert renames([Edit(path="tests/easy/test_a.py", before=test, after=test, old_path=PATH)]) == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tests/test_a.py::TestA::test_x", "tests/test_a.py::TestB::test_y"),
        ("tests/test_a.py::TestA::test_x[1-a]", "tests/test_a.py::TestB::test_y[1-a]"),
        ("tests.test_a.TestA.test_x", "tests.test_a.TestB.test_y"),
        ("tests/test_a.py::TestA::test_xy", None),
        ("TestParse/empty", None),
    ],
)
def test_ids_are_those_of_pytest_and_of_unittest(before: str, after: str | None) -> None:
    assert new_id(before, {(PATH, "TestA.test_x"): (PATH, "TestB.test_y")}) == after
