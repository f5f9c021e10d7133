"""ruff (MIT), the detector and fixer of layout, imports and dead code: always isolated, never with a cache.

The target's own .gitignore files are not asked either: what is tracked is code, and those of parent
directories must change nothing.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from sparky.domain.agent import ToolFix
from sparky.domain.command import Completed, Ending
from sparky.domain.finding import Finding, Fix, Location, Stay, for_agent, kept, marks
from sparky.domain.issue import Kind, Severity
from sparky.issues.kind import kind_of_code
from sparky.tools.docstrings import FORM, READ, spared
from sparky.tools.own import is_own, kept_off
from sparky.tools.reexports import is_re_export, with_fix
from sparky.tools.ruff_config import RuffConfig, load
from sparky.tools.ruff_json import Diagnostic, parse, patched
from sparky.tools.ruff_rules import BY_CODE, FORMAT, MAX_COMPLEXITY, codes
from sparky.tools.sorting import SORTED, weighed
from sparky.tools.symbols import lines_before_scopes, symbol_at, symbols
from sparky.tools.tool import BROKEN, STAYS, Argv, Read, ToolError, Unit

_CODES = frozenset({0, 1, 2})
# Without this rule a file that is not there is a mere warning on stderr, with exit code 0.
_ALWAYS = "E902"
_UNREADABLE = "unreadable"
_NAMES = {None: "invalid-syntax", "E902": _UNREADABLE, "io": _UNREADABLE, "unformatted": FORMAT}
_FIXES = {"safe": Fix.SAFE, "unsafe": Fix.UNSAFE, READ: Fix.READ}
_MESSAGES = {FORMAT: "the formatter would change this file"}
_TEXTS = FORM | {"unformatted"}
_LAYOUT = (SORTED, FORMAT)
_NEWER = re.compile(r"\(syntax was added in Python 3\.\d+\)$")
_WHOLE_FILE = frozenset({FORMAT, _UNREADABLE})
# The formatter says this instead of an empty list.
_NO_SOURCES = b"No Python files found"
_NO_PYTHON = (".md", ".rst", ".toml")
_SOURCES = 'include = ["*.py", "*.pyi", "*.pyw"]'
_COMPLEXITY = "lint.mccabe.max-complexity"
_ISOLATED = ("--isolated", "--no-cache", "--no-respect-gitignore", "--force-exclude", "--config", _SOURCES)
# No ruff, whatever its version, takes an import out of an __init__.py.
_KEEP = ("--extend-per-file-ignores", "__init__.py*:F401")


def configure(binary: str, read: Read) -> "Ruff":
    """ruff at `binary` for the target whose files `read` gives."""
    return Ruff(binary=binary, config=load(read))


@dataclass(frozen=True, kw_only=True)
class Ruff:
    """ruff, bound to one target; see `Tool` for what its methods promise."""

    binary: str
    config: RuffConfig = field(default_factory=RuffConfig)
    name: str = "ruff"

    def notes(self, kinds: Iterable[Kind]) -> tuple[str, ...]:
        return self.config.notes if self.detect(kinds) else ()

    def version(self) -> Argv:
        return (self.binary, "--version")

    def detect(self, kinds: Iterable[Kind], paths: Sequence[str] = (".",)) -> tuple[Argv, ...]:
        wanted, paths = frozenset(kinds), _sources(paths)
        if not paths:
            return ()
        able = codes(wanted, self.config.selected, modern=self.config.modern)
        asked = [code for code in able if code not in self.config.ignored]
        json = ("--output-format", "json")
        commands = []
        if asked:
            select = ("--select", ",".join([_ALWAYS, *asked]))
            own = any(option.startswith(_COMPLEXITY) for option in self.config.options)
            limit = () if own or "C901" not in asked else ("--config", f"{_COMPLEXITY} = {MAX_COMPLEXITY}")
            commands.append(self._command("check", *json, *select, *limit, paths=paths))
        if Kind.FORMATTING in wanted:
            commands.append(self._command("format", "--check", *json, paths=paths))
        return tuple(commands)

    def findings(self, results: Sequence[Completed], root: str, read: Read) -> tuple[Finding, ...]:
        source = lru_cache(maxsize=None)(read)
        plain = lru_cache(maxsize=None)(lambda path: lines_before_scopes(source(path) or b""))
        names = lru_cache(maxsize=None)(lambda path: symbols(source(path) or b""))

        def symbol(path: str, line: int) -> str:
            return "" if line <= plain(path) else symbol_at(names(path), line)

        found: list[Finding] = []
        broken: dict[str, int] = {}
        relative = lru_cache(maxsize=None)(lambda filename: _relative(filename, root))
        for number, result in enumerate(results):
            for diagnostic in self._told(result):
                path = relative(diagnostic.filename)
                finding = _finding(self._mending(diagnostic, path, source), path, symbol)
                # Both commands report a broken file; the first one's word is kept.
                if finding.rule not in BROKEN or broken.setdefault(finding.location.path, number) == number:
                    found.append(finding)
        mine = (f for f in found if is_own(f.location.path))
        there = (f for f in mine if f.rule == _UNREADABLE or source(f.location.path) is not None)
        whole = (f for f in there if f.rule in BROKEN or f.location.path not in broken)
        return tuple(sorted((kept_off(f, source(f.location.path)) for f in whole), key=_place))

    def fix(self, rules: Iterable[str], paths: Sequence[str], unsafe: Iterable[str] = ()) -> tuple[Argv, ...]:
        asked = frozenset(rules)
        lint = asked - {FORMAT}
        commands = []
        for chosen, extra in ((lint, ()), (lint & frozenset(unsafe), ("--unsafe-fixes",))):
            if chosen:
                select = ("--select", ",".join(sorted(chosen)))
                commands.append(self._command("check", "--fix-only", *extra, *select, *_KEEP, paths=paths))
        if FORMAT in asked:
            commands.append(self._command("format", paths=paths))
        return tuple(commands)

    def replay(self, units: Iterable[Unit], unsafe: Iterable[str] = ()) -> tuple[Argv, ...]:
        rules: dict[str, set[str]] = {}
        for unit in units:
            if self.patches(unit):
                continue
            rules.setdefault(unit.path, set()).add(unit.rule)
        groups: dict[tuple[str, ...], list[str]] = {}
        for path in sorted(rules):
            groups.setdefault(tuple(sorted(rules[path])), []).append(path)
        allowed = frozenset(unsafe)
        return tuple(argv for group in sorted(groups) for argv in self.fix(group, groups[group], allowed))

    def patches(self, unit: Unit) -> bool:
        return bool(unit.only) or is_re_export(unit.rule, unit.path)

    @property
    def hears(self) -> bool:
        return False

    @property
    def whole(self) -> bool:
        return False

    @property
    def learns(self) -> bool:
        return False

    def offer(self, unit: Unit, traces: str = "") -> Argv:
        del traces
        select = ("--select", f"{_ALWAYS},{unit.rule}")
        return self._command("check", "--output-format", "json", *select, paths=(unit.path,))

    def patch(self, offered: Completed, units: Sequence[Unit], read: Read) -> bytes:
        (unit,) = units  # it was asked for one rule
        source = read(unit.path) or b""
        names = symbols(source)
        told = [self._mending(diagnostic, unit.path, read) for diagnostic in self._told(offered)]
        pairs = sorted(
            ((_finding(d, unit.path, lambda _, line: symbol_at(names, line)), d.fix) for d in told),
            key=lambda pair: _place(pair[0]),
        )
        named = zip(marks(finding for finding, _ in pairs), pairs, strict=True)
        wanted = [fix.edits for mark, (_, fix) in named if fix and (not unit.only or mark in unit.only)]
        return patched(source, (edit for edits in wanted for edit in edits))

    def tidy(self, before: Iterable[Finding], paths: Iterable[str]) -> tuple[Unit, ...]:
        dirty = {(f.location.path, f.rule) for f in before}
        clean = [
            (p, rule) for p in _sources(sorted(set(paths))) for rule in _LAYOUT if (p, rule) not in dirty
        ]
        return tuple(Unit(path=path, rule=rule) for path, rule in clean)

    def why_left(self, finding: Finding, works: ToolFix) -> Stay | None:
        rule = BY_CODE.get(finding.rule)
        why = rule.why if rule is not None else ""
        if finding.rule in BROKEN:
            return kept("ruff cannot read this file, so nothing in it is mended")
        if finding.fix is Fix.NONE and finding.rule == "F401" and is_re_export("F401", finding.location.path):
            return kept("re-export in __init__.py: others may import it from here")
        if finding.fix in STAYS:
            return STAYS[finding.fix]
        if finding.fix is Fix.NONE:
            return for_agent(why or "ruff has no fix for it")
        if finding.rule not in works.rules:
            return for_agent(why or f"{finding.rule} is not among the rules that are mended")
        if finding.fix is Fix.UNSAFE and finding.rule not in works.unsafe:
            return kept(f"unsafe fix not allowed for {finding.rule}" + (f": {why}" if why else ""))
        return None

    def _told(self, result: Completed) -> tuple[Diagnostic, ...]:
        """What ruff says, but that a file is newer than a Python that the target never named."""
        said = _believed(result)
        return said if self.config.modern else tuple(d for d in said if not _NEWER.search(d.message))

    def _mending(self, one: Diagnostic, path: str, read: Read) -> Diagnostic:
        """What ruff says, with the fix that is made, and how safe that is."""
        if is_re_export(one.code or "", path):
            return with_fix(one, path, read, self.config.width)
        if one.code in _TEXTS:
            return spared(one, read(path) or b"")
        return weighed(one, read(path) or b"") if one.code == SORTED else one

    def _command(self, verb: str, *arguments: str, paths: Sequence[str]) -> Argv:
        options = (part for option in self.config.options for part in ("--config", option))
        return (self.binary, verb, *_ISOLATED, *arguments, *options, "--", *paths)


def _sources(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths without those of prose and tables, in which other tools edit."""
    return tuple(path for path in paths if not path.endswith(_NO_PYTHON))


