"""Intake: from what a person asks for, or what the detectors find, to a run's first state."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sparky.adapters.git import Found, checkout_at, resolve
from sparky.adapters.issue_files import MarkdownTracker
from sparky.adapters.issue_parts import parts_of
from sparky.adapters.shell import SystemShell
from sparky.app.read import House
from sparky.domain.agent import ToolFix
from sparky.domain.attempt import Budget, Evidence
from sparky.domain.change import below, nameless
from sparky.domain.errors import UsageError, UserError
from sparky.domain.finding import Fate, Finding, findings_issue, left, leftovers_issue
from sparky.domain.issue import WORK_BRANCHES, Issue, Kind, branch_name, issue_key, run_id
from sparky.domain.state import Context, PipelineState, Preferences
from sparky.evidence.detect import bind, detect, exported
from sparky.evidence.failing import hear
from sparky.evidence.tests import why_withheld
from sparky.formats.values_json import encode
from sparky.issues.markdown import Parsed
from sparky.ports import Ports
from sparky.tools.faults import told_once
from sparky.tools.tool import BROKEN, mends


class NoCommitError(UsageError):
    """The repository has no commit to start from."""


class BranchInTheWayError(UserError):
    """A person's branch has the name that all work branches lie below: git can't have both."""


def context_of(found: Found, base: str, branch: str = "") -> Context:
    """Where a run works."""
    return Context(
        repo_name=found.top.name,
        repo_path=str(found.top),
        git_dir=str(found.git_dir),
        base=base,
        target=found.branch,
        branch=branch,
        source_repo=found.remote or "",
    )


def base_of(found: Found) -> str:
    """The commit that a run starts from; raises NoCommitError."""
    if found.head is None:
        raise NoCommitError(f"{found.top} has no commit yet: commit something first, then run it again")
    return found.head


def find_issue(house: House, found: Found, reference: str, extra: Iterable[str] = ()) -> Parsed:
    """The issue that a person means, with the warnings of its reading; raises IssueError.

    The issues that it consists of are kept as blobs.
    """
    folders = tuple(Path(folder) for folder in extra)
    tracker = MarkdownTracker(root=found.top, repository=str(found.git_dir), extra=folders)
    parsed = tracker.read(reference)
    children = tuple(house.blobs.put(encode(part)) for part in parts_of(tracker, parsed))
    return replace(parsed, issue=replace(parsed.issue, children=children))


def first_state(
    house: House, found: Found, issue: Issue, preferences: Preferences, budget: Budget
) -> PipelineState:
    """A run's first state, at the repository's HEAD; its ordinal counts earlier runs of it at this base.

    One whose branch is there already, of a run that a lost state directory knew, is left out. Raises
    BranchInTheWayError.
    """
    base = base_of(found)
    checkout = checkout_at(SystemShell(house.environment.base), found.top)
    if resolve(checkout, f"refs/heads/{WORK_BRANCHES}") is not None:
        raise BranchInTheWayError(
            f"the branch {WORK_BRANCHES} of {found.top} is in the way of work branches, which are named "
            f"{WORK_BRANCHES}/…: rename it (git branch -m {WORK_BRANCHES} NEW-NAME), then run it again"
        )
    ordinals = itertools.count(house.store.count_at(issue.key, base) + 1)
    runs = (run_id(issue, base, ordinal) for ordinal in ordinals)
    run = next(run for run in runs if resolve(checkout, f"refs/heads/{branch_name(issue, run)}") is None)
    context = context_of(found, base, branch_name(issue, run))
    return PipelineState(
        run_id=run,
        pipeline_id=run,
        issue=issue,
        context=context,
        preferences=preferences,
        budget=budget,
        earlier=house.earlier(issue.key),
    )


SOURCES = (".py", ".pyi", ".pyw")
"""What the tools look for in a directory. A file that is named to them they read whatever it is."""

_LAST = (Kind.DEAD_CODE, Kind.IMPORT_ERROR, Kind.FORMATTING)
"""What other fixes may leave behind: these are always worked on, and last."""

SAFE_ORDER = (
    Kind.TEST_FAILURE,
    Kind.DEPENDENCY,
    Kind.SECURITY,
    Kind.DRY_VIOLATION,
    Kind.PERFORMANCE,
    Kind.COMPLEXITY,
    Kind.TEST_ORGANIZATION,
    Kind.DOCUMENTATION,
    Kind.TYPE_ERROR,
    *_LAST,
)
"""The order in which kinds are mended: what removes code first, layout last, so that each leaves less.

Before all else what fails already: its edits are of the files as they are.
"""

ASKED_FOR = frozenset({Kind.DEPENDENCY, Kind.TEST_FAILURE, Kind.TYPE_ERROR})
"""What is looked for only by name.

