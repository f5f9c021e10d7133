"""Tests that are not pytest's, with real commands in the sandbox of this machine."""

import re
import time
from pathlib import Path

import pytest

from sparky.domain.testing import TestOutcome, TestRun, Trouble, compare
from tests.contract.conftest import Target

pytestmark = pytest.mark.soak
"""A minute and more: in `make soak`, not in CI."""

PASSED, FAILED, ERROR = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.ERROR
UNITTEST = ("python", "-m", "unittest", "discover", "-s", "tests")
CASE = "import unittest, calc\nclass Test(unittest.TestCase):\n    def test_add(self):\n        {}\n"
CALC = "def add(a, b):\n    return a + b\n"


def run(
    target: Target,
    files: dict[str, str | None],
    command: tuple[str, ...],
    *,
    report: str = "",
    timeout_s: float = 60.0,
) -> TestRun:
    sha = target.commit(files)
    tests = target.tests_with(report)
    return tests.run(target.context(sha), sha, command, timeout_s=timeout_s)


def outcomes(told: TestRun) -> dict[str, tuple[TestOutcome, str]]:
    return {case.id: (case.outcome, case.message) for case in told.cases}


def test_a_project_of_unittest_is_found_and_told_test_by_test(target: Target) -> None:
    test = CASE.format("self.assertEqual(calc.add(1, 2), 4)")
    sha = target.commit(
        {"calc.py": CALC, "tests/test_calc.py": test, "tests/test_lost.py": "import unittest, calc.lost"}
    )
    context = target.context(sha)
    assert target.tests.discover(context, sha) == UNITTEST
    told = target.tests.run(context, sha, UNITTEST)
    assert (told.trouble, told.detail) == (None, "")
    assert outcomes(told) == {
        "test_calc.Test.test_add": (FAILED, "AssertionError: 3 != 4"),
        "test_lost": (ERROR, "ModuleNotFoundError: No module named 'calc.lost'; 'calc' is not a package"),
    }
    again = target.tests.run(context, sha, UNITTEST, only=["test_calc.Test.test_add"])
    assert [case.id for case in again.cases] == ["test_calc.Test.test_add"]


BROKEN_OFF = {
    "hang": ("import signal; signal.pause()", Trouble.TIMED_OUT, "after N s, while test_b.Test.test_add ran"),
    "segfault": (
        "import os; os.kill(os.getpid(), 11)",
        Trouble.CRASHED,
        "killed by signal 11, while test_b.Test.test_add ran",
    ),
    "exit": (
        "import os; os._exit(0)",
        Trouble.CRASHED,
        "exit code 0 before the end, while test_b.Test.test_add ran: .",
    ),
}


@pytest.mark.parametrize("how", BROKEN_OFF)
def test_a_run_of_unittest_that_breaks_off_keeps_what_was_done(target: Target, how: str) -> None:
    statement, trouble, detail = BROKEN_OFF[how]
    files: dict[str, str | None] = {"calc.py": CALC, "tests/test_a.py": CASE.format("pass")}
    told = run(target, {**files, "tests/test_b.py": CASE.format(statement)}, UNITTEST, timeout_s=3.0)
    said = re.sub(r"after \d+ s", "after N s", told.detail)
    assert (told.trouble, said) == (trouble, detail)
    assert outcomes(told) == {"test_a.Test.test_add": (PASSED, "")}


def test_unittest_without_a_test_and_without_a_place_to_start(target: Target) -> None:
    empty = run(target, {"calc.py": CALC, "tests/__init__.py": ""}, UNITTEST)
    assert (empty.trouble, empty.detail, empty.cases) == (Trouble.NO_TESTS, "unittest found no tests", ())
    nowhere = run(target, {}, ("python", "-m", "unittest", "discover", "-s", "gone"))
    assert nowhere.trouble is Trouble.CRASHED
    assert "Start directory is not importable" in nowhere.detail


def test_unittest_that_would_run_other_code_is_no_verdict(target: Target) -> None:
    elsewhere = (
        "import os, pathlib, sys\nplace = pathlib.Path(os.environ['TMPDIR'])\n"
        "(place / 'calc.py').write_text('')\nsys.path.insert(0, str(place))\n"
    )
    told = run(target, {"calc.py": CALC, "tests/test_a.py": elsewhere + CASE.format("pass")}, UNITTEST)
    assert (told.trouble, told.detail[-12:]) == (Trouble.FOREIGN_CODE, "/tmp/calc.py")


