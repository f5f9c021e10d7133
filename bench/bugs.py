"""What becomes of an agent's answers to one-line bugs: the right are merged, the others refused, and why.

Every program of bench/programs with its bug, and an issue that names its source, is given to `sparky run
--auto` with each answer below, played by the scripted runner. Exits with 1 if any of them ends otherwise than
it has to.

    python bench/bugs.py [PROGRAM...]
"""

import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.answering.answers import ANSWERS, Answer, Program

from tests.acceptance.world import Nursery, Said, World, make_world

PROGRAMS = Path(__file__).parent / "programs"


def programs() -> Iterator[Program]:
    """The programs, each with its bug."""
    for name, bug in tomllib.loads((PROGRAMS / "bugs.toml").read_text()).items():
        place = PROGRAMS / name
        tests = (place / "tests" / f"test_{name}.py").read_text()
        method = "self." in bug["tells"]
        head = "    def test_bug(self) -> None:\n        " if method else "\n\ndef test_bug() -> None:\n    "
        sound = (place / f"{name}.py").read_text()
        yield Program(name=name, sound=sound, tests=f"{tests}\n{head}{bug['tells']}\n", **bug)


def run(world: World, program: Program, answer: Answer) -> Said:
    """The answer, given to `sparky run --auto`."""
    script = world.script({**answer.first(program), "number": 1}, answer.then(program))
    return world.sparky("run", "1", "--auto", "--json", *script)


def wrong_end(world: World, program: Program, answer: Answer, said: Said) -> str:
    """How the run ended otherwise than it has to; "" if it did not."""
    if said.code not in {0, 1, 3, 4}:
        return f"exit code {said.code}: {said.err[-500:]}"
    result = said.json()
    if result["outcome"] != answer.outcome or answer.reason not in result["reason"]:
        return f"{result['outcome']}: {result['reason']}"
    merged = program.sound == (world.repo / program.source).read_text()
    if merged is not (answer.outcome == "merged") or len(world.git("rev-list", "main").split()) != 1 + merged:
        return "main is not as the result says"
    return ""


def main(asked: list[str]) -> int:
    """Give every answer to every program; print the table."""
    chosen = [program for program in programs() if not asked or program.name in asked]
    good, odd = Counter[Answer](), []
    started = time.perf_counter()
    nursery = Nursery()
    with tempfile.TemporaryDirectory(prefix="sparky-bugs-") as folder:
        for program in chosen:
            for number, answer in enumerate(ANSWERS):
                root = Path(folder) / program.name / str(number)
                world = make_world(root, Path(folder) / "cache", nursery, program.files)
                why = wrong_end(world, program, answer, run(world, program, answer))
                good[answer] += not why
                odd += [f"{program.name}: {answer.manner}: {answer.name}: {why}"] if why else []
    nursery.close()
    for answer in ANSWERS:
        print(f"{answer.manner:9} {answer.name:40} {answer.outcome:14} {good[answer]:3} of {len(chosen)}")
    runs, well = len(chosen) * len(ANSWERS), sum(good.values())
    seconds = time.perf_counter() - started
    print(f"{well} of {runs} runs of {len(chosen)} programs end as they have to, in {seconds:.0f} s")
    for line in odd:
        print(f"  not so: {line}")
    return int(bool(odd))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
