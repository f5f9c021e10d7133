"""What the command line costs: `sparky --help` against its libraries, `sparky status` with 10,000 runs."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sparky.adapters.store import SqliteStore
from sparky.domain.attempt import Attempt, Evidence, Stage, Verdict
from sparky.domain.issue import Issue, Source
from sparky.domain.run import Take
from sparky.domain.state import Context, End, Outcome, PipelineState

HELP_GOAL = 1.5
STATUS_GOAL_MS = 300.0
ROUNDS = 21
RUNS = 10_000

SHA = "b" * 40
SPARKY = str(Path(sys.executable).with_name("sparky"))
LIBRARIES = (sys.executable, "-c", "import click, rich")
SEEN = Evidence(command=("pytest",), code=0, output="0" * 64, sha=SHA, seconds=1.2, note="156 passed")
ATTEMPTS = tuple(
    Attempt(stage=stage, number=1, verdict=Verdict.PASS, reason="as it should be", evidence=(SEEN,), sha=SHA)
    for stage in (Stage.ROUTE, Stage.EXECUTE, Stage.REVIEW, Stage.TEST, Stage.VERIFY)
)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A command that is started again and again; milliseconds by the clock and of the processor."""

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Start it once, to its end."""
        started = time.perf_counter()
        process = subprocess.Popen(self.argv, env=self.env, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        self.wall.append((time.perf_counter() - started) * 1000)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{self.name} ended with code {process.returncode}")
        self.cpu.append((used.ru_utime + used.ru_stime) * 1000)

    @property
    def median(self) -> float:
        return statistics.median(self.wall)


def fill(database: Path) -> None:
    """Store the runs as sparky does: claimed, each attempt, the end; one in fifty waits for a person."""
    store = SqliteStore(database)
    store.prepare()
    for number in range(RUNS):
        outcome = Outcome.READY if number % 50 == 0 else Outcome.MERGED
        state = state_of(number)
        store.claim(state, f"executor-{number}", lambda _: Take.START)
        for ordinal, attempt in enumerate(ATTEMPTS):
            store.save_attempt(state.run_id, ordinal, attempt)
        end = End(outcome=outcome, reason="verified at the tested commit")
        store.save_end(replace(state, attempts=ATTEMPTS).ended(end))


def state_of(number: int) -> PipelineState:
    """A run that has done nothing yet."""
    run = f"fix-{number:08x}-1"
    context = Context(
        repo_name="shop", repo_path="/shop", git_dir="/shop/.git", base=SHA, target="main", branch=run
    )
    issue = Issue(id=str(number), key=f"key-{number}", title="Tidy the report", source=Source.FINDINGS)
    return PipelineState(run_id=run, pipeline_id=run, issue=issue, context=context)


def main() -> None:
    """Measure, interleaved, and print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "SPARKY_CACHE_DIR": f"{folder}/cache"}
        empty = {**env, "SPARKY_STATE_DIR": f"{folder}/empty"}
        full = {**env, "SPARKY_STATE_DIR": f"{folder}/full"}
        started = time.perf_counter()
        fill(Path(folder) / "full" / "sparky.db")
        print(f"{RUNS} runs of {len(ATTEMPTS)} attempts stored in {time.perf_counter() - started:.1f} s")
        libraries = Candidate(name="python -c 'import click, rich'", argv=LIBRARIES, env=env)
        shown = Candidate(name="sparky --help", argv=(SPARKY, "--help"), env=empty)
        none = Candidate(name="sparky status, no runs", argv=(SPARKY, "status"), env=empty)
        many = Candidate(name=f"sparky status, {RUNS} runs", argv=(SPARKY, "status"), env=full)
        candidates = (libraries, shown, none, many)
        for candidate in candidates:
            candidate.run()
            candidate.wall.clear()
            candidate.cpu.clear()
        for _ in range(ROUNDS):
            for candidate in candidates:
                candidate.run()
    for one in candidates:
        print(
            f"  {one.name:32} median {one.median:6.0f} ms, least {min(one.wall):6.0f} ms, "
            f"processor {statistics.median(one.cpu):6.0f} ms"
        )
    ratio = statistics.median(a / b for a, b in zip(shown.wall, libraries.wall, strict=True))
    said = "goal met" if ratio <= HELP_GOAL else "goal missed"
    print(f"  --help against its libraries: ratio {ratio:.2f}, goal <= {HELP_GOAL}: {said}")
    for peer in (none, shown):
        more = statistics.median(a - b for a, b in zip(many.wall, peer.wall, strict=True))
        said = "goal met" if more <= STATUS_GOAL_MS else "goal missed"
        what = f"  status, {RUNS} runs, over {peer.name}"
        print(f"{what}: {more:+.0f} ms, goal <= {STATUS_GOAL_MS:.0f}: {said}")


if __name__ == "__main__":
    main()
