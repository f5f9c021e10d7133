"""What reading transcripts costs, against `wc -l` and against parsing every line; and what it finds.

bench/transcripts.py [--bytes 1.5e9] [--files 3000] [--peers]
bench/transcripts.py --home DIR

With --home only speed and memory, on the transcripts that are below a directory of Claude Code's.
"""

import argparse
import importlib
import json
import multiprocessing
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import stringzilla  # type: ignore[import-not-found]  # it is C alone

from sparky.testing.corpus import Corpus, Truth
from sparky.transcripts.claude import ClaudeReader
from sparky.transcripts.claude_scan import read_fast
from sparky.transcripts.library import Library, open_library
from sparky.transcripts.sessions import Wanted

ROUNDS = 3
SPARKY = str(Path(sys.executable).with_name("sparky"))
UV = str(Path(sys.executable).with_name("uv"))


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of the processor with the children's."""
    started, before = time.perf_counter(), _used()
    work()
    return time.perf_counter() - started, _used() - before


def _used() -> float:
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)


def count_lines(paths: Iterable[Path]) -> None:
    names = b"\0".join(os.fsencode(path) for path in paths)
    subprocess.run(["xargs", "-0", "wc", "-l"], input=names, stdout=subprocess.DEVNULL, check=True)


def parse_all(paths: Iterable[Path], loads: Callable[[bytes], object]) -> None:
    for path in paths:
        with path.open("rb") as file:
            for line in file:
                try:
                    loads(line)
                except ValueError:
                    continue


def primitive(paths: Iterable[Path], work: Callable[[bytes], object]) -> None:
    """What no scanner in this language can be faster than: the bytes, and one pass over them."""
    for path in paths:
        with path.open("rb", buffering=0) as file:
            while piece := file.read(1 << 19):
                work(piece)


def split_all(piece: bytes) -> None:
    place = -1
    while (place := piece.find(b"\n", place + 1)) >= 0:
        pass


PRIMITIVES: Mapping[str, Callable[[bytes], object]] = {
    "reading alone": len,
    "... finding line ends": split_all,
    "... one needle, StringZilla": lambda piece: stringzilla.count(piece, b'"is_error":true'),
    "... one needle, bytes": lambda piece: piece.count(b'"is_error":true'),
}


def scan(paths: Iterable[Path]) -> int:
    return sum(len(read_fast(path, 0).marks) for path in paths)


def scan_used(paths: Iterable[Path]) -> float:
    """Seconds of the processor."""
    before = time.process_time()
    scan(paths)
    return time.process_time() - before


def scan_both(pool: ProcessPoolExecutor, halves: list[list[Path]]) -> tuple[float, float]:
    """As `timed`: the processes of a pool are nobody's children until they end."""
    started = time.perf_counter()
    used = sum(pool.map(scan_used, halves))
    return time.perf_counter() - started, used


def orjson(folder: Path) -> Callable[[bytes], object]:
    """orjson in a place of its own; the standard library where it can't be had."""
    done = subprocess.run([UV, "pip", "install", "-q", "--target", folder, "orjson"], check=False)
    if done.returncode:
        print("orjson can't be installed: json of the standard library stands in for it")
        return json.loads
    sys.path.insert(0, str(folder))
    found: Callable[[bytes], object] = importlib.import_module("orjson").loads
    return found


def build(state: str, home: str) -> None:
    open_library(Path(state), {"claude": Path(home)}, print)


