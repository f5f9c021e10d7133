"""Suites that pytest runs, told test by test by our plugin."""

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile
from pathlib import PurePosixPath

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

REPORTER = "pytest_report.py"
REWRITE = "--snapshot-update"
"""That of syrupy and of pytest-snapshot; pytest itself has none, and then refuses it."""
_CONFTEST = re.compile(r"ImportError while loading conftest '(?P<path>[^']+)'.*\n(?P<trace>(.*\n)*)")
_INTERRUPTED, _INTERNAL, _USAGE = 2, 3, 4


def matches(command: tuple[str, ...]) -> bool:
    """Whether it runs pytest."""
    return find_arguments(command) is not None


def find_arguments(command: Sequence[str]) -> int | None:
    """Where the arguments of pytest begin in a command; None if it does not run pytest."""
    start = len(list(takewhile(lambda word: word == "env" or "=" in word, command)))
    if PurePosixPath(next(iter(command[start:]), "")).name in {"pytest", "py.test"}:
        return start + 1
    pairs = list(pairwise(command))
    return pairs.index(("-m", "pytest")) + 2 if ("-m", "pytest") in pairs else None


def argv(command: tuple[str, ...], plan: Plan) -> tuple[str, ...]:
    """The command with our plugin; only the files of `plan.only` are collected, if it names none itself."""
    at = find_arguments(command) or 1
    ours = ("-p", module_of(REPORTER), f"--sparky-plan={plan.file}")
    # One word each: pytest would look for its configuration where a second word points.
    # A run that stops at its first failure cannot be compared with another.
    whole = (f"--rootdir={plan.tree}", "--continue-on-collection-errors")
    limits = sorted({node.split("::")[0] for node in plan.only} & {*plan.files})
    told = command[at:]
    own = (*told, *(() if {*told} - {REWRITE} else limits))
    return (*command[:at], *ours, *whole, *own, "--maxfail=0")


def judge(seen: Seen) -> Judgement:
    """What a run of pytest says."""
    if stopped := _stopped(seen):
        return Judgement(cases=seen.report.cases, trouble=stopped[0], detail=stopped[1])
    text = seen.completed.text()
    cases = seen.report.cases or _conftest(text, [PurePosixPath(root) for root in seen.roots])
    if flawed := judge_reported(seen, cases):
        return flawed
    if not cases and seen.completed.code == _USAGE:
        return Judgement(cases=(), trouble=Trouble.ENVIRONMENT, detail=last_line(text))
    if not cases:
        return Judgement(cases=(), trouble=Trouble.NO_TESTS, detail="pytest found no tests")
    return verdict(seen, cases)


def _stopped(seen: Seen) -> tuple[Trouble, str] | None:
    """Why the run is not whole; None if it is."""
    completed, report = seen.completed, seen.report
    if broken := ending(completed, report.running):
        return broken
    text = completed.text()
    if not report.started and not _CONFTEST.search(text):
        return Trouble.ENVIRONMENT, f"pytest did not start: {last_line(text)}"
    if completed.code in {_INTERRUPTED, _INTERNAL}:
        return Trouble.CRASHED, f"pytest broke off: {last_line(text)}"
    if report.started and not report.ended:
        return Trouble.CRASHED, f"exit code {completed.code} before the end" + while_ran(report.running)
    return None


def _conftest(text: str, roots: list[PurePosixPath]) -> tuple[TestCase, ...]:
    """A conftest that can't be imported, as the one red case of its run."""
    found = _CONFTEST.search(text)
    if found is None:
        return ()
    errors = [line[1:].strip() for line in found["trace"].splitlines() if line.startswith("E ")]
    message = errors[-1] if errors else "ImportError"
    path = PurePosixPath(found["path"])
    name = next((path.relative_to(root) for root in roots if path.is_relative_to(root)), path)
    return (TestCase(id=str(name), outcome=TestOutcome.ERROR, message=message),)
