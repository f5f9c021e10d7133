"""What a candidate made of a package: findings by sparky's detectors, tests by their identity."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from bench.fixing.configuration import put_back
from bench.fixing.hushing import hushed
from bench.fixing.package import environment, git, sparky

from sparky.adapters.git import find_repository
from sparky.adapters.shell import SystemShell
from sparky.app.build import ports_for
from sparky.app.intake import SAFE_ORDER, context_of
from sparky.app.read import open_house
from sparky.domain.issue import Issue, Source
from sparky.domain.state import PipelineState, Preferences
from sparky.domain.testing import TestRun
from sparky.environment import read_environment
from sparky.evidence.tests import find_command, judge, run_tests

ALL_KINDS = tuple(word for kind in SAFE_ORDER for word in ("--kind", kind.value))
_FOREIGN = frozenset(
    {"setup", "conf", "conftest", "__main__", "tests", "test", "docs", "examples", "benchmark"}
)
"""Parts of names of modules that nobody imports as the package's."""
_UNIMPORTED = "no import of "
_IMPORTS = f"""
import subprocess, sys
for name in sys.argv[1:]:
    if subprocess.run([sys.executable, "-c", "import " + name], capture_output=True).returncode:
        print({_UNIMPORTED!r} + name)
"""


@dataclass(frozen=True, kw_only=True)
class Findings:
    """How many findings there are of each kind and rule; `handed`: of each kind, those that no rule mends."""

    rules: Counter[tuple[str, str]] = field(default_factory=Counter)
    handed: Counter[str] = field(default_factory=Counter)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of which there are any."""
        return frozenset(kind for kind, _ in self.rules)

    def of(self, kind: str) -> int:
        """How many there are of a kind."""
        return sum(count for (one, _), count in self.rules.items() if one == kind)


def look(repo: Path, state: Path) -> Findings:
    """All that sparky's detectors find at HEAD, of every kind that has one."""
    found = sparky(repo, state, "scan", *ALL_KINDS)["findings"]
    return Findings(
        rules=Counter((one["finding"]["kind"], one["finding"]["rule"]) for one in found),
        handed=Counter(one["finding"]["kind"] for one in found if one["agent"] is None),
    )


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a candidate left behind. `skipped` says why there is none.

    `worse` are tests, `unimported` modules that could be imported before.
    """

    findings: Findings = field(default_factory=Findings)
    worse: tuple[str, ...] = ()
    unimported: tuple[str, ...] = ()
    hushed: int = 0
    seconds: float = 0.0
    skipped: str = ""

    def honest(self, before: Findings, kind: str) -> int:
        """Findings of a kind that are gone, less those that are new; none where a test or import is worse."""
        if self.worse or self.unimported or self.skipped:
            return 0
        return before.of(kind) - self.findings.of(kind)


class Tests:
    """The tests of a repository at its commits, run and compared as sparky does it, and by nobody's word."""

    def __init__(self, repo: Path, state: Path, base: str) -> None:
        own = read_environment(environment(state))
        house = open_house(own)
        context = context_of(find_repository(SystemShell(own.base), repo), base)
        issue = Issue(id="bench", key="bench", title="bench", source=Source.FINDINGS)
        self._state = PipelineState(run_id="bench", pipeline_id="bench", issue=issue, context=context)
        self._ports = ports_for(house, context, Preferences())
        self._command = find_command(self._state, self._ports)

    @property
    def base(self) -> TestRun:
        """The run at the base; raises SystemExit if it gives no verdict."""
        run = self._at(self._state.base)
        if run.trouble is not None:
            raise SystemExit(f"{self._state.context.repo_name}: {run.trouble.value}: {run.detail}")
        return run

    def worse(self, sha: str) -> tuple[str, ...]:
        """The identities that are worse at a commit than at the base; what ended the run if it had no end."""
        head = self._at(sha)
        if head.trouble is not None:
            return (f"{head.trouble.value}: {head.detail}",)
        return judge(self._state, self._ports, self.base, head).worse

    def unimported(self, sha: str) -> tuple[str, ...]:
        """The modules that can be imported at the base, each in a process of its own, and not at a commit."""
        modules = modules_of(Path(self._state.context.repo_path), self._state.base)
        at_head, at_base = (self._unimported(one, modules) for one in (sha, self._state.base))
        if len(at_base) == len(modules):
            print("  no module can be imported at the base, so that imports are not measured")
        return tuple(sorted(at_head - at_base))

    def _unimported(self, sha: str, modules: tuple[str, ...]) -> set[str]:
        run = run_tests(self._state, self._ports, ("python", "-c", _IMPORTS, *modules), sha)
        lines = self._ports.blobs.get(run.output).decode().splitlines()
        said = {line.removeprefix(_UNIMPORTED) for line in lines if line.startswith(_UNIMPORTED)}
        return set(modules) if run.trouble or any(case.red for case in run.cases) else said

    def _at(self, sha: str) -> TestRun:
        if self._command is None:
            raise SystemExit(f"{self._state.context.repo_name}: no tests")
        return run_tests(self._state, self._ports, self._command, sha)


def modules_of(repo: Path, sha: str) -> tuple[str, ...]:
    """The names of a package's modules at a commit, its tests and scripts left out."""
    paths = git(repo, "ls-tree", "-r", "--name-only", sha).splitlines()
    files = (path.removeprefix("src/").removesuffix(".py") for path in paths if path.endswith(".py"))
    named = (tuple(path.removesuffix("/__init__").split("/")) for path in files)
    ours = (parts for parts in named if all(map(str.isidentifier, parts)) and not _FOREIGN & {*parts})
    return tuple(sorted(".".join(parts) for parts in ours))


def judge_commit(repo: Path, state: Path, base: str, seconds: float) -> Outcome:
    """What lies at HEAD of a repository, beside its base; the base's configuration is put back there."""
    head, tests = git(repo, "rev-parse", "HEAD"), Tests(repo, state, base)
    worse, unimported = tests.worse(head), tests.unimported(head)
    put_back(repo, base)
    return Outcome(
        findings=look(repo, state),
        worse=worse,
        unimported=unimported,
        hushed=hushed(repo, base, head),
        seconds=seconds,
    )
