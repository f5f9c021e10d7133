"""What persons said again and again: near-equal corrections of several sessions, as lines for AGENTS.md."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz, process, utils

from sparky.transcripts.model import Feedback, FeedbackKind

_NEAR = 85.0
"""How alike, of 100, two corrections are that count as one: word order and repetitions do not matter."""
_SHORT = 12
_LONG = 500
_TOLD = frozenset({
    FeedbackKind.MESSAGE,
    FeedbackKind.REJECTION,
    FeedbackKind.APPROVAL,
    FeedbackKind.QUEUED,
})  # fmt: skip
_SAYS_YES = re.compile(r"(?i)\A(?:yes|yep|ok(?:ay)?|go on|continue|commit|push|thanks?|please)\b[^a-z]*\Z")


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One correction and where it was said; `sources` are of at least two sessions, the oldest first."""

    line: str
    sessions: int
    sources: tuple[Feedback, ...]


def learn(said: Iterable[Feedback]) -> tuple[Lesson, ...]:
    """What was said in at least two sessions, the most often said first. The newest wording is proposed."""
    groups: dict[str, list[Feedback]] = {}
    for one in said:
        text = utils.default_process(one.text)
        if one.kind not in _TOLD or not _SHORT < len(text) <= _LONG or _SAYS_YES.match(one.text):
            continue
        near = process.extractOne(text, list(groups), scorer=fuzz.token_sort_ratio, score_cutoff=_NEAR)
        groups.setdefault(near[0] if near else text, []).append(one)
    lessons = (_lesson(group) for group in groups.values())
    several = [lesson for lesson in lessons if lesson.sessions > 1]
    return tuple(sorted(several, key=lambda lesson: (-lesson.sessions, -len(lesson.sources), lesson.line)))


def _lesson(group: list[Feedback]) -> Lesson:
    sessions = len({one.session for one in group})
    return Lesson(line=" ".join(group[-1].text.split()), sessions=sessions, sources=tuple(group))


def lines(lessons: Iterable[Lesson]) -> str:
    """The lessons as lines for AGENTS.md, each with its sources as a comment."""
    return "".join(
        f"- {lesson.line} <!-- said in {lesson.sessions} sessions: "
        f"{', '.join(dict.fromkeys(one.session[:8] for one in lesson.sources))} -->\n"
        for lesson in lessons
    )