def _believed(result: Completed) -> tuple[Diagnostic, ...]:
    if result.ending is not Ending.EXITED or result.code not in _CODES:
        raise ToolError(
            f"ruff gave no answer: {result.ending.value}, exit code {result.code}: "
            f"{_tail(result) or 'it said nothing'}"
        )
    if result.dropped:
        raise ToolError(f"ruff's answer is cut short by {result.dropped} bytes")
    if not result.stdout and result.code == 0 and _NO_SOURCES in result.stderr:
        return ()
    try:
        diagnostics = parse(result.stdout)
    except ValueError as error:
        raise ToolError(f"ruff failed with exit code {result.code}: {_tail(result) or error}") from error
    if (result.code == 0) is bool(diagnostics):
        raise ToolError(
            f"ruff's exit code {result.code} belies its {len(diagnostics)} findings: {_tail(result)}"
        )
    return diagnostics


def _tail(result: Completed) -> str:
    return result.stderr.decode("utf-8", "backslashreplace").strip()[-2000:]


def _relative(filename: str, root: str) -> str:
    if not filename.startswith(f"{root}/"):
        raise ToolError(f"ruff read {filename}, which is outside of {root}")
    return filename[len(root) + 1 :]


def _finding(diagnostic: Diagnostic, path: str, symbol: Callable[[str, int], str]) -> Finding:
    rule, kind, severity = _rule(diagnostic.code)
    place = diagnostic.location if rule not in _WHOLE_FILE else None
    line = place.row if place is not None else None
    fix = _FIXES.get(diagnostic.fix.applicability, Fix.NONE) if diagnostic.fix is not None else Fix.NONE
    return Finding(
        tool="ruff",
        rule=rule,
        kind=kind,
        message=_MESSAGES.get(rule, diagnostic.message),
        location=Location(
            path=path,
            line=line,
            column=place.column if place is not None else None,
            symbol=symbol(path, line) if line is not None and rule not in BROKEN else "",
        ),
        severity=severity,
        fix=fix,
    )


@cache
def _rule(code: str | None) -> tuple[str, Kind, Severity]:
    """The name of a rule, its kind and its severity, by ruff's code: thousands of findings share few."""
    rule = _NAMES.get(code, code or "")
    known = BY_CODE.get(rule)
    severity = known.severity if known is not None else Severity.LOW
    return rule, kind_of_code(rule), Severity.CRITICAL if rule in BROKEN else severity


def _place(finding: Finding) -> tuple[str, int, int, str]:
    where = finding.location
    return where.path, where.line or 0, where.column or 0, finding.rule
