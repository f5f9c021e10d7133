"""The annotations of a target's files, some of them put in or taken out."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sparky.tools.programs.annotations import Annotated
from sparky.tools.programs.blame import Slot
from sparky.tools.programs.signatures import Key, Place
from sparky.tools.ruff_json import patched

Files = dict[str, Annotated]
Said = tuple[dict[Key, dict[str, str]], dict[int, str], frozenset[str]]
"""What is said in a file: the words of slots, those of variables, and exports."""


def words(found: Files) -> dict[Slot, str]:
    """The words that stand in the files."""
    return {
        (path, key, name): some[0]
        for path, one in found.items()
        for key, slots in one.slots.items()
        for name, some in slots.items()
    }


def size(found: Files) -> int:
    """How many slots are annotated."""
    return sum(len(slots) for one in found.values() for slots in one.slots.values())


def places(found: Files) -> list[Place]:
    """The functions that are annotated."""
    return [(path, key) for path, one in found.items() for key in one.slots]


def only(found: Files, wanted: Iterable[Place]) -> Files:
    """The annotations of these functions."""
    kept = {*wanted}
    return {
        path: replace(one, slots={key: some for key, some in one.slots.items() if (path, key) in kept})
        for path, one in found.items()
    }


def without(found: Files, slots: Iterable[Slot]) -> Files:
    """The annotations but for these."""
    for slot in slots:
        found = changed(found, slot, ())
    return found


def changed(found: Files, slot: Slot, words: tuple[str, ...]) -> Files:
    """The annotations with other words for a slot; none: it stays open."""
    path, key, name = slot
    one = found[path]
    mine = {other: some for other, some in one.slots.get(key, {}).items() if other != name}
    mine = {**mine, name: words} if words else mine
    rest = {other: some for other, some in one.slots.items() if other != key}
    return {**found, path: replace(one, slots={**rest, key: mine} if mine else rest)}


def said(one: Annotated) -> Said:
    """What is said in a file: of the words of each slot the first."""
    words = {key: {slot: some[0] for slot, some in slots.items()} for key, slots in one.slots.items()}
    return words, {**one.variables}, one.exports


def bare(found: Files) -> Files:
    """The files without what they declare: their variables and exports."""
    return {path: replace(one, variables={}, exports=frozenset()) for path, one in found.items()}


def singles(found: Files) -> Iterator[Files]:
    """The files with each of what they declare alone."""
    plain = bare(found)
    for path, one in found.items():
        for line, word in one.variables.items():
            yield {**plain, path: replace(plain[path], variables={line: word})}
        for name in sorted(one.exports):
            yield {**plain, path: replace(plain[path], exports=frozenset({name}))}


def with_declared(found: Files, more: Files) -> Files:
    """The files with what others like them declare, too."""
    return {
        path: replace(
            one,
            variables={**one.variables, **more[path].variables},
            exports=one.exports | more[path].exports,
        )
        for path, one in found.items()
    }


def annotated(one: Annotated) -> bytes:
    """The file with all of its annotations."""
    edits = [edit for key in one.slots for edit in one.edits(key)]
    edits += [edit for line in one.variables for edit in one.variable(line)]
    return patched(one.source, [*edits, *(edit for name in one.exports for edit in one.exported(name))])
