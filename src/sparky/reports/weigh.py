"""Whose turn it is by the weight of the words, where no sentence states a cause: what is spoken of, and how.

A sentence counts for a side by two things together: what it speaks of (a test, the code, a machine, a person)
and what it says of it (a fault, a wish, that it is fine). That a test fails counts for nobody.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sparky.domain.attempt import Responsibility
from sparky.reports.places import find_place, is_document, is_test
from sparky.reports.vocabulary import (
    AGAIN,
    AT_A_LOSS,
    AWAITED,
    BEFORE,
    BUT,
    CODE,
    CONFLICT,
    CONTENT,
    CONTRARY,
    DOCS,
    ELSEWHERE,
    ENV,
    FAULT,
    FINE,
    IN_TEST,
    ISSUE,
    JOINED,
    LEFT,
    NEED,
    NO_TESTS,
    NOT_CODE,
    NOT_RUN,
    OPTIONAL,
    PERSON,
    QUOTED,
    STALE,
    TEST,
    TEST_FAULT,
    TROUBLE,
    WISH,
)

_SENTENCES = 300
"""How many sentences are weighed; nobody writes more of them."""

_ENOUGH, _AHEAD = 3, 1
"""What a side must weigh, and by how much more than the next."""

_TICKET = re.compile(r"\b[A-Z][A-Z0-9]{1,9}-[0-9]{1,7}\b")
"""The name of an issue in a tracker: "BUG-12" says of nothing that it is a bug."""

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+|\s[\u2013\u2014]\s")


@dataclass(frozen=True, kw_only=True)
class Weighed:
    """Whose turn the words make it; None: nobody's. `words` is the sentence that weighs most of it."""

    responsibility: Responsibility | None
    confidence: float
    words: str


def is_clean(sentence: str) -> bool:
    """Whether a sentence says that nothing is wrong."""
    low = sentence.lower()
    return bool(CONTENT.search(low)) and not LEFT.search(low)


def reserves(words: str) -> bool:
    """Whether something is asked for all the same where a change is approved: "fine, but …"."""
    return any(
        BUT.search(low) and (WISH.search(low) or FAULT.search(low) or STALE.search(low))
        for low in map(str.lower, _split(words))
        if not OPTIONAL.search(low)
    )


def weigh(words: str, *, refused: bool = False) -> Weighed | None:
    """Whose turn it is by all sentences together; None where no side is ahead.

    `refused`: the report refuses the change, which is the coder's turn before any other's.
    """
    if AT_A_LOSS.search(words.lower()):
        return None
    weights: dict[Responsibility | None, int] = {Responsibility.CODER: 1} if refused else {}
    first: dict[Responsibility | None, str] = {}
    sentences = _split(words)
    about = _sole_file(sentences)
    for sentence in sentences:
        for side, weight in _sides(sentence, about):
            weights[side] = weights.get(side, 0) + weight
            first.setdefault(side, sentence)
    ranked = sorted(weights, key=lambda side: -weights[side])
    if not ranked or weights[ranked[0]] < _ENOUGH:
        return None
    best = ranked[0]
    ahead = weights[best] - (weights[ranked[1]] if len(ranked) > 1 else 0)
    if ahead < _AHEAD:
        return None
    return Weighed(
        responsibility=best, confidence=0.5 + 0.05 * min(ahead, 4), words=first.get(best, words)[:120]
    )


def _split(words: str) -> list[str]:
    return [one.strip() for one in _SENTENCE.split(_TICKET.sub("", words), _SENTENCES)][:_SENTENCES]


def _sole_file(sentences: list[str]) -> str:
    """The file that all of a report is about: its first line names it, or it names no other; "" for none."""
    places = [place.path for sentence in sentences if (place := find_place(sentence))]
    told = bool(places) and (len(set(places)) == 1 or find_place(sentences[0]) is not None)
    return places[0] if told else ""


@dataclass(frozen=True, kw_only=True)
class _Sentence:
    """A sentence in lower case, the file that it names, and the one that the whole report is about."""

    low: str
    path: str
    about: str

    def has(self, pattern: re.Pattern[str]) -> bool:
        return pattern.search(self.low) is not None

    @property
    def of_test(self) -> bool:
        return self.has(TEST) or is_test(self.path)

    @property
    def of_docs(self) -> bool:
        return self.has(DOCS) or is_document(self.path)


_Rule = tuple[Responsibility, int, Callable[[_Sentence], bool]]

_RULES: tuple[_Rule, ...] = (
    (Responsibility.PERSON, 3, lambda s: s.has(CONFLICT) and s.has(JOINED)),
    (Responsibility.PERSON, 3, lambda s: s.has(AWAITED)),
    (Responsibility.PERSON, 3, lambda s: s.has(PERSON) and s.has(NEED) and not s.of_test),
    (Responsibility.ISSUE, 3, lambda s: s.has(CONTRARY) and s.has(ISSUE)),
    (Responsibility.ISSUE, 3, lambda s: s.has(CONTRARY)),
    (Responsibility.PRE_EXISTING, 3, lambda s: s.has(BEFORE) and s.has(ELSEWHERE)),
    (Responsibility.ENVIRONMENT, 3, lambda s: s.has(ENV) and s.has(TROUBLE)),
    (Responsibility.ENVIRONMENT, 1, lambda s: s.has(NOT_CODE)),
    (Responsibility.DOCUMENTER, 3, lambda s: s.of_docs and s.has(STALE)),
    (Responsibility.ENVIRONMENT, 3, lambda s: s.has(NOT_RUN)),
    (Responsibility.TESTER, 3, lambda s: s.has(WISH) and s.has(IN_TEST)),
    (Responsibility.TESTER, 2, lambda s: s.has(NO_TESTS)),
    (Responsibility.TESTER, 3, lambda s: s.of_test and s.has(TEST_FAULT)),
    (
        Responsibility.TESTER,
        2,
        lambda s: is_test(s.about) and (s.has(WISH) or s.has(TEST_FAULT)) and not s.has(CODE),
    ),
    (Responsibility.DOCUMENTER, 2, lambda s: is_document(s.about) and (s.has(WISH) or s.has(STALE))),
    (Responsibility.CODER, 1, lambda s: s.of_test and s.has(FINE)),
    (Responsibility.TESTER, 1, lambda s: s.has(CODE) and s.has(FINE) and not s.has(FAULT)),
)
"""For whom a sentence counts, how much, and when; the first that holds."""


def _sides(sentence: str, about: str) -> Iterator[tuple[Responsibility | None, int]]:
    """The sides that a sentence counts for, and how much."""
    place = find_place(sentence)
    read = _Sentence(low=sentence.lower(), path=place.path if place else "", about=about)
    if QUOTED.match(read.low) or OPTIONAL.search(read.low):
        return
    if is_clean(sentence):
        yield None, 3
        return
    if read.has(AGAIN):
        yield Responsibility.REVIEWER, 3
    rule = next((rule for rule in _RULES if rule[2](read)), None)
    if rule is not None:
        yield rule[:2]
    elif not read.of_test and (weight := _of_code(read)):
        yield Responsibility.CODER, weight


def _of_code(read: _Sentence) -> int:
    """What a sentence about neither tests nor machines finds wrong, or wants."""
    fault, wish = read.has(FAULT), read.has(WISH)
    return min(3, fault * 2 + wish + bool(read.path and (fault or wish)))
