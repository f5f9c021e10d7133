"""Breaks a run off before each change that it makes outside itself, goes on with it, and counts its effects.

    python -m tests.durable.crash            # at every boundary; writes docs/reliability.md (make crash)
    python -m tests.durable.crash SAMPLE     # kills it at so many of them

The boundaries are those that a first run passed: none is chosen by hand. What comes after a change comes
before the next one, so each is looked at before only. There a run is stopped, what lies on the disk is put
aside, which is what `kill -9` of it and of all that it started leaves, and later gone on with. At every tenth
boundary the run is killed itself as well, and what it started is not. In a directory that one command works
in, and that nobody else reads, every tenth boundary is taken.

What was broken off goes on where it stood, unless code changed.
"""

import hashlib
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

from sparky.adapters.locks import FileLocks
from tests.durable.driver import drive
from tests.durable.journal import Cuts, Journal, Tried
from tests.durable.reliability import PAGE, Figures, render
from tests.durable.test_power_failure import walk
from tests.durable.tracer import Boundary, Tracer, play
from tests.durable.world import World, make_world

_FILES = {
    "double.sh": "echo $(($1 * 3))\n",
    "check.sh": '[ "$(sh double.sh 2)" = 4 ]\n',
    "Makefile": "test:\n\t@sh check.sh\n",
    "issues/001-double.md": "# Issue #001: double is wrong\n\n## Type\nbug\n\n## Files\n- double.sh\n",
}
"""A project whose tests take no time, for what they do they do in a directory of their own."""
_SCRIPT = """
[[session]]
summary = "doubled"
[[session.steps]]
do = "replace"
path = "double.sh"
old = "* 3"
text = "* 2"
"""
_PRIVATE = re.compile(r"(cache/(scratch|private|trees)|/tmp)/")
_TENTH, _BATCH = 10, 40
_PATIENCE_S = 120
_TIMES = 3
_AT_ONCE = 2
_STAGES = ["route", "execute", "review", "test", "verify", "merge"]
_HERE = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where one process has its world: the same names for every run."""

    root: Path

    @property
    def world(self) -> World:
        return World(root=self.root / "world", cache=self.root / "cache")

    def prepare(self) -> None:
        """A world to copy."""
        self.root.mkdir(parents=True)
        make_world(self.root / "new", self.root / "cache", _SCRIPT, _FILES)

    def renew(self) -> None:
        """The world as it was before the run, and an empty cache."""
        for name in ("world", "cache"):
            shutil.rmtree(self.root / name, ignore_errors=True)
        shutil.copytree(self.root / "new", self.root / "world")
        (self.root / "cache").mkdir()

    def put_aside(self, name: str) -> None:
        """Keep the world as it is now; what single commands had for themselves is left out."""
        aside = self.root / "aside" / name
        shutil.copytree(self.world.root, aside / "world", symlinks=True)
        left_out = shutil.ignore_patterns("private")
        shutil.copytree(self.world.cache, aside / "cache", symlinks=True, ignore=left_out)

    def put_back(self, name: str) -> None:
        """The world as it was put aside."""
        for part in ("world", "cache"):
            shutil.rmtree(self.root / part)
            (self.root / "aside" / name / part).rename(self.root / part)

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
            "file": (world.git("show", "main:double.sh"), "echo $(($1 * 2))"),
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


def own_place(root: Path) -> Place:
    """This process's own world."""
    number = os.getpid()
    if number not in _PLACES:
        _PLACES[number] = Place(root=root / str(number))
        _PLACES[number].prepare()
    return _PLACES[number]


def trial(root: Path, boundary: Boundary) -> list[Tried]:
    """A kill at a boundary."""
    return [Tried(boundary=boundary, why=killed_at(own_place(root), boundary), killed=True)]


def batch(root: Path, boundaries: list[Boundary]) -> list[Tried]:
    """A run that is stopped at each of these boundaries, and gone on with from what lay there then."""
    place, left, why = own_place(root), set(boundaries), dict[Boundary, str]()
    for _ in range(_TIMES):  # threads may take another order
        place.renew()
        shutil.rmtree(place.root / "aside", ignore_errors=True)
        stopped = list[Boundary]()

        def reached(boundary: Boundary, *, stopped: list[Boundary] = stopped) -> bool:
            if boundary in left:
                left.remove(boundary)
                place.put_aside(str(len(stopped)))
                stopped.append(boundary)
                return not left  # nothing more is to be seen
            return False

        Tracer(place.root, reached).follow(place.drive)
        for number, boundary in enumerate(stopped):
            place.put_back(str(number))
            why[boundary] = place.finish()
        if not left:
            break
    return [Tried(boundary=one, why=why.get(one, "never reached again")) for one in boundaries]


