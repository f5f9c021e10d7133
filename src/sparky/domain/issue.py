"""An issue: one unit of work, whatever its source."""

import hashlib
import re
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """The sort of trouble an issue is about."""

    FORMATTING = "FORMATTING"
    IMPORT_ERROR = "IMPORT_ERROR"
    TYPE_ERROR = "TYPE_ERROR"
    SECURITY = "SECURITY"
    TEST_FAILURE = "TEST_FAILURE"
    COMPLEXITY = "COMPLEXITY"
    DEAD_CODE = "DEAD_CODE"
    DEPENDENCY = "DEPENDENCY"
    DRY_VIOLATION = "DRY_VIOLATION"
    PERFORMANCE = "PERFORMANCE"
    DOCUMENTATION = "DOCUMENTATION"
    TEST_ORGANIZATION = "TEST_ORGANIZATION"
    TEST_CREATION = "TEST_CREATION"
    REVIEW = "REVIEW"
    GENERAL = "GENERAL"


class Severity(Enum):
    """How much an issue or a finding matters; orders the queue."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


DONE = frozenset({"done", "closed", "completed", "complete", "fixed", "resolved"})
"""Words for an issue on which nothing is left to do."""


class Source(Enum):
    """Where an issue came from."""

    MARKDOWN = "markdown"
    JSON = "json"
    SENTENCE = "sentence"
    FINDINGS = "findings"
    LEFTOVERS = "leftovers"


@dataclass(frozen=True, kw_only=True)
class Issue:
    """One unit of work.

    `id` is what people call it ("012", "fix", "s-3f2a9c"); `key` is what a claim is held on: the same
    issue of the same repository has the same key at every base. `kinds` is empty until routing has
    decided, and holds several, in order, for an issue made of findings. `files` are the paths that the
    issue names (repository-relative POSIX paths); empty means that it names none, and so allows all.
    `repository` names another repository that it is about, None: the one that it lies in. `author` wrote it,
    and `association` is what the tracker says that they are to the repository (OWNER, …); "": not known.
    `findings`, `attachments` and `children` are blob digests; `children` are the issues that it consists of.
    So is `limits`, that of all files where they are too many to be recorded, and `files` has but the first.
    """

    id: str
    key: str
    title: str
    source: Source
    body: str = ""
    kinds: tuple[Kind, ...] = ()
    severity: Severity = Severity.MEDIUM
    criteria: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    agent: str | None = None
    status: str = "open"
    path: str | None = None
    repository: str | None = None
    parent_issue: str | None = None
    order: int = 0
    dependencies: tuple[str, ...] = ()
    findings: str | None = None
    limits: str | None = None
    attachments: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    author: str = ""
    association: str = ""

    @property
    def may_permit(self) -> bool:
        """Whether its author can allow what is not allowed by itself; a stranger of its tracker can't."""
        return self.association.upper() in {"", "OWNER", "MEMBER", "COLLABORATOR"}

    @property
    def done(self) -> bool:
        """Whether its own text says that nothing is left to do."""
        return self.status.lower() in DONE


def slug(text: str, limit: int = 40) -> str:
    """A name of lower-case ASCII words joined by `-`, at most `limit` long; "issue" if nothing is left."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return words[:limit].rstrip("-") or "issue"


def issue_key(repository: str, source: Source, identity: str) -> str:
    """The key of an issue: 16 hex digits, equal for equal repository, source and identity."""
    text = f"{repository}\0{source.value}\0{identity}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def run_id(issue: Issue, base: str, ordinal: int) -> str:
    """The id of the `ordinal`th run of an issue at a base: readable, and equal for equal arguments."""
    mark = hashlib.sha256(f"{issue.key}\0{base}".encode()).hexdigest()[:8]
    return f"{slug(issue.id, 24)}-{mark}-{ordinal}"


WORK_BRANCHES = "sparky"
"""What the work branches lie below, so that no branch can have this name by itself."""


def branch_name(issue: Issue, run: str) -> str:
    """The work branch of a run: `sparky/<issue>-<slug>`, and the run's mark, so that no two runs share it."""
    stem = slug(issue.id, 24)
    title = slug(issue.title, 40)
    name = title if title.startswith(stem) else f"{stem}-{title}"
    return f"{WORK_BRANCHES}/{name}-{'-'.join(run.rsplit('-', 2)[1:])}"
