"""The kind of an issue: what its text is evidence for, strongest evidence first."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from sparky.domain.agent import Agent
from sparky.domain.issue import Issue, Kind

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

# Weight 3: says so by itself; 2: only in a title, or beside others. A title counts three times a body. A tie
# goes to the kind that stands first: "Support ruff 0.17" is a feature.
_WORDS: dict[Kind, tuple[tuple[int, str], ...]] = {
    Kind.GENERAL: (
        (2, r"^(?:add|allow|build|create|enable|implement|introduce|make|provide|support)"),
        (4, r"crash(?:es|ed|ing)?|hangs|wrong results?|data loss"),
        (2, r"feature|endpoint|bug|regression"),
    ),
    Kind.FORMATTING: (
        (3, r"re-?format(?:ted|ting)?|unformatted|(?:run|apply) (?:black|isort|ruff)|code style|pep ?8"),
        (3, r"trailing whitespace|lines? (?:is |are )?too long|line length"),
        (3, r"import order|(?:un)?sort(?:ed|ing)? imports"),
        (3, r"format (?:the |all |our )?(?:code|source|files?)"),
        (2, r"formatting|indentation|whitespace|isort|ruff|lint(?:ing)?"),
    ),
    Kind.IMPORT_ERROR: (
        (3, r"(?:unused|circular|cyclic|missing|broken|star|wildcard|duplicate) imports?|import errors?"),
        (3, r"importerror|modulenotfounderror|undefined names?|cannot import|no module named"),
    ),
    Kind.TYPE_ERROR: (
        (3, r"type errors?|type (?:hints?|annotations?)|mypy|pyright|type check(?:s|er|ing)?"),
    ),
    Kind.SECURITY: (
        (3, r"vulnerabilit(?:y|ies)|cve-\d+-\d+|sql injection|path traversal|xss|csrf|bandit"),
        (3, r"security|hard-?coded (?:passwords?|secrets?|credentials?|keys?)"),
    ),
    Kind.TEST_FAILURE: (
        (3, r"(?:failing|broken|red|flaky) (?:\w+ )?tests?|test failures?"),
        (3, r"tests? (?:\w+ ){0,2}(?:fails?|failing|failed|broken)"),
    ),
    Kind.COMPLEXITY: (
        (3, r"(?:cyclomatic|cognitive|code) complexity|too complex|too many (?:branches|arguments)"),
        (2, r"complexity|split (?:up )?(?:the )?(?:large|long|huge)|god (?:class|object)"),
    ),
    Kind.DEAD_CODE: (
        (3, r"(?:dead|unreachable|unused) (?:local )?(?:code|variables?|functions?|class(?:es)?|methods?)"),
        (2, r"unused(?! (?:imports?|dependenc))"),
    ),
    Kind.DEPENDENCY: (
        (3, r"(?:outdated|vulnerable|missing|unused|upgrade|update|bump|pin) (?:\w+ )?dependenc(?:y|ies)"),
        (2, r"dependenc(?:y|ies)"),
    ),
    Kind.DRY_VIOLATION: (
        (3, r"duplicated? code|code duplication|copy[- ]pasted?|dry violations?|repeated code"),
    ),
    Kind.PERFORMANCE: (
        (3, r"speed up|too slow|n\+1 quer(?:y|ies)|memory leak|performance (?:problem|issue|regression)s?"),
        (2, r"performance|slow(?:er|ness)?|latency|optimi[sz]e"),
    ),
    Kind.DOCUMENTATION: (
        (3, r"docstrings?"),
        (2, r"documentation|document|docs|readme|typos?"),
    ),
    Kind.TEST_ORGANIZATION: (
        (3, r"(?:reorgani[sz]e|restructure|regroup|rename|move) (?:the |our )?tests?"),
        (3, r"test (?:organi[sz]ation|layout|structure)"),
    ),
    Kind.TEST_CREATION: (
        (3, r"(?:add|write|create|missing|more) (?:\w+ ){0,2}tests?|test coverage|untested"),
    ),
    Kind.REVIEW: ((3, r"^review|review (?:the|this|our|these) (?:code|changes?|diff|branch|pull request)"),),
}
_PATTERNS = {
    kind: tuple((weight, re.compile(rf"(?i)(?<![\w-])(?:{words})(?![\w-])")) for weight, words in rows)
    for kind, rows in _WORDS.items()
}
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
    nothing = KindGuess(kind=Kind.GENERAL, confidence=0.3, reasons=("nothing in it speaks for a kind",))
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
    best = max(_PATTERNS, key=lambda kind: scores[kind])
    if scores[best] < _ENOUGH:
        return None
    share, strength = scores[best] / scores.total(), min(1.0, scores[best] / _PLAIN)
    return KindGuess(kind=best, confidence=round(0.8 * share * strength, 2), reasons=tuple(reasons[best]))


def _matches(title: str, body: str) -> Iterator[tuple[Kind, str, int, str]]:
    for place, text, times in (("title", title, _TITLE), ("body", body, 1)):
        for kind, rows in _PATTERNS.items():
            for weight, pattern in rows:
                if match := pattern.search(text):
                    yield kind, place, weight * times, match[0]
        for code in dict.fromkeys(_CODE.findall(text)):
            if (kind := kind_of_code(code)) is not Kind.GENERAL:
                yield kind, place, _CODE_WEIGHT * times, code
