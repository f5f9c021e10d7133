"""Many runs on one small repository, eight processes at a time, all merged by themselves into one branch.

One in five is of an issue that another process was just asked for: the two must come to one run. At the end
store and git are compared. Exits with 1 if anything is lost, done twice or left behind, or takes too much
memory.

    python bench/load.py [RUNS]
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RUNS, AT_ONCE, TWICE = 200, 8, 5
MEMORY_GOAL_MB = 300

_TESTS = """import importlib
import sys

import pytest

NUMBERS = {numbers}


@pytest.mark.parametrize("number", NUMBERS)
def test_double(number):
    assert importlib.import_module(f"part_{{number:03}}").double(2) == 4
"""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """One process: what it was asked for, its exit code, what it said, seconds, and its memory at most."""

    issue: int
    code: int
    out: str
    err: str
    seconds: float
    memory_mb: float


@dataclass(frozen=True, kw_only=True)
class Place:
    """A repository with a bug and an issue for every number, and sparky's own directories."""

    root: Path
    issues: int

    @property
    def repo(self) -> Path:
        return self.root / "repo"

    @property
    def env(self) -> dict[str, str]:
        own = {"SPARKY_STATE_DIR": str(self.root / "state"), "SPARKY_CACHE_DIR": str(self.root / "cache")}
        return {**os.environ, **own, "HOME": str(self.root)}

    def make(self) -> None:
        """Commit it."""
        for number in range(1, self.issues + 1):
            self.write(f"part_{number:03}.py", "def double(x):\n    return x * 3\n")
            said = f"# Issue #{number:03}: part {number} doubles wrongly\n\n## Type\nbug\n\n"
            self.write(f"issues/{number:03}-double.md", f"{said}## Files\n- part_{number:03}.py\n")
            self.write(f"scripts/{number:03}.toml", _script(number))
        self.write("tests/test_parts.py", _TESTS.format(numbers=list(range(1, self.issues + 1))))
        self.write("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["."]\n')
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-qm", "base")

    def write(self, name: str, text: str) -> None:
        """A file of the repository."""
        path = self.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def git(self, *words: str) -> list[str]:
        """What git says, by lines."""
        argv = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words]
        done = subprocess.run(argv, cwd=self.repo, env=self.env, check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    def run(self, issue: int) -> Ended:
        """One process, to its end."""
        script = str(self.repo / f"scripts/{issue:03}.toml")
        argv = (sys.executable, "-m", "sparky", "run", str(issue), "--auto", "--json", "--script", script)
        started = time.perf_counter()
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            process = subprocess.Popen(argv, cwd=self.repo, env=self.env, stdout=out, stderr=err)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            texts = [(file.seek(0), file.read())[1] for file in (out, err)]
        return Ended(
            issue=issue,
            code=process.returncode,
            out=texts[0],
            err=texts[1],
            seconds=time.perf_counter() - started,
            memory_mb=used.ru_maxrss / 1024,
        )

    def rows(self) -> list[dict[str, Any]]:
        """`sparky status --json`, all of it."""
        argv = (sys.executable, "-m", "sparky", "status", "-n", "10000", "--json")
        done = subprocess.run(argv, cwd=self.repo, env=self.env, check=True, capture_output=True)
        listed: list[dict[str, Any]] = json.loads(done.stdout)
        return listed


def _script(number: int) -> str:
    steps = f'do = "replace"\npath = "part_{number:03}.py"\nold = "x * 3"\ntext = "x * 2"\n'
    return f'[[session]]\nsummary = "doubled"\n[[session.steps]]\n{steps}'


def asked(runs: int) -> list[int]:
    """The issues, in order; one in `TWICE` processes asks for the issue of the one before."""
    return [1 + at - (at + 1) // TWICE for at in range(runs)]


def troubles(place: Place, ended: list[Ended]) -> Iterator[str]:
    """What is not as it has to be."""
    for one in ended:
        outcome = json.loads(one.out)["outcome"] if one.out else None
        if (one.code, outcome) != (0, "merged"):
            yield f"issue {one.issue}: exit code {one.code}, {outcome}: {one.out[-300:]} {one.err[-600:]}"
    rows = place.rows()
    for issue, count in Counter(row["issue"] for row in rows).items():
        if count != 1:
            yield f"issue {issue} has {count} runs"
    if len(rows) != place.issues:
        yield f"{len(rows)} runs are stored, for {place.issues} issues"
    subjects = Counter(place.git("log", "--format=%s", "main"))
    wanted = Counter({"base": 1, **{f"part {n} doubles wrongly": 1 for n in range(1, place.issues + 1)}})
    if subjects != wanted:
        yield f"main differs: {subjects - wanted} too many, {wanted - subjects} missing"
    left = {
        "worktrees": place.git("worktree", "list")[1:],
        "refs": [ref for ref in place.git("for-each-ref", "--format=%(refname)") if ref != "refs/heads/main"],
        "uncommitted": place.git("status", "--porcelain"),
        "locks of git": [str(path) for path in (place.repo / ".git").rglob("*.lock")],
        "work": [str(path) for path in (place.root / "state" / "work").glob("*/*")],
        "wrong": place.git("grep", "-l", "x \\* 3", "main", "--", "*.py") if _is_wrong(place) else [],
    }
    yield from (f"{what} left: {names[:5]}" for what, names in left.items() if names)
    place.git("fsck", "--strict", "--no-dangling")


def _is_wrong(place: Place) -> bool:
    return any("x * 3" in path.read_text() for path in place.repo.glob("part_*.py"))


def main(runs: int) -> int:
    """Run them, and print the figures."""
    with tempfile.TemporaryDirectory(prefix="sparky-load-") as folder:
        issues = asked(runs)
        place = Place(root=Path(folder), issues=max(issues))
        place.make()
        started = time.perf_counter()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            ended = list(pool.map(place.run, issues))
        seconds = time.perf_counter() - started
        found = list(troubles(place, ended))
    memory = max(one.memory_mb for one in ended)
    joined = sum("joining run" in one.err for one in ended)
    waited = sum("another run is being merged" in one.err for one in ended)
    middle = statistics.median(one.seconds for one in ended)
    print(
        f"{runs} processes, {AT_ONCE} at a time, on {place.issues} issues of one repository: {seconds:.0f} s"
    )
    print(f"  {runs / seconds:.2f} runs/s; middle {middle:.1f} s")
    print(f"  {joined} joined another process's run, {waited} waited for their turn to be merged")
    print(f"  memory of a process: {memory:.0f} MB at most, goal < {MEMORY_GOAL_MB}")
    for line in found:
        print(f"  not so: {line}")
    print(f"  {'store and git agree, nothing is left' if not found else f'{len(found)} troubles'}")
    return int(bool(found) or memory >= MEMORY_GOAL_MB)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else RUNS))
