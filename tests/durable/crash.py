"""Kills a run before each change that it makes outside itself, goes on with it, and counts its effects.

    python -m tests.durable.crash            # at every boundary; writes docs/reliability.md (make crash)
    python -m tests.durable.crash SAMPLE     # at so many of them

The boundaries are those that a first run passed: none is chosen by hand. What comes after a change comes
before the next one, so each is killed before only. A directory that one command works in and that nobody else
reads is killed in at every tenth boundary.
"""

import multiprocessing
import os
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from tests.durable.driver import drive
from tests.durable.reliability import PAGE, Figures, render
from tests.durable.test_power_failure import walk
from tests.durable.tracer import Boundary, Tracer, play
from tests.durable.world import World, make_world

_PRIVATE = re.compile(r"(cache/(scratch|private|trees)|/tmp)/")
_TENTH = 10
_PATIENCE_S = 120
_TIMES = 3
_STAGES = ["route", "execute", "review", "test", "verify", "merge"]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where one process has its world: the same names for every run."""

    root: Path

    @property
    def world(self) -> World:
        return World(root=self.root / "world", cache=self.root / "cache")

    def prepare(self) -> None:
        """A world to copy, and a cache with an environment."""
        self.root.mkdir(parents=True)
        make_world(self.root / "new", self.root / "cache")
        self.renew()
        assert self.finish() == ""

    def renew(self) -> None:
        """The world as it was before the run, and a cache that knows no tests."""
        shutil.rmtree(self.root / "world", ignore_errors=True)
        shutil.copytree(self.root / "new", self.root / "world")
        for name in ("tests", "trees", "scratch", "private", "locks"):
            shutil.rmtree(self.root / "cache" / name, ignore_errors=True)

    def drive(self) -> None:
        """The run, begun or gone on with; one that has its end is left as it is."""
        if self.is_over():
            return
        quiet = os.open(os.devnull, os.O_WRONLY)
        for descriptor in (1, 2):
            os.dup2(quiet, descriptor)
        drive(self.world, set())

    def finish(self) -> str:
        """Go on with the run in a new process; what is wrong then."""
        process = os.fork()
        if process == 0:
            play(self.drive)
        until = time.monotonic() + _PATIENCE_S
        while not (ended := os.waitpid(process, os.WNOHANG))[0]:
            if time.monotonic() > until:
                os.kill(process, signal.SIGKILL)
            time.sleep(0.01)
        if ended[1]:
            return f"resume ended with {os.waitstatus_to_exitcode(ended[1])}"
        return "; ".join(self.troubles())

    def is_over(self) -> bool:
        """Whether the run is over, for sparky."""
        try:
            return self._rows("SELECT outcome FROM runs") == [("merged",)]
        except sqlite3.Error:  # there is no database yet, or nothing in it
            return False

    def troubles(self) -> Iterator[str]:
        """What is not as one run leaves it."""
        world, git = self.world, self.world.repo / ".git"
        commits = world.git("log", "--format=%s", "main").splitlines()
        seen = {
            "main": (commits, ["double is wrong", "base"]),
            "file": (world.git("show", "main:calc.py"), "import os\n\n\ndef double(x):\n    return x * 2"),
            "uncommitted": (world.git("status", "--porcelain"), ""),
            "refs": (world.git("for-each-ref", "--format=%(refname)"), "refs/heads/main"),
            "worktrees": (world.git("worktree", "list").count("\n"), 0),
            "locks of git": (sorted(map(str, [*git.rglob("*.lock"), *git.glob("index.*")])), []),
            "work": (sorted(map(str, (world.state / "work").glob("*/*"))), []),
            "runs": (self._rows("SELECT outcome FROM runs"), [("merged",)]),
            "claims": (self._rows("SELECT * FROM claims"), []),
            "attempts": (self._rows("SELECT stage FROM attempts ORDER BY ordinal"), [(s,) for s in _STAGES]),
        }
        yield from (f"{name}: {found!r}" for name, (found, wanted) in seen.items() if found != wanted)

    def _rows(self, query: str) -> list[tuple[str, ...]]:
        connection = sqlite3.connect(f"file:{self.world.state / 'sparky.db'}?mode=rw", uri=True)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()


def boundaries(place: Place) -> list[Boundary]:
    """All that a run passes on its way, in order."""
    place.renew()
    tracer = Tracer(place.root, lambda _: False)
    assert tracer.follow(place.drive) == 0
    assert not list(place.troubles())
    return tracer.passed


def killed_at(place: Place, boundary: Boundary) -> str:
    """What is wrong after the run was killed there and gone on with; "" if nothing is."""
    for _ in range(_TIMES):  # threads may take another order
        place.renew()
        try:
            code = Tracer(place.root, lambda reached: reached == boundary).follow(place.drive)
        except TimeoutError as error:
            return str(error)
        if code == -signal.SIGKILL:
            return place.finish()
    return "never reached again"


_PLACES = dict[int, Place]()


def trial(root: Path, boundary: Boundary) -> tuple[Boundary, str]:
    """A kill at a boundary, in this process's own world."""
    number = os.getpid()
    if number not in _PLACES:
        _PLACES[number] = Place(root=root / str(number))
        _PLACES[number].prepare()
    return boundary, killed_at(_PLACES[number], boundary)


def chosen(passed: list[Boundary]) -> list[Boundary]:
    """Those to be killed at."""
    private = [one for one in passed if _PRIVATE.match(one.what)]
    left_out = set(private) - set(private[::_TENTH])
    return [one for one in passed if one not in left_out]


def survey(root: Path) -> tuple[list[Boundary], list[Boundary]]:
    """All boundaries of a run, and those to be killed at."""
    first = Place(root=root / str(os.getpid()))
    first.prepare()
    passed = boundaries(first)
    return passed, chosen(passed)


def kill(root: Path, points: list[Boundary], at_once: int) -> int:
    """Kill at each of these, so many at a time; prints what went wrong, and returns how often."""
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload([__name__])
    wrong = 0
    with ProcessPoolExecutor(at_once, mp_context=forks) as pool:
        for one in as_completed([pool.submit(trial, root, point) for point in points]):
            boundary, why = one.result()
            wrong += bool(why)
            if why:
                sys.stdout.write(f"{boundary.kind} {boundary.what} {boundary.number}: {why}\n")
    return wrong


def main(sample: int | None) -> int:
    """Kill at all of them, or at some; 1 if anything is wrong."""
    with tempfile.TemporaryDirectory(prefix="crash-") as folder:
        root = Path(folder)
        passed, points = survey(root)
        if sample is not None:
            points = points[len(points) // sample // 2 :: len(points) // sample]
        wrong = kill(root, points, 1 if sample else 2)
        sys.stdout.write(f"killed at {len(points)} of {len(passed)} boundaries; {wrong} went wrong\n")
        if sample is None and not wrong:
            cuts, frames = walk(make_world(root / "cuts", root / "cache"), None)
            counts = Counter(one.kind for one in passed), Counter(one.kind for one in points)
            figures = Figures(passed=dict(counts[0]), killed=dict(counts[1]), cuts=cuts, frames=frames)
            PAGE.write_text(render(figures), encoding="utf-8")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else None))
