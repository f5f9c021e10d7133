"""What `make crash` has tried so far, a line of JSON each: what was broken off can be gone on with."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tests.durable.tracer import Boundary

NEVER = "never reached again"
"""What is said of a boundary that no other run passes: at a moment of the database's own choice, say."""


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What was wrong after a run that was broken off at a boundary; "": nothing.

    `killed`: itself, and not what it had started; else it was gone on with from what lay on the disk there,
    whose name is `state`.
    """

    boundary: Boundary
    why: str
    killed: bool = False
    state: str = ""


@dataclass(frozen=True, kw_only=True)
class Cuts:
    """In how many of its frames a part of the cuts was made, and what was wrong in the end; "": nothing."""

    part: int
    cut: int
    frames: int
    why: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of the file: one of its three is there."""

    passed: tuple[Boundary, ...] = ()
    tried: Tried | None = None
    cuts: Cuts | None = None


@dataclass(kw_only=True)
class Journal:
    """The boundaries that a run passed, in order, and those that it was broken off at and gone on with well.

    `unreached`: those that no later run passed; `wrong`: how often it was not well, by this process.
    """

    path: Path
    passed: list[Boundary] = field(default_factory=list)
    tried: set[Boundary] = field(default_factory=set)
    unreached: set[Boundary] = field(default_factory=set)
    states: set[str] = field(default_factory=set)
    killed: set[Boundary] = field(default_factory=set)
    cuts: dict[int, Cuts] = field(default_factory=dict)
    wrong: int = 0

    @classmethod
    def read(cls, path: Path) -> "Journal":
        """As it was left; a last line that was cut off does not count. What went wrong is tried again."""
        journal = cls(path=path)
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        for line in (msgspec.json.decode(line, type=Line) for line in lines):
            journal.passed.extend(line.passed)
            for done in (line.tried, line.cuts):
                journal.note(done)
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
                self._write(Line(tried=done))
            case Cuts():
                self._write(Line(cuts=done))
        self.note(done)

    def note(self, done: Tried | Cuts | None) -> None:
        """Keep it in mind."""
        match done:
            case Tried(why="", killed=True):
                self.killed.add(done.boundary)
            case Tried(why=why) if why == NEVER:
                self.unreached.add(done.boundary)
            case Tried(why=""):
                self.tried.add(done.boundary)
                self.states.add(done.state)
            case Cuts(why=""):
                self.cuts[done.part] = done
            case Tried() | Cuts():
                self.wrong += 1
            case None:
                pass

    def _write(self, line: Line) -> None:
        with self.path.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")