No test shows what a program needs only in production; types, and a run of the tests, take minutes.
"""

BY_DEFAULT = tuple(kind for kind in SAFE_ORDER if kind not in ASKED_FOR)
"""What is looked for where no kind is asked for."""

HANDED_ON = 50
"""How many findings of a kind one session gets."""

_LINE = 300
"""How many characters of each."""

_RECORDED = 100
"""How many paths of an issue are recorded with it."""

_NOBODY = ("", ToolFix(tools=(), rules=()))


@dataclass(frozen=True, kw_only=True)
class Sorted:
    """One finding, and what sparky would do: `agent` mends it; None: it stays, and `why` says why.

    `fate`: what it then waits for; None: it is mended, or no agent has its kind.
    """

    finding: Finding
    agent: str | None
    why: str
    fate: Fate | None = None

    @property
    def is_for_session(self) -> bool:
        """Whether a coding agent may mend it."""
        match self.fate:
            case Fate.CODING_AGENT | Fate.WITHDRAWN:
                return True
            case Fate.PERSON | Fate.KEPT | None:
                return False


@dataclass(frozen=True, kw_only=True)
class Scan:
    """All findings of the asked kinds at a commit, and the files that no tool can read.

    `everything` also holds what every fix must not worsen.
    """

    sha: str
    kinds: tuple[Kind, ...]
    findings: tuple[Sorted, ...]
    everything: tuple[Finding, ...]
    evidence: tuple[Evidence, ...]
    notes: tuple[str, ...]

    @property
    def mendable(self) -> tuple[Sorted, ...]:
        """What an agent would mend."""
        return tuple(one for one in self.findings if one.agent is not None)


def scan(
    ports: Ports, context: Context, preferences: Preferences, kinds: Sequence[Kind], paths: Sequence[str]
) -> Scan:
    """Detect at the context's base; the findings are sorted as the tools give them."""
    wanted = tuple(kind for kind in SAFE_ORDER if kind in kinds)
    if strange := [kind.value for kind in kinds if kind not in SAFE_ORDER]:
        known = ", ".join(kind.value for kind in SAFE_ORDER)
        raise UsageError(f"no detector looks for {', '.join(strange)} yet; those there are look for {known}")
    looked = tuple(dict.fromkeys((*wanted, Kind.FORMATTING)))
    fixers = {
        kind: (agent.name, agent.works)
        for agent in ports.agents
        if isinstance(agent.works, ToolFix)
        for kind in agent.kinds
    }
    with exported(ports, context.base) as root:
        if absent := [path for path in paths if not (root / path).exists()]:
            raise UsageError(f"{', '.join(absent)}: not in the commit {context.base[:10]}")
        heard = hear(ports, context, preferences, lambda: context.base)
        seen = detect(ports, root, context.base, looked, tuple(paths) or (".",), hear=heard)
        tools = {name: bind(ports, name, root) for name in ports.binaries}
    withheld = why_withheld(ports, context, preferences)
    found = []
    for finding in told_once(f for f in seen.findings if f.kind in wanted or f.rule in BROKEN):
        name, works = fixers.get(finding.kind, _NOBODY)
        stay = tools[finding.tool].why_left(finding, works) or withheld(finding)
        agent = name if mends(works, finding) and stay is None else None
        why, fate = (stay.why, stay.fate) if stay else ("", None)
        found.append(Sorted(finding=finding, agent=agent, why=why, fate=fate))
    return Scan(
        sha=context.base,
        kinds=wanted,
        findings=tuple(found),
        everything=seen.findings,
        evidence=seen.evidence,
        notes=(*seen.notes, *nameless(_sources(ports, context.base, paths))),
    )


def handed_on(house: House, seen: Scan, issue: Issue, context: Context) -> Issue:
    """The issue of `fix` as one of several: itself, and for each kind what no rule mends, for a coding agent.

    Itself alone where nothing is handed on.
    What is left on purpose, or takes a person, is not handed on, and of a kind just the first findings are.
    """
    whole = replace(
        issue, id="fix-all", key=issue_key(context.git_dir, issue.source, f"{issue.key} handed on")
    )
    parts = [issue]
    for kind in (kind for kind in seen.kinds if kind is not Kind.DEPENDENCY):  # see gates.protected
        mine = [one for one in seen.findings if one.finding.kind is kind and one.agent is None]
        able = [one for one in mine if one.is_for_session]
        lines = [left(one.finding, one.why).line[:_LINE] for one in able[:HANDED_ON]]
        if lines:
            handed = house.blobs.put(encode(tuple(one.finding for one in able[:HANDED_ON])))
            part = leftovers_issue(kind, lines, context.git_dir, issue)
            parts.append(replace(part, findings=handed))
    if len(parts) == 1:
        return issue
    return replace(whole, children=tuple(house.blobs.put(encode(part)) for part in parts))


def _sources(ports: Ports, sha: str, paths: Sequence[str]) -> Iterable[str]:
    """The Python files of a commit that lie in the paths; in all of it without paths."""
    sources = [file for file in ports.repository.files(sha) if file.endswith(SOURCES)]
    return below(sources, paths or (".",))


def issue_of(
    house: House, seen: Scan, context: Context, preferences: Preferences, paths: Sequence[str]
) -> Issue:
    """The issue that `fix` works on; its findings are kept as a blob, and so are many paths.

    Where snapshots are asked for, too, it is another: no run is joined that leaves them as they are.
    """
    limits = () if "." in paths else paths
    found = [one.finding for one in seen.findings]
    issue = findings_issue(found, seen.kinds, context.git_dir, limits, always=_LAST)
    issue = replace(issue, findings=house.blobs.put(encode(seen.everything)))
    if preferences.update_snapshots:
        key = issue_key(context.git_dir, issue.source, f"{issue.key} with its snapshots")
        issue = replace(issue, key=key)
    if len(issue.files) <= _RECORDED:
        return issue
    return replace(issue, files=issue.files[:_RECORDED], limits=house.blobs.put(encode(issue.files)))