MAKE = {
    "Makefile": "test:\n\tsh test.sh\n",
    "double.sh": "echo $(($1 * 2))\n",
    "test.sh": "test $(sh double.sh 2) = 4\n",
}


def test_a_project_without_python_gets_no_environment(fresh_target: Target) -> None:
    sha = fresh_target.commit(dict(MAKE))
    context = fresh_target.context(sha)
    assert fresh_target.tests.discover(context, sha) == ("make", "test")
    told = fresh_target.tests.run(context, sha, ("make", "test"))
    assert outcomes(told) == {"make test": (PASSED, "")}
    broken = fresh_target.commit({"double.sh": "echo 5\n"})
    red = fresh_target.tests.run(context, broken, ("make", "test"))
    assert outcomes(red) == {"make test": (FAILED, "exit code 2")}
    assert compare(red, told).fixed == ("make test",)
    assert not (fresh_target.cache / "envs").exists()


WRITES = "mkdir -p out && cp new.txt out/junit.xml"
JUNIT = """<testsuite name="s"><testcase name="a"/>
<testcase name="b"><failure message="in {}"/></testcase></testsuite>"""
OLD = '<testsuite name="old"><testcase name="gone"/></testsuite>'


@pytest.mark.parametrize("report", ["", "out/junit.xml", "*.xml"])
def test_the_report_that_the_command_wrote_is_read_and_no_older_one(target: Target, report: str) -> None:
    files: dict[str, str | None] = {"new.txt": JUNIT.format("x"), "old.xml": OLD, "out/old.xml": OLD}
    told = run(target, files, ("sh", "-c", f"{WRITES}; exit 1"), report=report)
    assert outcomes(told) == {"s.a": (PASSED, ""), "s.b": (FAILED, "in x")}


def test_a_report_that_was_committed_is_read_only_if_it_is_written_anew(target: Target) -> None:
    files: dict[str, str | None] = {"junit.xml": OLD}
    stale = run(target, files, ("sh", "-c", "true"), report="junit.xml")
    why = "exit code 0, and yet junit.xml was not written"
    assert (stale.trouble, stale.detail) == (Trouble.UNREADABLE, why)
    fresh = run(target, {}, ("sh", "-c", "cat junit.xml > x; cat x > junit.xml"), report="junit.xml")
    assert outcomes(fresh) == {"old.gone": (PASSED, "")}


def test_links_and_pipes_are_no_reports(target: Target) -> None:
    (target.top.parent / "outside.xml").write_text(OLD)
    link = f"ln -s {target.top.parent}/outside.xml a.xml; mkfifo b.xml; ln -s {target.top.parent} c"
    told = run(target, {}, ("sh", "-c", link))
    assert [(case.outcome, case.message) for case in told.cases] == [(PASSED, "")]


FLOOD = "i=0; while [ $i -lt 200 ]; do head -c 1000000 /dev/zero | tr '\\0' 'x'; i=$((i+1)); done"
XXE = '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&x;"/></testsuite>'
BAD: dict[str, tuple[str, Trouble, str]] = {
    "is not there": ("no-such-tool", Trouble.ENVIRONMENT, "no-such-tool: not found"),
    "hangs": ("sleep 60", Trouble.TIMED_OUT, "after N s"),
    "dies by a signal": ("kill -SEGV $$", Trouble.CRASHED, "killed by signal 11"),
    "is killed for memory": (
        "kill -KILL $$",
        Trouble.KILLED,
        "killed by signal 9, as the system does where memory runs out",
    ),
    "has a child killed for memory": (
        "sh -c 'kill -KILL $$'; exit $?",
        Trouble.KILLED,
        "killed by signal 9, as the system does where memory runs out",
    ),
    "collects nothing": ("echo '<testsuites/>' > r.xml", Trouble.NO_TESTS, "ran no tests"),
    "writes a broken report": (
        "echo '<testsuite><testcase' > r.xml",
        Trouble.UNREADABLE,
        "r.xml: it is broken XML: unclosed token: line 1, column 11",
    ),
    "writes a report with entities": (
        f"echo '{XXE}' > r.xml",
        Trouble.UNREADABLE,
        "r.xml: it declares a document type, which a report has no need of",
    ),
    "writes a huge report": (
        "echo '<testsuites>' > r.xml; truncate -s 40000000 r.xml",
        Trouble.UNREADABLE,
        "r.xml: more than 32 MB of reports",
    ),
    "prints its results and 200 MB more": (
        f"echo 'running 1 test'; echo 'test a ... ok'; {FLOOD}",
        Trouble.UNREADABLE,
        "the results are in what it printed, and N bytes of that were not kept",
    ),
}


