"""A detector that lists findings, each with the edits that would mend it; sparky itself makes the edits."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from sparky.domain.agent import ToolFix
from sparky.domain.command import Completed, Ending
from sparky.domain.finding import Finding, Fix, Location, Stay, for_agent, kept, marks
from sparky.domain.issue import Kind, Severity
from sparky.tools.own import is_own, kept_off
from sparky.tools.ruff_json import Diagnostic, Edit, parse, patched
from sparky.tools.symbols import symbol_at, symbols
from sparky.tools.tool import STAYS, Argv, Read, ToolError, Unit

Parse = Callable[[Completed, Read], Iterable[Diagnostic]]
_FIXES = {"safe": Fix.SAFE, "unsafe": Fix.UNSAFE}
_PROGRAMS = "sparky.tools.programs."
_DETECTORS, _ASKED = "detectors", 4
"""The program that is several detectors, and where in its command the one stands that is asked."""
_SUFFIXES = (".py", ".pyi", ".pyw", ".md", ".rst", ".toml")


def plain(result: Completed, _read: Read) -> tuple[Diagnostic, ...]:
    """The answer of a program of sparky's own, which prints what ruff would."""
    return parse(result.stdout)


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Such a detector, bound to one target; see `Tool` for what its methods promise.

    `binary` is "" where it can't be had: it has no command then. `kinds` is the kind of each of its rules, or
    that of all, `why` what is said of a finding that stays, by rule. `argv` is the command for some paths, of
    which those with other `suffixes` are left out, None: it `hears`; file names in its answer are relative to
    the target's root. `codes` are its exit codes of success, `unfollowed` its notes, `whole` as in `Tool`.
    `offering`: the command that says how to edit, given what the tests showed; None: that which finds does.
    What it offers for a file depends on all others, and is long in coming, so it is asked for all at once.
    """

    name: str
    binary: str
    kinds: Mapping[str, Kind] | Kind
    argv: Callable[[Sequence[str]], Argv] | None = None
    parse: Parse = plain
    why: Mapping[str, Stay] = field(default_factory=dict)
    severity: Severity = Severity.LOW
    suffixes: tuple[str, ...] = (".py",)
    offering: Callable[[Sequence[str], str], Argv] | None = None
    codes: frozenset[int] = frozenset({0})
    whole: bool = False
    unfollowed: tuple[str, ...] = ()

    def notes(self, kinds: Iterable[Kind]) -> tuple[str, ...]:
        return () if self._all_kinds.isdisjoint(kinds) else self.unfollowed

    def version(self) -> Argv:
        return (self.binary, "--version")

    def detect(self, kinds: Iterable[Kind], paths: Sequence[str] = (".",)) -> tuple[Argv, ...]:
        mine = [path for path in paths if path.endswith(self.suffixes) or not path.endswith(_SUFFIXES)]
        if self.argv is None or not self.binary or not mine or self._all_kinds.isdisjoint(kinds):
            return ()
        return ((self.binary, *self.argv(mine)),)

    def findings(self, results: Sequence[Completed], root: str, read: Read) -> tuple[Finding, ...]:
        del root  # its file names are relative
        source = lru_cache(maxsize=None)(read)
        found = [self._finding(one, source) for done in results for one in self._listed(done, source)]
        own = (f for f in found if is_own(f.location.path) and source(f.location.path) is not None)
        return tuple(sorted((kept_off(f, source(f.location.path)) for f in own), key=_place))

    def fix(self, rules: Iterable[str], paths: Sequence[str], unsafe: Iterable[str] = ()) -> tuple[Argv, ...]:
        del rules, paths, unsafe
        return ()

    def replay(self, units: Iterable[Unit], unsafe: Iterable[str] = ()) -> tuple[Argv, ...]:
        del units, unsafe
        return ()

    def patches(self, unit: Unit) -> bool:
        del unit
        return True

    @property
    def hears(self) -> bool:
        return self.argv is None

    @property
    def learns(self) -> bool:
        return self.offering is not None

    def offer(self, unit: Unit, traces: str = "") -> Argv:
        if self.offering is not None:
            return (self.binary, *self.offering((".",), traces))
        return (self.binary, *(self.argv((unit.path,)) if self.argv is not None else ()))

    def patch(self, offered: Completed, units: Sequence[Unit], read: Read) -> bytes:
        source = lru_cache(maxsize=None)(read)
        told = self._listed(offered, source)
        edits = [edit for unit in units for edit in self._edits(told, unit, source)]
        return patched(read(units[0].path) or b"", edits)

    def _edits(self, told: Sequence[Diagnostic], unit: Unit, read: Read) -> Iterator[Edit]:
        mine = [one for one in told if (one.code, one.filename) == (unit.rule, unit.path)]
        pairs = sorted(
            ((self._finding(one, read), one.fix) for one in mine), key=lambda pair: _place(pair[0])
        )
        for mark, (_, fix) in zip(marks(finding for finding, _ in pairs), pairs, strict=True):
            if fix and (not unit.only or mark in unit.only):
                yield from fix.edits

    def tidy(self, before: Iterable[Finding], paths: Iterable[str]) -> tuple[Unit, ...]:
        del before, paths
        return ()

    def why_left(self, finding: Finding, works: ToolFix) -> Stay | None:
        why = self.why.get(finding.rule)
        if finding.fix in STAYS:
            return STAYS[finding.fix]
        if finding.fix is Fix.NONE:
            return why or for_agent("no rule mends it")
        if finding.rule not in works.rules:
            return why or kept(f"{finding.rule} is not among the rules that this agent mends")
        return None

    @property
    def _all_kinds(self) -> frozenset[Kind]:
        return frozenset((self.kinds,) if isinstance(self.kinds, Kind) else self.kinds.values())

    def _tells(self, one: Diagnostic) -> bool:
        return isinstance(self.kinds, Kind) or one.code in self.kinds

    def _listed(self, result: Completed, read: Read) -> tuple[Diagnostic, ...]:
        said = result.stderr.decode("utf-8", "backslashreplace").strip()[-2000:]
        if result.ending is not Ending.EXITED or result.code not in self.codes or result.dropped:
            how = f"{result.ending.value}, exit code {result.code}, {result.dropped} bytes lost"
            raise ToolError(f"{self.name} gave no answer: {how}: {said or 'it said nothing'}")
        try:
            return tuple(one for one in self.parse(result, read) if self._tells(one))
        except ValueError as error:
            raise ToolError(f"{self.name}'s answer can't be read: {error}: {said}") from error

    def _finding(self, one: Diagnostic, read: Read) -> Finding:
        rule = one.code or ""
        place = one.location
        line = place.row if place else None
        source = read(one.filename) if one.filename.endswith(".py") else None
        return Finding(
            tool=self.name,
            rule=rule,
            kind=self.kinds if isinstance(self.kinds, Kind) else self.kinds[rule],
            message=one.message,
            location=Location(
                path=one.filename,
                line=line,
                column=place.column if place else None,
                symbol=symbol_at(_names(source), line) if source else "",
            ),
            severity=self.severity,
            fix=_FIXES.get(one.fix.applicability, Fix.NONE) if one.fix else Fix.NONE,
        )


@lru_cache(maxsize=64)
def _names(source: bytes) -> tuple[str, ...]:
    return symbols(source)


def _place(finding: Finding) -> tuple[str, int, int, str]:
    where = finding.location
    return where.path, where.line or 0, where.column or 0, finding.rule


def program(name: str, *options: str) -> Callable[[Sequence[str]], Argv]:
    """The command of a program of sparky's own, for its Python: isolated from the target's files."""
    return lambda paths: ("-I", "-m", f"{_PROGRAMS}{name}", *options, "--", *paths)


def detector(name: str, *options: str) -> Callable[[Sequence[str]], Argv]:
    """The command that asks one of sparky's own detectors, which is a module of `programs`."""
    return program(_DETECTORS, " ".join((name, *options)))


def is_detector(argv: Argv) -> bool:
    """Whether a command asks one of sparky's own detectors."""
    return argv[3:_ASKED] == (f"{_PROGRAMS}{_DETECTORS}",)


def asking_all(commands: Sequence[Argv]) -> Argv:
    """The command that asks all detectors that these ask for the same paths; each answers with a line."""
    first = commands[0]
    return (*first[:_ASKED], *(argv[_ASKED] for argv in commands), *first[_ASKED + 1 :])


def is_program(argv: Argv) -> bool:
    """Whether a command runs a program of sparky's own."""
    return any(word.startswith(_PROGRAMS) for word in argv[3:4])
