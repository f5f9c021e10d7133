"""What `sparky fix` mends of real packages, of each kind, beside what else mends code without a person.

Usage: bench/fix.py [REQUIREMENT|SDIST...]; default: WTForms 3.0.1, tabulate 0.8.9, mistune 2.0.5, sqlparse
0.4.2, downloaded once. All candidates start from equal copies and are judged alike: sparky's detectors
look before and after, configured as the base is, the tests run at both, and each module is imported. An
*honest fix* is a finding that is gone, less each new one of its kind, where no test and no import is worse;
what hushes a finding is told apart and taken off. (a) is `ruff check --fix && ruff
format`; (c) is `crackerjack run`, without network; (d) is `ruff check --unsafe-fixes` on sparky's own rules,
all at once, or rule by rule without those after which a test is worse; once more with ruff's rules for
annotations. sparky is run twice: for all kinds, and for those that `fix` looks for by itself, where what its
own tools take (b) is timed, too. The wall time of each run stands beside its own honest fixes.
"""

import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.fix_overhead import Started
from bench.fixing.judged import ALL_KINDS, Findings, Outcome, Tests, judge_commit, look
from bench.fixing.package import BESIDE, PACKAGES, fetch, forget, git, sparky, unpack
from bench.fixing.rivals import ANNOTATIONS, crackerjack, guarded, plain

from sparky.domain.issue import Kind
from sparky.domain.state import Outcome as Ended

LAYOUT = Kind.FORMATTING.value
OVER_RUFF, OVER_UNSAFE, TIMES = 8.0, 1.5, 8.0
DEFAULT = "sparky, default"
ENDED_WELL = {one.value for one in (Ended.MERGED, Ended.READY, Ended.PARTIAL)}
CANDIDATES = ("sparky", DEFAULT, "(a) ruff", "(c) crackerjack", "(d) ruff, guarded", "(d) with ANN")


@dataclass(frozen=True, kw_only=True)
class Measured:
    """All figures of one package, in seconds: `tools` of what the default kinds started.

    `unit` is one ruff, one mypy and one run of the tests.
    """

    before: Findings
    outcomes: Mapping[str, Outcome]
    unit: float
    tools: float


class Bench:
    """One package, and a copy of it for each candidate."""

    def __init__(self, package: str, root: Path) -> None:
        self.root = root
        self.base = unpack(fetch(package), root / "base")
        self.sha = git(self.base, "rev-parse", "HEAD")
        self.tests = Tests(self.base, root / "bench", self.sha)

    def copy(self, name: str) -> Path:
        repo = self.root / name / self.base.name
        shutil.copytree(self.base, repo, symlinks=True)
        return repo

    def measure(self) -> Measured:
        """Everything; what sparky is timed at has its environment, and nothing else, ready."""
        forget()
        unit = self.tests.base.seconds + self._tools_once()
        log = self.root / "default.jsonl"
        outcomes = {"sparky": self._sparky("all", *ALL_KINDS), DEFAULT: self._sparky("default", log=log)}
        outcomes["(a) ruff"] = self._rival("ruff", plain)
        outcomes["(c) crackerjack"] = self._rival("crackerjack", crackerjack)
        outcomes["(d) ruff, guarded"] = self._rival("guarded", self._guarded)
        outcomes["(d) with ANN"] = self._rival("annotated", partial(self._guarded, more=ANNOTATIONS))
        before = look(self.base, self.root / "bench")
        return Measured(before=before, outcomes=outcomes, unit=unit, tools=tools_of(log))

    def _tools_once(self) -> float:
        """One ruff and one mypy, in seconds."""
        cold = ("--cache-dir", str(self.root / "mypy"))
        commands = ((str(BESIDE / "ruff"), "check", "."), (str(BESIDE / "mypy"), "--strict", *cold, "."))
        started = time.monotonic()
        for argv in commands:
            subprocess.run(argv, cwd=self.base, capture_output=True, check=False)
        return time.monotonic() - started

    def _sparky(self, name: str, *kinds: str, log: Path | None = None) -> Outcome:
        """`fix` of kinds. What it offers is looked at, whether it would merge it or ask; else the base."""
        repo, state = self.copy(name), self.root / f"{name}-state"
        forget()
        started = time.monotonic()
        end = sparky(repo, state, "fix", *kinds, log=log)
        seconds = time.monotonic() - started
        offered = end["commit"] if end["outcome"] in ENDED_WELL else None
        print(f"  sparky, {name} kinds: {end['outcome']}: {end['reason']}"[:150])
        git(repo, "checkout", "-q", "--detach", offered or self.sha)
        forget()
        return judge_commit(repo, state, self.sha, seconds)

    def _rival(self, name: str, mend: Callable[[Path], str | None]) -> Outcome:
        repo = self.copy(name)
        started = time.monotonic()
        if why := mend(repo):
            return Outcome(skipped=why)
        return judge_commit(repo, self.root / "bench", self.sha, time.monotonic() - started)

    def _guarded(self, repo: Path, more: tuple[str, ...] = ()) -> None:
        guarded(repo, Tests(repo, self.root / "bench", self.sha), self.sha, more)


