"""A finding: one diagnosed defect, and what makes two of them the same."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from sparky.domain.issue import Issue, Kind, Severity, Source, issue_key

_QUOTED_OR_DIGITS = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|\d+")


class Fix(Enum):
    """Whether the tool that found a defect can mend it; in what a program writes, or reads, it is not to."""

    NONE = "none"
    SAFE = "safe"
    UNSAFE = "unsafe"
    GENERATED = "generated"
    READ = "read"


@dataclass(frozen=True, kw_only=True)
class Location:
    """A place in a repository: POSIX path from its root; lines count from 1, None means the whole file."""

    path: str
    line: int | None = None
    column: int | None = None
    symbol: str = ""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One diagnosed defect. `rule` is the tool's own code; `location.symbol` the enclosing qualified name."""

    tool: str
    rule: str
    kind: Kind
    message: str
    location: Location
    severity: Severity = Severity.LOW
    fix: Fix = Fix.NONE


def normal_message(message: str) -> str:
    """The message with digits outside quoted names replaced, since some messages carry line numbers."""
    return _QUOTED_OR_DIGITS.sub(lambda found: "#" if found[0][0].isdigit() else found[0], message)


def fingerprint(finding: Finding) -> str:
    """What stays the same when lines move: file, rule, enclosing qualified name, message; 16 hex digits."""
    where = finding.location
    text = "\0".join((where.path, finding.rule, where.symbol, normal_message(finding.message)))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def marks(findings: Iterable[Finding]) -> tuple[str, ...]:
    """A name for each finding among these: its fingerprint, and which of those alike it is, from 1."""
    seen: Counter[str] = Counter()
    names = []
    for finding in findings:
        mark = fingerprint(finding)
        seen[mark] += 1
        names.append(f"{mark}.{seen[mark]}")
    return tuple(names)


class Fate(Enum):
    """What a finding waits for that no rule mends: nothing, where it is `KEPT`.

    `WITHDRAWN`: its fix by a rule broke something; a coding agent may find another.
    """

    CODING_AGENT = "coding_agent"
    WITHDRAWN = "withdrawn"
    PERSON = "person"
    KEPT = "kept"


@dataclass(frozen=True, kw_only=True)
class Stay:
    """Why a finding stays, for a person, and what it waits for."""

    fate: Fate
    why: str


def for_agent(why: str) -> Stay:
    """It takes a coding agent."""
    return Stay(fate=Fate.CODING_AGENT, why=f"needs a coding agent: {why}")


def for_person(why: str) -> Stay:
    """It takes a person: no agent is to mend it."""
    return Stay(fate=Fate.PERSON, why=f"needs a person: {why}")


def kept(why: str) -> Stay:
    """It stays as it is, on purpose or for want of a judge."""
    return Stay(fate=Fate.KEPT, why=why)


@dataclass(frozen=True, kw_only=True)
class Left:
    """A finding that stays: its fingerprint, where and what it is, and why it stays."""

    mark: str
    what: str
    why: str

    @property
    def line(self) -> str:
        """All of it, for a person."""
        return f"{self.what}: {self.why}"


def left(finding: Finding, why: str) -> Left:
    """A finding that stays, and why."""
    where = finding.location
    what = f"{where.path}:{where.line or 1} {finding.rule} {finding.message}"
    return Left(mark=fingerprint(finding), what=what, why=why)


def findings_issue(
    findings: Iterable[Finding],
    kinds: Sequence[Kind],
    repository: str,
    paths: Iterable[str],
    always: Sequence[Kind] = (),
) -> Issue:
    """One issue with all findings of `kinds`, which keep their order; without `kinds`, of every kind found.

    Of several kinds, those are left out of which nothing is found; not those of `always`.

    The key depends on the kinds asked for and the paths alone, so that the same `fix` twice is the same
    issue. `files` are the paths it was limited to (none: the whole repository), the severity is the highest
    of the findings', the body counts them by rule. The blob of the findings is for the caller to add.
    """
    asked = tuple(dict.fromkeys(kinds))
    wanted = [finding for finding in findings if not asked or finding.kind in asked]
    found = {finding.kind for finding in wanted}
    shown = tuple(kind for kind in asked or Kind if kind in found or (kind in asked and kind in always))
    shown = shown or asked
    limits = tuple(sorted({tidy for path in paths if (tidy := path.removeprefix("./").rstrip("/")) != "."}))
    identity = "\0".join((*sorted(kind.value for kind in asked), "", *limits))
    ranks = tuple(Severity)
    return Issue(
        id="fix",
        key=issue_key(repository, Source.FINDINGS, identity),
        title=f"Fix {', '.join(kind.value for kind in shown) or 'what the tools find'}",
        source=Source.FINDINGS,
        body=_counts(wanted),
        kinds=shown,
        severity=max((finding.severity for finding in wanted), key=ranks.index, default=Severity.LOW),
        files=limits,
    )


ASKED = "a coding agent was asked to mend it, and left it"
"""Why a finding stays that was handed on."""


def leftovers_of(kind: Kind) -> str:
    """What the issue is called by which a coding agent gets what is left of a kind."""
    return f"left-{kind.value.lower().replace('_', '-')}"


def leftovers_issue(kind: Kind, lines: Sequence[str], repository: str, whole: Issue) -> Issue:
    """The findings of a kind that no rule mends, of the issue `whole`, for a coding agent; one line for each.

    Tools wrote it: what it says permits nothing. The blob of the findings is for the caller to add.
    """
    return Issue(
        id=leftovers_of(kind),
        key=issue_key(repository, Source.LEFTOVERS, f"{whole.key} {kind.value}"),
        title=f"{kind.value}: mend {len(lines)} finding(s) that no rule mends",
        source=Source.LEFTOVERS,
        body="\n".join(f"- {line}" for line in lines),
        kinds=(kind,),
        severity=whole.severity,
        constraints=("mend the cause of each finding, and hide none of them",),
        files=whole.files,
        limits=whole.limits,
        author="sparky",
        association="TOOL",
        parent_issue=whole.id,
    )


def _counts(findings: Iterable[Finding]) -> str:
    counts = Counter((finding.kind.value, finding.tool, finding.rule) for finding in findings)
    lines = (f"- {kind}: {tool} {rule}, {count}" for (kind, tool, rule), count in sorted(counts.items()))
    return "\n".join(lines)
