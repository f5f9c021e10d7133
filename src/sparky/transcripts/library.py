"""What is asked of transcripts: sessions, trees, feedback, tokens, all from the index."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from sparky.domain.errors import UsageError
from sparky.transcripts.feedback import Heard, heard, moment
from sparky.transcripts.index import TranscriptIndex
from sparky.transcripts.model import (
    Call,
    Feedback,
    FeedbackKind,
    Link,
    Source,
    Turn,
    Usage,
    Warn,
)
from sparky.transcripts.sessions import (
    SessionLine,
    SessionNotFoundError,
    Wanted,
    of_project,
    require,
    session_lines,
)
from sparky.transcripts.table import READERS, discover, recognise
from sparky.transcripts.tree import Leaf, Node, Place, forest, places

INDEX = "transcripts.db"

Words = Callable[[str], str]
"""What is done to words before they are shown: secrets are taken out, or nothing is."""


@dataclass(frozen=True, kw_only=True)
class Oddities:
    """What could not be understood: types that no rule knows, and lines that can't be read, by transcript."""

    unknown: Mapping[str, int]
    bad: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Library:
    """The transcripts as the index has them."""

    index: TranscriptIndex
    now: float = field(default_factory=time.time)

    @cached_property
    def leaves(self) -> list[Leaf]:
        """Every transcript."""
        return self.index.leaves()

    @cached_property
    def _links(self) -> dict[str, list[Link]]:
        return self.index.links()

    @cached_property
    def where(self) -> dict[str, Place]:
        """Where each transcript stands, by its path."""
        return places(self.leaves, self._links)

    @cached_property
    def heard(self) -> list[Heard]:
        """What persons said, by time; without the words."""
        return heard(self.index.marks(), self.where, self.index.sent())

    def trees(self, wanted: Wanted) -> tuple[Node, ...]:
        """The sessions that are asked for, newest first, each with its agents at any depth."""
        every = forest(self.leaves, self._links, self.now)
        found = [node for node in every if _fits(node, wanted)]
        require(wanted, [node.name for node in found], [node.name for node in every])
        return tuple(found)

    def one(self, wanted: Wanted) -> Node:
        """The one session that is asked for; raises SessionNotFoundError for none and for several."""
        found = self.trees(wanted)
        exact = [node for node in found if node.name == wanted.session]
        if len(exact or found) == 1:
            return (exact or found)[0]
        names = ", ".join(node.name for node in found[:8])
        raise SessionNotFoundError(f"{wanted.session!r} fits {len(found)} sessions: {names}")

    def sessions(self, wanted: Wanted) -> tuple[SessionLine, ...]:
        """The sessions that are asked for, newest first."""
        return tuple(session_lines(self.index.sheets(), self.index.counts(), wanted, self.now))

    def feedback(
        self, wanted: Wanted, kinds: Iterable[FeedbackKind] = (), words: Words = str
    ) -> tuple[Feedback, ...]:
        """What persons said in the sessions that are asked for, by time, with its words."""
        names = {node.name for node in self.trees(Wanted(project=wanted.project, session=wanted.session))}
        only = frozenset(kinds) or frozenset(FeedbackKind)
        chosen = [
            one
            for one in self.heard
            if one.kind in only
            and one.place.session in names
            and (not wanted.since or moment(one.mark.at) >= wanted.since)
        ]
        reader = {leaf.path: leaf.reader for leaf in self.leaves}
        needed = [*chosen, *(one.reason for one in chosen if one.reason)]
        texts = _texts(needed, reader)
        return tuple(_feedback(one, texts, reader[one.path], words) for one in chosen)

    def spent(self, wanted: Wanted) -> dict[tuple[str, tuple[str, ...]], list[Usage]]:
        """The tokens of every message once, by session and agent, for the sessions that are asked for."""
        names = [node.name for node in self.trees(wanted)]
        found: dict[tuple[str, tuple[str, ...]], list[Usage]] = {}
        for path, usage in self.index.usage():
            place = self.where[path]
            found.setdefault((place.session, place.agents), []).append(usage)
        order = {name: number for number, name in enumerate(names)}
        keys = sorted((key for key in found if key[0] in order), key=lambda key: (order[key[0]], key[1]))
        return {key: found[key] for key in keys}

    def own_costs(self) -> dict[str, float]:
        """What the agents themselves count, in USD, by session."""
        return {self.where[path].session: cost for path, cost in self.index.own_costs().items()}

    def oddities(self) -> Oddities:
        """What could not be understood in any transcript."""
        bad: dict[str, tuple[int, ...]] = {}
        for path, offset in self.index.bad():
            bad[path] = (*bad.get(path, ()), offset)
        return Oddities(unknown=self.index.odd(), bad=bad)


