"""The rules that sparky asks ruff for: the profile, and why a finding of each may stay.

The profile is what a careful team would turn on. The kind of a rule is `kind_of_code` of its code. What is
not here, and why: E711 and E712 (SQLAlchemy and pandas mean `== None`), W191 and E101 (the formatter's, and
wrong under `indent-style = "tab"`), Q, COM and ISC (the formatter's), RUF100 (with so few rules selected it
would take `noqa` comments away that the target's own linters need), ERA001 (commented-out code is for its
author to judge), ARG (mostly public API), B015 and B018 (mostly statements that a test expects to raise: 6
of 6 in WTForms), T201, D203, D213, INP001 and the like (not wanted by most), UP030 to UP045 (they rewrite
what works), C408, RET501 to RET504, SIM105, SIM108, SIM300, D400, D401 and D415 (taste), D100 to D107 (text
is for its author to write), PERF203, S101, S110, S112, S311, S603, S607 and S608 (mostly what was meant),
PT009 and PT027 (a suite of unittest is no fault), RUF012 (mostly a constant: its remedy, which ruff leaves to
the author, is a word for readers), PLC0414 (`import x as x` says that x is for others).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sparky.domain.issue import Kind, Severity
from sparky.issues.kind import kind_of_code

FORMAT = "format"
"""Our name for "`ruff format` would change this file"; one finding per file."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule of the profile. `why` is said when its finding stays although nothing else explains it.

    `modern`: its fix ends support for Python 2, so it is asked for only where the target declares 3. `taste`:
    it is asked for only where the target selects it.
    """

    code: str
    why: str = ""
    severity: Severity = Severity.LOW
    modern: bool = False
    taste: bool = False


_AUTHOR = "what was meant is for its author to say"
_STAR = "only the other module knows which names the star brings"
_STRING = "inside a string literal, whose text would change"


def _alike(
    codes: str, why: str = "", severity: Severity = Severity.LOW, *, modern: bool = False
) -> Iterator[Rule]:
    """Rules that have all but their code in common."""
    return (Rule(code=code, why=why, severity=severity, modern=modern) for code in codes.split())


_BEHAVIOUR = "its remedy changes what the program does"

RULES: tuple[Rule, ...] = (
    # FORMATTING: layout and spellings without meaning. I001 is here: the order of imports is layout.
    Rule(code="I001"),
    Rule(code="E401"),
    Rule(code="E501", why="the formatter cannot split this line"),
    Rule(code="E701", why="the formatter splits it where it may format"),
    Rule(code="E702", why="the formatter splits it where it may format"),
    Rule(code="E703"),
    Rule(code="E713"),
    Rule(code="E714"),
    Rule(code="W291", why=_STRING),
    Rule(code="W292"),
    Rule(code="W293", why=_STRING),
    Rule(code="W605", severity=Severity.MEDIUM),
    Rule(code="F541"),
    Rule(code="UP004", modern=True),
    Rule(code="UP009", modern=True),
    Rule(code="UP010", modern=True),
    Rule(code="UP012", modern=True),
    Rule(code="UP015", modern=True),
    Rule(code="UP025", modern=True),
    Rule(code="UP034", modern=True),
    Rule(code="UP039", modern=True),
    # IMPORT_ERROR
    Rule(code="F401", why="the import may be a probe for an optional module"),
    Rule(code="F402", why=_AUTHOR, severity=Severity.MEDIUM),
    Rule(code="F403", why=_STAR),
    Rule(code="F404", why="it is a syntax error at run time; where it belongs is above all other code"),
    Rule(code="F405", why=_STAR),
    Rule(code="F406", why=_STAR, severity=Severity.HIGH),
    Rule(code="F407", why="this Python has no such feature", severity=Severity.HIGH),
    Rule(code="F811", why="which of two definitions was meant is for their author to say"),
    Rule(code="F821", why=_AUTHOR, severity=Severity.HIGH),
    Rule(code="F822", why=_AUTHOR, severity=Severity.HIGH),
    Rule(code="F823", why=_AUTHOR, severity=Severity.HIGH),
    Rule(code="E402", why="moving an import changes the order in which modules run"),
    # DEAD_CODE: what can be taken away without changing what the program does.
    Rule(code="F504"),
    Rule(code="F522"),
    Rule(code="F523"),
    Rule(code="F841", why=_AUTHOR),
    Rule(code="F842", why=_AUTHOR),
    Rule(code="PIE790"),
    Rule(code="PIE794", why="which of two assignments was meant is for their author to say"),
    Rule(code="PLR1711"),
    Rule(code="TC005"),
    # SECURITY: ruff mends none of them; what `rewrite` can mend is mended there.
    *_alike("S113 S201 S323 S324 S501 S502 S503 S505 S507 S701", _BEHAVIOUR, Severity.MEDIUM),
    *_alike("S102 S202 S302 S307 S506", _BEHAVIOUR, Severity.HIGH),
    *_alike("S602 S605", "without a shell the command may be another, and fails otherwise", Severity.HIGH),
    Rule(
        code="S306",
        why="the file would be there before it is written, with another mode",
        severity=Severity.MEDIUM,
    ),
    # PERFORMANCE
    *_alike("C400 C401 C402 C403 C404 C405 C406 C409 C410 C411 C413 C414 C416 C417 C418 C419 C420"),
    *_alike("PERF101 PERF102 PERF401 PERF403"),
    *_alike("FURB122 FURB129 FURB132 FURB136 FURB157 FURB161 FURB163 FURB166 FURB167 FURB168", modern=True),
    *_alike("FURB169 FURB181 FURB187 FURB188 FURB192", modern=True),
    # DOCUMENTATION: the form of docstrings.
    *_alike("D200 D201 D202 D204 D207 D208 D209 D210 D211 D300 D410 D411 D412 D419"),
    # It changes words: `expr : term` is no sentence, nor is the name of a function that comes first.
    Rule(code="D403", taste=True),
    # TEST_ORGANIZATION
    *_alike("PT001 PT003 PT006 PT007 PT010 PT018 PT020 PT022 PT023 PT024 PT025 PT026"),
    # COMPLEXITY: rewrites that collapse, and what has to be taken apart.
    Rule(code="C901", why="how to take a function apart is no rule's to say"),
    *_alike("RET505 RET506 RET507 RET508 SIM101 SIM102 SIM103 SIM109 SIM114 SIM117 SIM118 SIM201 SIM202"),
    *_alike("SIM208 SIM210 SIM211 SIM212 SIM220 SIM221 SIM222 SIM223 SIM401 SIM910 SIM911"),
)

BY_CODE = {rule.code: rule for rule in RULES}


MAX_COMPLEXITY = 15
"""The cyclomatic complexity from which a function is told of (C901), unless the target says another."""


def codes(kinds: frozenset[Kind], selected: frozenset[str] = frozenset(), *, modern: bool) -> tuple[str, ...]:
    """The codes of these kinds, sorted; what needs Python 3 only if `modern`, a taste only if `selected`."""
    asked = (rule for rule in RULES if kind_of_code(rule.code) in kinds)
    able = (rule for rule in asked if modern or not rule.modern)
    return tuple(sorted(rule.code for rule in able if not rule.taste or rule.code in selected))
