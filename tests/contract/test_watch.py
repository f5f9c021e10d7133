"""Which of the changed lines the tests run, seen by coverage.py beside real tests."""

from typing import Protocol

import pytest

from sparky import ports
from sparky.domain.state import Context
from sparky.domain.testing import TestRun

BUILD = '[build-system]\nrequires = ["uv_build>=0.9"]\nbuild-backend = "uv_build"\n'
PYPROJECT = f'[project]\nname = "calc"\nversion = "1"\n{BUILD}'
CALC = '''"""Sums."""

LIMIT = 3


def add(
    a, b,
):
    # a comment
    if a > LIMIT:
        return (
            a -
            b
        )
    else:
        c = a
    return c + b


def lost():
    return 1
'''
ALL = tuple(range(1, CALC.count("\n") + 1))
UNRUN = (11, 12, 13, 14, 21)
"""The lines of statements that a test of 1 + 2 does not run; comments and blank lines belong to none."""
TEST = "import calc\n\ndef test_add():\n    assert calc.add(1, 2) == 3\n"
OLD = """import unittest
import calc

class TestAdd(unittest.TestCase):
    def test_add(self):
        assert calc.add(1, 2) == 3
"""
OTHER = """import subprocess, sys

def test_add():
    subprocess.run([sys.executable, "-c", "import calc; calc.add(1, 2)"], check=True)
"""
PROJECT: dict[str, str | None] = {"pyproject.toml": PYPROJECT, "src/calc/__init__.py": CALC}


class Target(Protocol):
    """What the fixture of this name gives."""

    def commit(self, files: dict[str, str | None]) -> str: ...
    def context(self, base: str) -> Context: ...
    @property
    def tests(self) -> ports.Tests: ...


def watched(
    target: Target,
    files: dict[str, str | None],
    lines: dict[str, tuple[int, ...]],
    command: tuple[str, ...] = ("pytest",),
) -> TestRun:
    sha = target.commit(files)
    return target.tests.run(target.context(sha), sha, command, timeout_s=60, lines=lines)


@pytest.mark.parametrize(
    ("files", "command"),
    [
        pytest.param({**PROJECT, "tests/test_add.py": TEST}, ("pytest",), id="installed"),
        pytest.param({"calc.py": CALC, "test_add.py": TEST}, ("pytest",), id="as it lies"),
        pytest.param({"calc.py": CALC, "test_add.py": OLD}, ("python", "-m", "unittest"), id="unittest"),
        pytest.param({"calc.py": CALC, "test_add.py": OTHER}, ("pytest",), id="another process"),
    ],
)
def test_the_lines_of_statements_that_no_test_runs_are_named(
    target: Target, files: dict[str, str | None], command: tuple[str, ...]
) -> None:
    path = next(path for path in files if "calc" in path)
    told = watched(target, files, {path: ALL}, command)
    assert (told.trouble, told.passed, told.unrun) == (None, 1, {path: UNRUN})


def test_lines_that_are_run_are_not_named(target: Target) -> None:
    assert (
        watched(target, {"calc.py": CALC, "test_add.py": TEST}, {"calc.py": (1, 7, 9, 10, 15, 16)}).unrun
        == {}
    )


def test_a_file_that_nothing_imports_is_not_run(target: Target) -> None:
    files: dict[str, str | None] = {"calc.py": CALC, "other/calc.py": CALC + "\n", "test_add.py": TEST}
    told = watched(target, files, {"calc.py": (16,), "other/calc.py": (16, 9)})
    assert told.unrun == {"other/calc.py": (16,)}


def test_where_nothing_can_be_seen_nothing_is_called_run(target: Target) -> None:
    files: dict[str, str | None] = {"calc.py": CALC, "test_add.py": TEST}
    lines: dict[str, tuple[int, ...]] = {"calc.py": (10, 16)}
    assert watched(target, files, lines, ("python", "-I", "-m", "pytest")).unrun == lines
    assert watched(target, {"broken.py": "def\n"}, {"broken.py": (1,)}).unrun == {"broken.py": (1,)}
