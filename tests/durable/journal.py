"""What `make crash` has tried so far, a line of JSON each: what was broken off can be gone on with."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tests.durable.tracer import Boundary


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What was wrong after a run that was broken off at a boundary; "": nothing.

    `killed`: itself, and not what it had started; else it was gone on with from what lay on the disk there.
    """

    boundary: Boundary
    why: str
    killed: bool = False


@dataclass(frozen=True, kw_only=True)
class Cuts:
    """In how many of its frames the log was cut; every time with one commit in the end."""

    cut: int
    frames: int


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of the file: one of its three is there."""

    passed: tuple[Boundary, ...] = ()
    tried: Tried | None = None
    cuts: Cuts | None = None


@dataclass(kw_only=True)
class Journal:
    """The boundaries that a run passed, in order, and those that it was broken off at and gone on with well.

    `wrong`: how often it was not well, by this process.
    """

    path: Path
    passed: list[Boundary] = field(default_factory=list)
    tried: set[Boundary] = field(default_factory=set)
    killed: set[Boundary] = field(default_factory=set)
    cuts: Cuts | None = None
    wrong: int = 0

    @classmethod
    def read(cls, path: Path) -> "Journal":
        """As it was left; a last line that was cut off does not count. What went wrong is tried again."""
        journal = cls(path=path)
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        for line in (msgspec.json.decode(line, type=Line) for line in lines):
            journal.passed.extend(line.passed)
            journal.cuts = line.cuts or journal.cuts
            if line.tried:
                journal.note(line.tried)
        journal.wrong = 0
        return journal

    def start(self, passed: Sequence[Boundary]) -> None:
        """Note what a run passed."""
        self.passed = list(passed)
        self._write(Line(passed=tuple(passed)))

    def add(self, done: Tried | Cuts) -> None:
        """Note what came of a kill, or of the cuts."""
        match done:
            case Tried():
                self.note(done)
                self._write(Line(tried=done))
            case Cuts():
                self.cuts = done
                self._write(Line(cuts=done))

    def note(self, tried: Tried) -> None:
        """Keep it in mind."""
        if tried.why:
            self.wrong += 1
        else:
            (self.killed if tried.killed else self.tried).add(tried.boundary)

    def _write(self, line: Line) -> None:
        with self.path.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")
