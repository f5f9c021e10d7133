"""The answer of the detector that hears the target's tests: what fails at a commit, and why."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache

import msgspec

from sparky.domain.command import Completed, Ending
from sparky.domain.state import Context, Preferences
from sparky.domain.testing import TestCase, TestRun, Trouble
from sparky.ports import Ports, Repository
from sparky.tools.failing.causes import diagnose
from sparky.tools.failing.tree import Step, Tree
from sparky.tools.tool import ToolError

Hear = Callable[[Mapping[str, bytes]], Completed]
"""What a commit's tests say, as ruff would print it, of files that may be others than it has by now."""

_COMMITS = 50
"""How many commits back something is looked for that is not there any more."""
_FILES = 300
"""How many Python files a commit may change to be looked at: one that changes more moves no single name."""


def hear(ports: Ports, context: Context, preferences: Preferences, sha: str) -> Hear:
    """Runs the tests when it is first asked; raises ToolError where they give no verdict.

    It speaks of those alone that fail each time at the context's base: others are flaky, or TEST's to judge.
    """
    tree = cache(lambda: _tree(ports.repository, sha))
    heard = cache(lambda: _red(ports, context, preferences, sha))

    def answer(now: Mapping[str, bytes]) -> Completed:
        run, cases = heard()
        there = replace(tree(), sources={**tree().sources, **now}) if cases else _NOTHING
        said = msgspec.json.encode(list(diagnose(cases, there)))
        how, seconds = (run.command, run.seconds) if run else ((), 0.0)
        return Completed(argv=how, ending=Ending.EXITED, code=0, stdout=said, stderr=b"", seconds=seconds)

    return answer


_NOTHING = Tree(paths=frozenset(), sources={}, history=())


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
    steady = {case.id for case in base.cases if case.red}
    steady &= {case.id for case in run(context.base, 2).cases if case.red} if steady else set()
    head = base if sha == context.base else run(sha, 1)
    return head, sorted((c for c in head.cases if c.red and c.id in steady), key=lambda case: case.id)


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