def cuts(root: Path) -> Cuts:
    """The database's log, cut in every frame."""
    shutil.rmtree(root / "cuts", ignore_errors=True)
    cut, frames = walk(make_world(root / "cuts" / "world", root / "cuts" / "cache"), None)
    return Cuts(cut=cut, frames=frames)


def survey(root: Path) -> list[Boundary]:
    """All boundaries of a run, in order."""
    place = own_place(root)
    place.renew()
    tracer = Tracer(place.root, lambda _: False)
    assert tracer.follow(place.drive) == 0
    assert not list(place.troubles())
    return tracer.passed


def chosen(passed: list[Boundary]) -> list[Boundary]:
    """Those to be killed at."""
    private = [one for one in passed if _PRIVATE.match(one.what)]
    left_out = set(private) - set(private[::_TENTH])
    return [one for one in passed if one not in left_out]


def kill(root: Path, journal: Journal) -> None:
    """Go on from each boundary that was not tried so far, several at a time, and cut the log."""
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload([__name__])
    points = chosen(journal.passed)
    left = [one for one in points if one not in journal.tried]
    kills = [one for one in points[::_TENTH] if one not in journal.killed]
    started, done = time.monotonic(), 0
    with ProcessPoolExecutor(_AT_ONCE, mp_context=forks) as pool:
        cutting = None if journal.cuts else pool.submit(cuts, root)
        batches = [left[at : at + _BATCH] for at in range(0, len(left), _BATCH)]
        work = [pool.submit(batch, root, some) for some in batches]
        work += [pool.submit(trial, root, one) for one in kills]
        for ready in as_completed(work):
            for tried in ready.result():
                journal.add(tried)
                if tried.why:
                    say(f"{tried.boundary.kind} {tried.boundary.what} {tried.boundary.number}: {tried.why}")
            done += len(ready.result())
            minutes = (time.monotonic() - started) / 60
            say(f"{done} of {len(left) + len(kills)} boundaries, {minutes:.1f} minutes")
        if cutting is not None:
            journal.add(cutting.result())


def say(text: str) -> None:
    """Tell whoever waits."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def sample(size: int) -> int:
    """Kill at some, in this process; 1 if anything is wrong."""
    with tempfile.TemporaryDirectory(prefix="crash-") as folder:
        passed = survey(Path(folder))
        points = chosen(passed)
        step = len(points) // size
        tried = (one for point in points[step // 2 :: step][:size] for one in trial(Path(folder), point))
        wrong = [one for one in tried if one.why]
    for one in wrong:
        say(f"{one.boundary}: {one.why}")
    say(f"killed at {size} of {len(passed)} boundaries; {len(wrong)} went wrong")
    return int(bool(wrong))


def whole() -> int:
    """Kill at all of them, and write the page; 1 if anything is wrong."""
    code = hashlib.sha256()
    for path in sorted([*(_HERE / "src").rglob("*.py"), *(_HERE / "tests" / "durable").glob("*.py")]):
        code.update(path.read_bytes())
    root = Path(tempfile.gettempdir()) / f"sparky-crash-{code.hexdigest()[:16]}"
    with FileLocks(root).attempt("crash") as alone:
        if not alone:
            say(f"another process is at it, in {root}")
            return 1
        journal = Journal.read(root / "journal.jsonl")
        if not journal.passed:
            journal.start(survey(root))
        kill(root, journal)
        points, wrong = chosen(journal.passed), journal.wrong
        said = f"{len(points)} of {len(journal.passed)} boundaries, killed at {len(journal.killed)} of them"
        say(f"gone on from {said}; {wrong} went wrong")
        if not wrong and journal.cuts:
            figures = Figures(
                passed=Counter(one.kind for one in journal.passed),
                tried=Counter(one.kind for one in points),
                killed=Counter(one.kind for one in journal.killed),
                cuts=journal.cuts.cut,
                frames=journal.cuts.frames,
            )
            PAGE.write_text(render(figures), encoding="utf-8")
            shutil.rmtree(root)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(sample(int(sys.argv[1])) if sys.argv[1:] else whole())