def child(target: Callable[..., object], *values: object) -> tuple[float, float, float]:
    """Seconds, processor seconds and peak memory (MB) of a call in a process of its own."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_measured, args=(theirs, target, values))
    process.start()
    found: tuple[float, float, float] = ours.recv()
    process.join()
    return found


def _measured(pipe: Any, target: Callable[..., object], values: tuple[object, ...]) -> None:
    wall, used = timed(lambda: target(*values))
    # Not getrusage: its peak counts what the process was before it became this one.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    pipe.send((wall, used, int(status.partition("VmHWM:")[2].split()[0]) / 1024))


def goal(name: str, value: float, bound: float, *, least: bool, unit: str = "") -> None:
    met = value >= bound if least else value <= bound
    said = "goal met" if met else "goal missed"
    print(f"  {name}: {value:.2f}{unit}, goal {'>=' if least else '<='} {bound:g}{unit}: {said}")


def check(truth: Truth, found: Library) -> None:
    """Hold what is found against what was written."""
    heard = found.feedback(Wanted())
    said = Counter((one.session, "".join(one.agents[-1:]), one.kind.value, one.text) for one in heard)
    wanted = Counter((session, agent, kind, text.strip()) for session, agent, kind, text in truth.said)
    missing, extra = (wanted - said).total(), (said - wanted).total()
    print(f"  said: {wanted.total()} items, {missing} missing, {extra} extra")
    usage = [one for _, one in found.index.usage()]
    same = (len(usage), sum(one.output for one in usage)) == (truth.messages, truth.output)
    print(f"  tokens: {truth.messages} messages, {truth.output} of output, {'exact' if same else 'WRONG'}")
    places = {
        place.agents[-1]: (place.session, *place.agents) for place in found.where.values() if place.agents
    }
    wrong = sum(places.get(name) != way for name, way in truth.agents.items())
    print(f"  agents: {len(truth.agents)}, {wrong} placed wrongly")


def speed(paths: list[Path], home: Path, scratch: Path, size: int) -> None:
    loads = orjson(scratch / "orjson")
    figures: dict[str, list[tuple[float, float]]] = {}
    by_size = sorted(paths, key=lambda path: path.stat().st_size)
    halves = [by_size[::2], by_size[1::2]]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        list(pool.map(scan, [[], []]))
        for number in range(ROUNDS):
            state = scratch / f"state{number}"
            figures.setdefault("wc -l", []).append(timed(lambda: count_lines(paths)))
            figures.setdefault("orjson, every line", []).append(timed(lambda: parse_all(paths, loads)))
            figures.setdefault("scan", []).append(timed(lambda: scan(paths)))
            figures.setdefault("scan, two processes", []).append(scan_both(pool, halves))
            for name, work in PRIMITIVES.items():
                figures.setdefault(name, []).append(timed(partial(primitive, paths, work)))
            *both, memory = child(build, str(state), str(home))
            figures.setdefault("index, built", []).append((both[0], both[1]))
    for name, rounds in figures.items():
        wall, used = min(one for one, _ in rounds), min(one for _, one in rounds)
        speeds = f"{size / wall / 1e6:6.0f} MB/s, of the processor {size / used / 1e6:6.0f}"
        print(f"  {name:28} {wall:6.2f} s, processor {used:6.2f} s, {speeds}")

    def ratio(one: str, other: str, column: int) -> float:
        return statistics.median(
            a[column] / b[column] for a, b in zip(figures[one], figures[other], strict=True)
        )

    goal("scan against wc -l, one core", ratio("wc -l", "scan", 0), 0.22, least=True)
    goal("... by processor time", ratio("wc -l", "scan", 1), 0.22, least=True)
    goal("scan against wc -l, two processes", ratio("wc -l", "scan, two processes", 0), 0.36, least=True)
    # What each of two idle cores would do: the processor's time of both is halved.
    goal("... by processor time", 2 * ratio("wc -l", "scan, two processes", 1), 0.36, least=True)
    goal("scan against orjson on every line", ratio("orjson, every line", "scan", 1), 1.35, least=True)
    goal(
        "index against orjson on every line", ratio("orjson, every line", "index, built", 1), 0.95, least=True
    )
    goal("memory of the index's build", memory, 150, least=False, unit=" MB")


def whole_command(state: Path, home: Path) -> tuple[float, float]:
    """Milliseconds by the clock, and of the processor; sparky's byte code is kept, as a user has it."""
    env = {**os.environ, "SPARKY_STATE_DIR": str(state), "CLAUDE_CONFIG_DIR": str(home)}
    env |= {"CODEX_HOME": str(state / "none"), "XDG_DATA_HOME": str(state / "none")}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    call = [SPARKY, "transcripts", "list", "--json"]
    run = partial(subprocess.run, call, env=env, stdout=subprocess.DEVNULL, check=True)
    wall, used = timed(run)
    return wall * 1000, used * 1000


