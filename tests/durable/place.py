"""Where a run is broken off and gone on with: a world of its own, and what is looked at in the end."""

import hashlib
import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.durable.driver import drive
from tests.durable.tracer import play
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
_PRIVATE = ("private", "scratch", "trees")
"""Directories of the cache in which each command has one for itself: nobody looks into them after it."""
_PATIENCE_S = 120
_STAGES = ["route", "execute", "review", "test", "verify", "merge"]
Seen = dict[str, tuple[object, object]]
"""What was found, and what had to be, by name."""


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
        make_world(self.root / "new", self.root / "cache", None, _SCRIPT, _FILES)

    def renew(self) -> None:
        """The world as it was before the run, and an empty cache."""
        for name in ("world", "cache"):
            shutil.rmtree(self.root / name, ignore_errors=True)
        shutil.copytree(self.root / "new", self.root / "world")
        (self.root / "cache").mkdir()

    def put_aside(self) -> str:
        """Keep the world as it is now, but for what commands have for themselves; its name, by what it is."""
        parts = [path for path in (self.world.root, self.world.cache) if path.exists()]
        paths = sorted(path for part in parts for path in part.rglob("*") if not self._is_left_out(path))
        digest = hashlib.sha256()
        for path in paths:
            kind = oct(path.lstat().st_mode)
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            digest.update(f"{path} {kind} {len(data)}\0".encode() + data)
        aside = self.root / "aside" / digest.hexdigest()
        if not aside.exists():
            left_out = shutil.ignore_patterns(*_PRIVATE)
            shutil.copytree(self.world.root, aside / "world", symlinks=True)
            shutil.copytree(self.world.cache, aside / "cache", symlinks=True, ignore=left_out)
        return aside.name

    def _is_left_out(self, path: Path) -> bool:
        """Whether nobody looks there: the database makes its shared memory anew."""
        private = any(path.is_relative_to(self.world.cache / name) for name in _PRIVATE)
        return private or path.name.endswith("-shm")

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
        seen = {
            **self._merged(),
            "refs": (world.git("for-each-ref", "--format=%(refname)"), "refs/heads/main"),
            "locks of git": (sorted(map(str, [*git.rglob("*.lock"), *git.glob("index.*")])), []),
            "work": (sorted(map(str, (world.state / "work").glob("*/*"))), []),
            "runs": (self._rows("SELECT outcome FROM runs"), [("merged",)]),
            "claims": (self._rows("SELECT * FROM claims"), []),
            "attempts": (self._rows("SELECT stage FROM attempts ORDER BY ordinal"), [(s,) for s in _STAGES]),
        }
        yield from _unlike(seen)

    def unmerged(self) -> Iterator[str]:
        """What is not as one merge leaves it, whatever sparky has forgotten of the run."""
        yield from _unlike(self._merged())

    def _merged(self) -> Seen:
        world = self.world
        return {
            "main": (world.git("log", "--format=%s", "main").splitlines(), ["double is wrong", "base"]),
            "file": (world.git("show", "main:double.sh"), "echo $(($1 * 2))"),
            "uncommitted": (world.git("status", "--porcelain"), ""),
            "worktrees": (world.git("worktree", "list").count("\n"), 0),
        }

    def _rows(self, query: str) -> list[tuple[str, ...]]:
        connection = sqlite3.connect(f"file:{self.world.state / 'sparky.db'}?mode=rw", uri=True)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()


def _unlike(seen: Seen) -> Iterator[str]:
    return (f"{name}: {found!r}" for name, (found, wanted) in seen.items() if found != wanted)
