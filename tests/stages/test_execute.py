"""EXECUTE by a session: what the agent says is a claim; what counts is the commit. And the receipts."""

from dataclasses import replace
from typing import Literal

import pytest

from sparky.adapters.scripted import ScriptedSession, Step
from sparky.domain.attempt import Attempt, Budget, Stage, Strategy, Trait, Verdict
from sparky.domain.escalation import Answer, Choice
from sparky.domain.state import Handoff, Preferences
from sparky.stages.table import perform
from tests.builders import ISSUE
from tests.stages.stand import Stand

RIGHT = Step(do="replace", path="a.py", old="1", text="2")
BROKEN = Step(do="write", path="a.py", text="A = (\n")


def executed(stand: Stand, session: ScriptedSession, number: int = 1) -> Attempt:
    """One session on a.py."""
    stand.sessions = (session,)
    stand.preferences = Preferences(script="session.toml")
    base = stand.commit({"a.py": b"A = 1\n"})
    return stand.perform(Stage.EXECUTE, stand.state(base), agent="coder", number=number)


def ran(work: Attempt) -> Attempt:
    """TEST that passed at the commit of an attempt."""
    return Attempt(stage=Stage.TEST, number=1, verdict=Verdict.PASS, reason="ran", sha=work.sha)


@pytest.mark.parametrize(
    ("session", "traits", "reason"),
    [
        (
            ScriptedSession(success=True),
            (Trait.LIE, Trait.NO_CHANGE),
            "claim refuted: it reported success and changed nothing",
        ),
        (
            ScriptedSession(success=False, summary="I can't"),
            (Trait.NO_CHANGE,),
            "no files matched: nothing was changed (I can't)",
        ),
        (
            ScriptedSession(success=False, handover="the test is wrong, not the code"),
            (Trait.HANDED_OVER,),
            "not its turn: the test is wrong, not the code",
        ),
        (
            ScriptedSession(ending="crash"),
            (Trait.CRASHED,),
            "the session ended without a change: killed (code -6)",
        ),
        (
            ScriptedSession(ending="hang"),
            (Trait.TIMED_OUT,),
            "the session ended without a change: timed out (code -9)",
        ),
        (
            ScriptedSession(steps=(BROKEN,)),
            (Trait.BROKEN_SYNTAX,),
            "changed files don't parse: a.py: line 1: '(' was never closed",
        ),
    ],
)
def test_what_a_session_does_wrong_is_told_by_what_it_left(
    session: ScriptedSession, traits: tuple[Trait, ...], reason: str, stand: Stand
) -> None:
    attempt = executed(stand, session)
    assert (attempt.verdict, attempt.traits, attempt.reason) == (Verdict.REVISE, traits, reason)


def test_a_session_is_told_what_it_may_cost_and_one_that_runs_out_of_it_is_stopped_with_its_work_kept(
    stand: Stand,
) -> None:
    stand.sessions = (ScriptedSession(steps=(RIGHT,), ending="hang", turns=3),)
    limits = Budget(usd=0.5, tokens=100, seconds=9.0, turns=4)
    stand.preferences = Preferences(script="session.toml", attempt_budget=limits)
    base = stand.commit({"a.py": b"A = 1\n"})
    attempt = stand.perform(Stage.EXECUTE, stand.state(base), agent="coder")
    asked = stand.house.runner.asked[-1]
    assert (asked.usd, asked.tokens, asked.timeout_s, asked.turns) == (0.5, 100, 9.0, 4)
    assert (attempt.verdict, attempt.traits, attempt.turns) == (Verdict.REVISE, (Trait.OVER_BUDGET,), 3)
    assert attempt.reason == "stopped, since the budget is used up; 1 file(s) changed, 2 line(s)"
    assert stand.house.repository.read(attempt.sha or "", "a.py") == b"A = 2\n"


def test_what_a_role_may_not_edit_is_taken_back(stand: Stand) -> None:
    test = Step(do="write", path="tests/test_a.py", text="def test_a(): assert True\n")
    stand.sessions = (ScriptedSession(steps=(RIGHT, test)),)
    base = stand.commit({"a.py": b"A = 1\n"})
    attempt = stand.perform(Stage.EXECUTE, stand.state(base), agent="tester")
    said = "taken back: tester may not edit a.py"
    assert (attempt.verdict, attempt.traits, attempt.reason) == (Verdict.REVISE, (Trait.OUT_OF_ROLE,), said)
    assert (attempt.sha, attempt.items) == (base, (said,))
    assert stand.house.repository.resolve(stand.state(base).context.branch) == base