def again(state: Path, home: Path, path: Path) -> None:
    whole_command(state, home)
    same, grown = [], []
    line = path.read_bytes().splitlines(keepends=True)[1] * 20
    for _ in range(11):
        same.append(whole_command(state, home))
        with path.open("ab") as file:
            file.write(line)
        grown.append(whole_command(state, home))
    for column, name in enumerate(("by the clock", "by processor time")):
        once = statistics.median(one[column] for one in same)
        goal(f"nothing changed, whole command, {name}", once, 150, least=False, unit=" ms")
        more = statistics.median(b[column] - a[column] for a, b in zip(same, grown, strict=True))
        goal(f"one transcript appended to, {name}", more, 20, least=False, unit=" ms more")


def large(scratch: Path) -> None:
    """One transcript of 300 MB."""
    corpus = Corpus(scratch / "large", 3)
    corpus.fill(20_000_000, 1)
    (path,) = (scratch / "large").rglob("*.jsonl")
    data = path.read_bytes()
    with path.open("ab") as file:
        for _ in range(300_000_000 // len(data)):
            file.write(data)
    wall, _, memory = child(build, str(scratch / "large-state"), str(scratch / "large"))
    goal(f"memory with one file of 300 MB ({wall:.1f} s)", memory, 150, least=False, unit=" MB")


def quietly(call: list[str], env: Mapping[str, str]) -> None:
    subprocess.run(call, env=env, check=True, timeout=900, stdout=subprocess.DEVNULL)


def peers(home: Path, scratch: Path) -> None:
    """ccusage and claude-code-log, each in an environment of its own; for information."""
    env = {**os.environ, "CLAUDE_CONFIG_DIR": str(home)}
    places = {"ccusage": scratch / "npm", "claude-code-log": scratch / "log"}
    makes = {
        "ccusage": [["npm", "install", "--silent", "--prefix", str(places["ccusage"]), "ccusage"]],
        "claude-code-log": [
            [UV, "venv", "-q", str(places["claude-code-log"])],
            [UV, "pip", "install", "-q", "--python", str(places["claude-code-log"]), "claude-code-log"],
        ],
    }
    calls = {
        "ccusage": [str(places["ccusage"] / "node_modules/.bin/ccusage"), "session", "--json", "--offline"],
        "claude-code-log": [
            str(places["claude-code-log"] / "bin/claude-code-log"),
            *(
                "--all-projects",
                "--projects-dir",
                str(home / "projects"),
                "-f",
                "md",
                "--no-individual-sessions",
            ),
        ],
    }
    for name, call in calls.items():
        try:
            for make in makes[name]:
                subprocess.run(make, check=True, timeout=180, stdout=subprocess.DEVNULL)
            wall, used = timed(partial(quietly, call, env))
        except (OSError, subprocess.SubprocessError) as error:
            print(f"  {name} is left out: {error}")
            continue
        print(f"  {name:22} {wall:6.2f} s, processor {used:6.2f} s")


def measure(home: Path, scratch: Path) -> list[Path]:
    """The transcripts below a directory, after printing what reading them costs."""
    paths = [Path(source.path) for source in ClaudeReader().discover(home)]
    size = sum(path.stat().st_size for path in paths)
    print(f"{len(paths)} transcripts, {size / 1e6:.0f} MB")
    speed(paths, home, scratch, size)
    return paths


def on_corpus(given: argparse.Namespace, scratch: Path) -> None:
    home = scratch / "home"
    corpus = Corpus(home, 7)
    wall, _ = timed(lambda: corpus.fill(int(given.bytes), given.files))
    print(f"a corpus written in {wall:.0f} s")
    paths = measure(home, scratch)
    check(corpus.truth, open_library(scratch / "state0", {"claude": home}, print))
    again(scratch / "state0", home, paths[0])
    large(scratch)
    if given.peers:
        peers(home, scratch)


def main() -> None:
    """Write the corpus, measure, interleaved, and print the figures."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--bytes", type=float, default=1.5e9)
    options.add_argument("--files", type=int, default=3000)
    options.add_argument("--home", type=Path, help="a directory with projects/, instead of the corpus")
    options.add_argument("--peers", action="store_true", help="measure ccusage and claude-code-log, too")
    given = options.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="sparky-bench-"))
    try:
        if given.home:
            measure(given.home, scratch)
        else:
            on_corpus(given, scratch)
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
