"""What runs say of edited tests, and the faults that tests are tried with."""

import ast

from sparky.domain.testing import TestCase, TestOutcome, TestRun, Trouble
from sparky.tamper.behaviour import Runs, Settled, killed, settle, shown_by
from sparky.tamper.mutants import mutants

A, B, C = (f"tests/test_a.py::test_{name}" for name in "abc")


def run(*green: str, red: tuple[str, ...] = (), trouble: Trouble | None = None) -> TestRun:
    passed = [TestCase(id=name, outcome=TestOutcome.PASSED) for name in green]
    failed = [TestCase(id=name, outcome=TestOutcome.FAILED, message="no") for name in red]
    return TestRun(sha="s", command=("pytest",), cases=(*passed, *failed), trouble=trouble)


def test_a_test_that_passes_with_the_old_code_too_was_made_to_fit() -> None:
    runs = Runs(
        old_old=run(A, B, C), new_old=run(C, red=(A, B)), new_new=run(A, B, C), old_new=run(A, red=(B,))
    )
    assert settle(runs, ["tests/test_a.py"]) == Settled(fitted=(A,), altered=(B,))
    assert settle(runs, ["tests/test_b.py"]) == Settled()


def test_a_test_that_was_red_and_is_green_by_its_edit_alone_was_made_to_fit() -> None:
    runs = Runs(old_old=run(red=(A,)), new_old=run(red=(A,)), new_new=run(A), old_new=run(A))
    assert settle(runs, ["tests/test_a.py"]) == Settled(fitted=(A,))


def test_what_passes_at_head_only_shows_the_change() -> None:
    assert shown_by(run(A, red=(B,)), run(A, B, C), ["tests/test_a.py"]) == (B, C)
    assert shown_by(run(), run(A), ["tests/test_b.py"]) == ()


def test_a_mutant_is_killed_by_what_no_longer_passes_or_does_not_get_through() -> None:
    assert [killed(r, run(A, red=(B,))) for r in (run(A), run(red=(A,)), run(trouble=Trouble.TIMED_OUT))] == [
        *(False, True, True),
    ]


SOURCE = """LIMIT = 3


def f(a, b):
    if a < b and a is not None:
        return a + 1
    return True
"""


def test_mutants_are_faults_in_functions_each_by_itself() -> None:
    found = mutants("m.py", SOURCE, 99)
    assert [(mutant.line, mutant.what) for mutant in found] == [
        (5, "If.test is another"),
        (5, "BoolOp.op is another"),
        (6, "Return.value is another"),
        (5, "Lt becomes LtE"),
        (5, "IsNot becomes Is"),
        (6, "BinOp.op is another"),
        (6, "Constant.value is another"),
        (7, "Return.value is another"),
        (7, "Constant.value is another"),
    ]
    plain = ast.unparse(ast.parse(SOURCE))
    assert all(mutant.source != plain and mutant.source.startswith("LIMIT = 3") for mutant in found)
    assert len({mutant.source for mutant in found}) == len(found)


def test_mutants_are_bounded_and_spread() -> None:
    assert [mutant.line for mutant in mutants("m.py", SOURCE, 3)] == [5, 5, 6]
    assert mutants("m.py", "def (", 3) == ()
