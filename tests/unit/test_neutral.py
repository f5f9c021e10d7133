"""What is mended where there are no tests: nothing but what leaves the program as it is."""

import pytest

from sparky.domain.finding import Finding, Fix, Location
from sparky.domain.issue import Kind
from sparky.tools.neutral import UNSHOWN, unshown


@pytest.mark.parametrize(
    ("tool", "rule", "message", "fix", "expected"),
    [
        ("ruff", "format", "the formatter would change this file", Fix.SAFE, False),
        ("ruff", "F401", "`os.path` imported but unused", Fix.SAFE, False),
        ("ruff", "F401", "`readline` imported but unused", Fix.SAFE, True),
        ("ruff", "F401", "`shop.prices` imported but unused", Fix.SAFE, True),
        ("ruff", "F403", "`from shop.prices import *` used", Fix.UNSAFE, True),
        (
            "mypy",
            "attr-defined",
            'Module "a" does not explicitly export attribute "B"',
            Fix.SAFE,
            False,
        ),
        ("ruff", "F811", "Redefinition of unused `os` from line 1", Fix.SAFE, False),
        ("ruff", "F811", "Redefinition of unused `total` from line 1", Fix.SAFE, True),
        ("ruff", "F401", "imported but unused", Fix.SAFE, True),
        ("ruff", "F841", "Local variable `a` is assigned to but never used", Fix.UNSAFE, True),
        ("ruff", "E501", "Line too long", Fix.NONE, False),
        ("typos", "typo", "`teh` should be `the`", Fix.SAFE, False),
        ("vulture", "unused-private", "unused function `_a`", Fix.SAFE, True),
    ],
)
def test_without_tests_a_fix_is_withheld_that_may_change_the_program(
    tool: str, rule: str, message: str, fix: Fix, *, expected: bool
) -> None:
    kind, place = Kind.GENERAL, Location(path="a.py", line=1)
    found = Finding(tool=tool, rule=rule, kind=kind, message=message, location=place, fix=fix)
    assert unshown(found) == (UNSHOWN if expected else "")


def test_without_tests_a_re_export_is_marked_since_nothing_else_changes() -> None:
    place = Location(path="shop/__init__.py", line=1)
    message = "`.prices.total` imported but unused"
    found = Finding(
        tool="ruff", rule="F401", kind=Kind.GENERAL, message=message, location=place, fix=Fix.SAFE
    )
    assert unshown(found) == ""
