"""The edits of `project.dependencies`: what is taken out or put in, and nothing else."""

import pytest

from sparky.tools.programs.pyproject import with_one, without
from sparky.tools.ruff_json import patched


def declaring(listed: str) -> bytes:
    return f'# ours\n[project]\nname = "m"\ndependencies = {listed}\n\n[tool.x]\ny = [ "b", ]\n'.encode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('["b>=1"]', "[]"),
        ('[ "b>=1", ]', "[]"),
        ('[ "a", "b" ]', '[ "a", ]'),
        ("['b', 'c']", "['c']"),
        ('[\n  "a", "b",\n]', '[\n  "a",\n]'),
        ('[\n  "a",\n  "b"\n]', '[\n  "a",\n]'),
        ('[\n  "a",\n  # what B needs\n  "b",  # nobody knows\n  "c",\n]', '[\n  "a",\n  "c",\n]'),
        ('[\n  # for all\n  "b ; os_name > \'a\'",\n  "c",\n]', '[\n  # for all\n  "c",\n]'),
        ('[\r\n  "a",\r\n  "b[x]~=1.0",\r\n]', '[\r\n  "a",\r\n]'),
    ],
)
def test_one_package_is_taken_out(before: str, after: str) -> None:
    edit = without(declaring(before), "b")
    assert edit is not None
    assert patched(declaring(before), [edit]) == declaring(after)


@pytest.mark.parametrize("before", ['["a"]', '["b<2", "b>=1"]', '"b"'])
def test_what_is_not_there_just_once_stays(before: str) -> None:
    assert without(declaring(before), "b") is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[]", '["b>=1"]'),
        ('["a", "c"]', '["a", "b>=1", "c"]'),
        ('["c", "a"]', '["c", "a", "b>=1"]'),
        ('[\r\n  "a",  # first\r\n  "c",\r\n]', '[\r\n  "a",  # first\r\n  "b>=1",\r\n  "c",\r\n]'),
        ('[\n  "a"\n]', '[\n  "a",\n  "b>=1"\n]'),
    ],
)
def test_a_requirement_is_put_where_it_belongs(before: str, after: str) -> None:
    edit = with_one(declaring(before), "b>=1")
    assert edit is not None
    assert patched(declaring(before), [edit]) == declaring(after)


def test_bug_a_list_in_a_last_line_without_an_end_was_beyond_the_file() -> None:
    data = b'[project]\ndependencies = ["a"]'
    edits = without(data, "a"), with_one(data, "b")
    made = [patched(data, [edit]) for edit in edits if edit is not None]
    assert made == [b"[project]\ndependencies = []", b'[project]\ndependencies = ["a", "b"]']