def open_library(state: Path, homes: Mapping[str, Path], warn: Warn) -> Library:
    """The transcripts of every tool, by where each keeps its own, with the index brought up to date.

    The index lies in `state`. Hold a lock: refreshing twice at once is right, but the work is done twice.
    """
    index = TranscriptIndex(state / INDEX)
    index.prepare()
    index.refresh(discover(homes), READERS, warn)
    return Library(index)


def open_files(paths: Iterable[Path], warn: Warn, scratch: Path) -> Library:
    """The transcripts that the files hold, in an index of their own; raises UsageError for what is none."""
    sources: list[Source] = []
    for path in paths:
        try:
            found = recognise(path.resolve(strict=True))
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror or error}") from error
        if not found:
            raise UsageError(f"{path} is no transcript that sparky reads: {', '.join(READERS)}")
        sources += found
    index = TranscriptIndex(scratch / INDEX)
    index.prepare()
    index.refresh(sources, READERS, warn)
    return Library(index)


def turns(leaf: Leaf, words: Words) -> Iterator[Turn]:
    """The conversation of a transcript; raises UsageError if it can't be read any more."""
    try:
        for turn in READERS[leaf.reader].turns(leaf.path):
            yield cleaned_turn(turn, words)
    except OSError as error:
        raise UsageError(f"{leaf.path}: {error.strerror or error}") from error


def cleaned_turn(turn: Turn, words: Words) -> Turn:
    """The turn with its texts as they may be shown."""
    call = Call(name=turn.call.name, target=words(turn.call.target)) if turn.call else None
    return replace(turn, text=words(turn.text), call=call, input=cleaned(turn.input, words))


def cleaned(value: object, words: Words) -> object:
    """Any JSON value with its texts as they may be shown."""
    match value:
        case str():
            return words(value)
        case dict():
            return {key: cleaned(item, words) for key, item in value.items()}
        case list() | tuple():
            return [cleaned(item, words) for item in value]
        case _:
            return value


def _fits(node: Node, wanted: Wanted) -> bool:
    if not node.name.startswith(wanted.session) or (wanted.since and _written(node) < wanted.since):
        return False
    return wanted.project is None or any(
        of_project(leaf.head.cwd, leaf.path, wanted.project) for leaf in leaves_of(node)
    )


def leaves_of(node: Node) -> Iterator[Leaf]:
    """The transcripts of a session or agent and of all below it."""
    if node.leaf:
        yield node.leaf
    for child in node.children:
        yield from leaves_of(child)


def _written(node: Node) -> float:
    return max((leaf.written for leaf in leaves_of(node)), default=0.0)


def _texts(chosen: Iterable[Heard], readers: Mapping[str, str]) -> dict[int, tuple[str, Call | None]]:
    by_path: dict[str, list[Heard]] = {}
    for one in chosen:
        by_path.setdefault(one.path, []).append(one)
    found: dict[int, tuple[str, Call | None]] = {}
    for path, mine in by_path.items():
        said = READERS[readers[path]].words(path, [one.mark for one in mine])
        found.update(zip((id(one) for one in mine), said, strict=True))
    return found


def _feedback(
    one: Heard, texts: Mapping[int, tuple[str, Call | None]], reader: str, words: Words
) -> Feedback:
    text, call = texts[id(one)]
    return Feedback(
        kind=one.kind,
        at=one.mark.at,
        text=words(text),
        reader=reader,
        session=one.place.session,
        agents=one.place.agents,
        call=Call(name=call.name, target=words(call.target)) if call else None,
        reason=words(texts[id(one.reason)][0]) if one.reason else "",
        path=one.path,
        offset=one.mark.offset,
        call_id=one.mark.call,
    )