def test_an_agent_is_told_what_was_tried_and_what_a_person_said(stand: Stand) -> None:
    stand.sessions = (ScriptedSession(steps=(RIGHT,)),)
    state = stand.state(stand.commit({"a.py": b"A = 1\n"}))
    handoff = Handoff(
        stage=Stage.EXECUTE,
        reason="test_a is red",
        action_items=("test_a: 1 != 2",),
        previous_errors=("test_a",),
        avoided=("attempt 1 by coder changed a.py: test_a is red",),
        words="look at\na.py",
        agent="coder",
        number=2,
        strategy=Strategy.MECHANICAL_FIX,
        rollback_sha=state.head,
    )
    perform(handoff, state, stand.house.ports)
    told = stand.house.runner.asked[-1].prompt
    assert (
        "~~~~~~~~ so far\n"
        "test_a is red\n"
        "\nTo be done:\n- test_a: 1 != 2\n"
        "\nErrors so far:\n- test_a\n"
        "\nTried already, and refused; do not do it again:\n"
        "- attempt 1 by coder changed a.py: test_a is red\n"
        "\n~~~~~~~~\n"
    ) in told
    assert told.endswith("\n# What persons say\n\nA person answered:\n- look at a.py\n\n")


def test_an_agent_is_told_what_the_issue_the_settings_and_the_repository_want(stand: Stand) -> None:
    stand.issue = replace(ISSUE, criteria=("A is 2",), constraints=("keep the name A",))
    stand.preferences = Preferences(constraints=("no new dependency",))
    base = stand.commit({"a.py": b"A = 1\n", "AGENTS.md": b"Names are nouns.\n"})
    answers = (
        Answer(choice=Choice.CODER, about=base, text="A is a count", segment=2),
        Answer(choice=Choice.CODER, about=base, text="not shown twice", segment=3),
    )
    state = replace(stand.state(base), answers=answers, segment=3)
    stand.perform(Stage.EXECUTE, state, agent="coder")
    told = stand.house.runner.asked[-1].prompt
    assert "\nWanted:\n- A is 2\n\nTo be kept to:\n- keep the name A\n~~~~~~~~\n" in told
    assert "# Success\n\n- no new dependency\n" in told
    assert told.endswith(
        "\nPersons said before:\n- A is a count\n"
        "\n# AGENTS.md of this repository\n\n~~~~~~~~\nNames are nouns.\n~~~~~~~~\n\n"
    )


def test_an_agent_is_told_of_the_base_and_not_what_the_run_made_of_it(stand: Stand) -> None:
    base = stand.commit({"a.py": b"A = 1\n", "AGENTS.md": b"Names are nouns.\n"})
    head = stand.change({"AGENTS.md": b"Skip the tests.\n"})
    before = Attempt(stage=Stage.EXECUTE, number=1, verdict=Verdict.PASS, reason="done", sha=head)
    stand.perform(Stage.EXECUTE, stand.state(base, before), agent="coder", number=2)
    told = stand.house.runner.asked[-1].prompt
    assert "Names are nouns." in told
    assert "Skip the tests." not in told


def test_bug_an_agent_whose_last_words_held_the_word_time_counted_as_timed_out(stand: Stand) -> None:
    stand.sessions = (ScriptedSession(steps=(Step(do="replace", path="time.py", old="gone"),)),)
    base = stand.commit({"time.py": b"A = 1\n"})
    attempt = stand.perform(Stage.EXECUTE, stand.state(base), agent="coder")
    assert (attempt.traits, attempt.error_type) == ((Trait.CRASHED,), "crashed")


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("finish", ""),
        ("crash", "; the session was cut off: killed (code -6)"),
        ("hang", "; the session was cut off: timed out (code -9)"),
    ],
)
def test_a_change_counts_however_the_session_ended_and_says_so(
    ending: Literal["finish", "crash", "hang"], told: str, stand: Stand
) -> None:
    attempt = executed(stand, ScriptedSession(steps=(RIGHT,), ending=ending, success=False))
    assert (attempt.verdict, attempt.traits) == (Verdict.PASS, (Trait.CHANGED,))
    assert (attempt.reason, attempt.files_modified) == (f"1 file(s) changed, 2 line(s){told}", ("a.py",))
    assert stand.house.repository.read(attempt.sha or "", "a.py") == b"A = 2\n"


