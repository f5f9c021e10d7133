"""What every tool offers: command lines to run, and readings of what they print. No tool starts a process."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sparky.domain.agent import ToolFix
from sparky.domain.command import Completed
from sparky.domain.errors import UserError
from sparky.domain.finding import Finding, Fix, Stay, fingerprint, for_person, kept, marks
from sparky.domain.issue import Kind

Argv = tuple[str, ...]
Read = Callable[[str], bytes | None]
"""The bytes of a file by its POSIX path from the target's root; None if it is not there, or is a link."""

BROKEN = frozenset({"invalid-syntax", "unreadable"})
"""The rules of a finding that stands for a whole file which no tool could read."""

SILENT = "no-answer"
"""The rule of a finding that stands for all that a tool, which need not be there, would have said."""

GENERATED = for_person("a program writes this file, as its first lines say, and would undo the fix")
"""Why a finding stays whose fix is `Fix.GENERATED`."""

READ = kept("a program may read this docstring as it runs, and its fix changes the text")
"""Why a finding stays whose fix is `Fix.READ`."""

STAYS = {Fix.GENERATED: GENERATED, Fix.READ: READ}
"""Why a finding stays whose fix there is, and is not to be made."""


class ToolError(UserError):
    """A tool gave no answer, or one that cannot be believed; the text says which and why."""


@dataclass(frozen=True, kw_only=True, order=True)
class Unit:
    """A part of a fix that can be applied alone: one rule in one file.

    `only` limits it to some of its findings, by the names that `marks` gives them among those of the rule in
    the file, in their order; empty: all.
    """

    path: str
    rule: str
    only: tuple[str, ...] = ()
    tool: str = "ruff"


class Tool(Protocol):
    """A detector and fixer, bound to its binary and to one target's configuration.

    All commands are to be run in the target's root, which is resolved (no symbolic link in it).
    """

    @property
    def name(self) -> str:
        """What findings are marked with, and agents ask for."""
        ...

    def notes(self, kinds: Iterable[Kind]) -> tuple[str, ...]:
        """What of the target's configuration is not followed in looking for these, and why, for a person."""
        ...

    def version(self) -> Argv:
        """The command that prints the tool's version."""
        ...

    def detect(self, kinds: Iterable[Kind], paths: Sequence[str] = (".",)) -> tuple[Argv, ...]:
        """The commands that find; none if the tool knows nothing of these kinds. They change no file."""
        ...

    def findings(self, results: Sequence[Completed], root: str, read: Read) -> tuple[Finding, ...]:
        """All findings of one detection, sorted by place; raises ToolError if an answer is not complete.

        A file that cannot be read has findings whose rule is in `BROKEN`, and no other. Links have none: a
        tool would mend what they point to, wherever that lies.
        """
        ...

    def fix(self, rules: Iterable[str], paths: Sequence[str], unsafe: Iterable[str] = ()) -> tuple[Argv, ...]:
        """The commands that mend all of `rules` in all of `paths`, one per phase. Each must exit with 0."""
        ...

    def replay(self, units: Iterable[Unit], unsafe: Iterable[str] = ()) -> tuple[Argv, ...]:
        """The commands that apply exactly these units: one `fix` per set of rules that files share.

        Those that `patches` are left out: they are for `offer` and `patch`.
        """
        ...

    def patches(self, unit: Unit) -> bool:
        """Whether a unit is applied by `offer` and `patch`: the tool has no command for just it."""
        ...

    @property
    def hears(self) -> bool:
        """Whether a run of the target's tests speaks for it: it has no command, who looks has the answer."""
        ...

    @property
    def whole(self) -> bool:
        """Whether it reads all of a target, for whatever paths it is asked: its answer follows from that."""
        ...

    @property
    def learns(self) -> bool:
        """Whether what the target's tests showed makes for better offers, which then take long."""
        ...

    def offer(self, unit: Unit, traces: str = "") -> Argv:
        """The command that says what the tool would edit for a unit. It changes no file.

        `traces`: the file with what the tests showed, for a tool that `learns`; "": there is none.
        """
        ...

    def patch(self, offered: Completed, units: Sequence[Unit], read: Read) -> bytes:
        """The units' one file with the edits for their `only` findings (all if it names none), as offered.

        A finding that is not there (any more), or has no edits, counts for nothing; of two edits that overlap
        the first in the file is made.
        """
        ...

    def tidy(self, before: Iterable[Finding], paths: Iterable[str]) -> tuple[Unit, ...]:
        """The units that keep those of `paths` clean whose layout was clean `before` a fix."""
        ...

    def why_left(self, finding: Finding, works: ToolFix) -> Stay | None:
        """Why no agent that works so mends it; None if nothing speaks against mending it."""
        ...


def units(
    findings: Sequence[Finding], works: ToolFix, refused: Container[str] = frozenset()
) -> tuple[Unit, ...]:
    """The units of an agent's work: each rule and file that it can mend, once, sorted.

    Findings whose fingerprint is `refused`, and those whose fix changes what a program reads, are left out,
    and the others of their unit are named one by one.
    """
    able: dict[Unit, list[str]] = {}
    barred = set()
    for mark, finding in zip(marks(findings), findings, strict=True):
        unit = Unit(path=finding.location.path, rule=finding.rule, tool=finding.tool)
        if finding.fix is Fix.READ or (mends(works, finding) and fingerprint(finding) in refused):
            barred.add(unit)
        elif mends(works, finding):
            able.setdefault(unit, []).append(mark)
    return tuple(replace(u, only=tuple(able[u])) if u in barred else u for u in sorted(able))


def parts(unit: Unit, findings: Sequence[Finding], works: ToolFix) -> tuple[Unit, ...]:
    """The unit taken apart: one unit for each of its findings that can be mended."""
    return tuple(replace(unit, only=(mark,)) for mark, _ in _covered((unit,), findings, works))


def joined(taken: Iterable[Unit]) -> tuple[Unit, ...]:
    """The units, sorted; parts of one unit become one again."""
    whole: dict[Unit, tuple[str, ...]] = {}
    for unit in taken:
        key = replace(unit, only=())
        whole[key] = (*whole.get(key, ()), *unit.only)
    return tuple(replace(key, only=whole[key]) for key in sorted(whole))


def covered(chosen: Iterable[Unit], findings: Sequence[Finding], works: ToolFix) -> tuple[Finding, ...]:
    """The findings that these units mend."""
    return tuple(finding for _, finding in _covered(chosen, findings, works))


def _covered(
    chosen: Iterable[Unit], findings: Sequence[Finding], works: ToolFix
) -> Iterator[tuple[str, Finding]]:
    limits = {(unit.path, unit.rule): unit.only for unit in chosen}
    for mark, finding in zip(marks(findings), findings, strict=True):
        only = limits.get((finding.location.path, finding.rule))
        if only is not None and mends(works, finding) and (not only or mark in only):
            yield mark, finding


def mends(works: ToolFix, finding: Finding) -> bool:
    """Whether an agent that works so may mend the finding."""
    allowed = finding.fix is Fix.SAFE or (finding.fix is Fix.UNSAFE and finding.rule in works.unsafe)
    return allowed and finding.rule in works.rules
