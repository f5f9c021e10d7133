"""What the transcripts of an attempt tell the next one: what a person said in it, and how it ended."""

import logging
import math
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from sparky.events import Aftermath
from sparky.transcripts.index import TranscriptIndex
from sparky.transcripts.library import INDEX, Library
from sparky.transcripts.model import EndState, Feedback, FeedbackKind, Source, digest
from sparky.transcripts.redact import redact
from sparky.transcripts.sessions import Wanted
from sparky.transcripts.table import READERS, discover
from sparky.transcripts.told import SEPARATOR

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
_MOST = 40
"""Items that are kept of one session: the most telling, and of these the newest."""
_READ_BYTES = 1 << 28
"""What is read of one session: its newest transcripts up to here."""
_BROKEN = frozenset({EndState.KILLED, EndState.FAILED})

_log = logging.getLogger(__name__)


def aftermath(directory: Path, prompts: Iterable[str]) -> Aftermath:
    """What an ended session's directory tells: a CLAUDE_CONFIG_DIR, a CODEX_HOME, an XDG_DATA_HOME, in one.

    `prompts` are those that sparky itself sent: they are nobody's words. What can't be read tells nothing,
    nor does what lies elsewhere: the agent could write the directory, and links in it.
    """
    homes = {"claude": directory, "codex": directory, "opencode": directory / "data" / "opencode"}
    with tempfile.TemporaryDirectory(prefix="sparky-") as scratch:
        index = TranscriptIndex(Path(scratch) / INDEX)
        index.prepare()
        inside = (source for source in discover(homes) if _lies_in(source, directory))
        index.refresh(_newest(inside), READERS, _log.warning)
        for prompt in prompts:
            index.note_sent(digest(prompt))
        # It has ended: nothing in it is still running, however short ago it was written.
        library = Library(index, now=math.inf)
        sessions = library.trees(Wanted())
        said = tuple(_item(one) for one in _kept(library.feedback(Wanted(), _SAID)))
        broken = bool(sessions) and sessions[0].end.state in _BROKEN
        return Aftermath(said=said, broken=sessions[0].end.why if broken else "")


def _lies_in(source: Source, directory: Path) -> bool:
    return Path(source.path.partition(SEPARATOR)[0]).resolve().is_relative_to(directory.resolve())


def _newest(sources: Iterable[Source]) -> Iterator[Source]:
    left = _READ_BYTES
    for source in sorted(sources, key=lambda source: source.stamp[2], reverse=True):
        left -= source.stamp[1]
        if left < 0:
            _log.warning("%s and what is older is passed over: it is too much", source.path)
            return
        yield source


def _kept(feedback: Iterable[Feedback]) -> list[Feedback]:
    """Each thing once, the most telling kind first, by time within a kind."""
    found: list[Feedback] = []
    told: set[str] = set()
    for one in sorted(feedback, key=_rank):  # stable
        words = _words(one)
        if words in told or (one.kind not in _TELLING and len(words) <= _SHORT):
            continue
        if words:
            told.add(words)
        found.append(one)
    found.reverse()
    newest = sorted(found, key=_rank)[:_MOST]
    newest.reverse()
    return sorted(newest, key=_rank)


def _rank(one: Feedback) -> int:
    return tuple(_SAID).index(one.kind)


def _words(one: Feedback) -> str:
    return (one.text or one.reason).strip()


def _item(one: Feedback) -> str:
    # Secrets go before words are cut: half a secret would not be known as one.
    words = redact(_words(one))
    target = redact(one.call.target) if one.call else ""
    about = f" ({one.call.name} {target})".replace(" )", ")") if one.call else ""
    return f"The person {_SAID[one.kind]}{about}{': ' if words else '.'}{_cut(words)}"


def _cut(words: str) -> str:
    """The words, the middle left out where they are many."""
    return words if len(words) <= _HEAD + _TAIL else f"{words[:_HEAD]} […] {words[-_TAIL:]}"
