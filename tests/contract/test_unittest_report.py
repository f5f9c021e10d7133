"""Our reporter for unittest in a process of its own, read back by its codec."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from sparky.domain.testing import TestOutcome
from sparky.targets.suite import SuiteReport
from sparky.targets.suites.stream_jsonl import parse

SUITE = """
import unittest

class Test(unittest.TestCase):
    def test_fine(self): pass
    def test_wrong(self): self.assertEqual(1, 2)
    def test_broken(self): raise LookupError("no")
    @unittest.skip("later")
    def test_skipped(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    @unittest.expectedFailure
    def test_surprise(self): pass
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i, at=object()):
                self.assertNotEqual(i, 1)
    def test_torn(self):
        with self.subTest("first"):
            raise LookupError("part")
        self.fail("whole")
    def test_left(self):
        self.addCleanup(lambda: 1 / 0)

class Held(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise LookupError("before")
    def test_never(self): pass

class Left(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): raise LookupError("after")
    def test_fine(self): pass

class Later(unittest.IsolatedAsyncioTestCase):
    async def test_awaited(self): self.assertTrue(False)
"""
LOST = "import no_such_module\n"
HALT = """
import unittest
def setUpModule(): raise LookupError("module")
class Test(unittest.TestCase):
    def test_x(self): pass
"""
ABSENT = "import unittest\nraise unittest.SkipTest('not here')\n"
FILES = {"test_a.py": SUITE, "test_lost.py": LOST, "test_halt.py": HALT, "test_absent.py": ABSENT}
PASSED, FAILED, ERROR, SKIPPED = (
    TestOutcome.PASSED,
    TestOutcome.FAILED,
    TestOutcome.ERROR,
    TestOutcome.SKIPPED,
)
EXPECTED = {
    "test_a.Test.test_fine": (PASSED, ""),
    "test_a.Test.test_wrong": (FAILED, "AssertionError: 1 != 2"),
    "test_a.Test.test_broken": (ERROR, "LookupError: no"),
    "test_a.Test.test_skipped": (SKIPPED, ""),
    "test_a.Test.test_expected": (TestOutcome.XFAILED, ""),
    "test_a.Test.test_surprise": (FAILED, "unexpected success"),
    "test_a.Test.test_parts": (FAILED, "a sub-test failed"),
    "test_a.Test.test_parts (i=1, at=<object object at 0x>)": (FAILED, "AssertionError: 1 == 1"),
    "test_a.Test.test_torn": (FAILED, "a sub-test failed"),
    "test_a.Test.test_torn [first]": (ERROR, "LookupError: part"),
    "test_a.Test.test_left": (ERROR, "ZeroDivisionError: division by zero"),
    "test_a.Held": (ERROR, "LookupError: before"),
    "test_a.Left": (ERROR, "LookupError: after"),
    "test_a.Left.test_fine": (PASSED, ""),
    "test_a.Later.test_awaited": (FAILED, "AssertionError: False is not true"),
    "test_lost": (ERROR, "ModuleNotFoundError: No module named 'no_such_module'"),
    "test_halt": (ERROR, "LookupError: module"),
    "test_absent": (SKIPPED, ""),
}


def report(
    root: Path, *args: str, files: Mapping[str, str] | None = None, only: Sequence[str] | None = None
) -> tuple[SuiteReport, int]:
    """What the reporter wrote, and the exit code."""
    for name, text in (files or FILES).items():
        (root / name).write_text(text)
    plan = {"report": str(root / "report.jsonl"), "modules": ["test_a", "absent"], "only": only}
    (root / "plan.json").write_text(json.dumps(plan))
    argv = (sys.executable, "-m", "sparky.tools.unittest_report", str(root / "plan.json"), *args)
    null = subprocess.DEVNULL
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(argv, cwd=root, env=env, check=False, stdout=null, stderr=null, timeout=60)
    return parse((root / "report.jsonl").read_bytes()), done.returncode


def outcomes(told: SuiteReport) -> dict[str, tuple[TestOutcome, str]]:
    return {case.id: (case.outcome, case.message) for case in told.cases}


@pytest.mark.parametrize("args", [(), ("discover", "--failfast", "-v")], ids=" ".join)
def test_every_outcome_is_told_with_its_exact_id_and_message(tmp_path: Path, args: Sequence[str]) -> None:
    told, code = report(tmp_path, *args)
    assert outcomes(told) == EXPECTED
    assert told.imported == {"test_a": (str(tmp_path.resolve() / "test_a.py"),)}
    assert (told.started, told.ended, told.running, code) == (True, True, (), 1)


ONLY = {
    "a test": (["test_a.Test.test_wrong"], {"test_a.Test.test_wrong"}),
    "a part that passes now": (
        ["test_a.Test.test_parts (i=2, at=<object object at 0x>)"],
        {name for name in EXPECTED if "test_parts" in name}
        | {"test_a.Test.test_parts (i=2, at=<object object at 0x>)"},
    ),
    "a class": (["test_a.Left"], {"test_a.Left", "test_a.Left.test_fine"}),
    "a module": (["test_lost"], {"test_lost"}),
    "what is gone": (["test_a.Test.test_gone"], set()),
}


@pytest.mark.parametrize("what", ONLY)
def test_only_what_is_asked_for_is_run(tmp_path: Path, what: str) -> None:
    only, expected = ONLY[what]
    told, _ = report(tmp_path, only=only)
    assert {case.id for case in told.cases} == expected


BREAKS = """
import os, unittest
class Test(unittest.TestCase):
    def test_a(self): pass
    def test_b(self): os._exit(0)
"""
FORKS = """
import os, sys, unittest
class Test(unittest.TestCase):
    def test_a(self):
        child = os.fork()
        if child == 0:
            self.fail("in the child")
        os.waitpid(child, 0)
"""


def test_what_was_done_before_a_crash_is_told_and_what_was_running(tmp_path: Path) -> None:
    told, _ = report(tmp_path, files={"test_a.py": BREAKS})
    assert outcomes(told) == {"test_a.Test.test_a": (PASSED, "")}
    assert (told.ended, told.running) == (False, ("test_a.Test.test_b",))


def test_what_a_forked_child_does_is_not_reported(tmp_path: Path) -> None:
    told, _ = report(tmp_path, files={"test_a.py": FORKS})
    assert outcomes(told) == {"test_a.Test.test_a": (PASSED, "")}
