"""The words that reports are made of, in English and German: headings, owners, and what means nothing."""

import re
from enum import Enum

from sparky.domain.attempt import Responsibility
from sparky.domain.issue import Severity

_PLAIN = re.compile(r"[^\w#]+|_")
_NUMBERED = re.compile(r"(?:[0-9]{1,3}[.):]?|[a-z][.)])\s+")


class Section(Enum):
    """What a heading announces, and the names it goes by."""

    STATUS = (
        "pipeline status", "pipeline", "status", "ci status", "build status", "ci", "build", "pipeline state",
    )  # fmt: skip
    JOBS = ("failed jobs", "failed job", "failing jobs", "fehlgeschlagene jobs", "jobs")
    FAILURES = (
        "failures", "failure", "failure analysis", "analysis", "test failures", "failed tests", "errors",
        "error analysis", "root cause analysis", "findings", "problem", "problems", "bugs", "fehleranalyse",
        "fehler", "probleme", "fehlgeschlagene tests",
    )  # fmt: skip
    RESOLUTION = (
        "resolution required", "resolution", "resolutions", "required resolution", "action items", "actions",
        "required actions", "required changes", "required fixes", "changes required", "next steps",
        "next step", "next", "to do", "todo", "what has to be done", "what to do", "open points",
        "open items", "fixes", "erforderliche maßnahmen", "maßnahmen", "notwendige korrekturen",
        "korrekturen", "zu erledigen",
        "offene punkte", "aufgaben", "nächste schritte", "lösung",
    )  # fmt: skip
    DECISION = (
        "merge decision", "decision", "result", "sign off", "qa sign off", "verdict", "merge",
        "overall assessment", "overall", "assessment", "ready to merge", "recommendation",
        "merge recommendation", "final verdict", "conclusion", "approval",
        "merge entscheidung", "entscheidung", "freigabe", "fazit", "gesamtbewertung", "empfehlung",
    )  # fmt: skip
    SEVERITY = (
        "critical", "important", "minor", "major", "blocker", "blockers", "high", "medium", "low",
        "moderate", "must fix", "should fix", "kritisch", "wichtig", "gering", "geringfügig", "schwerwiegend",
    )  # fmt: skip
    OTHER = (
        "strengths", "what is good", "what was done well", "what went well", "positives", "praise", "nits",
        "suggestions", "optional", "notes", "note", "stärken", "positives", "anmerkungen", "summary",
        "zusammenfassung", "evidence", "background", "context", "timeline", "changes", "walkthrough",
        "what changed", "files changed", "steps to reproduce", "reproduction", "belege",
        "hintergrund", "änderungen",
    )  # fmt: skip


_SECTIONS = {name: section for section in Section for name in section.value}
_OF_SEVERITY = re.compile(r"(.+?) (?:issues?|findings?|problems?|points?|fehler|punkte|bugs?)")

_OWNERS = {
    Responsibility.CODER: (
        "coding agent", "coder", "coder agent", "code agent", "coding", "developer", "developer agent", "dev",
        "implementer", "author", "implementation agent", "development", "engineering", "backend", "frontend",
        "entwickler", "entwicklung", "programmierer",
    ),
    Responsibility.TESTER: (
        "testing agent", "tester", "test agent", "tester agent", "testing", "qa", "qa agent", "test engineer",
    ),
    Responsibility.REVIEWER: (
        "review agent", "reviewer", "reviewing agent", "code reviewer", "reviewer agent",
    ),
    Responsibility.DOCUMENTER: (
        "documentation agent", "documenter", "docs agent", "doc agent", "documentation", "dokumentation",
    ),
    Responsibility.PERSON: (
        "escalate", "human", "person", "maintainer", "maintainers", "product owner", "team lead", "manual",
        "escalation", "humans", "mensch", "manuell", "eskalation",
    ),
    Responsibility.ENVIRONMENT: (
        "environment", "infrastructure", "infra", "devops", "ops", "ci team", "umgebung", "infrastruktur",
    ),
}  # fmt: skip
_OWNER = {name: owner for owner, names in _OWNERS.items() for name in names}

