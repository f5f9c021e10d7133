"""Reports that agents leave: their names and versions, what they ask for, and how they are ordered."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from sparky.domain.agent import Role
from sparky.domain.attempt import Evidence, Responsibility, Verdict
from sparky.domain.finding import Location
from sparky.domain.issue import Severity
from sparky.domain.reference import issue_number

FOLDER = "docs/reports"
"""Where reports lie in a repository, from its root."""

_NAME = re.compile(r"(.+?)[_-]issue([^/]*)[_-]report[_-]v([0-9]{1,9})\.md", re.IGNORECASE | re.ASCII)
_LIKE = re.compile(r"[_-]issue.*report|report.*[_-]v[0-9]", re.IGNORECASE)
_SENTENCE = re.compile(r"s-[0-9a-f]{6}")
_VERSION = re.compile(r"[_-]v([0-9]{1,9})(?![0-9])", re.IGNORECASE)
_APART = re.compile(r"[\W_]+")
_LONGEST = 255

_ALIASES = {
    "coding": ("code", "coder", "coding", "developer", "dev", "implementation"),
    "testing": ("test", "tests", "tester", "testing", "qa"),
    "review": ("review", "reviewer", "reviewing", "codereview", "codereviewer"),
    "documentation": ("doc", "docs", "documenter", "documentation", "documenting"),
}
_AGENT = {alias: agent for agent, aliases in _ALIASES.items() for alias in aliases}
_ROLES = {
    "coding": Role.CODER,
    "testing": Role.TESTER,
    "review": Role.REVIEWER,
    "documentation": Role.DOCUMENTER,
}


class Answer(Enum):
    """What became of an action item."""

    FIXED = "FIXED"
    REJECTED = "REJECTED"
    DEFERRED = "DEFERRED"


@dataclass(frozen=True, kw_only=True)
class ReportId:
    """Whose report, on which issue, in which version (from 1). `agent` and `issue` are in one spelling."""

    agent: str
    issue: str
    version: int

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.agent.capitalize()}Agent_Issue#{self.issue}_Report_v{self.version}.md"


@dataclass(frozen=True, kw_only=True)
class OddName:
    """A file that is named like a report, and can't be told apart from others; the reason is for a person."""

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Filed:
    """A report where it lies. `rank` orders the commits by ancestry, then by commit time.

    `commit` is the newest that wrote the file, "" if it is not committed; such a file ranks after all.
    """

    id: ReportId
    path: str
    commit: str = ""
    rank: int = 0


