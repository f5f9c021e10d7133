"""What one performance of a test suite reported, and whether it is a verdict about the code."""

import re
import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath

from sparky.domain.command import Completed, Ending
from sparky.domain.testing import TestCase, TestOutcome, Trouble

_MISSING = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_CONFTEST = re.compile(r"ImportError while loading conftest '(?P<path>[^']+)'.*\n(?P<trace>(.*\n)*)")
_PYTEST_INTERRUPTED, _PYTEST_INTERNAL, _PYTEST_USAGE, _PYTEST_NO_TESTS = 2, 3, 4, 5
_SHELL_NOT_FOUND = 127


@dataclass(frozen=True, kw_only=True)
class SuiteReport:
    """What the tests' own process wrote down while it ran.

    `running`: tests that were started and not ended. `imported`: top-level modules of the project and the
    files they came from.
    """

    cases: tuple[TestCase, ...] = ()
    running: tuple[str, ...] = ()
    imported: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    started: bool = False
    ended: bool = False


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The cases that count; `trouble` None: they are a verdict. `detail` is for a person."""

    cases: tuple[TestCase, ...]
    trouble: Trouble | None = None
    detail: str = ""


def find_pytest(command: Sequence[str]) -> int | None:
    """Where the arguments of pytest begin in a command; None if it does not run pytest."""
    if PurePosixPath(command[0]).name in {"pytest", "py.test"}:
        return 1
    pairs = list(pairwise(command))
    return pairs.index(("-m", "pytest")) + 2 if ("-m", "pytest") in pairs else None


def looks_like_test(path: str) -> bool:
    """Whether pytest, or a person, would look for tests in a file of this path."""
    file = PurePosixPath(path)
    named = file.name.startswith("test_") or file.stem.endswith("_test")
    return file.suffix == ".py" and (named or file.parts[0] in {"test", "tests"})


def own_names(paths: Iterable[str]) -> frozenset[str]:
    """Every name that could mean a module of a repository of these files, wherever it lies."""
    modules = (PurePosixPath(path) for path in paths if path.endswith(".py"))
    return frozenset(name for module in modules for name in (*module.parts[:-1], module.stem))


def judge_pytest(
    completed: Completed, report: SuiteReport, *, roots: Iterable[str], own: Iterable[str]
) -> Judgement:
    """What a run of pytest says.

    `roots`: the directories that the project's modules may come from, resolved; `own`: the names of its
    modules, so that a missing one of these is never the environment's fault.
    """
    if stopped := _stopped(completed, report):
        return Judgement(cases=report.cases, trouble=stopped[0], detail=stopped[1])
    places = [PurePosixPath(root) for root in roots]
    cases = report.cases or _conftest(completed.text(), places)
    foreign = _foreign(report.imported, places)
    if foreign:
        return Judgement(cases=cases, trouble=Trouble.FOREIGN_CODE, detail=f"they import {foreign}")
    missing = missing_packages(cases, own)
    collected = [case for case in cases if case.red and _MISSING.search(case.message)]
    if missing and len(collected) == len(cases):
        text = f"no test module can be imported: {', '.join(missing)} not installed"
        return Judgement(cases=cases, trouble=Trouble.ENVIRONMENT, detail=text)
    if not cases and completed.code == _PYTEST_USAGE:
        return Judgement(cases=(), trouble=Trouble.ENVIRONMENT, detail=_last_line(completed.text()))
    if not cases:
        return Judgement(cases=(), trouble=Trouble.NO_TESTS, detail="pytest found no tests")
    return Judgement(cases=cases, detail=f"not installed: {', '.join(missing)}" if missing else "")


def judge_command(completed: Completed, name: str) -> Judgement:
    """What any other command says: its exit code is its one result."""
    if stopped := _ending(completed, ()):
        return Judgement(cases=(), trouble=stopped[0], detail=stopped[1])
    if completed.code == _SHELL_NOT_FOUND:
        return Judgement(cases=(), trouble=Trouble.ENVIRONMENT, detail=_last_line(completed.text()))
    outcome = TestOutcome.FAILED if completed.code else TestOutcome.PASSED
    message = f"exit code {completed.code}" if completed.code else ""
    case = TestCase(id=name, outcome=outcome, message=message, seconds=completed.seconds)
    return Judgement(cases=(case,))


def missing_packages(cases: Iterable[TestCase], own: Iterable[str]) -> tuple[str, ...]:
    """The packages, not the project's own, for lack of which tests are red; sorted."""
    found = {m[1].split(".")[0] for case in cases if case.red and (m := _MISSING.search(case.message))}
    return tuple(sorted(found - {name.split(".")[0] for name in own}))


def _stopped(completed: Completed, report: SuiteReport) -> tuple[Trouble, str] | None:
    """Why the run is not whole; None if it is."""
    if ending := _ending(completed, report.running):
        return ending
    text = completed.text()
    if not report.started and not _CONFTEST.search(text):
        return Trouble.ENVIRONMENT, f"pytest did not start: {_last_line(text)}"
    if completed.code in {_PYTEST_INTERRUPTED, _PYTEST_INTERNAL}:
        return Trouble.CRASHED, f"pytest broke off: {_last_line(text)}"
    if report.started and not report.ended:
        return Trouble.CRASHED, f"exit code {completed.code} before the end" + _while(report.running)
    return None


def _ending(completed: Completed, running: tuple[str, ...]) -> tuple[Trouble, str] | None:
    if completed.ending is Ending.EXITED:
        return None
    if completed.ending is Ending.TIMED_OUT:
        return Trouble.TIMED_OUT, f"after {completed.seconds:.0f} s" + _while(running)
    if completed.ending is Ending.KILLED:
        # A process that crashes dies of another signal: this one is sent, for want of memory or to stop it.
        trouble = Trouble.KILLED if completed.code == -signal.SIGKILL else Trouble.CRASHED
        return trouble, f"killed by signal {-completed.code}" + _while(running)
    return Trouble.ENVIRONMENT, f"{completed.ending.value}: {completed.argv[0]}"


def _while(running: tuple[str, ...]) -> str:
    return f", while {', '.join(running)} ran" if running else ""


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


def _foreign(imported: Mapping[str, tuple[str, ...]], roots: list[PurePosixPath]) -> str:
    """The first file that comes from elsewhere; "" if there is none."""
    for _, paths in sorted(imported.items()):
        for path in paths:
            if not any(PurePosixPath(path).is_relative_to(root) for root in roots):
                return path
    return ""


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(E  |!!!|.*\berror\b)", line, re.IGNORECASE)]
    return (errors or lines or ["it said nothing"])[-1]
