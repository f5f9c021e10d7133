"""unittest, with a result that writes down, line by line as JSON, what each test does.

It is copied as it is into the process of foreign tests: one file, standard library only, Python >= 3.8.
`-m sparky_unittest_report FILE …` stands for `-m unittest …`. FILE is a JSON object: `report`, the file to
write; `modules`, the names whose origin to report; `only`, the ids to run (null: all).
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
import traceback
import unittest
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MESSAGE_LIMIT = 4000
_HOLDER = re.compile(r"(?:setUp|tearDown)(?:Class|Module) \((.+)\)")
_LOADER = re.compile(r"unittest\.loader\.(?:_FailedTest|ModuleSkipped)\.")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


class Journal:
    """The report: each event is written as it happens, so that it survives a crash."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.pid = os.getpid()
        # A bare descriptor: an open file would be reported as leaked.
        self.file = os.open(plan["report"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(self, event: str, **values: Any) -> None:
        # A child that a test forked has this file, too, and its results are not the suite's.
        if os.getpid() == self.pid:
            os.write(self.file, json.dumps(dict(values, event=event)).encode() + b"\n")


class Recorder(unittest.TextTestResult):
    """unittest's own result, which tells the journal, too."""

    journal: Journal

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name, as those below
        super().startTest(test)
        self.began, self.broken = time.monotonic(), False
        self.journal.write("start", id=identity(test))

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().stopTest(test)
        self.journal.write("end", id=identity(test))

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().addSuccess(test)
        self.tell(test, "passed")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addFailure(test, err)
        self.tell(test, "failed", describe(err))

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addError(test, err)
        self.tell(test, "error", describe(err))

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        super().addSkip(test, reason)
        self.tell(test, "skipped")

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        super().addExpectedFailure(test, err)
        self.tell(test, "xfailed")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().addUnexpectedSuccess(test)
        self.tell(test, "failed", "unexpected success")

    def addSubTest(self, test: unittest.TestCase, subtest: Any, err: Any) -> None:  # noqa: N802
        """A part that passes says nothing: its id may be another one in every run."""
        super().addSubTest(test, subtest, err)
        if err is not None:
            outcome = "failed" if issubclass(err[0], test.failureException) else "error"
            self.tell(subtest, outcome, describe(err))
            if not self.broken:
                self.tell(test, "failed", "a sub-test failed")
                self.broken = True
        elif identity(subtest) in (self.journal.plan["only"] or ()):
            self.tell(subtest, "passed")

    def tell(self, test: Any, outcome: str, message: str = "") -> None:
        seconds = time.monotonic() - getattr(self, "began", time.monotonic())
        self.journal.write("phase", id=identity(test), outcome=outcome, message=message, seconds=seconds)


class Runner(unittest.TextTestRunner):
    """unittest's own, that runs what is asked for, to its end."""

    journal: Journal

    def _makeResult(self) -> Any:  # noqa: N802 - unittest's name
        return Recorder(self.stream, self.descriptions, self.verbosity)

    def run(self, test: Any) -> Any:
        self.failfast = False  # a run that stops at its first failure cannot be compared with another
        only = self.journal.plan["only"]
        chosen = test if only is None else unittest.TestSuite(t for t in flat(test) if is_wanted(t, only))
        result = super().run(chosen)
        self.journal.write("modules", files=origins(self.journal.plan["modules"]))
        self.journal.write("finish")
        return result


def flat(suite: Any) -> Iterator[Any]:
    """The tests of a suite, at any depth."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


def identity(test: Any) -> str:
    """What a test is called; the class or module whose set-up broke, the module that can't be imported."""
    name = test.id()
    holder = _HOLDER.fullmatch(name)
    return _ADDRESS.sub("0x", holder[1] if holder else _LOADER.sub("", name))


def is_wanted(test: Any, only: Iterable[str]) -> bool:
    """Whether a test is asked for: itself, a part of it, or its class or module."""
    name = identity(test)
    return any(name == one or one.startswith(name + " ") or name.startswith(one + ".") for one in only)


def describe(err: Any) -> str:
    """The exception as the last part of a traceback has it; of a module that can't be imported, its own."""
    text = "".join(traceback.format_exception_only(err[0], err[1])[-1:])
    if err[0] is ImportError and text.startswith("ImportError: Failed to import test module"):
        text = text.strip().splitlines()[-1]
    return text[:_MESSAGE_LIMIT]


def origins(names: Iterable[str]) -> dict[str, list[str]]:
    """The files that those of the modules came from that were imported, links resolved."""
    found = {}
    for name in names:
        module = sys.modules.get(name)
        if module is not None:
            path = getattr(module, "__file__", None)
            paths = [path] if path else list(getattr(module, "__path__", []))
            found[name] = [os.path.realpath(each) for each in paths]
    return found


def main() -> None:
    """Run unittest as its own command line would."""
    Recorder.journal = Runner.journal = Journal(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    Runner.journal.write("session", python=sys.version)
    unittest.main(module=None, argv=["python -m unittest", *sys.argv[2:]], testRunner=Runner)


if __name__ == "__main__":
    main()
