"""The kind of an issue: what its text is evidence for, strongest evidence first."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from sparky.domain.agent import Agent
from sparky.domain.issue import Issue, Kind
from sparky.issues.kind_words import WORDS

# The codes of ruff, flake8 and their plugins: the longest prefix down to the letters alone decides. What
# is not here (bugs, naming, taste) is GENERAL.
_CODES: dict[str, Kind] = {
    **dict.fromkeys(("E", "W", "I", "Q", "UP", "COM", "ISC", "F541", "format"), Kind.FORMATTING),
    **dict.fromkeys(("E402", "F4", "F811", "F82"), Kind.IMPORT_ERROR),
    **dict.fromkeys(("F504", "F522", "F523", "F84", "ERA", "ARG"), Kind.DEAD_CODE),
    **dict.fromkeys(("PIE790", "PIE794", "PLR1711", "TC005"), Kind.DEAD_CODE),
    **dict.fromkeys(("C9", "PLR09", "RET", "SIM"), Kind.COMPLEXITY),
    **dict.fromkeys(("PERF", "C4", "FURB"), Kind.PERFORMANCE),
    **dict.fromkeys(("ANN",), Kind.TYPE_ERROR),
    **dict.fromkeys(("S",), Kind.SECURITY),
    **dict.fromkeys(("D",), Kind.DOCUMENTATION),
    **dict.fromkeys(("PT",), Kind.TEST_ORGANIZATION),
    **dict.fromkeys(("E7", "E9"), Kind.GENERAL),
    **dict.fromkeys(("E701", "E702", "E703", "E713", "E714"), Kind.FORMATTING),
}

_LABELS: dict[str, Kind] = {
    **{kind.value.lower().replace("_", "-"): kind for kind in Kind if kind is not Kind.GENERAL},
    **dict.fromkeys(("format", "style", "code-style"), Kind.FORMATTING),
    **dict.fromkeys(("imports", "import"), Kind.IMPORT_ERROR),
    **dict.fromkeys(("types", "typing", "mypy", "type-checking"), Kind.TYPE_ERROR),
    **dict.fromkeys(("docs", "docstrings"), Kind.DOCUMENTATION),
    **dict.fromkeys(("dependencies", "deps"), Kind.DEPENDENCY),
    **dict.fromkeys(("duplication", "dry"), Kind.DRY_VIOLATION),
    **dict.fromkeys(("failing-test", "flaky-test", "broken-test"), Kind.TEST_FAILURE),
    **dict.fromkeys(("vulnerability",), Kind.SECURITY),
    **dict.fromkeys(("test-coverage", "coverage"), Kind.TEST_CREATION),
    **dict.fromkeys(("code-review",), Kind.REVIEW),
}

# pylint's own codes have one letter and four digits, and mean something else.
_RULE = r"(?:[A-Z]{1,5}\d{3}|PL[CERW]\d{4})"
_PASTED: tuple[tuple[re.Pattern[str], Kind | None], ...] = (
    (re.compile(rf"(?m)^\S+\.pyi?:\d+(?::\d+)?:? (?P<code>{_RULE})\b"), None),
    (re.compile(rf"(?m)^(?P<code>{_RULE}) [^\n]*\n\s*--> \S+:\d+"), None),
    (re.compile(r"(?mi)^would reformat:? \S+\.py"), Kind.FORMATTING),
    (re.compile(r"(?m)^\S+\.pyi?:\d+(?::\d+)?: error: .*\[import[\w-]*\]$"), Kind.IMPORT_ERROR),
    (re.compile(r"(?m)^\S+\.pyi?:\d+(?::\d+)?: error: .*\[(?!import|syntax)[\w-]+\]$"), Kind.TYPE_ERROR),
    (re.compile(r"(?m)^[ \t]*\S+\.pyi?:\d+:\d+ - error: "), Kind.TYPE_ERROR),
    (re.compile(r"(?m)^>> Issue: \[B\d+:"), Kind.SECURITY),
    (re.compile(r"(?m)^(?:FAILED|ERROR) \S+\.py(?:::\S+)?"), Kind.TEST_FAILURE),
)
_TRACEBACK = re.compile(r"(?m)^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)+(?P<error>[\w.]+)")
_IMPORT_EXCEPTIONS = frozenset({"ImportError", "ModuleNotFoundError"})

_CODE = re.compile(rf"\b{_RULE}\b")
_CODE_WEIGHT = 3
_TITLE = 3
_ENOUGH = 4
_PLAIN = 9
_FENCE = re.compile(r"(?ms)^(```|~~~).*?^\1")
_PATHS = re.compile(r"(?<!\S)\S*/\S*|(?<![\w.-])[\w.-]+\.(?:py|pyi|toml|cfg|ini|md|rst|txt|json|ya?ml)\b")
_ISSUE_NUMBER = re.compile(r"(?i)^\s*(?:issue\s*)?#\w+\s*:?\s*")


@dataclass(frozen=True, kw_only=True)
class KindGuess:
    """The kind of an issue, how sure that is (0..1), and why, for a person."""

    kind: Kind
    confidence: float
    reasons: tuple[str, ...]


@cache
def kind_of_code(code: str) -> Kind:
    """The kind that a rule's code belongs to, by its longest known prefix; GENERAL if none is known."""
    letters = code.rstrip("0123456789")
    prefixes = (code[:end] for end in range(len(code), len(letters) - 1, -1))
    return next((_CODES[prefix] for prefix in prefixes if prefix in _CODES), Kind.GENERAL)


