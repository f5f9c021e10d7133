"""One fault that several tools tell, each in its own words: shown once, and compared as one.

What says the same is in the tables below, by the words with which a message begins; all else is a fault of
its own, also where it stands in the same line. Not here, since one tool alone tells it: a module that no
dependency brings (deptry; what the others say of imports depends on what is installed). Nor what tools tell
of different places, as pyright does of what is defined twice, or of more or less, as of parameters without
annotations.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from sparky.domain.finding import Finding, fingerprint
from sparky.tools.rewrite import RULES as REWRITTEN
from sparky.tools.tool import BROKEN, SILENT

_Row = dict[str, str]
"""How messages of rules begin that tell one sort of fault; whose telling is shown comes first.

That is whose fix there is, else whose kind has an agent that mends faults like it. `N` is the quoted name
that the message is about, `Q` any other.
"""

_BY_NAME: tuple[_Row, ...] = (
    {
        "ruff F821": "Undefined name N",
        "ruff F823": "Local variable N",
        "mypy name-defined": "Name N is not defined",
        "mypy used-before-def": "Name N is used before",
        "mypy possibly-undefined": "Name N may be undefined",
        "pyrefly unknown-name": "Could not find name N",
        "pyrefly unbound-name": "N (?:is|may be) uninitialized",
        "pyright reportUndefinedVariable": "N is not defined",
        "pyright reportUnboundVariable": "N is unbound",
        "pyright reportPossiblyUnbound": "N is possibly unbound",
        "pyright reportPossiblyUnboundVariable": "N is possibly unbound",
    },
    {
        "ruff F822": "Undefined name N in",
        "pyrefly bad-dunder-all": "Name N is listed",
        "pyright reportUnsupportedDunderAll": "N is specified",
    },
    {
        "ruff F841": "Local variable N",
        "ruff F842": "Local variable N",
        "pyright reportUnusedVariable": "Variable N is not accessed",
    },
    {
        "ruff F811": "Redefinition of unused N",
        "ruff PIE794": "Class field N",
        "mypy no-redef": "Name N already defined",
    },
    {
        "vulture unused-private": r"unused \w+ N",
        "pyright reportUnusedFunction": "Function N is not accessed",
        "pyright reportUnusedClass": "Class N is not accessed",
    },
    {"complexipy cognitive-complexity": "N is hard to follow", "ruff C901": "N is too complex"},
    {
        "mypy attr-defined": "(?:Module )?Q has no attribute N",
        "mypy union-attr": "Item Q of Q has no attribute N",
        "pyrefly missing-attribute": "Object of class Q has no attribute N",
        "pyright reportAttributeAccessIssue": "Cannot access attribute N|N is unknown import symbol",
        "pyright reportOptionalMemberAccess": "N is not a known attribute",
    },
    {
        "mypy call-arg": "Unexpected keyword argument N for",
        "pyrefly unexpected-keyword": "Unexpected keyword argument N",
        "pyright reportCallIssue": "No parameter named N",
    },
    {
        "mypy call-arg": r"Missing \w+ argument N in call",
        "pyrefly missing-argument": "Missing argument N",
        "pyright reportCallIssue": "Argument missing for parameter N",
    },
    {
        "mypy abstract": "Cannot instantiate abstract class N",
        "pyrefly bad-instantiation": "Cannot instantiate N",
        "pyright reportAbstractUsage": "Cannot instantiate abstract class N",
    },
    {
        "mypy type-arg": "N expects",
        "pyrefly bad-specialization": r"Expected \d+ type arguments? for N",
        "pyright reportInvalidTypeArguments": r"Too \w+ type arguments provided for N",
    },
    {
        "mypy override": r"(?:Signature of|Argument \d+ of|Return type Q of) N",
        "pyrefly bad-override": "Class member N overrides",
        "pyright reportIncompatibleMethodOverride": "Method N overrides",
    },
)

_BY_COLUMN: tuple[_Row, ...] = (
    {"ruff F401": "", "pyright reportUnusedImport": ""},
    {"ruff F522": "", "ruff F523": "", "mypy str-format": "Not all arguments converted"},
    {
        "mypy arg-type": "",
        "mypy assignment": "",
        "mypy return-value": "",
        "mypy list-item": "",
        "mypy dict-item": "",
        "pyrefly bad-argument-type": "",
        "pyrefly bad-assignment": "",
        "pyrefly bad-return": "Returned type",
        "pyrefly bad-function-definition": "Default",
        "pyright reportArgumentType": "",
        "pyright reportAssignmentType": "",
        "pyright reportReturnType": "Type",
        "pyright reportAttributeAccessIssue": "Cannot assign to attribute",
    },
    {
        "mypy attr-defined": 'Q has no attribute "__iter__"',
        "pyrefly not-iterable": "",
        "pyright reportGeneralTypeIssues": "Q is not iterable",
    },
    {"mypy index": "Value of type Q is not", "pyrefly bad-index": "", "pyright reportIndexIssue": ""},
    {"pyrefly unsupported-operation": "Q is not subscriptable", "pyright reportOptionalSubscript": ""},
    {"pyrefly unsupported-operation": "Q is not supported", "pyright reportOperatorIssue": ""},
    {"pyrefly bad-argument-count": "Expected", "pyright reportCallIssue": "Expected"},
    {"mypy unused-coroutine": "", "pyrefly unused-coroutine": "", "pyright reportUnusedCoroutine": ""},
    {"mypy comparison-overlap": "", "pyright reportUnnecessaryComparison": "Condition will always .* False"},
)

_BY_LINE: tuple[_Row, ...] = (
    *({f"rewrite {rule}": "", f"ruff {rule}": ""} for rule in REWRITTEN),
    {"vulture unreachable-code": "", "mypy unreachable": "Statement"},
    {
        "mypy return": "Missing return",
        "mypy empty-body": "Missing return",
        "pyrefly bad-return": "Function declared",
        "pyright reportReturnType": "Function with declared",
    },
)


_QUOTED = {"N": '[`"]([^`"]+)[`"]', "Q": '[`"][^`"]*[`"]'}


class _Spot(Enum):
    """What tells faults of one sort in a line apart."""

    COLUMN = auto()
    NAME = auto()
    LINE = auto()


@dataclass(frozen=True, kw_only=True)
class _Telling:
    """One entry of the tables; `row` is its place in them, `rank` 0 is shown."""

    row: int
    rank: int
    spot: _Spot
    said: re.Pattern[str]


def _table() -> dict[tuple[str, str], list[_Telling]]:
    table = defaultdict(list)
    spots = ((_BY_COLUMN, _Spot.COLUMN), (_BY_NAME, _Spot.NAME), (_BY_LINE, _Spot.LINE))
    rows = [(row, spot) for rows, spot in spots for row in rows]
    for number, (row, spot) in enumerate(rows):
        for rank, (named, begins) in enumerate(row.items()):
            tool, rule = named.split(" ")
            said = re.compile(re.sub(r"\b[NQ]\b", lambda word: _QUOTED[word[0]], begins))
            table[tool, rule].append(_Telling(row=number, rank=rank, spot=spot, said=said))
    return dict(table)


_TABLE = _table()
_Place = tuple[object, ...]


def is_second(finding: Finding) -> bool:
    """Whether another tool's telling of the same fault is shown where there is one."""
    told = _told(finding)
    return told is not None and told[0] > 0