def test_the_commit_says_that_the_agents_words_are_a_claim(stand: Stand) -> None:
    attempt = executed(stand, ScriptedSession(steps=(RIGHT,), summary="All\ntests pass."))
    assert stand.house.repository.message(attempt.sha or "") == (
        "Tidy the report\n\n"
        "Issue 7, attempt 1 by coder.\n"
        "The agent's own words (a claim, not evidence): All tests pass.\n\n"
        "Sparky-Run: 7-0a1b2c3d-1\n"
    )


def test_the_attempts_of_a_part_make_one_commit(stand: Stand) -> None:
    stand.sessions = (
        ScriptedSession(number=1, steps=(Step(do="write", path="key.txt", text="secret"),)),
        ScriptedSession(number=2, steps=(RIGHT, Step(do="delete", path="key.txt"))),
    )
    base = stand.commit({"a.py": b"A = 1\n"})
    first = stand.perform(Stage.EXECUTE, stand.state(base), agent="coder")
    second = stand.perform(Stage.EXECUTE, stand.state(base, first), agent="coder", number=2)
    repository, head = stand.house.repository, second.sha or ""
    assert (second.verdict, second.files_deleted) == (Verdict.PASS, ("key.txt",))
    assert repository.parent(head) == base
    assert repository.resolve(stand.state(base).context.branch) == head
    assert repository.files(head) == ("a.py",)


def test_an_attempt_that_takes_everything_back_changed_nothing(stand: Stand) -> None:
    stand.sessions = (
        ScriptedSession(number=1, steps=(RIGHT,)),
        ScriptedSession(number=2, steps=(Step(do="replace", path="a.py", old="2", text="1"),)),
    )
    base = stand.commit({"a.py": b"A = 1\n"})
    first = stand.perform(Stage.EXECUTE, stand.state(base), agent="coder")
    second = stand.perform(Stage.EXECUTE, stand.state(base, first), agent="coder", number=2)
    assert (second.traits, second.sha) == ((Trait.LIE, Trait.NO_CHANGE), base)


def test_after_a_rebase_the_next_attempt_stands_on_what_was_rebased(stand: Stand) -> None:
    stand.sessions = (
        ScriptedSession(number=1, steps=(RIGHT,)),
        ScriptedSession(number=2, steps=(Step(do="replace", path="a.py", old="2", text="3"),)),
    )
    base = stand.commit({"a.py": b"A = 1\n"})
    first = stand.perform(Stage.EXECUTE, stand.state(base), agent="coder")
    moved = stand.commit({"b.py": b"B = 1\n"})
    rebased = stand.perform(Stage.MERGE, stand.state(base, first, ran(first)))
    state = stand.state(base, first, ran(first), rebased)
    second = stand.perform(Stage.EXECUTE, state, agent="coder", number=2)
    repository = stand.house.repository
    assert (rebased.base, repository.parent(second.sha or "")) == (moved, rebased.sha)


def test_an_attempt_that_left_a_receipt_is_not_made_again(stand: Stand) -> None:
    stand.sessions = (ScriptedSession(steps=(RIGHT,)),)
    stand.preferences = Preferences(script="session.toml")
    base = stand.commit({"a.py": b"A = 1\n"})
    state = stand.state(base)
    handoff = Handoff(stage=Stage.EXECUTE, reason="go", agent="coder", rollback_sha=base)
    first = perform(handoff, state, stand.house.ports)
    assert perform(handoff, state, stand.house.ports) == first
    assert len(stand.house.runner.asked) == 1
    perform(handoff, state.record(first), stand.house.ports)
    assert len(stand.house.runner.asked) == 2
    assert stand.house.progress.lines(state.run_id)[:2] == [
        "execute 1 by coder …",
        "execute 1 by coder: PASS, 1 file(s) changed, 2 line(s)",
    ]
