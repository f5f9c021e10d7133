"""Whose turn it is after a report, and what of it is a role's: an honest unknown rather than a guess."""

import pytest

from sparky.domain.agent import Role
from sparky.domain.attempt import Responsibility
from sparky.domain.report import Answer, Reply
from sparky.reports.mine import mine, whose
from sparky.reports.read import read
from sparky.reports.told import owner_of

BOTH = """
## Resolution Required
CODING_AGENT: allow umlauts in validate_name() (src/names.py, Item: #1)
CODING_AGENT: annotate it (File: src/names.py, Item: #2)
TESTING_AGENT: cover umlauts (File: tests/test_names.py, Item: #3)
## Merge Decision
BLOCKED
"""


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Compilation failed in Position.java line 42", Responsibility.CODER),
        ("Test test_create_project failed - expected 201, got 400", Responsibility.UNKNOWN),
        ("Test is correct. Implementation has bug in validateName()", Responsibility.CODER),
        ("Merge conflict in src/main.py", Responsibility.PERSON),
        ("Code quality: duplicated validation", Responsibility.CODER),
        ("Runner system failure", Responsibility.ENVIRONMENT),
        ("The job is stuck", Responsibility.ENVIRONMENT),
        ("job stuck / could not resolve host", Responsibility.ENVIRONMENT),
        ("No merge conflicts. The rest is unclear.", Responsibility.UNKNOWN),
        ("If there is a merge conflict, ask.", Responsibility.UNKNOWN),
        ("The test is wrong, and the implementation has a bug.", Responsibility.UNKNOWN),
        ("Code ist korrekt, test_a schlägt fehl", Responsibility.TESTER),
        ("It fails.\n```\nmerge conflict in a.py\n```\n", Responsibility.PERSON),
        ("It fails.\n```\nmerge conflict in a.py\nno space left\n```\n", Responsibility.UNKNOWN),
        ("test_a fails\nRoot cause: total() drops the sign", Responsibility.CODER),
        ("test_a fails\nRoot cause: nobody knows", Responsibility.UNKNOWN),
        ("a.py and tests/test_a.py are both wrong. See b.py. See tests/test_b.py", Responsibility.UNKNOWN),
        ("The grid is empty.\nAssigned to: QA automation", Responsibility.TESTER),
        ("The grid is empty.\nAssigned to: QA or dev", Responsibility.UNKNOWN),
        ("LGTM, but please describe the new flag in `README.md` before we merge", Responsibility.DOCUMENTER),
        ("on `README.md` line 3\nplease name the flag", Responsibility.UNKNOWN),
        ("Ready to merge? After the leak in `src/pool.py` is closed.", Responsibility.CODER),
        ("BUG-12 and BUG-13 were looked at", Responsibility.UNKNOWN),
        ("", Responsibility.UNKNOWN),
    ],
)
def test_the_turn_follows_from_what_is_said(text: str, who: Responsibility) -> None:
    turn = whose(read(text))
    assert turn.responsibility is who
    assert (turn.confidence == 0.0) == (who is Responsibility.UNKNOWN)


def test_when_the_implementation_is_at_fault_the_tester_does_nothing() -> None:
    reading = read("Test is correct. Implementation has bug in validateName()")
    coder, tester = mine(reading, Role.CODER), mine(reading, Role.TESTER)
    assert (coder.should_act, coder.responsibility) == (True, Responsibility.CODER)
    assert [item.text for item in coder.items] == ["implementation has bug"]
    assert (tester.should_act, tester.responsibility, tester.items) == (False, Responsibility.CODER, ())
    assert tester.reason == "not the tester's turn: it says: implementation has bug"


def test_when_both_are_named_each_has_its_items_and_the_coder_goes_first() -> None:
    coder, tester = mine(read(BOTH), Role.CODER), mine(read(BOTH), Role.TESTER)
    assert (coder.should_act, [item.id for item in coder.items], coder.reason) == (
        True,
        ["#1", "#2"],
        "2 items for the coder",
    )
    assert (tester.should_act, [item.id for item in tester.items], tester.responsibility) == (
        True,
        ["#3"],
        Responsibility.TESTER,
    )
    assert tester.reason == "1 item for the tester; the coder goes first: work at its commit"


def test_what_is_answered_is_shown_and_not_done_again() -> None:
    answers = [
        Reply(item="#1", answer=Answer.FIXED, commit="abc1234"),
        Reply(item="#2", answer=Answer.REJECTED, reason="the issue forbids it"),
    ]
    coder = mine(read(BOTH), Role.CODER, answers)
    assert coder.should_act is False
    assert [(item.answer, item.commit, item.why) for item in coder.items] == [
        (Answer.FIXED, "abc1234", ""),
        (Answer.REJECTED, "", "the issue forbids it"),
    ]
    assert coder.reason == (
        "not the coder's turn: 1 item for the tester: cover umlauts; all 2 of the coder's items are answered"
    )
    tester = mine(read(BOTH), Role.TESTER, answers)
    assert (tester.should_act, tester.reason) == (True, "1 item for the tester")


def test_when_every_item_is_answered_a_new_review_follows() -> None:
    answers = [Reply(item=f"#{number}", answer=Answer.FIXED) for number in (1, 2, 3)]
    turn = mine(read(BOTH), Role.REVIEWER, answers)
    assert (turn.should_act, turn.responsibility) == (True, Responsibility.REVIEWER)
    assert turn.reason == "every item is answered: a new review follows"


def test_an_approval_asks_nothing_of_anybody() -> None:
    turn = mine(read("## Merge Decision\nAPPROVED\n"), Role.CODER)
    assert (turn.should_act, turn.items, turn.reason) == (
        False,
        (),
        "approved, and nothing is asked of anybody",
    )
    assert turn.confidence == 0.95


def test_an_approval_with_a_reservation_that_names_nobody_is_a_weak_one() -> None:
    turn = whose(read("LGTM, only the name should be shorter"))
    assert (turn.responsibility, turn.confidence) == (None, 0.6)


def test_unclear_is_said_so_with_what_could_tell() -> None:
    turn = mine(read("Test test_create failed - expected 201, got 400"), Role.CODER)
    assert (turn.should_act, turn.responsibility, turn.confidence) == (False, Responsibility.UNKNOWN, 0.0)
    assert turn.reason == (
        "unclear between coder and tester: no cause is given for test_create; a run of the tests can tell"
    )


def test_a_cause_outside_the_files_named_outweighs_an_assumed_owner() -> None:
    turn = whose(read("Merge conflict with main.\n\n- [ ] a.py\n- [ ] something\n"))
    assert turn.responsibility is Responsibility.PERSON


def test_every_role_bears_a_responsibility() -> None:
    assert {role: owner_of(role).value for role in Role} == {
        Role.CODER: "coder",
        Role.TESTER: "tester",
        Role.REVIEWER: "reviewer",
        Role.DOCUMENTER: "documenter",
        Role.VALIDATOR: "coder",
        Role.PLANNER: "coder",
    }
