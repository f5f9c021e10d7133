"""The gates of the mechanical review: facts in, a verdict and a reason for a person out.

A gate is code; nothing an agent can reach goes round it.
"""

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import dropwhile
from pathlib import PurePosixPath

from sparky.domain.agent import Role
from sparky.domain.attempt import GateResult, Verdict
from sparky.domain.change import Change, FileChange, Sort, is_lock_file, is_test_path
from sparky.domain.issue import Issue, Kind, Severity, Source
from sparky.domain.reference import in_scope

_SUPPRESSION = re.compile(
    r"#\s*(noqa|type:\s*ignore|pyright:\s*ignore|ty:\s*ignore|pragma:\s*no\s*cover|pylint:\s*disable"
    r"|nosec|fmt:\s*(off|skip)|ruff:\s*noqa|(mypy|complexipy):\s*ignore)",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36,}\b"
    r"|\bglpat-[A-Za-z0-9_-]{20,}\b|\bxox[abprs]-[A-Za-z0-9-]{10,}\b|\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}\b"
)
_PROTECTED = re.compile(
    r"(^|/)(\.git(/|attributes$|modules$|ignore$)|\.github/|\.gitlab-ci|\.circleci/|azure-pipelines|Jenkinsfile)"
    r"|(^|/)(\.env(\..*)?|.*\.pem|.*\.key|id_(rsa|ed25519|ecdsa))$"
    r"|(^|/)\.(agents|claude|codex|cursor|gemini|opencode)/|(^|/)(AGENTS|CLAUDE|GEMINI)(\.\w+)?\.md$"
    r"|(^|/)(\.mcp\.json|opencode\.json|\.?sparky\.toml)$",
)
_LINT_CONFIG = {
    "ruff.toml",
    ".ruff.toml",
    "mypy.ini",
    "pyrefly.toml",
    "pyrightconfig.json",
    "complexipy.toml",
    ".complexipy.toml",
    ".mypy.ini",
    "pytest.ini",
    "tox.ini",
    ".coveragerc",
    ".flake8",
    "pyproject.toml",
    "setup.cfg",
    ".pre-commit-config.yaml",
}
_MUTANTS_TELL = frozenset({Sort.REMOVED, Sort.LOOSENED, Sort.CHANGED})
_OF_TESTS = frozenset(Sort) - {Sort.RULES, Sort.TRICK}
_OUTWARD = ", a link that leads out of the repository,"
_SHOWN = 5
_REPORT = re.compile(r"(^|/)docs/reports/[^/]+_Report_v\d+\.md$", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the gates judge: the issue, and the diff since the run's base.

    `for_tester`: the issue asks for work on the tests themselves. `rewritten`: the snapshots that a tool
    rewrote, and nobody else, since a person asked for that.
    """

    issue: Issue
    change: Change
    for_tester: bool = False
    rewritten: frozenset[str] = frozenset()


def review(facts: Facts) -> tuple[GateResult, ...]:
    """Every gate's result, in the order in which a person would look."""
    return tuple(gate(facts) for gate in GATES)


def may_edit(role: Role, path: str) -> bool:
    """Whether a role may edit a file at all; what the issue allows is another question."""
    match role:
        case Role.CODER | Role.VALIDATOR:
            return True
        case Role.TESTER:
            return is_test_path(path)
        case Role.DOCUMENTER:
            return path.endswith((".md", ".rst", ".txt")) or path.startswith("docs/")
        case Role.REVIEWER | Role.PLANNER:
            return False


def parses(facts: Facts) -> GateResult:
    """Every changed Python file parses."""
    broken = [f"{path}: {why}" for path, why in sorted(facts.change.broken.items())]
    return _result("parses", broken, "every changed Python file parses", Severity.HIGH)


def scope(facts: Facts) -> GateResult:
    """Only paths that the issue names are changed; where it names any, new tests are allowed beside them.

    A conftest.py is no test: it can say of all others that they pass.
    """
    allowed = facts.issue.files
    if not allowed:
        return _result("scope", [], "the issue names no files, so none is out of scope", Severity.HIGH)
    outside = [f.path for f in facts.change.files if not _allowed(f, allowed)]
    said = [f"{path} is not among the files that the issue names" for path in outside]
    return _result("scope", said, "all changed files are named by the issue", Severity.HIGH)


def protected(facts: Facts) -> GateResult:
    """What works beyond the code has to be named by the issue.

    That is: lock files, secrets, CI, binaries, what tools and agents are told, links out of the repository.
    """
    asked = (*facts.issue.files, *_declarations(facts.issue)) if facts.issue.may_permit else ()
    outward = [f.path for f in facts.change.files if f.link and _leads_out(f.path, facts.change)]
    touched = [path for f in facts.change.files for path in _paths(f) if f.binary or _is_protected(path)]
    said = [
        f"{path}{_OUTWARD if path in outward else ''} needs explicit permission: the issue does not name it"
        for path in dict.fromkeys((*touched, *outward))
        if not (asked and in_scope(path, asked))
    ]
    return _result(
        "protected", said, "no lock file, CI, tool configuration or binary is touched", Severity.HIGH
    )


def _declarations(issue: Issue) -> tuple[str, ...]:
    """What findings of dependencies that a person asked for speak of, and nothing else."""
    asked = issue.source is Source.FINDINGS and Kind.DEPENDENCY in issue.kinds
    return ("pyproject.toml",) if asked else ()


def suppressions(facts: Facts) -> GateResult:
    """No `noqa`, `type: ignore` and the like is added, unless the issue asks for exactly that."""
    asked = _SUPPRESSION.search(f"{facts.issue.title}\n{facts.issue.body}") is not None
    said = [] if asked and facts.issue.may_permit else _surplus(facts.change)
    return _result("suppressions", said, "no suppression is added", Severity.HIGH)


def secrets(facts: Facts) -> GateResult:
    """No key or token is added."""
    found = [
        f"{path}: looks like a key or token"
        for path, lines in sorted(facts.change.lines.items())
        if any(_SECRET.search(line) for line in lines.added)
    ]
    return _result("secrets", found, "no key or token is added", Severity.CRITICAL)


def tests_kept(facts: Facts) -> GateResult:
    """No test is deleted, skipped, emptied, loosened or made to fit.

    What a tester was asked for may change tests: there the mutants that they kill are counted. Snapshots that
    a person had rewritten are that person's to look at.
    """
    excused = _MUTANTS_TELL if facts.for_tester else frozenset()
    found = [s for s in facts.change.suspicions if s.sort in _OF_TESTS - excused]
    said = [s.said for s in found if s.path not in facts.rewritten]
    return _result("tests kept", said, "no test is deleted, skipped or weakened", Severity.HIGH)


def rules_kept(facts: Facts) -> GateResult:
    """No rule of CI, linters, types, coverage or pytest is loosened, unless the issue speaks of it."""
    told = f"{facts.issue.title}\n{facts.issue.body}" if facts.issue.may_permit else ""
    found = [s for s in facts.change.suspicions if s.sort is Sort.RULES]
    said = [s.said for s in found if s.what.split()[0].rpartition(".")[2] not in told]
    return _result("rules kept", said, "no rule that the code is held to is loosened", Severity.HIGH)


def no_tricks(facts: Facts) -> GateResult:
    """Nothing deceives the tests: no hooks, no exits, no code that knows its tests."""
    said = [s.said for s in facts.change.suspicions if s.sort is Sort.TRICK]
    return _result("no tricks", said, "nothing in it deceives the tests", Severity.HIGH)


def reports_kept(facts: Facts) -> GateResult:
    """No existing report is edited or deleted."""
    edited = [f.path for f in facts.change.files if f.status != "A" and _REPORT.search(f.old_path or f.path)]
    said = [f"{path} is a report, and reports are never edited" for path in edited]
    return _result("reports kept", said, "no report is edited", Severity.HIGH)


GATES: tuple[Callable[[Facts], GateResult], ...] = (
    parses,
    scope,
    protected,
    suppressions,
    secrets,
    tests_kept,
    rules_kept,
    no_tricks,
    reports_kept,
)


def _result(gate: str, refusals: list[str], passed: str, severity: Severity) -> GateResult:
    if not refusals:
        return GateResult(gate=gate, verdict=Verdict.PASS, reason=passed, severity=severity)
    more = f" (and {len(refusals) - _SHOWN} more)" if len(refusals) > _SHOWN else ""
    reason = "; ".join(refusals[:_SHOWN]) + more
    return GateResult(gate=gate, verdict=Verdict.REVISE, reason=reason, severity=severity)


def _allowed(file: FileChange, allowed: tuple[str, ...]) -> bool:
    if file.status == "A" and is_test_path(file.path) and PurePosixPath(file.path).name != "conftest.py":
        return True
    return all(in_scope(path, allowed) for path in _paths(file))


def _paths(file: FileChange) -> tuple[str, ...]:
    """The paths that a change touches: two where a file is moved."""
    return tuple(dict.fromkeys((file.old_path or file.path, file.path)))


def _is_protected(path: str) -> bool:
    named = PurePosixPath(path).name in _LINT_CONFIG
    return named or is_lock_file(path) or _PROTECTED.search(path) is not None


def _leads_out(link: str, change: Change) -> bool:
    """Whether a link leads out of the repository's files, as one does that is moved and not made anew.

    Where that leads from its new place is not in the diff.
    """
    if link not in change.lines:
        return True
    goal = "\n".join(change.lines[link].added)
    first, _, _ = posixpath.normpath(posixpath.join(posixpath.dirname(link), goal)).partition("/")
    # What stands before a `..` may be a link itself, so that the way back is another one.
    inner = list(dropwhile(lambda part: part in {".", ".."}, goal.split("/")))
    return first in {"", ".."} or ".." in inner or ".git" in goal.lower().split("/")


def _surplus(change: Change) -> list[str]:
    """The files that gain suppressions: a line that only moves is not held against it."""
    said = []
    for path, lines in sorted(change.lines.items()):
        more = _count(_SUPPRESSION, lines.added) - _count(_SUPPRESSION, lines.removed)
        if more > 0:
            said.append(f"{path}: adds {more} comment(s) that hide a finding instead of mending it")
    return said


def _count(pattern: re.Pattern[str], lines: tuple[str, ...]) -> int:
    return sum(bool(pattern.search(line)) for line in lines)
