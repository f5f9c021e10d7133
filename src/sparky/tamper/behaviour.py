"""What the tests' runs say of a diff that edits tests: each side's tests with each side's code."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sparky.domain.testing import TestOutcome, TestRun


@dataclass(frozen=True, kw_only=True)
class Runs:
    """Four runs: `old`/`new` code with `old`/`new` tests."""

    old_old: TestRun
    new_old: TestRun
    new_new: TestRun
    old_new: TestRun


@dataclass(frozen=True, kw_only=True)
class Settled:
    """Test ids. `fitted`: the new version is green with the old code, too, and the old one red with the new.

    `altered`: the old version is red with the new code, and the new one needs it.
    """

    fitted: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()


def settle(runs: Runs, paths: Iterable[str]) -> Settled:
    """What became of the tests in the edited files `paths` that the new code no longer passes."""
    places = set(paths)
    states = [_states(run) for run in (runs.old_old, runs.new_old, runs.new_new, runs.old_new)]
    old_old, new_old, new_new, old_new = states
    fitted: list[str] = []
    altered: list[str] = []
    for test in sorted(old_old):
        if test.split("::")[0] in places and not new_old.get(test) and new_new.get(test):
            (fitted if old_new.get(test) else altered).append(test)
    return Settled(fitted=tuple(fitted), altered=tuple(altered))


def shown_by(runs_at_base: TestRun, at_head: TestRun, paths: Iterable[str]) -> tuple[str, ...]:
    """The tests of edited files that pass at head and, with the same tests, not at base."""
    places = set(paths)
    before = _states(runs_at_base)
    return tuple(
        sorted(
            t
            for t, green in _states(at_head).items()
            if green and t.split("::")[0] in places and not before.get(t)
        )
    )


def killed(mutant: TestRun, unharmed: TestRun) -> bool:
    """Whether the tests tell a mutant from the code: what passed does not, or they don't get through."""
    if mutant.trouble is not None:
        return True
    now: Mapping[str, bool] = _states(mutant)
    return any(green and not now.get(test) for test, green in _states(unharmed).items())


def _states(run: TestRun) -> dict[str, bool]:
    """Test ids, and whether each passed."""
    return {case.id: case.outcome in {TestOutcome.PASSED, TestOutcome.XFAILED} for case in run.cases}
