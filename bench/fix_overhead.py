"""What `sparky fix` costs on real packages beyond the tools, git and tests that it runs.

Usage: fix_overhead.py [SDIST...]; without any, tabulate 0.8.9 and WTForms 3.0.1 are downloaded once. Every
command that sparky starts is timed in sparky's own process, where it passes its one door to processes.

`fix` runs twice for each figure: in a fresh state directory, with the dependency environments and uv's cache
of an earlier run ("environment"), and with the base's installation of that run, too ("installation"). The
results of tests and what else was installed are removed before each.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from uv import find_uv_bin

from sparky.adapters.shell import SystemShell
from sparky.cli import main as command_line
from sparky.domain.command import Command, Completed, Policy
from sparky.tools.listing import is_program

PACKAGES = ("tabulate==0.8.9", "WTForms==3.0.1")
KINDS = ("--kind", "FORMATTING", "--kind", "IMPORT_ERROR", "--kind", "DEAD_CODE")
DOWNLOADS = Path(tempfile.gettempdir()) / "sparky-bench"
FACTOR, ALLOWANCE_S, PASSES, AGAIN_S = 1.5, 3.0, 3.0, 5.0
ROUNDS = 3
TIMEOUT_S = 600
VERB = "import sparky.cli.main, sparky.cli.fix"
ENGINE = f"{VERB}, sparky.cli.drive"
LAUNCH = """
import pathlib, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "sparky.db")
    durable = sparky.durable.Durable(path, "bench", lambda state: None, adopting=False)
    durable.launch()
    durable.stop()
"""
COSTS = {
    "python": "pass",
    "imports of the verb": VERB,
    "imports of the engine": ENGINE,
    "launch and stop of the engine": f"{ENGINE}\n{LAUNCH}",
}
"""Programs, each of which does what the one before does, and one thing more."""


def record(log: Path) -> None:
    """Be sparky, and write down every command that it starts."""
    real = SystemShell.run

    def run(self: SystemShell, command: Command) -> Completed:
        started = time.perf_counter()
        completed = real(self, command)
        seconds = time.perf_counter() - started
        confined = command.policy is not None
        entry = {"argv": command.argv, "began": started, "seconds": seconds, "confined": confined}
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        return completed

    type.__setattr__(SystemShell, "run", run)
    command_line.main()


@dataclass(frozen=True, kw_only=True)
class Started:
    """A command that sparky started."""

    argv: tuple[str, ...]
    began: float
    seconds: float
    confined: bool

    @property
    def sort(self) -> str:
        """What it counts as."""
        name = Path(self.argv[0]).name
        if name in {"git", "uv"}:
            return {"git": "git", "uv": "builds"}[name]
        if is_program(self.argv):
            return "tools"
        if self.confined:
            return "tests"
        return "other" if name.startswith("python") else "tools"

    @property
    def looks_at(self) -> tuple[str, ...]:
        """The paths of a detection; empty for what is none."""
        is_look = self.sort == "tools" and "--output-format" in self.argv
        return self.argv[self.argv.index("--") + 1 :] if is_look else ()


@dataclass(frozen=True, kw_only=True)
class Fix:
    """One call of sparky, seen from outside and from inside."""

    wall: float
    cpu: float
    commands: tuple[Started, ...]

    def seconds(self, *sorts: str) -> float:
        return sum(one.seconds for one in self.commands if one.sort in sorts)

    @property
    def alone(self) -> float:
        """Seconds in which no command ran: sparky's own time that nothing hides."""
        busy, until = 0.0, 0.0
        for one in sorted(self.commands, key=lambda command: command.began):
            ended = one.began + one.seconds
            busy += max(0.0, ended - max(until, one.began))
            until = max(until, ended)
        return self.wall - busy

    def count(self, sort: str) -> int:
        return sum(one.sort == sort for one in self.commands)

    @property
    def limit(self) -> float:
        return FACTOR * self.seconds("tools", "git") + self.seconds("tests") + ALLOWANCE_S

    @property
    def excess(self) -> float:
        return self.wall - self.limit

    def passes(self, files: int) -> float:
        """How often the whole package was looked at, by the detector that was asked most."""
        shares: dict[str, float] = {}
        for one in self.commands:
            if one.looks_at:
                share = 1.0 if one.looks_at == (".",) else len(one.looks_at) / files
                shares[one.argv[1]] = shares.get(one.argv[1], 0.0) + share
        return max(shares.values(), default=0.0)


class Place:
    """A package as a repository, and sparky's directories for it."""

    def __init__(self, root: Path, sdist: Path) -> None:
        self._root = root
        self._cache = root / "cache"
        with tarfile.open(sdist) as archive:
            archive.extractall(root / "unpacked", filter="data")
        (self._pristine,) = (root / "unpacked").iterdir()
        self.name = self._pristine.name
        for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "base")):
            git(self._pristine, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words)
        self.files = len(git(self._pristine, "ls-files", "*.py", "*.pyi").splitlines())
        self._tree = git(self._pristine, "rev-parse", "HEAD^{tree}")

    def renew(self, *, keep_installation: bool) -> None:
        """The package as it came, a fresh state directory, and of the cache only what is kept."""
        for name in ("repo", "state", "cache/tests"):
            shutil.rmtree(self._root / name, ignore_errors=True)
        for installation in self._cache.glob("installs/*/*"):
            if installation.name != self._tree or not keep_installation:
                shutil.rmtree(installation)
        shutil.copytree(self._pristine, self._root / "repo", symlinks=True)

    def sparky(self, *words: str) -> Fix:
        """The command line, to its end."""
        log = self._root / "commands.jsonl"
        log.unlink(missing_ok=True)
        own = {"SPARKY_STATE_DIR": f"{self._root}/state", "SPARKY_CACHE_DIR": str(self._cache)}
        argv = (sys.executable, str(Path(__file__).resolve()), "--record", str(log), *words)
        return call(argv, self._root / "repo", {**os.environ, **own}, log)

    def fix(self) -> Fix:
        return self.sparky("fix", *KINDS)

    def runs(self) -> list[dict[str, Any]]:
        """What `sparky status` says."""
        self.sparky("status", "--json")
        listed: list[dict[str, Any]] = json.loads((self._root / "repo.out").read_text(encoding="utf-8"))
        return listed


