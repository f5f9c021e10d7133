"""The answer of the detector that hears the target's tests: what fails at a commit, and why."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import msgspec

from sparky.domain.command import Completed, Ending, Level
from sparky.domain.finding import Finding, normal_message
from sparky.domain.issue import Kind
from sparky.domain.state import Context, Preferences
from sparky.domain.testing import TestCase, TestRun, Trouble, compare
from sparky.ports import Ports, Repository
from sparky.targets.suite import missing_packages
from sparky.tools.failing.causes import Rewrites, diagnose, is_of_snapshot, said
from sparky.tools.failing.snapshots import STALE, Rewritten, why_left
from sparky.tools.failing.tree import Step, Tree
from sparky.tools.tool import ToolError

Hear = Callable[[Mapping[str, bytes]], Completed]
"""What a commit's tests say, as ruff would print it, of files that may be others than it has by now."""

_COMMITS = 50
"""How many commits back something is looked for that is not there any more."""
_FILES = 300
"""How many Python files a commit may change to be looked at: one that changes more moves no single name."""
_SNAPSHOTS = 50
"""How many tests at most are run, each alone, to rewrite their snapshots."""


def hear(ports: Ports, context: Context, preferences: Preferences, at: Callable[[], str]) -> Hear:
    """Runs the tests, at the commit that `at` gives, when it is first asked; ToolError: no verdict.

    It speaks of those alone that fail each time at the context's base: others are flaky, or TEST's to judge.
    """
    sha = cache(at)
    tree = cache(lambda: _tree(ports.repository, sha()))
    heard = cache(lambda: _red(ports, context, preferences, sha()))
    asked = cache(lambda: _rewrites(ports, context, preferences, *heard()))

    def answer(now: Mapping[str, bytes]) -> Completed:
        run, cases = heard()
        before = tree() if cases else _NOTHING
        there = replace(before, sources={**before.sources, **now}) if cases else before
        found = diagnose([_lined_up(case, before, there) for case in cases], there, asked())
        how, seconds, level = (run.command, run.seconds, Level(run.level)) if run else ((), 0.0, Level.OFF)
        return Completed(
            argv=how,
            ending=Ending.EXITED,
            code=0,
            stdout=msgspec.json.encode([*found]),
            stderr=b"",
            seconds=seconds,
            level=level,
        )

    return answer


_NOTHING = Tree(paths=frozenset(), sources={}, history=())


def red_all_the_same(gone: Iterable[Finding], after: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings of snapshots that are rewritten, and their tests say `after` it what they said before."""
    now = {_of_test(finding) for finding in after if finding.kind is Kind.TEST_FAILURE}
    return tuple(one for one in gone if one.rule == STALE and _of_test(one) in now)


def _of_test(finding: Finding) -> tuple[str, str]:
    """The test and what it says; the numbers in its own name tell it from others."""
    test, _, said = finding.message.partition(": ")
    return test, normal_message(said)


def _red(
    ports: Ports, context: Context, preferences: Preferences, sha: str
) -> tuple[TestRun | None, list[TestCase]]:
    command = preferences.test_command or ports.tests.discover(context, sha)
    if command is None:
        return None, []

    def run(at: str, turn: int) -> TestRun:
        done = ports.tests.run(context, at, command, timeout_s=preferences.test_timeout_s, turn=turn)
        if done.trouble is not None and done.trouble is not Trouble.NO_TESTS:
            raise ToolError(f"the tests give no verdict at {at[:10]}: {done.trouble.value}: {done.detail}")
        return done

    base = run(context.base, 1)
    old = {case.id: case for case in base.cases if case.red}
    second = _second(ports, context, preferences, base) if old else None
    twice = {case.id: case for case in second.cases if case.red} if second else old
    head = base if sha == context.base else run(sha, 1)
    now = {case.id: case for case in head.cases if case.red}
    # A test that is skipped now, or not there any more, is none that is mended.
    still = (old.keys() & twice.keys()) - {*compare(base, head, second=second).fixed}
    return head, [_told(now.get(name, old[name]), old[name], twice[name]) for name in sorted(still)]


def _second(ports: Ports, context: Context, preferences: Preferences, base: TestRun) -> TestRun | None:
    """Another run at the base; None if it gave no verdict, as for the stage TEST."""
    limit = preferences.test_timeout_s
    second = ports.tests.run(context, base.sha, base.command, timeout_s=limit, turn=2)
    return second if second.trouble is None else None


def _rewrites(
    ports: Ports, context: Context, preferences: Preferences, run: TestRun | None, cases: Sequence[TestCase]
) -> Rewrites:
    """What red tests make of their snapshots, where a person asked for that.

    What can't be rewritten at the base can't be later: such a test is not run again.
    """
    if run is None or not preferences.update_snapshots:
        return {}

    def rewritten(sha: str, test: str) -> tuple[Rewritten, ...]:
        limit = preferences.test_timeout_s
        made = ports.tests.rewritten(context, sha, run.command, test, timeout_s=limit)
        old = dict(ports.repository.contents(sha, [*made]))
        all_of = (Rewritten(path=path, before=old.get(path), after=made[path]) for path in sorted(made))
        return tuple(one for one in all_of if one.before != one.after)

    stale = [case.id for case in cases if is_of_snapshot(case)][:_SNAPSHOTS]
    first = {test: rewritten(context.base, test) for test in stale}
    return {test: made if why_left(made) else rewritten(run.sha, test) for test, made in first.items()}


def _told(case: TestCase, one: TestCase, other: TestCase) -> TestCase:
    """The case, without what two runs at the base say of it in two ways: the next would in a third."""
    if normal_message(said(one)) == normal_message(said(other)):
        return case
    return replace(case, message="it fails, each time with another message", where="", line=0)


def _lined_up(case: TestCase, before: Tree, now: Tree) -> TestCase:
    """The case with its line as it is in files that were edited since; 0 where several lines say the same."""
    old, new = (tree.sources.get(case.where, b"").splitlines() for tree in (before, now))
    line = old[case.line - 1] if 0 < case.line <= len(old) else b""
    return replace(
        case, line=new.index(line) + 1 if old != new and new.count(line) == 1 else case.line * (old == new)
    )


def once_own(repository: Repository, sha: str, cases: Sequence[TestCase]) -> tuple[str, ...]:
    """Where modules were that the tests lack, of those that the repository had: nobody can install these."""
    tree = _tree(repository, sha)
    return tuple(path for name in missing_packages(cases, ()) if (path := tree.lost(name)))


def _tree(repository: Repository, sha: str) -> Tree:
    paths = repository.files(sha)
    sources = dict(repository.contents(sha, [path for path in paths if path.endswith(".py")]))
    return Tree(paths=frozenset(paths), sources=sources, history=_History(repository, sha))


class _History:
    """The newest steps of a commit's first parents, each read when it is first asked for."""

    def __init__(self, repository: Repository, sha: str) -> None:
        self._read: list[Step] = []
        self._rest = _steps(repository, sha)

    def __iter__(self) -> Iterator[Step]:
        yield from self._read
        for step in self._rest:
            self._read.append(step)
            yield step


def _steps(repository: Repository, sha: str) -> Iterator[Step]:
    for _ in range(_COMMITS):
        parent = repository.resolve(f"{sha}~1")
        if parent is None:
            return
        files = [one for one in repository.changes(parent, sha) if one.path.endswith(".py")]
        if 0 < len(files) <= _FILES:
            old, new = [one.old_path or one.path for one in files], [one.path for one in files]
            before, after = (dict(repository.contents(at, it)) for at, it in ((parent, old), (sha, new)))
            yield Step(before=before, after=after)
        sha = parent