def kind_of(issue: Issue, agents: Iterable[Agent] = ()) -> KindGuess:
    """The kind by the strongest evidence there is: what is explicit, labels, pasted findings, words.

    `agents` are looked up for the one that the issue names: with one kind, that kind is explicit.
    """
    steps = (_explicit(issue, agents), _labels(issue), _pasted(issue), _words(issue))
    nothing = KindGuess(
        kind=Kind.GENERAL, confidence=0.3, reasons=("nothing in it speaks clearly for a kind",)
    )
    return next((guess for guess in steps if guess is not None), nothing)


def _explicit(issue: Issue, agents: Iterable[Agent]) -> KindGuess | None:
    if issue.kinds:
        return KindGuess(kind=issue.kinds[0], confidence=1.0, reasons=("the issue names its kind",))
    kinds = next((agent.kinds for agent in agents if agent.name == issue.agent), ())
    if len(kinds) != 1:
        return None
    reason = f"the issue names the agent {issue.agent}, which has this kind only"
    return KindGuess(kind=kinds[0], confidence=1.0, reasons=(reason,))


def _labels(issue: Issue) -> KindGuess | None:
    for label in issue.labels:
        name = re.split(r"[:/]", label.lower())[-1].strip()
        kind = _LABELS.get(re.sub(r"[ _]+", "-", name))
        if kind is not None:
            return KindGuess(kind=kind, confidence=0.9, reasons=(f'label "{label}"',))
    return None


def _pasted(issue: Issue) -> KindGuess | None:
    found = Counter(_pasted_kinds(f"{issue.title}\n{issue.body}\n"))
    if not found:
        return None
    kind, count = found.most_common(1)[0]
    share = count / found.total()
    reasons = tuple(f"pasted findings of {k.value}: {n}" for k, n in found.most_common())
    return KindGuess(kind=kind, confidence=round(0.85 * share, 2), reasons=reasons)


def _pasted_kinds(text: str) -> Iterator[Kind]:
    for pattern, kind in _PASTED:
        for match in pattern.finditer(text):
            yield kind if kind is not None else kind_of_code(match["code"])
    for match in _TRACEBACK.finditer(text):
        name = match["error"].rpartition(".")[2]
        yield Kind.IMPORT_ERROR if name in _IMPORT_EXCEPTIONS else Kind.GENERAL


def _words(issue: Issue) -> KindGuess | None:
    title = _PATHS.sub(" ", _ISSUE_NUMBER.sub("", issue.title)).strip()
    body = _PATHS.sub(" ", _FENCE.sub("", issue.body))
    scores: Counter[Kind] = Counter()
    reasons: dict[Kind, list[str]] = {}
    for kind, place, points, word in _matches(title, body):
        scores[kind] += points
        reasons.setdefault(kind, []).append(f'"{word}" in the {place}')
    best = max(WORDS, key=lambda kind: scores[kind])
    if scores[best] < _ENOUGH:
        return None
    share, strength = scores[best] / scores.total(), min(1.0, scores[best] / _PLAIN)
    return KindGuess(kind=best, confidence=round(0.8 * share * strength, 2), reasons=tuple(reasons[best]))


def _matches(title: str, body: str) -> Iterator[tuple[Kind, str, int, str]]:
    for place, text, times in (("title", title, _TITLE), ("body", body, 1)):
        for kind, rows in _patterns().items():
            for weight, pattern in rows:
                if match := pattern.search(text):
                    yield kind, place, weight * times, match[0]
        for code in dict.fromkeys(_CODE.findall(text)):
            if (kind := kind_of_code(code)) is not Kind.GENERAL:
                yield kind, place, _CODE_WEIGHT * times, code


@cache
def _patterns() -> dict[Kind, tuple[tuple[int, re.Pattern[str]], ...]]:
    """The words as patterns, by kind, each with its weight: few verbs need them, and they take a while."""
    return {
        kind: tuple((weight, re.compile(rf"(?i)(?<![\w-])(?:{words})(?![\w-])")) for weight, words in rows)
        for kind, rows in WORDS.items()
    }
