"""What sparky costs on a large repository, beside the tools and git that it runs there.

Usage: scale.py [--files N] [--findings N] [--history MB] [--seed N]; the defaults are 10,000 files with
50,000 findings and 2,000 MB of history. The repository is made here, from the seed. Every command that
sparky starts is timed in sparky's own process, where it passes its one door to processes.
"""

import argparse
import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sparky.adapters.shell import SystemShell
from sparky.cli import main as command_line
from sparky.domain.command import Command, Completed
from sparky.tools.neutral import STANDARD

RATIO, RSS_MB, OWN_S, STEP_BYTES = 1.2, 500.0, 3.0, 50_000
ROUNDS = 3
CHANGED = 20
"""How many files the last commit, on the branch `work`, changes."""

_MODULES = sorted(name for name in STANDARD if not name.startswith("_"))
"""Of Python itself: nothing tests the repository, and an import of them is known to do nothing."""
_BLOB = 4_000_000
_COMMITTER = "committer Ada <ada@example.org> 1700000000 +0000"


def make(top: Path, *, files: int, findings: int, history_mb: int, seed: int) -> None:
    """Write the repository: `main`, and on top of it the branch `work`, which is checked out.

    The findings are unused imports, spread evenly, and a needless `pass` in every third file. The history
    holds random bytes, which nothing compresses; they are in no checkout.
    """
    top.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "work"], cwd=top, check=True)
    chance = random.Random(seed)
    with subprocess.Popen(["git", "fast-import", "--quiet"], cwd=top, stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        for part in _stream(files, findings, history_mb, chance):
            importer.stdin.write(part)
    assert importer.returncode == 0
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=top, check=True)


def path_of(number: int) -> str:
    """The path of a file: a hundred in each package."""
    return f"src/shop/part_{number // 100:03}/module_{number:05}.py"


