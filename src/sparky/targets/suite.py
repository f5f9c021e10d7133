"""What one performance of a test suite reported, and whether it is a verdict about the code."""

import re
import signal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Protocol

from sparky.domain.command import Completed, Ending
from sparky.domain.testing import TestCase, Trouble

_MISSING = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")


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


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a suite is started with: the plan `file` of our reporter, the commit's `tree` and its paths.

    `only`: the ids to run, empty: all.
    """

    file: str
    tree: str
    files: tuple[str, ...]
    only: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Written:
    """A file that a command wrote; `whole` False: it is too large, and this is only how it begins."""

    data: bytes
    whole: bool = True


@dataclass(frozen=True, kw_only=True)
class Seen:
    """All that is known of one performance of the command `name`.

    `report` is what our reporter wrote, if the suite has one; `written` the command's own reports by path,
    `asked` the setting that names them, "": none does. `roots`: the directories that the project's modules
    may come from, resolved; `own`: the names of its modules, so that a missing one of these is never the
    environment's fault. `names`: directories and what stands for them in texts, longest first.
    """

    name: str
    completed: Completed
    report: SuiteReport = field(default_factory=SuiteReport)
    written: Mapping[str, Written] = field(default_factory=dict)
    asked: str = ""
    roots: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()
    names: Mapping[str, str] = field(default_factory=dict)


class Suite(Protocol):
    """A sort of test command."""

    @property
    def REPORTER(self) -> str:  # noqa: N802 - a module's constant
        """The file of `tools/` that is put beside the tests, to report what they do; "" if there is none."""
        ...

    @property
    def REWRITE(self) -> str:  # noqa: N802 - a module's constant
        """The option at the end of a command that has tests rewrite their snapshots; "" if none is known."""
        ...

    def matches(self, command: tuple[str, ...]) -> bool:
        """Whether a command is of this sort."""
        ...

    def argv(self, command: tuple[str, ...], plan: Plan) -> tuple[str, ...]:
        """The command as it is started, with our reporter in it."""
        ...

    def judge(self, seen: Seen) -> Judgement:
        """What came of it."""
        ...


def module_of(reporter: str) -> str:
    """The name under which a reporter is imported in the process of foreign tests."""
    return f"sparky_{PurePosixPath(reporter).stem}"


def own_names(paths: Iterable[str]) -> frozenset[str]:
    """Every name that could mean a module of a repository of these files, wherever it lies."""
    modules = (PurePosixPath(path) for path in paths if path.endswith(".py"))
    return frozenset(name for module in modules for name in (*module.parts[:-1], module.stem))


def judge_reported(seen: Seen, cases: tuple[TestCase, ...]) -> Judgement | None:
    """What keeps a run of Python tests that ran to its end from being a verdict; None: nothing does."""
    if foreign := _foreign(seen.report.imported, [PurePosixPath(root) for root in seen.roots]):
        return Judgement(cases=cases, trouble=Trouble.FOREIGN_CODE, detail=f"they import {foreign}")
    missing = missing_packages(cases, seen.own)
    collected = [case for case in cases if case.red and _MISSING.search(case.message)]
    if missing and len(collected) == len(cases):
        text = f"no test module can be imported: {', '.join(missing)} not installed"
        return Judgement(cases=cases, trouble=Trouble.ENVIRONMENT, detail=text)
    return None


def verdict(seen: Seen, cases: tuple[TestCase, ...]) -> Judgement:
    """The cases as a verdict about the code, naming the packages that some of them lack."""
    missing = missing_packages(cases, seen.own)
    return Judgement(cases=cases, detail=f"not installed: {', '.join(missing)}" if missing else "")


def missing_packages(cases: Iterable[TestCase], own: Iterable[str]) -> tuple[str, ...]:
    """The packages, not the project's own, for lack of which tests are red; sorted."""
    found = {m[1].split(".")[0] for case in cases if case.red and (m := _MISSING.search(case.message))}
    return tuple(sorted(found - {name.split(".")[0] for name in own}))


def ending(completed: Completed, running: tuple[str, ...] = ()) -> tuple[Trouble, str] | None:
    """Why a command did not end by itself; None if it did."""
    match completed.ending:
        case Ending.EXITED:
            return None
        case Ending.TIMED_OUT:
            return Trouble.TIMED_OUT, f"after {completed.seconds:.0f} s" + while_ran(running)
        case Ending.KILLED:
            trouble, how = killed_by(-completed.code)
            return trouble, how + while_ran(running)
        case Ending.NOT_FOUND | Ending.REFUSED:
            return Trouble.ENVIRONMENT, f"{completed.ending.value}: {completed.argv[0]}"


def killed_by(number: int) -> tuple[Trouble, str]:
    """What a signal that ended a process says, and how to a person.

    What crashes dies of another signal than SIGKILL, which is sent, for want of memory or to stop it.
    """
    if number == signal.SIGKILL:
        return Trouble.KILLED, f"killed by signal {number}, as the system does where memory runs out"
    return Trouble.CRASHED, f"killed by signal {number}"


def while_ran(running: tuple[str, ...]) -> str:
    """The tests in flight, as the rest of a sentence; "" if there were none."""
    return f", while {', '.join(running)} ran" if running else ""


def last_line(text: str) -> str:
    """The last line that speaks of an error, else the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(E  |!!!|.*\berror\b)", line, re.IGNORECASE)]
    return (errors or lines or ["it said nothing"])[-1]


def _foreign(imported: Mapping[str, tuple[str, ...]], roots: list[PurePosixPath]) -> str:
    """The first file that comes from elsewhere; "" if there is none."""
    for _, paths in sorted(imported.items()):
        for path in paths:
            if not any(PurePosixPath(path).is_relative_to(root) for root in roots):
                return path
    return ""
