"""From marks to what a person said: copies dropped, queued prompts settled, stops merged."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from sparky.transcripts.model import FeedbackKind, Mark, Note, digest
from sparky.transcripts.tree import Place

_AT_ONCE_S = 1.0
"""What a stop leaves behind (refused calls, a marker) is written within milliseconds."""

_REFUSALS = frozenset({FeedbackKind.REJECTION, FeedbackKind.STOP})
WORDLESS = digest("")


@dataclass(frozen=True, kw_only=True)
class Heard:
    """A mark with the transcript that holds it, the kind of what was said and, for a stop, what came next."""

    kind: FeedbackKind
    path: str
    place: Place
    mark: Mark
    reason: "Heard | None" = None


def heard(
    marks: Mapping[str, Iterable[Mark]], where: Mapping[str, Place], sent: AbstractSet[str]
) -> list[Heard]:
    """What persons said, by time. `marks` and `where` are by path; `sent` has digests of sparky's prompts.

    Files count in the order of `marks`: of an entry that is in several (a fork copies its past), the first.
    """
    seen: set[str] = set()
    found: list[Heard] = []
    for path, mine in marks.items():
        fresh = []
        for mark in sorted(mine, key=lambda one: (one.offset, one.ordinal)):
            if mark.key not in seen:
                seen.add(mark.key)
                fresh.append(mark)
        found += [
            Heard(kind=one.kind, path=path, place=where[path], mark=one)
            for one in kept(fresh)
            if isinstance(one.kind, FeedbackKind) and one.digest not in sent
        ]
    return list(_with_reasons(sorted(found, key=_order)))


def kept(marks: list[Mark]) -> Iterator[Mark]:
    """What persons said in one transcript, in order: the queue settled, and each stop there once."""
    return _merged(_Queue().settled(marks))


def moment(at: str) -> float:
    """A time in ISO 8601 as seconds since 1970; 0 where it is none. Without a zone it is UTC."""
    try:
        read = datetime.fromisoformat(at)
    except ValueError:
        return 0.0
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def _order(one: Heard) -> tuple[float, str, int, int]:
    return moment(one.mark.at), one.path, one.mark.offset, one.mark.ordinal


@dataclass(kw_only=True)
class _Queue:
    """What was typed while the agent was busy, and what became of it. It is used for one transcript."""

    waiting: list[Mark] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)
    started: dict[str, Mark] = field(default_factory=dict)
    shown: Counter[str] = field(default_factory=Counter)
    sent: Counter[str] = field(default_factory=Counter)

    def settled(self, marks: list[Mark]) -> list[Mark]:
        """The marks without the notes: what was taken back is gone, what is told twice is there once."""
        for mark in marks:
            if isinstance(mark.kind, Note):
                self._note(mark.kind)
            elif mark.at and mark.key.startswith(mark.at):  # only the queue's own entries have no id
                self.waiting.append(mark)
                self.shown[mark.digest] += 1
                self.sent[mark.digest] += 1
            elif mark.kind is FeedbackKind.QUEUED:
                self._drop(mark, self.shown)
            elif mark.kind in {FeedbackKind.MESSAGE, FeedbackKind.COMMAND}:
                self._prompt(mark)
        return [one for one in marks if id(one) not in self.gone and isinstance(one.kind, FeedbackKind)]

    def _note(self, note: Note) -> None:
        match note:
            case Note.TAKEN_BACK:
                for one in self.waiting:
                    self.gone.add(id(one))
                    self.shown[one.digest] -= 1
                    self.sent[one.digest] -= 1
                self.waiting.clear()
            case Note.TAKEN_OFF:
                self.waiting = self.waiting[1:]
            case Note.STARTED:
                for one in self.waiting[:1]:
                    self.started[one.digest] = one
                self.waiting = self.waiting[1:]

    def _prompt(self, mark: Mark) -> None:
        first = self.started.pop(mark.digest, None)
        if first is None:
            self._drop(mark, self.sent)
        else:  # the queue was only the way to the prompt
            self.gone.add(id(first))
            self.sent[mark.digest] -= 1

    def _drop(self, mark: Mark, told: Counter[str]) -> None:
        if told[mark.digest] > 0:
            told[mark.digest] -= 1
            self.gone.add(id(mark))


def _merged(marks: list[Mark]) -> Iterator[Mark]:
    """The marks, with what one stop left behind made one."""
    group: list[Mark] = []
    for mark in marks:
        close = group and moment(mark.at) - moment(group[-1].at) <= _AT_ONCE_S
        if group and not (mark.kind in _REFUSALS and close):
            yield from _one(group)
            group = []
        if mark.kind in _REFUSALS:
            group.append(mark)
        else:
            yield mark
    yield from _one(group)


def _one(group: list[Mark]) -> Iterator[Mark]:
    reasoned = [one for one in group if one.digest != WORDLESS]
    bare = [one for one in group if one.kind is FeedbackKind.REJECTION and one.digest == WORDLESS]
    stops = [one for one in group if one.kind is FeedbackKind.STOP and one.digest == WORDLESS]
    yield from reasoned
    if stops:
        call = next((one.call for one in group if one.call), "")
        yield stops[-1]._replace(call=call)
    elif bare and not reasoned:
        yield bare[0]


def _with_reasons(by_time: list[Heard]) -> Iterator[Heard]:
    found = []
    later: dict[str, Heard] = {}
    for one in reversed(by_time):
        session = one.place.session
        if one.mark.kind is FeedbackKind.STOP:
            found.append(replace(one, reason=later.get(session)))
        else:
            found.append(one)
            if one.mark.digest != WORDLESS:
                later[session] = one
    return reversed(found)