def faults(findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], ...]:
    """The findings by the fault that they tell: in each group the one to show stands first, in their order.

    Where a tool tells the same twice in a line, the columns say which is which.
    """
    everything = tuple(findings)
    rules = _shared({(one.tool, one.rule) for one in everything})
    if not rules:
        return tuple((one,) for one in everything)
    listed = [(one, _told(one) if (one.tool, one.rule) in rules else None) for one in everything]
    often = Counter((told[1], one.tool) for one, told in listed if told)
    crowded = {place for (place, _), count in often.items() if count > 1}
    groups: dict[_Place, list[tuple[int, int, Finding]]] = defaultdict(list)
    seen: Counter[_Place] = Counter()
    for number, (one, told) in enumerate(listed):
        rank, place = told or (0, (number,))
        if place in crowded:
            place = (*place, one.location.column)
            seen[one.tool, *place] += 1
            place = (*place, seen[one.tool, *place])
        groups[place].append((rank, number, one))
    ordered = sorted(map(sorted, groups.values()), key=lambda group: group[0][1])
    return tuple(tuple(one for *_, one in group) for group in ordered)


def _shared(rules: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those of the rules of which another tool's are among them that may tell the same: mostly few."""
    told = {rule: {telling.row for telling in _TABLE.get(rule, ())} for rule in rules}
    tools = Counter(row for row, _ in {(row, tool) for (tool, _), rows in told.items() for row in rows})
    return {rule for rule, rows in told.items() if any(tools[row] > 1 for row in rows)}


def told_once(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding for each fault, in their order."""
    return tuple(group[0] for group in faults(findings))


def gone(before: Iterable[Finding], after: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings of `before` whose fault `after` no longer has, compared as multisets of fingerprints.

    A fault is there as long as any of the tools tells it that told it before.
    """
    now, groups, left, lost = Counter(map(_marks, faults(after))), faults(before), [], set()
    for number, group in enumerate(groups):
        marks = _marks(group)
        now[marks] -= 1
        if now[marks] < 0:
            left.append((len(marks), number, marks))
    # Tellings that are grouped otherwise now, as where a line was joined, each answer for one fault.
    rest = Counter(mark for marks, count in now.items() for mark in [*marks] * count)
    for _, number, marks in sorted(left, key=lambda one: one[:2]):
        there = [mark for mark in marks if rest[mark] > 0]
        rest.subtract(there)
        if not there:
            lost.add(number)
    return tuple(one for number, group in enumerate(groups) if number in lost for one in group)


def appeared(before: Iterable[Finding], after: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings whose fault only `after` has: `gone` the other way round."""
    return gone(after, before)


def fixed(before: Iterable[Finding], after: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings of `before` that are gone; in a file that cannot be read `after`, nothing is.

    Nor is an answer that a tool did not give.
    """
    broken = {finding.location.path for finding in after if finding.rule in BROKEN}
    there = (finding for finding in gone(before, after) if finding.location.path not in broken)
    return tuple(finding for finding in there if finding.rule != SILENT)


def _told(finding: Finding) -> tuple[int, _Place] | None:
    """The rank of what a finding says, and what fault that is; None: nothing that others say, too."""
    where = finding.location
    for telling in _TABLE.get((finding.tool, finding.rule), ()):
        if said := telling.said.match(finding.message):
            match telling.spot:
                case _Spot.NAME:
                    spot: object = next(filter(None, said.groups())).rpartition(".")[2]
                case _Spot.COLUMN:
                    spot = where.column
                case _Spot.LINE:
                    spot = None
            return telling.rank, (where.path, where.line, telling.row, spot)
    return None


def _marks(group: Iterable[Finding]) -> frozenset[str]:
    return frozenset(map(fingerprint, group))
