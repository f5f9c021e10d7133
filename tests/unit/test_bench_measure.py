"""What `bench/fix.py` takes for silence, and by whose configuration it judges."""

import tomllib

import pytest
from bench.fixing.configuration import with_tools
from bench.fixing.hushing import hushes

SILENT = (
    "x = 1  # noqa: F401",
    "# ruff: noqa",
    "# pylint: disable=all",
    "# mypy: ignore-errors",
    "x = 1  # type: ignore[misc]",
    "def f(a: Any) -> int: ...",
    "def f(*a: 'object') -> int: ...",
    "async def f() -> dict[str, Any]: ...",
    "x: typing.Any = 1",
    "x = typing.cast(int, y)",
)


@pytest.mark.parametrize("source", SILENT)
def test_what_silences_a_checker_is_counted(source: str) -> None:
    assert hushes(f"{source}\n") == 1


@pytest.mark.parametrize("source", ["object()", "'Any'", "def f(a: int) -> str: ...", "print x  # why"])
def test_what_only_looks_so_is_not(source: str) -> None:
    assert hushes(f"{source}\n") == 0


def test_a_candidate_is_judged_by_the_tools_of_the_base_and_keeps_its_dependencies() -> None:
    old = "[project]\nname = 'a'\ndependencies = ['x', 'y']\n[tool.mypy]\nstrict = true\n"
    mine = (
        "[project]\nname = 'a'\nrequires-python = '>=3.14'\ndependencies = ['y']\n"
        "[tool.ruff]\nlint.ignore = ['F']\n"
    )
    assert tomllib.loads(with_tools(mine, old)) == {
        "project": {"name": "a", "dependencies": ["y"]},
        "tool": {"mypy": {"strict": True}},
    }


def test_a_pyproject_that_says_the_same_to_the_tools_is_left_as_it_is() -> None:
    mine = "[project]  # ours\nname = 'b'\n"
    assert with_tools(mine, "[project]\nname = 'a'\n") == mine


def test_a_broken_pyproject_is_replaced_by_that_of_the_base() -> None:
    assert with_tools("[", "a = 1\n") == "a = 1\n"