def call(argv: tuple[str, ...], cwd: Path, env: Mapping[str, str], log: Path) -> Fix:
    """Run sparky; its output lies beside the repository. Exits if it failed."""
    out, err = cwd.with_suffix(".out"), cwd.with_suffix(".err")
    with out.open("wb") as stdout, err.open("wb") as stderr:
        before = os.times()
        started = time.perf_counter()
        code = subprocess.run(
            argv, cwd=cwd, env=env, stdout=stdout, stderr=stderr, check=False, timeout=TIMEOUT_S
        ).returncode
        wall = time.perf_counter() - started
        after = os.times()
    if code:
        raise SystemExit(f"{argv[4:]} ended with code {code}: {err.read_text(encoding='utf-8')[-2000:]}")
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    entries = [json.loads(line) for line in lines]
    commands = tuple(Started(**{**entry, "argv": tuple(entry["argv"])}) for entry in entries)
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Fix(wall=wall, cpu=cpu, commands=commands)


def git(cwd: Path, *words: str) -> str:
    """What git says."""
    return subprocess.run(["git", *words], cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()


def sdists() -> Iterator[Path]:
    """The packages that were named, else the usual ones, downloaded if they are not there yet."""
    if sys.argv[1:]:
        yield from (Path(name).resolve() for name in sys.argv[1:])
        return
    for package in PACKAGES:
        folder = DOWNLOADS / package
        if not list(folder.glob("*.tar.gz")):
            options = ("-q", "--no-binary", ":all:", "--no-deps", "--dest", str(folder))
            subprocess.run(
                [find_uv_bin(), "tool", "run", "-q", "pip", "download", *options, package], check=True
            )
        yield next(folder.glob("*.tar.gz"))


def judged(what: str, measured: float, goal: float, unit: str) -> None:
    """One line with its judgement."""
    said = "goal met" if measured <= goal else "goal missed"
    print(f"  {what}: {measured:.2f}{unit}, goal <= {goal:.2f}{unit}: {said}")


def put_fix(kept: str, rounds: list[Fix], files: int) -> None:
    """The round with the middle excess, and where its time went."""
    one = sorted(rounds, key=lambda fix: fix.excess)[len(rounds) // 2]
    judged(f"fix, {kept} warm", one.wall, one.limit, " s")
    print(f"    rounds: {', '.join(f'{fix.wall:.2f} of {fix.limit:.2f} s' for fix in rounds)}")
    for sort in ("tools", "git", "tests", "builds", "other"):
        print(f"    {sort:7} {one.seconds(sort):6.2f} s in {one.count(sort)} process(es)")
    print(f"    alone   {one.alone:6.2f} s, in which no command ran; processor time in all {one.cpu:.2f} s")
    judged("passes of a detector over the package", one.passes(files), PASSES, "")


def measure(place: Place) -> None:
    """All figures of one package."""
    place.renew(keep_installation=False)
    first = place.fix()
    print(f"{place.name}, {place.files} Python files; the first fix, nothing warm: {first.wall:.1f} s")
    taken: dict[bool, list[Fix]] = {False: [], True: []}
    for _ in range(ROUNDS):
        for keep in (False, True):
            place.renew(keep_installation=keep)
            taken[keep].append(place.fix())
    put_fix("environment", taken[False], place.files)
    put_fix("environment and the base's installation", taken[True], place.files)
    again = [place.fix().wall for _ in range(ROUNDS)]
    judged("fix again joins the ready run", statistics.median(again), AGAIN_S, " s")
    (run,) = place.runs()
    place.sparky("merge", str(run["run_id"]))
    rest = [place.fix().wall for _ in range(ROUNDS)]
    judged("fix after the merge lists what stays", statistics.median(rest), AGAIN_S, " s")


def put_costs() -> None:
    """Print what sparky's own time is made of, each part measured by itself."""
    taken: dict[str, list[float]] = {name: [] for name in COSTS}
    for _ in range(2 * ROUNDS + 1):
        for name, code in COSTS.items():
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            taken[name].append(time.perf_counter() - started)
    print("what sparky's own time is made of, each part measured by itself (medians):")
    before = 0.0
    for name in COSTS:
        now = statistics.median(taken[name])
        print(f"  {name:34} {now - before:.2f} s")
        before = now
    shell = SystemShell(os.environ)
    plain, confined = (
        Command(argv=("true",), cwd=Path("/")),
        Command(argv=("true",), cwd=Path("/"), policy=Policy()),
    )
    shell.level()
    more = [shell.run(confined).seconds - shell.run(plain).seconds for _ in range(4 * ROUNDS)]
    print(f"  {'a sandbox (counted with its command)':34} {statistics.median(more):.2f} s")


def main() -> None:
    """Measure each package and print the figures."""
    for sdist in sdists():
        with tempfile.TemporaryDirectory(prefix="sparky-bench-") as folder:
            measure(Place(Path(folder).resolve(), sdist))
    put_costs()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        log = Path(sys.argv[2])
        sys.argv = ["sparky", *sys.argv[3:]]
        record(log)
    else:
        main()
