"""Where a stored run stands, and what a new request for its issue does."""

from dataclasses import replace

import pytest

from sparky.domain.run import Life, Take, room, take
from sparky.domain.state import Outcome
from tests.builders import BASE, row_of, sha

ENDED = [
    Outcome.MERGED,
    Outcome.NOTHING_TO_DO,
    Outcome.PARTIAL,
    Outcome.BLOCKED,
    Outcome.FAILED,
    Outcome.CANCELLED,
]


@pytest.mark.parametrize("driven", [True, False])
@pytest.mark.parametrize("outcome", Outcome)
def test_a_run_with_an_end_waits_if_it_is_ready_and_else_has_ended(outcome: Outcome, *, driven: bool) -> None:
    expected = Life.WAITING if outcome is Outcome.READY else Life.ENDED
    assert row_of(outcome).life(driven=driven) is expected


def test_a_run_without_an_end_runs_while_its_process_lives() -> None:
    assert row_of().life(driven=True) is Life.RUNNING
    assert row_of().life(driven=False) is Life.INTERRUPTED


def test_an_issue_that_nobody_holds_is_started() -> None:
    assert take(None, BASE, driven=False) is Take.START


def test_a_live_run_is_joined_and_an_interrupted_one_adopted_at_whatever_base() -> None:
    for base in (BASE, sha("c")):
        assert take(row_of(), base, driven=True) is Take.JOIN
        assert take(row_of(), base, driven=False) is Take.ADOPT


def test_a_ready_run_is_joined_at_its_own_base_only() -> None:
    assert take(row_of(Outcome.READY), BASE, driven=False) is Take.JOIN
    assert take(row_of(Outcome.READY), sha("c"), driven=False) is Take.START


def test_a_run_that_asks_a_person_is_joined_at_its_own_base_only() -> None:
    asking = replace(row_of(Outcome.BLOCKED), asks=True)
    assert take(asking, BASE, driven=False) is Take.JOIN
    assert take(asking, sha("c"), driven=False) is Take.START


@pytest.mark.parametrize("outcome", ENDED)
def test_a_run_that_has_ended_is_not_joined(outcome: Outcome) -> None:
    assert take(replace(row_of(outcome)), BASE, driven=False) is Take.START


def test_each_session_of_a_run_has_a_room_of_its_own() -> None:
    assert room("007-ab-1", 1, 2, "My Coder/2") == "007-ab-1/1-2-my-coder-2"
