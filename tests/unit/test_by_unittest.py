"""What a run of unittest says, where its reporter and its exit code do."""

from sparky.domain.command import Completed, Ending
from sparky.domain.testing import TestCase, TestOutcome, Trouble
from sparky.targets.suite import Judgement, Seen, SuiteReport
from sparky.targets.suites import by_unittest

PASSED = TestCase(id="t.T.a", outcome=TestOutcome.PASSED)
NAME = "python -m unittest"


def judge(code: int, report: SuiteReport, said: str = "") -> Judgement:
    completed = Completed(
        argv=("python",), ending=Ending.EXITED, code=code, stdout=b"", stderr=said.encode(), seconds=1.0
    )
    return by_unittest.judge(Seen(name=NAME, completed=completed, report=report))


def test_unittest_that_did_not_start_is_the_environment_s_fault() -> None:
    detail = "unittest did not start: error: no such option"
    expected = Judgement(cases=(), trouble=Trouble.ENVIRONMENT, detail=detail)
    assert judge(2, SuiteReport(), "error: no such option\n") == expected


def test_a_run_that_fails_and_names_no_failed_test_is_red_itself() -> None:
    whole = SuiteReport(cases=(PASSED,), started=True, ended=True)
    assert judge(0, whole) == Judgement(cases=(PASSED,))
    message = "exit code 1, and no failing test is named"
    itself = TestCase(id=NAME, outcome=TestOutcome.FAILED, message=message)
    assert judge(1, whole) == Judgement(cases=(PASSED, itself))


def test_unittest_is_found_in_a_command_and_the_reporter_put_in_its_place() -> None:
    assert by_unittest.matches(("coverage", "run", "-m", "unittest", "-v"))
    assert not by_unittest.matches(("python", "unittest"))
