"""Whose turn it is by what the prose of a report gives as the cause. Silent rather than guessing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sparky.domain.attempt import Responsibility
from sparky.domain.report import Failure
from sparky.reports.phrases import CODE_RIGHT, DENIED, FAULT, RED, STATED, TEST_RIGHT
from sparky.reports.places import find_place, is_test
from sparky.reports.reading import REFUSED, Reading
from sparky.reports.vocabulary import AT_A_LOSS
from sparky.reports.weigh import Weighed, is_clean, weigh
from sparky.reports.words import owner_within

_LOOK_BACK = 40
_ASKS_FOR_TEST = re.compile(r"\b(?:get|add|write|want) (?:us )?(?:an?|another|more|some) (?:\w+ )?tests?\b")
_ASSIGNED = re.compile(
    r"^[^\w\n]{0,8}(?:assigned to|assignee|assign to|next owner|owner|action (?:by|on)|zuständig"
    r"|zugewiesen(?: an)?|wer)\s*:\W{0,3}(.{1,60})",
    re.MULTILINE,
)
_CLAUSE = re.compile(r"(?<=[.!?])\s+|\n+")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+")


@dataclass(frozen=True, kw_only=True)
class Cause:
    """A cause that the prose gives: whose turn it makes it, how sure that is, and the words it rests on."""

    responsibility: Responsibility
    confidence: float
    words: str


def find_cause(reading: Reading) -> Cause | None:
    """The one cause that the prose and the failures give; None if there is none, or they disagree."""
    if AT_A_LOSS.search(reading.judged.lower()):
        return None
    clauses = _CLAUSE.split(reading.judged.lower())
    words = "\n".join(one for one in clauses if not is_clean(one) and not _ASKS_FOR_TEST.search(one))
    causes = [*_assigned(words), *_stated(words), *_implied(words)]
    parties = {cause.responsibility for cause in causes}
    if {Responsibility.CODER, Responsibility.TESTER} <= parties:
        return None
    if causes:
        best = max(causes, key=lambda cause: cause.confidence)
        others = len(parties) - 1
        return Cause(
            responsibility=best.responsibility,
            confidence=round(best.confidence - 0.1 * others, 2),
            words=best.words,
        )
    found = _of_failures(reading.failures) or _of_log(reading.code.lower())
    refused = reading.merge_decision in REFUSED
    weighed = weigh(reading.judged, refused=refused)
    if found is None and weighed is not None:
        return _by_weight(weighed)
    if found is None and (refused or FAULT.search(words)):
        return _of_places(reading.judged)
    return found


def _by_weight(found: Weighed) -> Cause | None:
    """Where no sentence states a cause: whose turn most of the words make it; None if it is nobody's."""
    if found.responsibility is None:
        return None
    return Cause(responsibility=found.responsibility, confidence=found.confidence, words=found.words)


def _stated(words: str) -> Iterator[Cause]:
    for who, sure, pattern in STATED:
        for found in pattern.finditer(words):
            if not DENIED.search(words[max(0, found.start() - _LOOK_BACK) : found.start()]):
                yield Cause(responsibility=who, confidence=sure, words=found[0])
                break


def _assigned(words: str) -> Iterator[Cause]:
    """A line that says to whom it is given: "Assigned to: QA"."""
    for found in _ASSIGNED.finditer(words):
        if owner := owner_within(found[1]):
            yield Cause(responsibility=owner, confidence=0.85, words=found[0].strip())


def _implied(words: str) -> Iterator[Cause]:
    """One side is said to be right, and something is red: so it is the other side's turn."""
    test, code = TEST_RIGHT.search(words), CODE_RIGHT.search(words)
    if RED.search(words) and bool(test) != bool(code):
        who = Responsibility.CODER if test else Responsibility.TESTER
        said = test or code
        yield Cause(responsibility=who, confidence=0.75, words=said[0] if said else "")


def _of_failures(failures: tuple[Failure, ...]) -> Cause | None:
    """All causes that are told lie on one side."""
    told = [failure for failure in failures if failure.root_cause]
    sides = {
        Responsibility.TESTER if failure.location and is_test(failure.location.path) else Responsibility.CODER
        for failure in told
        if failure.location or "()" in failure.root_cause
    }
    if len(sides) != 1 or len(told) < len(failures):
        return None
    return Cause(responsibility=sides.pop(), confidence=0.8, words=told[0].root_cause)


def _of_places(words: str) -> Cause | None:
    """The only file that the prose finds fault with; a test that is named as red says nothing."""
    places = [place for sentence in _SENTENCE.split(words) if (place := find_place(sentence))]
    sides = {is_test(place.path) for place in places}
    if len(sides) != 1:
        return None
    who = Responsibility.TESTER if sides.pop() else Responsibility.CODER
    return Cause(responsibility=who, confidence=0.6, words=places[0].path)


def _of_log(code: str) -> Cause | None:
    """What a log that is pasted gives as the cause, where the prose gives none."""
    outside = {Responsibility.ENVIRONMENT, Responsibility.PERSON}
    found = [cause for cause in _stated(code) if cause.responsibility in outside]
    if len({cause.responsibility for cause in found}) != 1:
        return None
    return Cause(responsibility=found[0].responsibility, confidence=0.65, words=found[0].words)
