"""The files of any subset of a stack of fixes: each is edited once for each way to choose its units."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from sparky.domain.finding import Finding
from sparky.domain.issue import Kind
from sparky.evidence.detect import bind, detect
from sparky.evidence.failing import Hear
from sparky.evidence.running import reader
from sparky.fixing.stack import Layer, apply
from sparky.ports import Ports
from sparky.tools.table import ALONE
from sparky.tools.tool import Unit, joined, parts

Piece = tuple[int, Unit]
"""A unit, and the index of its layer."""

Texts = Mapping[str, bytes]
"""Files that may differ from the base, by path."""


@dataclass(frozen=True, kw_only=True)
class _Work:
    """What a file's bytes after a layer follow from; `beside`: all other files, where a tool reads those."""

    layer: int
    units: tuple[Unit, ...]
    before: bytes
    beside: frozenset[tuple[str, bytes]] = frozenset()


class Composer:
    """Edits in a worktree at the base, `root`, which is nobody else's meanwhile; `shown`: see `apply`.

    `hear` gives what the tests say at a commit; `known`: what was found at the base, None: nobody looked.
    """

    def __init__(
        self,
        ports: Ports,
        root: Path,
        base: str,
        stack: Sequence[Layer],
        *,
        shown: Callable[[], Path | None],
        hear: Callable[[Callable[[], str]], Hear],
        known: Sequence[Finding] | None = None,
    ) -> None:
        self._shown, self._hear, self._known = shown, hear, known
        self._ports, self._root, self._base, self._stack = ports, root, base, tuple(stack)
        read = reader(root)
        paths = sorted({unit.path for layer in stack for unit in layer.units})
        self._original = {path: read(path) or b"" for path in paths}
        self._there = dict(self._original)
        self._ends = {path for path, data in self._original.items() if self._is_converted(path, data)}
        self._made: dict[_Work, bytes] = {}
        self._learns = cache(lambda tool: bind(ports, tool, root).learns)

    def texts(self, pieces: Sequence[Piece]) -> Texts:
        """The files with these units alone, those that differ from the base; raises ToolError."""
        after = next((step[-1] for step in reversed(list(self.steps(pieces)))), self._original)
        return {path: data for path, data in after.items() if data != self._original[path]}

    def stored(self, texts: Texts) -> Texts:
        """The same as a commit will have them: without the line ends that only a checkout has."""
        return {p: data.replace(b"\r\n", b"\n") if p in self._ends else data for p, data in texts.items()}

    def steps(self, pieces: Sequence[Piece]) -> Iterator[tuple[int, tuple[Unit, ...], Texts, Texts]]:
        """For each layer of which there are units: its index, the units, the files before and after it."""
        texts: Texts = self._original
        for index in range(len(self._stack)):
            units = joined(unit for i, unit in pieces if i == index)
            if units:
                after = {**texts, **self._after(index, units, texts)}
                yield index, units, texts, after
                texts = after

    def parts(self, kept: Sequence[Piece], piece: Piece) -> tuple[Piece, ...]:
        """A piece taken apart by finding, as its file is where the layers before it are `kept`."""
        index, unit = piece
        layer = self._stack[index]
        texts = self.texts([(i, other) for i, other in kept if i < index])
        found = self.findings(texts, (unit.path,), (layer.kind,))
        return tuple((index, part) for part in parts(unit, found, layer.works))

    def learns(self, unit: Unit) -> bool:
        """Whether a unit's tool learns from the target's tests, and so takes long to say how to edit."""
        return self._learns(unit.tool)

    def findings(
        self, texts: Texts, paths: Sequence[str], kinds: Iterable[Kind], also: Iterable[Kind] = ()
    ) -> tuple[Finding, ...]:
        """What the tools find in some paths where the files are such; `also`: see `detect`."""
        self._lay(texts)
        ports, base, known, hear = self._ports, self._base, self._known, self._heard(texts)
        return detect(ports, self._root, base, kinds, paths, also=also, before=known, hear=hear).findings

    def commit(self, texts: Texts) -> str:
        """A commit in which the files are such."""
        return self._ports.repository.overlay(self._base, self.stored(texts)) if texts else self._base

    def _heard(self, texts: Texts) -> Hear:
        changed = {p: t for p, t in texts.items() if t != self._original[p]}
        return self._hear(lambda: self.commit(changed))

    def _after(self, index: int, units: Sequence[Unit], texts: Texts) -> Texts:
        by_path: dict[str, list[Unit]] = {}
        for unit in units:
            by_path.setdefault(unit.path, []).append(unit)
        works = {path: _work(index, tuple(mine), texts) for path, mine in by_path.items()}
        todo = [path for path, work in works.items() if work not in self._made]
        if todo:
            before = self.findings(texts, todo, (Kind.FORMATTING,))
            hear = self._heard(texts)
            mine = [unit for path in todo for unit in by_path[path]]
            apply(
                self._ports, self._root, self._stack[index].works, mine, before, shown=self._shown, hear=hear
            )
            read = reader(self._root)
            for path in todo:
                self._there[path] = self._made[works[path]] = read(path) or b""
        return {path: self._made[work] for path, work in works.items()}

    def _is_converted(self, path: str, data: bytes) -> bool:
        """Whether the attributes of the repository give a file other line ends in a checkout."""
        there = self._ports.repository.read(self._base, path) if b"\r\n" in data else data
        return data != there and data.replace(b"\r\n", b"\n") == there

    def _lay(self, texts: Texts) -> None:
        for path, original in self._original.items():
            wanted = texts.get(path, original)
            if self._there[path] != wanted:
                (self._root / path).write_bytes(wanted)
                self._there[path] = wanted


def _work(layer: int, units: tuple[Unit, ...], texts: Texts) -> _Work:
    work = _Work(layer=layer, units=units, before=texts[units[0].path])
    if all(unit.tool in ALONE for unit in units):
        return work
    return replace(work, beside=frozenset(texts.items()))
