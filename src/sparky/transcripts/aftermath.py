"""What the transcripts of an attempt tell the next one: what a person said in it, and how it ended."""

import math
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sparky.transcripts.library import Library, open_library
from sparky.transcripts.model import EndState, Feedback, FeedbackKind, Warn, digest
from sparky.transcripts.redact import redact
from sparky.transcripts.sessions import Wanted

_SAID = {
    FeedbackKind.STOP: "stopped the work",
    FeedbackKind.REJECTION: "refused a tool call",
    FeedbackKind.PLAN_EDIT: "changed the plan",
    FeedbackKind.ANSWER: "answered",
    FeedbackKind.QUEUED: "said meanwhile",
    FeedbackKind.APPROVAL: "allowed a tool call, and said",
    FeedbackKind.MESSAGE: "said",
}
"""What reaches the next attempt, the most telling first. A slash command is for the programme, not for it."""
_TELLING = frozenset({FeedbackKind.STOP, FeedbackKind.REJECTION, FeedbackKind.PLAN_EDIT, FeedbackKind.ANSWER})
_SHORT = 12
"""Characters up to which other words are an acknowledgement: yes, ok, commit, push."""
_HEAD, _TAIL = 1400, 600
"""Characters of one item that are kept of its beginning and its end."""


@dataclass(frozen=True, kw_only=True)
class Aftermath:
    """What an attempt leaves to the next one.

    `said` has one item for each thing that a person said, as Markdown, "" if nobody said anything; none of it
    is a tool's output, and secrets are taken out. `end` is how its newest session ended, None if there is no
    transcript; `why` is what shows it.
    """

    said: str = ""
    end: EndState | None = None
    why: str = ""


def aftermath(archive: Path, prompts: Iterable[str], warn: Warn) -> Aftermath:
    """What the directory of an ended attempt tells: a CLAUDE_CONFIG_DIR or a CODEX_HOME, or both in one.

    `prompts` are those that sparky itself sent: they are nobody's words.
    """
    with tempfile.TemporaryDirectory(prefix="sparky-") as scratch:
        index = open_library(Path(scratch), {"claude": archive, "codex": archive}, warn).index
        for prompt in prompts:
            index.note_sent(digest(prompt))
        # It has ended: nothing in it is still running, however short ago it was written.
        library = Library(index, now=math.inf)
        sessions = library.trees(Wanted())
        said = _items(library.feedback(Wanted(), _SAID, words=redact))
        if not sessions:
            return Aftermath()
        return Aftermath(said=said, end=sessions[0].end.state, why=sessions[0].end.why)


def _items(feedback: Iterable[Feedback]) -> str:
    order = tuple(_SAID)
    lines: list[str] = []
    told: set[str] = set()
    for one in sorted(feedback, key=lambda one: order.index(one.kind)):  # stable: by time within a kind
        words = (one.text or one.reason).strip()
        if words in told or (one.kind not in _TELLING and len(words) <= _SHORT):
            continue
        if words:
            told.add(words)
        about = f" ({one.call.name} {one.call.target})".replace(" )", ")") if one.call else ""
        lines.append(f"- The person {_SAID[one.kind]}{about}{': ' if words else '.'}{_cut(words)}")
    return "\n".join(lines)


def _cut(words: str) -> str:
    """The words as a list's item, the middle left out where they are many."""
    if len(words) > _HEAD + _TAIL:
        words = f"{words[:_HEAD]} […] {words[-_TAIL:]}"
    return words.replace("\n", "\n  ")
