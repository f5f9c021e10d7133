"""What a report decides about merging, and how it says the pipeline stands."""

import re
from collections.abc import Iterable

from sparky.reports.lines import Line, Sort
from sparky.reports.reading import MergeDecision

_WORDS = re.compile(
    r"(?P<rejected>rejected?\b|abgelehnt|zurückgewiesen)"
    r"|(?P<blocked>blocked\b|not granted|code-review ?-[12]\b|verified ?-1\b|blockiert"
    r"|not (?:yet )?approved|not ready|not mergeable|do not (?:merge|proceed|release|deploy)"
    r"|don'?t merge|must not be merged|nicht freigegeben|nicht genehmigt|nicht mergen|no merge|on hold"
    r"|requests? changes|requesting changes|changes (?:are )?(?:requested|required|needed)"
    r"|needs? (?:\w+ ){0,2}?(?:changes|work|fixes)|nachbesserung|änderungen (?:erforderlich|nötig))"
    r"|(?P<approved>approved?\b|granted\b|code-review ?\+[12]\b|lgtm\b|freigegeben|genehmigt|ready (?:to"
    r"|for) merge|can be merged|good to go"
    r"|accepted\b|safe to (?:proceed|merge|release|deploy)|(?:can|may) (?:go ahead|proceed)"
    r"|kann gemergt werden)"
)
_STARTS = re.compile(rf"(?:merge(?: request)?(?: is)?:? )?(?:{_WORDS.pattern})")
_INLINE = re.compile(
    r"\b(?:merge[ -]decision|decision|verdict|merge|overall(?: assessment)?|merge-entscheidung|entscheidung"
    r"|ergebnis)\s*(?::|→|->)\s*(.{1,120})"
)
_ANYWHERE = re.compile(
    r"(?P<blocked>\bblocked\b|\bblocks the merge\b|blockiert|\bon hold\b"
    r"|\bdo not merge\b|\bdon't merge\b|changes requested)"
    r"|(?P<approved>\blgtm\b|(?<!may )(?<!can )(?<!to )\bship it\b"
    r"|\bcan be merged\b|\bgood to go\b|\bready to merge\b(?!\s?\?)"
    r"|kann gemergt werden)"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_YES = re.compile(
    r"(?:ready (?:to|for) merge|mergeable|approv(?:al|ed?)|freigabe)(?:\W{0,4}(yes|ja|no|nein|not|nicht)\b"
    r"|\s?[?:]\W{0,4}(?:with|after|once|when|if|nach|erst|wenn|sobald|mit)\b)"
)

_STATUS = {
    "failed": r"fail(?:ed|ing|ure|s)?\b|\bred\b|\bbroken\b|fehlgeschlagen|\brot\b",
    "success": r"success(?:ful)?\b|passed\b|\bgreen\b|erfolgreich|\bgrün\b|all checks pass",
    "running": r"running\b|pending\b|\bstuck\b|in progress|läuft",
}
_FAILED_PIPELINE = re.compile(
    r"\b(?:pipeline|build|ci)\b.{0,40}?\b(?:red|failed|fails|failing|broken|rot|fehlgeschlagen)\b"
)
_JOB = re.compile(r"\bjobs?:?\s+`?([\w.:-]{2,40})`?", re.IGNORECASE)


def decide(said: str) -> MergeDecision:
    """What a few words say: the first word of a decision counts; a choice of two, and a question, is none."""
    words = said.lower().replace("_", " ")
    if yes := _YES.search(words):
        return MergeDecision.APPROVED if yes[1] in {"yes", "ja"} else MergeDecision.BLOCKED
    found = list(_WORDS.finditer(words))
    if not found:
        return MergeDecision.UNCLEAR
    first = found[0]
    behind = words[first.end() : first.end() + 4]
    if behind.lstrip().startswith("?") or (len(found) > 1 and re.match(r"\W{0,2}[|/]", behind)):
        return MergeDecision.UNCLEAR
    return MergeDecision(first.lastgroup)


def find_decision(said: Iterable[str], lines: Iterable[Line]) -> MergeDecision:
    """The decision: of the sections that hold one (`said`), else of the lines that state one."""
    for text in said:
        if (decision := decide(text)) is not MergeDecision.UNCLEAR:
            return decision
    spoken = [line.text.lower() for line in lines if line.sort is not Sort.ROW]
    for text in spoken:
        for inline in _INLINE.findall(text):
            if (decision := decide(inline)) is not MergeDecision.UNCLEAR:
                return decision
    for text in spoken:
        for sentence in _SENTENCE.split(text):
            if _STARTS.match(sentence):
                return decide(text[text.index(sentence) :])
    said_so = {found.lastgroup for text in spoken for found in _ANYWHERE.finditer(text)}
    return MergeDecision(said_so.pop()) if len(said_so) == 1 else MergeDecision.UNCLEAR


def find_status(said: Iterable[str], words: str) -> str:
    """failed, success, running or unknown: of the sections about it, else of the prose."""
    for text in said:
        for status, pattern in _STATUS.items():
            if re.search(pattern, text.lower()):
                return status
    return "failed" if _FAILED_PIPELINE.search(words.lower()) else "unknown"


def find_jobs(said: Iterable[str]) -> tuple[str, ...]:
    """The names of jobs in a status ("failed (job lint)", "failed: lint, test")."""
    found = (name for text in said for name in _JOB.findall(text))
    return tuple(dict.fromkeys(name for name in found if name.lower() not in {"failed", "jobs"}))