@dataclass(frozen=True, kw_only=True)
class ActionItem:
    """One thing to do. `answer` None: not answered yet; `commit` and `why` belong to the answer."""

    id: str
    owner: Responsibility
    text: str
    location: Location | None = None
    done_when: str = ""
    answer: Answer | None = None
    commit: str = ""
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The answer to an item of another report, by the item's id; `commit` "": none belongs to it."""

    item: str
    answer: Answer
    commit: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Something that failed, as a report tells it; "" is what it does not say.

    `line` is where the text says so, counted from 1; 0 where no text was read.
    """

    title: str
    severity: Severity = Severity.MEDIUM
    expected: str = ""
    actual: str = ""
    root_cause: str = ""
    location: Location | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, kw_only=True)
class Report:
    """A report of sparky's own. `sha` is the commit it speaks of; `answers` names the reports it answers."""

    id: ReportId
    verdict: Verdict
    sha: str
    summary: str = ""
    answers: tuple[str, ...] = ()
    replies: tuple[Reply, ...] = ()
    findings: tuple[Failure, ...] = ()
    items: tuple[ActionItem, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    next_step: str = ""


def agent_name(agent: str) -> str:
    """The agent in one spelling: "CodingAgent", "coding-agent", "Coding" and "coder" are all "coding"."""
    plain = _APART.sub("", agent).lower()
    plain = plain.removesuffix("agent") or plain
    return _AGENT.get(plain, plain)


def role_of(agent: str) -> Role | None:
    """The role that an agent's name speaks of; None where it names a specialist, whose declaration knows."""
    return _ROLES.get(agent_name(agent))


def read_name(name: str) -> ReportId | OddName | None:
    """The report that a file name means; None for files that are none."""
    match = _NAME.fullmatch(name[: _LONGEST + 1])
    if match is None:
        like = len(name) <= _LONGEST and name.lower().endswith(".md") and _LIKE.search(name)
        return OddName(name=name, reason="is not AGENT_Issue#NUMBER_Report_vVERSION.md") if like else None
    agent, issue, version = agent_name(match[1]), _issue(match[2]), int(match[3])
    if not match[2].strip("#_- "):
        return OddName(name=name, reason="has no issue number after `Issue`")
    if issue is None:
        return OddName(name=name, reason=f"{match[2].strip('#_- ')!r} is no issue number")
    if not agent or not version:
        return OddName(name=name, reason="has no agent" if not agent else "versions count from 1")
    return ReportId(agent=agent, issue=issue, version=version)


def version_in(name: str) -> int | None:
    """The version that any file name states ("…_v10.md" is 10), None if it states none."""
    found = _VERSION.findall(name)
    return int(found[-1]) if found else None


def of_agent(filed: Iterable[Filed], agent: str, issue: str) -> tuple[Filed, ...]:
    """The reports of one agent on one issue, oldest version first. Both may be in any spelling."""
    wanted = (agent_name(agent), issue_name(issue))
    found = (report for report in filed if (report.id.agent, report.id.issue) == wanted)
    return tuple(sorted(found, key=lambda report: (report.id.version, report.rank, report.path)))


def latest(filed: Iterable[Filed], agent: str, issue: str) -> Filed | None:
    """The agent's newest report on the issue, by its number; None if there is none."""
    return next(iter(reversed(of_agent(filed, agent, issue))), None)


def next_id(filed: Iterable[Filed], agent: str, issue: str) -> ReportId:
    """What the agent's next report on the issue is: the highest version and one, also after gaps."""
    newest = latest(filed, agent, issue)
    version = newest.id.version + 1 if newest else 1
    return ReportId(agent=agent_name(agent), issue=issue_name(issue), version=version)


def issue_name(issue: str) -> str:
    """How the names of reports name an issue: by its number; one that has none by a mark of its id."""
    mark = hashlib.sha256(issue.encode("utf-8", "replace")).hexdigest()[:6]
    return _issue(issue) or f"s-{mark}"


def in_order(filed: Iterable[Filed]) -> tuple[Filed, ...]:
    """All reports, the oldest first: those of one agent by version, those of several by their commits."""
    highest: dict[tuple[str, str], int] = {}
    keyed = []
    for one in sorted(filed, key=lambda report: (report.id.version, report.rank, report.path)):
        clock = (one.id.agent, one.id.issue)
        highest[clock] = max(one.rank, highest.get(clock, 0))
        keyed.append((highest[clock], one))
    return tuple(one for _, one in sorted(keyed, key=lambda pair: pair[0]))


def is_newer(one: Filed, other: Filed) -> bool | None:
    """Whether `one` was left after `other`; None where nobody can say: two agents, one commit.

    Versions order the reports of one agent; between agents they are different clocks, and commits order.
    """
    if (one.id.agent, one.id.issue) == (other.id.agent, other.id.issue):
        return one.id.version > other.id.version
    return None if one.rank == other.rank else one.rank > other.rank


def item_id(owner: Responsibility, text: str, path: str = "") -> str:
    """An id for an item that has none: the same words for the same owner and file have the same one."""
    words = " ".join(_APART.sub(" ", text.lower()).split())
    return hashlib.sha256(f"{owner.value}\0{path}\0{words}".encode("utf-8", "replace")).hexdigest()[:8]


def _issue(text: str) -> str | None:
    plain = text.strip("#_- ")
    return plain if _SENTENCE.fullmatch(plain) else issue_number(plain)
