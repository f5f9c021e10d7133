"""Units of a fix: taken together, taken apart, and joined again."""

from sparky.domain.agent import ToolFix
from sparky.domain.finding import Finding, Fix, Location, fingerprint, marks
from sparky.domain.issue import Kind
from sparky.tools.faults import fixed
from sparky.tools.tool import SILENT, Unit, covered, joined, parts, units

WORKS = ToolFix(tools=("ruff",), rules=("F401", "F541"))


def found(path: str, rule: str, message: str, fix: Fix = Fix.SAFE) -> Finding:
    kind = Kind.IMPORT_ERROR
    return Finding(tool="ruff", rule=rule, kind=kind, message=message, location=Location(path=path), fix=fix)


OS, RE, AGAIN = (found("a.py", "F401", name) for name in ("os", "re", "os"))
STAYS = found("a.py", "F401", "probe", Fix.NONE)
TEXT = found("b.py", "F541", "f-string")
ALL = (OS, STAYS, RE, AGAIN, TEXT)
IMPORTS, TEXTS = Unit(path="a.py", rule="F401"), Unit(path="b.py", rule="F541")
NAMES = marks(ALL)


def only(*names: str) -> Unit:
    return Unit(path="a.py", rule="F401", only=names)


def test_what_can_be_mended_is_one_unit_for_each_rule_and_file() -> None:
    assert units(ALL, WORKS) == (IMPORTS, TEXTS)


def test_what_was_refused_leaves_the_rest_of_its_unit() -> None:
    assert units(ALL, WORKS, {fingerprint(RE)}) == (only(NAMES[0], NAMES[3]), TEXTS)
    assert units(ALL, WORKS, {fingerprint(OS)}) == (only(NAMES[2]), TEXTS)
    assert units(ALL, WORKS, {fingerprint(TEXT), fingerprint(STAYS)}) == (IMPORTS,)


def test_a_unit_comes_apart_into_its_findings_and_together_again() -> None:
    apart = parts(IMPORTS, ALL, WORKS)
    assert apart == (only(NAMES[0]), only(NAMES[2]), only(NAMES[3]))
    assert joined((TEXTS, apart[0], apart[2])) == (only(NAMES[0], NAMES[3]), TEXTS)
    assert parts(only(NAMES[2]), ALL, WORKS) == (only(NAMES[2]),)


def test_a_unit_covers_just_the_findings_that_it_mends() -> None:
    assert covered((IMPORTS,), ALL, WORKS) == (OS, RE, AGAIN)
    assert covered((only(NAMES[3]), TEXTS), ALL, WORKS) == (AGAIN, TEXT)


def test_what_a_tool_says_after_it_gave_no_answer_mends_nothing() -> None:
    assert fixed((found("pyproject.toml", SILENT, "no answer"), OS), ()) == (OS,)
