"""Whose turn it is after red tests, by what was seen of them and of the change."""

from dataclasses import replace

from sparky.domain.attempt import Attempt, Responsibility, Stage, Verdict
from sparky.domain.state import PipelineState
from sparky.domain.testing import Comparison, TestCase, TestOutcome, TestRun, compare
from sparky.evidence.whose import whose_turn
from tests.builders import changed
from tests.stages.stand import Stand

SOURCE = {"calc.py": b"X = 1\n", "tests/test_calc.py": b"def test_x(): pass\n"}
ID = "tests/test_calc.py::test_x"


def run(outcome: TestOutcome, message: str = "", where: str = "") -> TestRun:
    case = TestCase(id=ID, outcome=outcome, message=message, where=where)
    return TestRun(sha="s", command=("pytest",), cases=(case,))


GREEN = run(TestOutcome.PASSED)
WRONG = run(TestOutcome.FAILED, "AssertionError: assert 1 == 2")


def turn(
    stand: Stand,
    files: dict[str, bytes | None],
    head: TestRun,
    *,
    agent: str = "coder",
    base: TestRun = GREEN,
) -> tuple[Responsibility, float]:
    state = after(stand, files, agent)
    judged = whose_turn(state, stand.house.ports, base, head, compare(base, head))
    return judged.responsibility, judged.confidence


def after(stand: Stand, files: dict[str, bytes | None], agent: str) -> PipelineState:
    base = stand.commit(SOURCE)
    return stand.state(base, changed(agent, stand.change(files)))


def test_a_test_that_passed_at_base_and_was_left_alone_is_the_coders(stand: Stand) -> None:
    assert turn(stand, {"calc.py": b"X = 2\n"}, WRONG) == (Responsibility.CODER, 0.9)


def test_a_test_that_breaks_in_what_the_change_wrote_is_the_coders(stand: Stand) -> None:
    files: dict[str, bytes | None] = {"calc.py": b"X = 2\n", "tests/test_calc.py": b"def test_x(): 1\n"}
    head = run(TestOutcome.FAILED, "ValueError: no", where="calc.py")
    assert turn(stand, files, head) == (Responsibility.CODER, 0.85)


def test_where_tests_alone_were_changed_it_is_the_testers(stand: Stand) -> None:
    files: dict[str, bytes | None] = {"tests/test_calc.py": b"def test_x(): 1\n"}
    assert turn(stand, files, WRONG, agent="tester") == (Responsibility.TESTER, 0.85)


def test_a_package_that_is_missing_at_base_too_is_the_environments(stand: Stand) -> None:
    absent = run(TestOutcome.ERROR, "ModuleNotFoundError: No module named 'numpy'")
    other = run(TestOutcome.ERROR, "ModuleNotFoundError: No module named 'pandas'")
    assert turn(stand, {"calc.py": b"X = 2\n"}, absent, base=other) == (Responsibility.ENVIRONMENT, 0.9)


def test_a_test_that_is_gone_is_for_whoever_made_the_change(stand: Stand) -> None:
    files: dict[str, bytes | None] = {"tests/test_calc.py": None}
    gone = replace(GREEN, cases=())
    assert turn(stand, files, gone) == (Responsibility.CODER, 0.9)


def test_what_nothing_tells_goes_to_who_made_it_once_and_is_unknown_then(stand: Stand) -> None:
    files: dict[str, bytes | None] = {"calc.py": b"X = 2\n", "tests/test_calc.py": b"def test_x(): 1\n"}
    state = after(stand, files, "coder")
    seen: Comparison = compare(GREEN, WRONG)
    first = whose_turn(state, stand.house.ports, GREEN, WRONG, seen)
    assert (first.responsibility, first.confidence) == (Responsibility.CODER, 0.3)
    assert first.facts == ("the test is new or changed", "nothing but the test says what is right")
    told = Attempt(
        stage=Stage.TEST,
        number=1,
        verdict=Verdict.REVISE,
        reason="red",
        responsibility=first.responsibility,
        because=first.facts,
    )
    again = whose_turn(state.record(told), stand.house.ports, GREEN, WRONG, seen)
    assert (again.responsibility, again.facts) == (Responsibility.UNKNOWN, first.facts)
