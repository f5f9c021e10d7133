"""What a session costs beyond the bare call of Claude Code, and eight of them at once.

Prints one JSON line per measurement; fails where a bound of issue 5 is not kept. Needs `make agents`.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median

from sparky.adapters.cli_runners import cli_runners
from sparky.adapters.memory import MemoryProgress
from sparky.adapters.session_room import Grounds
from sparky.adapters.shell import SystemShell
from sparky.events import SessionEnding, SessionRequest
from sparky.testing.agents import agents_home, programs
from sparky.testing.model_server import ModelServer
from sparky.testing.script import Run, Say, Write

ROUNDS, AT_ONCE = 15, 8
OVERHEAD_AT_MOST, MEMORY_AT_MOST_MB = 0.10, 200
WAITS = 0.25
PINS = Path(__file__).parent.parent / "tests" / "agents" / "cli"
SCRIPT = (Run(command=f"sleep {WAITS}"), Write(path="a.txt", text="a\n"), Say(text="Done."))
PLAIN = ("-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions")


def bare(program: Path, root: Path, model: ModelServer) -> None:
    """The program called as a person would."""
    work = root / "work"
    work.mkdir(parents=True)
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(root),
        "CLAUDE_CONFIG_DIR": str(root / "config"),
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
    }
    subprocess.run([program, *PLAIN], cwd=work, env=env, input=b"SCRIPT:one", check=True, capture_output=True)


def grounds(program: Path, root: Path, model: ModelServer, progress: MemoryProgress) -> Grounds:
    """What all sessions of one process stand on: which confinement works is tried once for all of them."""
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    shell = SystemShell({"PATH": path, "HOME": str(root)}, scratch=root / "private")
    print(json.dumps({"sandbox": shell.level().value}))
    return Grounds(
        shell=shell,
        progress=progress,
        sessions=root / "sessions",
        given={"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "dummy"},
        path=path,
        git_dir=root / "none",
        sandbox=True,
    )


def through_sparky(ground: Grounds, root: Path) -> int:
    """The same by the runner: confined, by the proxy, heard; the tokens that it reports."""
    work = root / "work"
    work.mkdir(parents=True)
    request = SessionRequest(
        run=root.name, issue="1", worktree=work, prompt="SCRIPT:one", agent="coder", number=1, timeout_s=120
    )
    result = cli_runners(ground)["claude"].run(request)
    assert result.ending is SessionEnding.FINISHED, result
    assert (work / "a.txt").read_text() == "a\n"
    return result.tokens


def processor() -> float:
    """Seconds of the processor of this process, the model's among them, and of those it waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds that it takes, and those of the processor."""
    started, used = time.monotonic(), processor()
    work()
    return time.monotonic() - started, processor() - used


def overhead(program: Path, root: Path, model: ModelServer) -> bool:
    """Bare and through sparky in turns; the medians against each other."""
    ground = grounds(program, root, model, MemoryProgress())
    through_sparky(ground, root / "warm")
    alone: list[tuple[float, float]] = []
    ours: list[tuple[float, float]] = []
    for number in range(ROUNDS):
        alone.append(timed(partial(bare, program, root / f"bare-{number}", model)))
        ours.append(timed(partial(through_sparky, ground, root / f"ours-{number}")))
    (bare_s, bare_cpu), (sparky_s, sparky_cpu) = (
        tuple(median(one[place] for one in taken) for place in (0, 1)) for taken in (alone, ours)
    )
    share = sparky_s / bare_s - 1
    figures = {"bare_s": bare_s, "sparky_s": sparky_s, "overhead": share}
    figures |= {"bare_processor_s": bare_cpu, "sparky_processor_s": sparky_cpu}
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))
    return share <= OVERHEAD_AT_MOST


def at_once(program: Path, root: Path) -> bool:
    """Eight sessions together: every token and every event of each is there."""
    progress = MemoryProgress()
    with ModelServer({"one": (SCRIPT,)}).running() as model, ThreadPoolExecutor(AT_ONCE) as pool:
        ground = grounds(program, root, model, progress)
        started = time.monotonic()
        rooms = [root / f"at-once-{number}" for number in range(AT_ONCE)]
        tokens = list(pool.map(partial(through_sparky, ground), rooms))
        seconds = time.monotonic() - started
        whole = sum(tokens) == model.tokens.total
    said = [progress.said[room.name] for room in rooms]
    heard = [sorted(line for line in lines if "a.txt" in line or "Done." in line) for lines in said]
    every = all(len(lines) == len(SCRIPT) - 1 for lines in heard)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = {
        "sessions": AT_ONCE,
        "seconds": round(seconds, 1),
        "tokens_equal": whole,
        "events_of_each": every,
        "memory_mb": round(memory),
    }
    print(json.dumps(figures))
    return whole and every and memory <= MEMORY_AT_MOST_MB


def main() -> int:
    """The exit code is 1 where a bound is not kept, 0 where Claude Code is not there."""
    program = programs(agents_home(PINS)).get("claude")
    if program is None:
        print("claude is not installed: make agents")
        return 0
    with tempfile.TemporaryDirectory() as name, ModelServer({"one": (SCRIPT,)}).running() as model:
        kept = [overhead(program, Path(name), model), at_once(program, Path(name))]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