def _stream(files: int, findings: int, history_mb: int, chance: random.Random) -> Iterator[bytes]:
    """What `git fast-import` reads."""
    shares = [(n + 1) * findings // files - n * findings // files for n in range(files)]
    for number in range(history_mb * 1_000_000 // _BLOB):
        yield _commit("main", f"data {number}")
        yield _file("data.bin", chance.randbytes(_BLOB))
    yield _commit("main", "base")
    yield b"D data.bin\n" if history_mb else b""
    for number in range(files):
        yield _file(path_of(number), _module(number, shares[number], chance))
    yield _commit("work", "a day's work") + b"from refs/heads/main\n"
    for number in range(0, files, max(1, files // CHANGED)):
        yield _file(path_of(number), _module(number, shares[number], chance))


def _commit(branch: str, message: str) -> bytes:
    return f"commit refs/heads/{branch}\n{_COMMITTER}\ndata {len(message)}\n{message}\n".encode()


def _file(path: str, data: bytes) -> bytes:
    return f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"


def _module(number: int, findings: int, chance: random.Random) -> bytes:
    """A module of some sixty lines, laid out as ruff does it."""
    local = int(findings > 0 and number % 3 == 0)
    unused = "".join(f"import {one}\n" for one in _MODULES[: findings - local])
    parts = [_function(one, chance) for one in range(8)]
    body = "".join(parts).replace("    result", "    pass\n    result", local)
    return f'"""Module {number}."""\n\n{unused}{body}'.encode()


def _function(number: int, chance: random.Random) -> str:
    factor, limit = chance.randrange(2, 100), chance.randrange(100, 10_000)
    return (
        f"\n\ndef step_{number}(value: int) -> int:\n"
        f'    """Take {factor} times a value, and no more than {limit}."""\n'
        f"    result = value * {factor}\n"
        f"    if result > {limit}:\n"
        f"        return {limit}\n"
        "    return result\n"
    )


def record(log: Path) -> None:
    """Be sparky; write down the seconds of every command that it starts, and at last its own memory."""
    real = SystemShell.run

    def run(self: SystemShell, command: Command) -> Completed:
        started = time.perf_counter()
        completed = real(self, command)
        _note(log, program=Path(command.argv[0]).name, seconds=time.perf_counter() - started)
        return completed

    type.__setattr__(SystemShell, "run", run)
    try:
        command_line.main()
    finally:
        own, started = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        cpu = {"own_cpu": own.ru_utime + own.ru_stime, "tools_cpu": started.ru_utime + started.ru_stime}
        _note(log, rss_mb=own.ru_maxrss / 1024, **cpu)


def _note(log: Path, **facts: object) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(facts) + "\n")


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of sparky: its seconds, those of the commands it started, their number, its own memory.

    `own_cpu` and `tools_cpu` are processor time: what others do on the machine lengthens them less.
    """

    wall: float
    tools: float
    count: int
    rss_mb: float
    own_cpu: float
    tools_cpu: float

    @property
    def own(self) -> float:
        """Seconds in which sparky did not wait for a command."""
        return self.wall - self.tools


def call(root: Path, *words: str, codes: tuple[int, ...] = (0,)) -> Call:
    """The command line on the repository, with a state of its own; raises SystemExit for another code."""
    log = root / "commands.jsonl"
    log.unlink(missing_ok=True)
    own = {"SPARKY_STATE_DIR": f"{root}/state", "SPARKY_CACHE_DIR": f"{root}/cache"}
    argv = [sys.executable, str(Path(__file__).resolve()), "--record", str(log), *words]
    with (root / "out").open("wb") as out, (root / "err").open("wb") as err:
        began = time.perf_counter()
        done = subprocess.run(
            argv, cwd=root / "repo", env={**os.environ, **own}, stdout=out, stderr=err, check=False
        )
        wall = time.perf_counter() - began
    if done.returncode not in codes:
        raise SystemExit(f"{words} ended with code {done.returncode}: {(root / 'err').read_text()[-2000:]}")
    notes = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    seconds = [note["seconds"] for note in notes if "seconds" in note]
    return Call(wall=wall, tools=sum(seconds), count=len(seconds), **notes[-1])


def judged(what: str, measured: float, goal: float, unit: str) -> None:
    """One line with its judgement."""
    said = "goal met" if measured <= goal else "goal missed"
    print(f"  {what}: {measured:.2f}{unit}, goal <= {goal:g}{unit}: {said}")


def put(root: Path, *words: str) -> Call:
    """The middle of some rounds, after one that warms the disk's cache; prints where its time went."""
    call(root, *words)
    rounds = [call(root, *words) for _ in range(ROUNDS)]
    one = sorted(rounds, key=lambda round_: round_.own)[ROUNDS // 2]
    parts = f"{one.wall:.2f} s, of them {one.tools:.2f} s in {one.count} commands, {one.own:.2f} s own"
    print(f"{' '.join(words)}: {parts}; {one.rss_mb:.0f} MB")
    print(f"  processor time: {one.own_cpu:.2f} s own, {one.tools_cpu:.2f} s its commands'")
    return one


def largest_step(root: Path) -> int:
    """The bytes of the largest step that the engine has recorded."""
    with closing(sqlite3.connect(root / "state" / "sparky.db")) as connection:
        return int(connection.execute("SELECT max(length(output)) FROM operation_outputs").fetchone()[0])


def main() -> None:
    """Make the repository, measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("files", 10_000), ("findings", 50_000), ("history", 2000), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sparky-bench-") as folder:
        root = Path(folder).resolve()
        began = time.perf_counter()
        make(
            root / "repo",
            files=asked.files,
            findings=asked.findings,
            history_mb=asked.history,
            seed=asked.seed,
        )
        print(
            f"{asked.files} files, {asked.history} MB of history, made in {time.perf_counter() - began:.0f} s"
        )
        for words in (("scan",), ("scan", "--json")):
            one = put(root, *words)
            judged("wall, against its commands' own time", one.wall / one.tools, RATIO, " times")
            cpu = (one.own_cpu + one.tools_cpu) / one.tools_cpu
            judged("processor time, against its commands'", cpu, RATIO, " times")
            judged("memory", one.rss_mb, RSS_MB, " MB")
        one = put(root, "scan", "--since", "main")
        judged("own time with few files changed", one.own, OWN_S, " s")
        one = call(root, "fix", "--json")
        print(
            f"fix: {one.wall:.1f} s, of them {one.tools:.1f} s in {one.count} commands; {one.rss_mb:.0f} MB"
        )
        judged("memory", one.rss_mb, RSS_MB, " MB")
        judged("the largest recorded step", largest_step(root), STEP_BYTES, " bytes")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        log = Path(sys.argv[2])
        sys.argv = ["sparky", *sys.argv[3:]]
        record(log)
    else:
        main()