@pytest.mark.parametrize("how", BAD)
def test_what_is_no_verdict_never_passes(target: Target, how: str) -> None:
    script, trouble, detail = BAD[how]
    told = run(target, {}, ("sh", "-c", script), timeout_s=3.0 if how == "hangs" else 60.0)
    said = re.sub(r"after \d+ s", "after N s", re.sub(r"\d{5,} bytes", "N bytes", told.detail))
    assert (told.trouble, told.cases) == (trouble, ())
    assert said.endswith(detail)


def test_a_flood_alone_is_no_trouble_and_a_lying_exit_code_is_red(target: Target) -> None:
    flood = run(target, {}, ("sh", "-c", FLOOD))
    assert [(case.outcome, flood.trouble) for case in flood.cases] == [(PASSED, None)]
    lie = run(target, {"new.txt": JUNIT.format("x")}, ("sh", "-c", WRITES))
    assert outcomes(lie)["s.b"] == (FAILED, "in x")
    assert lie.detail == "exit code 0, and yet 1 test(s) failed"


def test_children_that_leave_the_group_are_ended_with_the_command(target: Target) -> None:
    mark = f"8{time.time_ns() % 10**9}"
    told = run(target, {}, ("sh", "-c", f"setsid sh -c 'sleep {mark}; true' & exit 0"), timeout_s=30.0)
    assert (told.passed, told.seconds < 20) == (1, True)
    cmdlines = (path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists())
    assert [line for line in cmdlines if f"\0{mark}\0".encode() in line] == []


def test_the_same_command_with_another_report_is_another_result(target: Target) -> None:
    sha = target.commit({"new.txt": JUNIT.format("x")})
    command = ("sh", "-c", WRITES)
    one = target.tests.run(target.context(sha), sha, command)
    other = target.tests_with("none.xml").run(target.context(sha), sha, command)
    assert (one.trouble, other.trouble) == (None, Trouble.UNREADABLE)
    assert target.tests.run(target.context(sha), sha, command) == one


FETCH = """
mkdir -p $npm_config_cache || exit 4
test -e $npm_config_cache/kept || { echo fetched >> count; touch $npm_config_cache/kept; }
echo made > made.txt
"""


def test_what_the_tests_need_is_fetched_before_them_and_kept(target: Target) -> None:
    sha = target.commit({"fetch.sh": FETCH})
    test = "test -e count && exit 3; touch $npm_config_cache/x 2>/dev/null && exit 4; grep -q made made.txt"
    tests = target.tests_with(set_up=("sh", "fetch.sh"))
    codes = [
        next(iter(outcomes(tests.run(target.context(sha), sha, ("sh", "-c", f"true {i}; {test}"))).values()))
        for i in range(2)
    ]
    assert codes == [(FAILED, "exit code 3"), (PASSED, "")]


def test_tests_whose_needs_cannot_be_fetched_are_not_run(target: Target) -> None:
    sha = target.commit({})
    tests = target.tests_with(set_up=("sh", "-c", "echo 'error: no such package'; exit 7"))
    told = tests.run(target.context(sha), sha, ("true",))
    assert (told.trouble, told.cases) == (Trouble.ENVIRONMENT, ())
    assert told.detail == "test_setup: exit code 7: error: no such package"
    missing = target.tests_with(set_up=("no-such-tool",)).run(target.context(sha), sha, ("true",))
    assert missing.detail == "test_setup: command not found: no-such-tool"
