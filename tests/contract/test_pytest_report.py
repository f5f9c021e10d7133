"""Our pytest plugin in a process of its own, read back by its codec."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sparky.domain.testing import TestOutcome
from sparky.targets.suite import SuiteReport
from sparky.targets.suites.stream_jsonl import parse

SUITE = """
import os, pathlib, pytest
def test_fine(): pass
def test_wrong(): assert 0
@pytest.mark.xfail
def test_expected(): assert 0
@pytest.mark.xfail
def test_surprise(): pass
def test_skip(): pytest.skip()
@pytest.fixture
def broken(): raise LookupError("before")
def test_broken(broken): pass
"""
OUTCOMES = {
    "test_a.py::test_fine": TestOutcome.PASSED,
    "test_a.py::test_wrong": TestOutcome.FAILED,
    "test_a.py::test_expected": TestOutcome.XFAILED,
    "test_a.py::test_surprise": TestOutcome.XPASSED,
    "test_a.py::test_skip": TestOutcome.SKIPPED,
    "test_a.py::test_broken": TestOutcome.ERROR,
}


ODD = """
import pytest
class Odd: pass
ODD, EVEN = Odd(), Odd()
@pytest.mark.parametrize("one", [ODD, EVEN], ids=repr)
def test_odd(one): assert one is ODD
"""


FORK = """
import os, pytest
def test_forked():
    child = os.fork()
    if child == 0:
        pytest.exit("in the child")
    os.waitpid(child, 0)
"""


def report(root: Path, *args: str, only: Sequence[str] | None = None, suite: str = SUITE) -> SuiteReport:
    (root / "test_a.py").write_text(suite)
    (root / "pytest.ini").touch()
    plan = {"report": str(root / "report.jsonl"), "modules": ["test_a", "absent"], "only": only}
    (root / "plan.json").write_text(json.dumps(plan))
    ours = ("-p", "sparky.tools.pytest_report", f"--sparky-plan={root / 'plan.json'}")
    argv = (sys.executable, "-m", "pytest", "-q", *ours, *args)
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    # No pipes: a worker of xdist that outlives its controller would hold them open.
    null = subprocess.DEVNULL
    subprocess.run(argv, cwd=root, env=env, check=False, stdin=null, stdout=null, stderr=null, timeout=60)
    return parse((root / "report.jsonl").read_bytes())


@pytest.mark.parametrize("args", [(), ("-p", "xdist", "-n1")], ids=["alone", "worker"])
def test_all_outcomes_and_the_origin_of_modules_are_reported(tmp_path: Path, args: Sequence[str]) -> None:
    told = report(tmp_path, *args)
    assert {case.id: case.outcome for case in told.cases} == OUTCOMES
    assert told.imported == {"test_a": (str(tmp_path.resolve() / "test_a.py"),)}
    assert (told.started, told.ended, told.running) == (True, True, ())


def test_what_a_forked_child_does_is_not_reported(tmp_path: Path) -> None:
    told = report(tmp_path, suite=FORK)
    assert [(case.id, case.outcome) for case in told.cases] == [
        ("test_a.py::test_forked", TestOutcome.PASSED)
    ]
    lines = [json.loads(line)["event"] for line in (tmp_path / "report.jsonl").read_bytes().splitlines()]
    assert lines == ["session", "start", "phase", "end", "modules", "finish"]


def test_only_the_named_tests_are_run(tmp_path: Path) -> None:
    told = report(tmp_path, only=["test_a.py::test_wrong", "test_a.py::gone"])
    assert [case.id for case in told.cases] == ["test_a.py::test_wrong"]


def test_bug_a_test_whose_id_holds_an_address_was_another_in_each_run(tmp_path: Path) -> None:
    first = "test_a.py::test_odd[<test_a.Odd object at 0x...>]"
    outcomes = {first: TestOutcome.PASSED, f"{first} #2": TestOutcome.FAILED}
    told = report(tmp_path, suite=ODD)
    assert {case.id: case.outcome for case in told.cases} == outcomes
    (tmp_path / "report.jsonl").unlink()
    told = report(tmp_path, suite=ODD, only=[f"{first} #2"])
    assert {case.id: case.outcome for case in told.cases} == {f"{first} #2": TestOutcome.FAILED}


def test_modules_that_cannot_be_collected_are_reported(tmp_path: Path) -> None:
    (tmp_path / "test_lost.py").write_text("import no_such_module")
    (tmp_path / "test_wrong.py").write_text("def :")
    told = report(tmp_path, "--continue-on-collection-errors")
    messages = {case.id: case.message for case in told.cases if "::" not in case.id}
    assert messages == {
        "test_lost.py": "ModuleNotFoundError: No module named 'no_such_module'",
        "test_wrong.py": "SyntaxError: invalid syntax",
    }


def test_without_a_plan_it_does_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(
        "def test_a(pytestconfig):\n    assert not pytestconfig.pluginmanager.has_plugin('sparky-recorder')\n"
    )
    argv = (
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "sparky.tools.pytest_report",
        "-p",
        "no:cacheprovider",
    )
    assert subprocess.run(argv, cwd=tmp_path, check=False, capture_output=True).returncode == 0