_SEVERITIES = {
    Severity.CRITICAL: ("critical", "blocker", "blockers", "must fix", "kritisch", "schwerwiegend"),
    Severity.HIGH: ("high", "important", "major", "wichtig", "should fix"),
    Severity.LOW: ("low", "minor", "gering", "geringfügig"),
}
_SEVERITY = {name: severity for severity, names in _SEVERITIES.items() for name in names}

_NOTHING = frozenset(
    {
        "", "none", "nothing", "n a", "na", "no", "nil", "keine", "keiner", "nichts", "no action",
        "no changes", "no action needed", "no action required", "nothing to do", "none required",
        "not needed", "tbd",
        "no items", "no open points", "keine maßnahmen", "nichts zu tun", "none found",
        "no issues", "no issues found",
    }
)  # fmt: skip

_DONE = re.compile(
    r"\b(?:fixed|resolved|done|closed|withdrawn|addressed|erledigt|behoben|completed?|won t fix|wont fix"
    r"|accepted|obsolete|verified)\b"
)
_WORK = re.compile(
    r"\W*(?:i |we |i've |also )?(?:added|updated|removed|renamed|refactored|implemented|changed|moved"
    r"|replaced|introduced"
    r"|extracted|created|wrote|written|improved|documented|extended|bumped|cleaned|simplified|reworked"
    r"|adapted|deleted)\b"
    r"|[^.]{1,80}\b(?:hinzugefügt|ergänzt|angepasst|entfernt|umbenannt|eingebaut|umgesetzt|ersetzt"
    r"|dokumentiert)\W*$",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:not|un|open|still|partially|pending|nicht|offen|reopened|todo)\b|^un|\bunresolved\b"
)


def plain(text: str) -> str:
    """The words alone, in lower case: "Merge-Entscheidung:" is "merge entscheidung"."""
    return " ".join(_PLAIN.sub(" ", text.lower()).split())


def section_named(text: str) -> Section | None:
    """The section that a heading opens; None for a heading of no known meaning."""
    name = plain(_NUMBERED.sub("", text[:80], count=1))
    found = _SECTIONS.get(name)
    if found is None and (of := _OF_SEVERITY.fullmatch(name)):
        found = _SECTIONS.get(of[1])
        return found if found is Section.SEVERITY else None
    return found


def owner_named(text: str) -> Responsibility | None:
    """Who is meant by "CODING_AGENT", "@coder", "For the coding agent"; None if nobody is."""
    name = plain(text[:60]).removeprefix("for ").removeprefix("the ").removeprefix("an ").removeprefix("to ")
    return _OWNER.get(name.removesuffix(" action items").removesuffix(" items"))


def owner_within(text: str) -> Responsibility | None:
    """The one owner whom the words name: "QA automation", "the dev team"; None for none, or several."""
    words = plain(text).split()
    found = {_OWNER[word] for word in words if word in _OWNER}
    return found.pop() if len(found) == 1 else None


def severity_named(text: str) -> Severity:
    """The severity that a word means; medium where it is not known."""
    name = plain(text)
    return _SEVERITY.get(name.split(" ")[0] if name not in _SEVERITY else name, Severity.MEDIUM)


def is_nothing(text: str) -> bool:
    """Whether the words say that there is nothing: "none", "-", "keine"."""
    return plain(text) in _NOTHING


def tells_work(text: str) -> bool:
    """Whether a line tells what its writer did: "Added a flag", "Tests ergänzt"."""
    return _WORK.match(text) is not None


def is_done(text: str) -> bool:
    """Whether a word of a status column says that the item needs nothing more."""
    words = plain(text)
    return bool(_DONE.search(words)) and not _OPEN.search(words)
