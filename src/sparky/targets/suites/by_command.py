"""Any other command: its exit code, with the tests that its own report or what it printed names."""

import re
import signal
from itertools import chain

from sparky.domain.command import Completed
from sparky.domain.testing import TestCase, TestOutcome, Trouble
from sparky.targets.suite import Judgement, Plan, Seen, Written, ending, killed_by, last_line
from sparky.targets.suites import cargo_json, cargo_text, go_json, jest_json, junit_xml
from sparky.targets.suites.cases import UnreadableReportError, merged

REPORTER = ""
REWRITE = ""
REPORT_LIMIT = 32_000_000
"""Bytes of reports that are read, all in all."""

_FILES = (junit_xml.parse, jest_json.parse)
_OUTPUTS = (go_json.parse_output, cargo_json.parse_output, cargo_text.parse_output, jest_json.parse_output)
_NOT_STARTED = frozenset({126, 127})
_SIGNALLED = 128
_DEADLY = frozenset({"SIGILL", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGSEGV", "SIGTERM", "SIGXCPU"})
_NO_PROGRAM = re.compile(r"^make(\[\d+\])?: \*\*\* \[.*\] Error 127$", re.MULTILINE)


def matches(command: tuple[str, ...]) -> bool:
    """Whether there is a command at all."""
    return bool(command)


def argv(command: tuple[str, ...], plan: Plan) -> tuple[str, ...]:
    """The command as it is."""
    del plan  # it knows nothing of ours
    return command


def judge(seen: Seen) -> Judgement:
    """What the command's exit code and its results say; where the two disagree, it is red, and says so."""
    completed = seen.completed
    if stopped := _stopped(completed):
        return Judgement(cases=(), trouble=stopped[0], detail=stopped[1])
    try:
        cases = _read(seen)
    except UnreadableReportError as error:
        return Judgement(cases=(), trouble=Trouble.UNREADABLE, detail=str(error))
    if cases is None:
        return Judgement(cases=(_whole(seen, "exit code"),))
    red = sum(case.red for case in cases)
    if completed.code and not red:
        return Judgement(cases=(*cases, _whole(seen, "no failing test is named, and yet the exit code is")))
    if not cases:
        return Judgement(cases=(), trouble=Trouble.NO_TESTS, detail=f"{seen.name} ran no tests")
    lied = red and not completed.code
    return Judgement(cases=cases, detail=f"exit code 0, and yet {red} test(s) failed" if lied else "")


def _stopped(completed: Completed) -> tuple[Trouble, str] | None:
    """Why the exit code is no verdict; None if it is. A shell's tells which signal killed its child."""
    if broken := ending(completed):
        return broken
    text = completed.text()
    if completed.code in _NOT_STARTED or (completed.code and _NO_PROGRAM.search(text)):
        return Trouble.ENVIRONMENT, last_line(text)
    number = completed.code - _SIGNALLED
    if any(signal.Signals[name] == number for name in _DEADLY):
        return killed_by(number)
    return None


def _read(seen: Seen) -> tuple[TestCase, ...] | None:
    """The tests of all reports; None if there is no report of any kind that is known."""
    files = (_of_file(seen, path, file) for path, file in seen.written.items())
    found = [cases for cases in files if cases is not None]
    if seen.asked:
        if not found and not seen.completed.code:
            raise UnreadableReportError(f"exit code 0, and yet {seen.asked} was not written")
        return merged(chain.from_iterable(found)) if found else None
    said = (_named(text, seen) for text in (seen.completed.stdout, seen.completed.stderr))
    out, err = (text.decode("utf-8", "replace") for text in said)
    printed = [cases for parse in _OUTPUTS if (cases := parse(out, err)) is not None]
    if printed and seen.completed.dropped:
        raise UnreadableReportError(
            f"the results are in what it printed, and {seen.completed.dropped} bytes of that were not kept"
        )
    return merged(chain.from_iterable((*found, *printed))) if found or printed else None


def _of_file(seen: Seen, path: str, file: Written) -> tuple[TestCase, ...] | None:
    """The tests of one report; None if it is none of a known kind, and nobody said that it were one."""
    if not file.whole:
        if not seen.asked and not junit_xml.is_report(file.data):
            return None
        raise UnreadableReportError(f"{path}: more than {REPORT_LIMIT // 1_000_000} MB of reports")
    try:
        named = _named(file.data, seen)
        found = next((cases for parse in _FILES if (cases := parse(named)) is not None), None)
    except UnreadableReportError as error:
        raise UnreadableReportError(f"{path}: {error}") from error
    if found is None and seen.asked:
        raise UnreadableReportError(f"{path}: neither JUnit's XML nor the JSON of jest or vitest")
    return found


def _named(data: bytes, seen: Seen) -> bytes:
    """What it says without the directories of this run."""
    for path, name in seen.names.items():
        data = data.replace(path.encode(), name.encode())
    return data


def _whole(seen: Seen, what: str) -> TestCase:
    """The command itself as a case."""
    code = seen.completed.code
    return TestCase(
        id=seen.name,
        outcome=TestOutcome.FAILED if code else TestOutcome.PASSED,
        message=f"{what} {code}" if code else "",
        seconds=seen.completed.seconds,
    )