def tools_of(log: Path) -> float:
    """The time of all tools that a recorded call of sparky started, git and tests left out, in seconds."""
    entries = (json.loads(line) for line in log.read_text(encoding="utf-8").splitlines())
    started = (Started(**{**entry, "argv": tuple(entry["argv"])}) for entry in entries)
    return sum(one.seconds for one in started if one.sort in {"tools", "other"})


def outside(outcome: Outcome, before: Findings, kinds: Iterable[str]) -> int:
    """Honest fixes of all kinds but layout; what hushes a finding is taken off. Less than none is none."""
    fixed = sum(max(0, outcome.honest(before, kind)) for kind in kinds if kind != LAYOUT)
    return max(0, fixed - outcome.hushed)


def put(measured: Measured) -> None:
    """The table of one package."""
    before, ours = measured.before, measured.outcomes["sparky"]
    shown = [name for name in CANDIDATES if not measured.outcomes[name].skipped]
    kinds = kinds_of(measured)
    heads = (f"{name:>17}" for name in shown)
    print(f"{'kind':18} {'before':>7} {'after':>7} {'handed':>7}  honest fixes:", *heads)
    for kind in kinds:
        honest = (f"{measured.outcomes[name].honest(before, kind):17}" for name in shown)
        counts = (before.of(kind), ours.findings.of(kind), ours.findings.handed[kind])
        print(f"{kind:18}", *(f"{count:7}" for count in counts), " " * 14, *honest)
    for what, values in (
        ("all but FORMATTING", [outside(measured.outcomes[n], before, kinds) for n in shown]),
        ("broken tests", [len(measured.outcomes[n].worse) for n in shown]),
        ("broken imports", [len(measured.outcomes[n].unimported) for n in shown]),
        ("hushed", [measured.outcomes[n].hushed for n in shown]),
        ("wall, s", [round(measured.outcomes[n].seconds, 1) for n in shown]),
    ):
        print(f"{what:58}", *(f"{value:17}" for value in values))
    for name in CANDIDATES:
        if why := measured.outcomes[name].skipped:
            print(f"{name}: skipped: {why}")
    theirs = measured.outcomes["(d) ruff, guarded"].findings
    print("sparky leaves:", rules_of(ours.findings.rules))
    print("… which (d) mends:", rules_of((ours.findings.rules - theirs.rules) & before.rules))
    print(f"(b) its own tools, of the default kinds: {measured.tools:.1f} s")
    put_walls([measured])


def put_walls(all_measured: list[Measured]) -> None:
    """Each wall time of sparky beside the honest fixes of the same run; the goal is of the default kinds."""
    kinds = kinds_of(*all_measured)
    unit = sum(one.unit for one in all_measured)
    for name, what in ((DEFAULT, "default kinds"), ("sparky", "all kinds, with types and dependencies")):
        wall = sum(one.outcomes[name].seconds for one in all_measured)
        fixed = sum(outside(one.outcomes[name], one.before, kinds) for one in all_measured)
        said(f"{what}: {fixed} honest fixes in {wall:.1f} s against {unit:.1f} s", wall / unit, TIMES)


def rules_of(found: Counter[tuple[str, str]]) -> str:
    """How many findings there are of each rule, but for layout; the most frequent first."""
    return ", ".join(f"{rule} {count}" for (kind, rule), count in found.most_common() if kind != LAYOUT)


def kinds_of(*all_measured: Measured) -> list[str]:
    """Every kind of which anything was found, sorted."""
    found = (outcome.findings.kinds for one in all_measured for outcome in one.outcomes.values())
    return sorted(set().union(*(one.before.kinds for one in all_measured)) | set().union(*found))


def said(what: str, times: float, goal: float, *, at_least: bool = False) -> None:
    """One ratio with its judgement."""
    met = times >= goal if at_least else times <= goal
    sign = ">=" if at_least else "<="
    print(f"{what}: {times:.1f} times, goal {sign} {goal:g}: goal {'met' if met else 'missed'}")


def put_all(all_measured: list[Measured]) -> None:
    """The sums over all packages, and the goals."""
    kinds = kinds_of(*all_measured)
    total = Counter(
        {n: sum(outside(m.outcomes[n], m.before, kinds) for m in all_measured) for n in CANDIDATES}
    )
    ours = [one.outcomes[name] for one in all_measured for name in ("sparky", DEFAULT)]
    broken = sum(len(one.worse) + len(one.unimported) for one in ours)
    print(f"\nall: honest fixes outside FORMATTING: {', '.join(f'{n} {total[n]}' for n in CANDIDATES)}")
    print(f"tests and imports that sparky broke: {broken}: goal {'missed' if broken else 'met'}")
    for rival, goal in (("(a) ruff", OVER_RUFF), ("(d) ruff, guarded", OVER_UNSAFE)):
        for name in ("sparky", DEFAULT):
            times = total[name] / total[rival] if total[rival] else math.inf
            said(f"{name}: {total[name]} against {total[rival]} of {rival}", times, goal, at_least=True)
    put_walls(all_measured)


def main() -> int:
    """Print a table for each package, and the goals over all."""
    all_measured = []
    for package in sys.argv[1:] or PACKAGES:
        with tempfile.TemporaryDirectory(prefix="sparky-bench-") as name:
            print(f"\n{package}")
            all_measured.append(Bench(package, Path(name).resolve()).measure())
            put(all_measured[-1])
    put_all(all_measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
