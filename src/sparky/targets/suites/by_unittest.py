"""Suites that `python -m unittest` runs, told test by test by our reporter."""

from itertools import pairwise

from sparky.domain.testing import TestCase, TestOutcome, Trouble
from sparky.targets.suite import (
    Judgement,
    Plan,
    Seen,
    ending,
    judge_reported,
    last_line,
    module_of,
    verdict,
    while_ran,
)

REPORTER = "unittest_report.py"
REWRITE = ""
_CALL = ("-m", "unittest")


def matches(command: tuple[str, ...]) -> bool:
    """Whether it runs unittest."""
    return _CALL in pairwise(command)


def argv(command: tuple[str, ...], plan: Plan) -> tuple[str, ...]:
    """The command with our reporter in unittest's place; it calls unittest."""
    at = list(pairwise(command)).index(_CALL)
    return (*command[:at], "-m", module_of(REPORTER), plan.file, *command[at + 2 :])


def judge(seen: Seen) -> Judgement:
    """What a run of unittest says."""
    completed, report = seen.completed, seen.report
    cases = report.cases
    if broken := ending(completed, report.running):
        return Judgement(cases=cases, trouble=broken[0], detail=broken[1])
    said = last_line(completed.text())
    if not report.started:
        detail = f"unittest did not start: {said}"
        return Judgement(cases=(), trouble=Trouble.ENVIRONMENT, detail=detail)
    if not report.ended:
        detail = f"exit code {completed.code} before the end{while_ran(report.running)}: {said}"
        return Judgement(cases=cases, trouble=Trouble.CRASHED, detail=detail)
    if flawed := judge_reported(seen, cases):
        return flawed
    if not cases:
        return Judgement(cases=(), trouble=Trouble.NO_TESTS, detail="unittest found no tests")
    if completed.code and not any(case.red for case in cases):
        message = f"exit code {completed.code}, and no failing test is named"
        cases += (TestCase(id=seen.name, outcome=TestOutcome.FAILED, message=message),)
    return verdict(seen, cases)
