"""Intake: from what a person asks for, or what the detectors find, to a run's first state."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sparky.adapters.git import Found
from sparky.adapters.issue_files import MarkdownTracker
from sparky.app.read import House
from sparky.domain.agent import ToolFix
from sparky.domain.attempt import Evidence
from sparky.domain.errors import UsageError, UserError
from sparky.domain.finding import Finding, findings_issue, fingerprint
from sparky.domain.issue import Issue, Kind, branch_name, run_id
from sparky.domain.state import Context, PipelineState, Preferences
from sparky.formats.issue_md import Parsed
from sparky.formats.state_json import encode
from sparky.ports import Ports
from sparky.stages.detect import bind, detect, exported
from sparky.tools.tool import BROKEN, mends


class NoCommitError(UserError):
    """The repository has no commit to start from."""


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


def find_issue(found: Found, reference: str, extra: Iterable[str] = ()) -> Parsed:
    """The issue that a person means, with the warnings of its reading; raises IssueError."""
    folders = tuple(Path(folder) for folder in extra)
    return MarkdownTracker(root=found.top, repository=str(found.git_dir), extra=folders).read(reference)


def first_state(house: House, found: Found, issue: Issue, preferences: Preferences) -> PipelineState:
    """A run's first state, at the repository's HEAD; its ordinal counts earlier runs of it at this base."""
    base = base_of(found)
    run = run_id(issue, base, house.store.count_at(issue.key, base) + 1)
    context = context_of(found, base, branch_name(issue, run))
    return PipelineState(run_id=run, pipeline_id=run, issue=issue, context=context, preferences=preferences)


SAFE_ORDER = (Kind.DEAD_CODE, Kind.IMPORT_ERROR, Kind.FORMATTING)
"""The order in which kinds are mended: what removes code first, layout last, so that each leaves less."""

_RECORDED = 100
"""How many paths of an issue are recorded with it."""

_NOBODY = ("", ToolFix(tool="", rules=()))


@dataclass(frozen=True, kw_only=True)
class Sorted:
    """One finding, and what sparky would do: `agent` mends it; None: it stays, and `why` says why."""

    finding: Finding
    agent: str | None
    why: str


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


def scan(ports: Ports, context: Context, kinds: Sequence[Kind], paths: Sequence[str]) -> Scan:
    """Detect at the context's base; the findings are sorted as the tools give them."""
    wanted = tuple(kind for kind in SAFE_ORDER if kind in kinds)
    if strange := [kind.value for kind in kinds if kind not in SAFE_ORDER]:
        known = ", ".join(kind.value for kind in SAFE_ORDER)
        raise UsageError(f"no detector looks for {', '.join(strange)} yet; those there are look for {known}")
    looked = tuple(dict.fromkeys((*wanted, Kind.FORMATTING)))
    refused = dict(ports.refusals.refusals(context.git_dir))
    fixers = {
        kind: (agent.name, agent.works)
        for agent in ports.agents
        if isinstance(agent.works, ToolFix)
        for kind in agent.kinds
    }
    with exported(ports, context.base) as root:
        if absent := [path for path in paths if not (root / path).exists()]:
            raise UsageError(f"{', '.join(absent)}: not in the commit {context.base[:10]}")
        seen = detect(ports, root, context.base, looked, tuple(paths) or (".",))
        tools = {name: bind(ports, name, root) for name in ports.binaries}
    found = []
    for finding in seen.findings:
        if finding.kind in wanted or finding.rule in BROKEN:
            name, works = fixers.get(finding.kind, _NOBODY)
            why = tools[finding.tool].why_left(finding, works) or (
                refused.get(fingerprint(finding), "") if refused else ""
            )
            able = mends(works, finding) and not why
            found.append(Sorted(finding=finding, agent=name if able else None, why=why))
    return Scan(
        sha=context.base,
        kinds=wanted,
        findings=tuple(found),
        everything=seen.findings,
        evidence=seen.evidence,
        notes=seen.notes,
    )


def issue_of(house: House, seen: Scan, context: Context, paths: Sequence[str]) -> Issue:
    """The issue that `fix` works on; its findings are kept as a blob, and so are many paths."""
    limits = () if "." in paths else paths
    issue = findings_issue([one.finding for one in seen.findings], seen.kinds, context.git_dir, limits)
    issue = replace(issue, findings=house.blobs.put(encode(seen.everything)))
    if len(issue.files) <= _RECORDED:
        return issue
    return replace(issue, files=issue.files[:_RECORDED], limits=house.blobs.put(encode(issue.files)))
