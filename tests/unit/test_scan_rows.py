"""The table of `sparky scan`."""

from sparky.app.intake import Sorted
from sparky.cli.scan import rows
from sparky.domain.finding import Finding, Location
from sparky.domain.issue import Kind


def one(kind: Kind, rule: str, agent: str | None = None, why: str = "") -> Sorted:
    where = Location(path="a.py")
    finding = Finding(tool="ruff", rule=rule, kind=kind, message="m", location=where)
    return Sorted(finding=finding, agent=agent, why=why)


def test_bug_a_rule_of_two_kinds_had_the_findings_of_both_in_each_row() -> None:
    assert rows(
        [
            one(Kind.FORMATTING, "X1", "formatting"),
            one(Kind.FORMATTING, "X1", None, "too long"),
            one(Kind.DEAD_CODE, "X1", None, "no fix"),
        ]
    ) == [
        ("DEAD_CODE", "X1", "1", "", "1", "no fix"),
        ("FORMATTING", "X1", "2", "formatting", "1", "too long"),
    ]
