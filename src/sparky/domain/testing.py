"""Test results and their comparison by the identity of each failure."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from sparky.domain.state import Context

_NOISE = re.compile(
    r"0x[0-9a-fA-F]+|\b\d+(\.\d+)?\s?(s|ms|seconds)\b|/(?:tmp|var/folders)/\S+"
    r"|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?"
)


class TestOutcome(Enum):
    """What a test did."""

    __test__ = False
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"


class Trouble(Enum):
    """Why a test command gave no verdict about the code."""

    NO_TESTS = "no tests found"
    NO_COMMAND = "no test command"
    ENVIRONMENT = "environment"
    TIMED_OUT = "timed out"
    CRASHED = "crashed"
    KILLED = "killed from outside"
    UNREADABLE = "unreadable report"
    FOREIGN_CODE = "the tests import other code than this worktree's"


OUTSIDE = frozenset({Trouble.ENVIRONMENT, Trouble.FOREIGN_CODE, Trouble.KILLED})
"""Trouble that no change of the code is blamed for."""


@dataclass(frozen=True, kw_only=True)
class TestCase:
    """One test's result. `id` is exact, such as pytest's node id; `message` is empty unless it failed.

    `where` is the file of the deepest frame of its trace that lies in the project, `line` its line there; ""
    and 0 if nobody said.
    """

    __test__ = False
    id: str
    outcome: TestOutcome
    message: str = ""
    seconds: float = 0.0
    where: str = ""
    line: int = 0

    @property
    def red(self) -> bool:
        """Whether the test speaks against the code."""
        return self.outcome in {TestOutcome.FAILED, TestOutcome.ERROR}


@dataclass(frozen=True, kw_only=True)
class TestRun:
    """All of one run of a test command at one sha. `trouble` None: the run is complete and can be compared.

    `detail` says, for a person, what `trouble` is, and where the environment is not as declared; `output` is
    the digest of the log; `seconds` is wall time. `unrun`: of the lines that were asked about, by path, those
    that the tests were not seen to run.
    """

    __test__ = False
    sha: str
    command: tuple[str, ...]
    cases: tuple[TestCase, ...] = ()
    trouble: Trouble | None = None
    detail: str = ""
    output: str = ""
    seconds: float = 0.0
    level: str = "off"
    unrun: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The command as a person would type it: also the id of what only its exit code tells."""
        return shlex.join(self.command)

    @property
    def passed(self) -> int:
        """How many tests passed."""
        return sum(case.outcome is TestOutcome.PASSED for case in self.cases)


@dataclass(frozen=True, kw_only=True)
class Unimported:
    """A module that can't be imported, and why; `through`: the modules that it failed in, deepest first."""

    module: str
    why: str
    through: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Imported:
    """The modules of a commit that were imported: those that can be, and those that can't."""

    good: tuple[str, ...] = ()
    bad: tuple[Unimported, ...] = ()


Import = Callable[[Context, str, Sequence[str], Sequence[str]], Imported]
"""Imports modules at a commit, where its tests would run: each alone; and of others, given apart, those that
can't be imported all together. What could not be tried is not in the result."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Head against base. Every tuple holds test ids, sorted.

    `new`: red at head and not at base; `changed`: red at both with another message; `vanished`: ran at base
    as it should, and at head is not there or skipped, or passed and is now expected to fail; `same`: red at
    both alike; `fixed`: red at base, passes at head (a module or class that could not be set up: a test of it
    does; a command that failed without naming a test: nothing is red); `flaky`: red at head, passed when run
    once more, alone; or of two runs at base red in one only; `renamed`: passes at head under another name.
    `imports` are no tests: an "import of MODULE" each that worked at base and does not at head.
    """

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    vanished: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    messages: Mapping[str, str] = field(default_factory=dict)

    @property
    def worse(self) -> tuple[str, ...]:
        """The identities that are worse at head than at base."""
        return tuple(sorted((*self.new, *self.changed, *self.vanished, *self.imports)))


def normal_failure(message: str) -> str:
    """A failure's message without addresses, durations, times, UUIDs and temporary paths."""
    return _NOISE.sub("#", message)


def compare(
    base: TestRun, head: TestRun, rerun: TestRun | None = None, second: TestRun | None = None
) -> Comparison:
    """Compare by identity; a test of `head` that is red and passes in `rerun` counts as flaky.

    `second` is another run at base: what is red in one of the two only is flaky; what is red in both with
    two messages may have a third at head; and a test that did not run in both can't be lost.
    """
    before, after = _by_id(base), _told(head)
    twice = _by_id(second) if second else before
    again = _told(rerun) if rerun else {}
    red, old, still = _red(after), _red(before), _red(twice)
    flaky = {i for i in red if _passes(i, again)} | (old ^ still)
    solid = red - flaky
    alike = {i for i in solid & old if not _alike(before[i], twice[i]) or _alike(before[i], after[i])}
    lost = {i for i in before.keys() & twice if all(_lost(run[i], after.get(i)) for run in (before, twice))}
    return Comparison(
        new=_sorted(solid - old),
        changed=_sorted((solid & old) - alike),
        vanished=_sorted(lost),
        same=_sorted(alike),
        fixed=_sorted({i for i in old - flaky if _passes(i, after)}),
        flaky=_sorted(flaky),
        messages={i: after[i].message for i in sorted(solid)},
    )


def _by_id(run: TestRun) -> dict[str, TestCase]:
    return {case.id: case for case in run.cases}


def _red(cases: Mapping[str, TestCase]) -> set[str]:
    return {i for i, case in cases.items() if case.red}


def _alike(one: TestCase, other: TestCase) -> bool:
    return one.outcome is other.outcome and normal_failure(one.message) == normal_failure(other.message)


def _lost(before: TestCase, after: TestCase | None) -> bool:
    if before.outcome not in {TestOutcome.PASSED, TestOutcome.XFAILED}:
        return False
    if after is None or after.outcome is TestOutcome.SKIPPED:
        return True
    return before.outcome is TestOutcome.PASSED and after.outcome is TestOutcome.XFAILED


def _told(run: TestRun) -> dict[str, TestCase]:
    """The cases by id; a whole run in which nothing is red shows that the command itself passes, too."""
    cases = {case.id: case for case in run.cases}
    if run.cases and run.trouble is None and not any(case.red for case in run.cases):
        cases.setdefault(run.name, TestCase(id=run.name, outcome=TestOutcome.PASSED))
    return cases


def _passes(test: str, after: Mapping[str, TestCase]) -> bool:
    if test in after:
        return after[test].outcome is TestOutcome.PASSED
    parts = (f"{test}::", f"{test}.")  # of pytest's ids, and of dotted ones
    return any(i.startswith(parts) and c.outcome is TestOutcome.PASSED for i, c in after.items())


def _sorted(ids: set[str]) -> tuple[str, ...]:
    return tuple(sorted(ids))
