"""VERIFY of a diff that edits tests: each side's tests with each side's code, and mutants."""

from collections.abc import Mapping
from dataclasses import replace

from sparky.domain.agent import Route
from sparky.domain.attempt import Attempt, GateResult, Stage, Trait, Verdict
from sparky.domain.issue import Kind, Severity
from sparky.domain.state import PipelineState
from sparky.domain.testing import TestRun
from sparky.evidence.change import UNITS
from sparky.evidence.tamper import Asked, ask, is_for_tester
from tests.stages.stand import Files, Red, Stand

TEST = "tests/test_a.py"
ID = f"{TEST}::test_a"


def given(stand: Stand, files: Files, kind: Kind = Kind.GENERAL) -> PipelineState:
    """A run that changed these files of a repository with one module and its test."""
    stand.ids = (ID,)
    base = stand.commit({"a.py": b"def a():\n    return 1 + 1\n", TEST: b"from a import a  # wants 2\n"})
    head = stand.change(files)
    route = Route(kind=kind, agent="coder", fallbacks=(), bids=())
    done = Attempt(stage=Stage.ROUTE, number=1, verdict=Verdict.PASS, reason="routed", route=(route,))
    work = replace(done, stage=Stage.EXECUTE, route=(), sha=head, traits=(Trait.CHANGED,))
    return stand.state(base, done, work)


def asked(stand: Stand, files: Files, kind: Kind = Kind.GENERAL) -> Asked:
    state = given(stand, files, kind)
    return ask(state, stand.house.ports, stand.house.repository.changes(state.base, state.head))


def wants(files: Mapping[str, bytes]) -> Red:
    """The test fails unless the code returns what the test's comment says it wants."""
    right = files["a.py"].split(b"return ")[1].strip() == {b"2": b"1 + 1", b"3": b"3"}.get(
        files[TEST][-2:-1], b""
    )
    return {} if right or b"anything" in files[TEST] else {ID: "not what is wanted"}


def gate(verdict: Verdict, reason: str) -> GateResult:
    return GateResult(gate="tests of base", verdict=verdict, reason=reason, severity=Severity.HIGH)


NEW_CODE = b"def a():\n    return 3\n"


def test_a_test_that_now_takes_anything_was_made_to_fit(stand: Stand) -> None:
    stand.red = wants
    found = asked(stand, {"a.py": NEW_CODE, TEST: b"from a import a  # anything\n"})
    said = f"1 edited test(s) made to fit, they pass with the old code, too: {ID}"
    assert (found.gates, found.shown) == ((gate(Verdict.REVISE, said),), ())
    assert len(found.evidence) == 2


def test_a_test_that_asks_for_something_else_is_for_a_person_and_shows_the_change(stand: Stand) -> None:
    stand.red = wants
    found = asked(stand, {"a.py": NEW_CODE, TEST: b"from a import a  # wants 3\n"})
    said = f"1 edited test(s) ask for something else now; their versions at base fail at head: {ID}"
    assert (found.gates, found.shown) == ((gate(Verdict.ESCALATE, said),), (ID,))


def test_an_edited_test_whose_old_version_passes_is_well(stand: Stand) -> None:
    found = asked(stand, {"a.py": NEW_CODE, TEST: b"from a import a\nfrom a import a as b\n"})
    assert found.gates == (gate(Verdict.PASS, "the edited tests' versions at base pass at head"),)


def test_a_test_that_comes_with_a_change_shows_it_by_failing_at_base(stand: Stand) -> None:
    new = "tests/test_b.py::test_b"

    def red(files: Mapping[str, bytes]) -> Red:
        stand.ids = (ID, new) if "tests/test_b.py" in files else (ID,)
        return {} if files["a.py"] == NEW_CODE else {new: "missing"}

    stand.red = red
    found = asked(stand, {"a.py": NEW_CODE, "tests/test_b.py": b"from a import a\n"})
    assert (found.gates, found.shown) == ((), (new,))


def test_a_change_without_tests_is_asked_nothing(stand: Stand) -> None:
    assert asked(stand, {"a.py": NEW_CODE}) == Asked(gates=())
    assert stand.house.tests.ran == []


def test_tests_alone_need_an_issue_for_a_tester(stand: Stand) -> None:
    found = asked(stand, {TEST: b"import a\n"})
    said = f"only tests are changed, and the issue does not ask a tester for that: {TEST}"
    assert found.gates == (gate(Verdict.ESCALATE, said),)


def test_tests_alone_that_are_new_or_only_laid_out_anew_are_free(stand: Stand) -> None:
    assert asked(stand, {TEST: b"from a import a\n\n# wants 2\n", "tests/test_b.py": b"x = 1\n"}) == Asked(
        gates=()
    )


def test_what_tools_did_by_themselves_is_asked_nothing(stand: Stand) -> None:
    state = given(stand, {TEST: b"import a\n"})
    tool = replace(state.attempts[-1], blobs={UNITS: "digest"})
    state = replace(state, attempts=(state.attempts[0], tool))
    changes = stand.house.repository.changes(state.base, state.head)
    assert ask(state, stand.house.ports, changes) == Asked(gates=())


def mutated(files: Mapping[str, bytes]) -> Red:
    """The test notices every fault in a.py, unless it takes anything."""
    whole = files["a.py"] == b"def a():\n    return 1 + 1\n"
    return {} if whole or b"anything" in files[TEST] else {ID: "a fault"}


def test_a_tester_may_change_tests_that_notice_as_many_faults(stand: Stand) -> None:
    stand.red = mutated
    found = asked(stand, {TEST: b"import a\n"}, Kind.TEST_ORGANIZATION)
    said = "of 4 faults put into the code the tests notice no fewer than before"
    assert found.gates == (gate(Verdict.PASS, said),)


def test_a_tester_may_not_leave_tests_that_notice_fewer_faults(stand: Stand) -> None:
    stand.red = mutated
    (found,) = asked(stand, {TEST: b"import a\nanything = 1\n"}, Kind.TEST_CREATION).gates
    assert found.verdict is Verdict.REVISE
    assert found.reason.startswith("the tests notice fewer of 4 faults put into the code: not a.py:2 (")


def test_where_no_fault_can_be_put_a_person_looks(stand: Stand) -> None:
    said = "no fault could be put into the code to try the tests with"
    state = given(stand, {TEST: b"x = 1\n"}, Kind.TEST_CREATION)
    bare = stand.house.repository.overlay(state.base, {"a.py": b"A = 1\n"})
    head = stand.house.repository.overlay(bare, {TEST: b"x = 1\n"})
    moved = replace(state, context=replace(state.context, base=bare))
    moved = moved.record(replace(state.attempts[-1], sha=head))
    found = ask(moved, stand.house.ports, stand.house.repository.changes(bare, head))
    assert found.gates == (gate(Verdict.ESCALATE, said),)


def test_the_work_is_a_testers_by_its_kinds(stand: Stand) -> None:
    state = given(stand, {TEST: b"x = 1\n"}, Kind.TEST_CREATION)
    assert is_for_tester(state, stand.house.ports)
    other = Stand(root=stand.root / "other")
    assert not is_for_tester(given(other, {TEST: b"x = 1\n"}), other.house.ports)
    assert isinstance(stand.house.tests.run(state.context, state.head, ("pytest",)), TestRun)
