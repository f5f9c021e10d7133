"""Which failures are new, changed, gone or flaky."""

import pytest

from sparky.domain.testing import Comparison, TestCase, TestOutcome, TestRun, Trouble, compare, normal_failure

PASSED, FAILED, ERROR = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.ERROR
SKIPPED, XFAILED, XPASSED = TestOutcome.SKIPPED, TestOutcome.XFAILED, TestOutcome.XPASSED


def run(**outcomes: TestOutcome | tuple[TestOutcome, str]) -> TestRun:
    cases = []
    for name, said in outcomes.items():
        outcome, message = said if isinstance(said, tuple) else (said, "")
        cases.append(TestCase(id=name, outcome=outcome, message=message))
    return TestRun(sha="s", command=("pytest",), cases=tuple(cases))


def test_what_passed_is_counted() -> None:
    assert run(a=PASSED, b=FAILED, c=XPASSED, d=PASSED).passed == 2


def test_every_way_that_a_test_can_go_has_its_place() -> None:
    base = run(
        stays=PASSED,
        breaks=PASSED,
        same=(FAILED, "at 0x1"),
        other=(FAILED, "x"),
        error=FAILED,
        mended=FAILED,
        x=XFAILED,
    )
    head = run(
        stays=PASSED,
        breaks=(FAILED, "why"),
        same=(FAILED, "at 0x2"),
        other=(FAILED, "y"),
        error=ERROR,
        mended=PASSED,
        x=FAILED,
    )
    assert compare(base, head) == Comparison(
        new=("breaks", "x"),
        changed=("error", "other"),
        same=("same",),
        fixed=("mended",),
        messages={"breaks": "why", "error": "", "other": "y", "same": "at 0x2", "x": ""},
    )


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (PASSED, None, True),
        (PASSED, SKIPPED, True),
        (PASSED, XFAILED, True),
        (PASSED, XPASSED, False),
        (XFAILED, SKIPPED, True),
        (XFAILED, XFAILED, False),
        (XFAILED, PASSED, False),
        (SKIPPED, None, False),
        (FAILED, None, False),
    ],
)
def test_a_test_that_ran_and_no_longer_does_has_vanished(
    before: TestOutcome, after: TestOutcome | None, *, lost: bool
) -> None:
    head = run() if after is None else run(test=after)
    assert compare(run(test=before), head) == Comparison(vanished=("test",) if lost else ())


def test_what_passes_alone_is_flaky_and_not_worse() -> None:
    head = run(shaky=FAILED, solid=FAILED)
    compared = compare(run(shaky=PASSED, solid=PASSED), head, run(shaky=PASSED, solid=FAILED))
    assert compared == Comparison(new=("solid",), flaky=("shaky",), messages={"solid": ""})
    assert compared.worse == ("solid",)


def test_a_module_is_mended_when_it_can_be_collected_and_a_test_of_it_passes() -> None:
    base = run(**{"test_a.py": ERROR, "test_b.py": ERROR})
    head = run(**{"test_a.py::test_x": PASSED, "test_a.py::test_y": FAILED, "test_b.py::test_z": FAILED})
    assert compare(base, head).fixed == ("test_a.py",)


def test_all_that_is_worse_is_told_in_order() -> None:
    base = run(a=PASSED, b=(FAILED, "1"), c=PASSED)
    assert compare(base, run(a=FAILED, b=(FAILED, "2"))).worse == ("a", "b", "c")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<A object at 0x7f00>", "<A object at 0x7fA1>"),
        ("took 1.5 s", "took 12 s"),
        ("no /tmp/a/b here", "no /tmp/c here"),
        ("at 2026-11-21 02:07:00.1", "at 2026-11-22T03:08:01"),
        ("id 0f8fad5b-d9cb-469f-a165-70867728950e", "id 7c9e6679-7425-40de-944b-e07fc1f90ae7"),
    ],
)
def test_noise_in_a_message_is_no_difference(one: str, other: str) -> None:
    assert normal_failure(one) == normal_failure(other)


def test_figures_in_a_message_are_a_difference() -> None:
    assert normal_failure("assert 2 == 3") != normal_failure("assert 2 == 4")


def test_what_is_red_in_one_of_two_runs_at_base_is_flaky_however_it_ends_at_head() -> None:
    base = run(a=FAILED, b=PASSED, c=FAILED, d=FAILED)
    second = run(a=PASSED, b=ERROR, c=PASSED, d=FAILED)
    head = run(a=PASSED, b=(FAILED, "again"), c=(FAILED, "else"), d=FAILED)
    compared = compare(base, head, second=second)
    assert compared == Comparison(same=("d",), flaky=("a", "b", "c"), messages={"d": ""})


def test_a_message_that_two_runs_at_base_do_not_share_is_no_change_at_head() -> None:
    base, second = run(a=(FAILED, "1"), b=(FAILED, "x")), run(a=(FAILED, "2"), b=(FAILED, "x"))
    compared = compare(base, run(a=(FAILED, "3"), b=(FAILED, "y")), second=second)
    assert (compared.same, compared.changed) == (("a",), ("b",))


@pytest.mark.parametrize("second", [run(), run(test=SKIPPED), run(test=FAILED)])
def test_a_test_that_did_not_pass_in_both_runs_at_base_cannot_be_lost(second: TestRun) -> None:
    assert compare(run(test=PASSED), run(), second=second).vanished == ()


def test_a_test_that_passed_in_both_runs_at_base_can_be_lost() -> None:
    assert compare(run(test=PASSED), run(), second=run(test=PASSED)).vanished == ("test",)


def whole(*cases: TestCase) -> TestRun:
    return TestRun(sha="s", command=("make", "test"), cases=cases)


ITSELF = TestCase(id="make test", outcome=FAILED, message="exit code 2")
GREEN = TestCase(id="a", outcome=PASSED)


def test_a_command_that_failed_as_a_whole_is_fixed_once_nothing_is_red() -> None:
    assert compare(whole(ITSELF, GREEN), whole(GREEN)) == Comparison(fixed=("make test",))
    assert compare(whole(ITSELF), whole(ITSELF)).same == ("make test",)
    broken = TestRun(sha="s", command=("make", "test"), cases=(GREEN,), trouble=Trouble.CRASHED)
    assert compare(whole(ITSELF), broken).fixed == ()


def test_a_command_whose_tests_are_told_apart_now_has_lost_nothing() -> None:
    before = whole(TestCase(id="make test", outcome=PASSED))
    assert compare(before, whole(GREEN)) == Comparison()
    red = TestCase(id="a", outcome=FAILED, message="no")
    assert compare(before, whole(red)).worse == ("a", "make test")


@pytest.mark.parametrize(("red", "again"), [("t.py", "t.py::a"), ("m.T", "m.T.a"), ("make test", "a")])
def test_what_could_not_be_set_up_is_flaky_if_a_test_of_it_passes_alone(red: str, again: str) -> None:
    head = whole(TestCase(id=red, outcome=ERROR), GREEN)
    told = compare(whole(GREEN), head, whole(TestCase(id=again, outcome=PASSED)))
    assert (told.flaky, told.new) == ((red,), ())
