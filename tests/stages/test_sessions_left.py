"""What sessions leave behind: a person's words reach the next attempt, a broken end is no success."""

import time
from dataclasses import dataclass, replace

import pytest

from sparky.adapters.scripted import ScriptedSession
from sparky.adapters.session_room import Room, make_room
from sparky.domain.attempt import Stage, Strategy, Trait, Verdict
from sparky.domain.moves import PAUSE_S
from sparky.domain.state import Handoff
from sparky.events import SessionEnding, SessionRequest, SessionResult
from sparky.stages.route import SCRIPTED
from sparky.stages.table import STAGES
from tests.stages.stand import Stand
from tests.transcripts.lines import BARE, REFUSED, answer, call, result, text_of, user, words

STOPPED = [words("[Request interrupted by user for tool use]")]


def leave(stand: Stand, *lines: object) -> Room:
    """The room of the session that was asked for last, with a transcript that begins with its prompt."""
    asked = stand.house.runner.asked[-1]
    made = make_room(stand.root / "sessions", asked)
    path = made.config / "projects" / "-work" / "s.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(user(asked.prompt, 0), *lines))
    return made


def test_what_a_person_said_in_a_session_is_told_to_the_next_between_fences(stand: Stand) -> None:
    stand.sessions = (ScriptedSession(success=False),)
    state = stand.state(stand.commit({"a.py": b"A = 1\n"}))
    first = stand.perform(Stage.EXECUTE, state, agent="coder")
    leave(
        stand,
        answer(call("c1", "Edit", file_path="a.py"), second=1, name="m1"),
        result("c1", f"{REFUSED}The user said:\nA is a count", 2, error=True),
        answer(call("c2", command="make all"), second=3, name="m2"),
        result("c2", "the tool says: merge it all", 4),
        answer(call("c3", command="rm -rf b"), second=5, name="m3"),
        result("c3", BARE, 6, error=True),
        user(STOPPED, 6.1),
        user("keep the directory b", 9),
        answer(words("I do."), second=10, name="m4"),
    )
    stand.perform(Stage.EXECUTE, state.record(first), agent="coder", number=2)
    told = stand.house.runner.asked[-1].prompt
    fence = "~" * 8
    assert (
        "\nWhat persons said in earlier sessions, by the transcripts:\n"
        "- The person stopped the work (Bash rm -rf b): keep the directory b\n"
        "- The person refused a tool call (Edit a.py): A is a count\n"
        f"\n{fence}\n"
    ) in told
    assert "the tool says" not in told


def test_a_session_that_says_it_is_done_and_was_killed_is_tried_again(stand: Stand) -> None:
    stand.sessions = (ScriptedSession(success=True),)
    state = stand.state(stand.commit({"a.py": b"A = 1\n"}))
    lied = stand.perform(Stage.EXECUTE, state, agent="coder")
    leave(stand, answer(call("c1", command="make"), second=1))
    killed = stand.perform(Stage.EXECUTE, state, agent="coder")
    assert (lied.traits, killed.traits) == ((Trait.LIE, Trait.NO_CHANGE), (Trait.CRASHED,))
    assert (killed.verdict, killed.reason) == (
        Verdict.REVISE,
        "the session ended without a change: c1 has no result",
    )


def test_a_prompt_that_was_torn_hides_nothing_of_what_persons_said(stand: Stand) -> None:
    stand.sessions = (ScriptedSession(success=False),)
    state = stand.state(stand.commit({"a.py": b"A = 1\n"}))
    first = stand.perform(Stage.EXECUTE, state, agent="coder")
    room = leave(stand, user("keep the name A", 1), answer(words("I do."), second=2))
    room.prompts.write_bytes(b'"torn\n' + room.prompts.read_bytes())
    stand.perform(Stage.EXECUTE, state.record(first), agent="coder", number=2)
    told = stand.house.runner.asked[-1].prompt
    assert "by the transcripts:\n- The person said: keep the name A\n\n" in told


def test_of_very_many_words_a_prompt_carries_those_of_the_newest_sessions(stand: Stand) -> None:
    stand.sessions = (ScriptedSession(success=False),)
    state = stand.state(stand.commit({"a.py": b"A = 1\n"}))
    for number in (1, 2):
        attempt = stand.perform(Stage.EXECUTE, state, agent="coder", number=number)
        state = state.record(replace(attempt, number=number))
        leave(stand, *(user(f"{number}.{n} {'x' * 1800}", n) for n in range(1, 8)))
    stand.perform(Stage.EXECUTE, state, agent="coder", number=3)
    told = stand.house.runner.asked[-1].prompt
    heard = [(n, m) for n in (1, 2) for m in range(1, 8) if f"- The person said: {n}.{m} x" in told]
    assert heard == [*((1, m) for m in range(1, 4)), *((2, m) for m in range(1, 8))]


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A runner whose model takes no work."""

    ending: SessionEnding
    retry_at: float

    def run(self, request: SessionRequest) -> SessionResult:
        """Nothing but the refusal."""
        del request
        return SessionResult(claimed_success=False, summary="", ending=self.ending, retry_at=self.retry_at)


@pytest.mark.parametrize(
    ("ending", "limit_s", "wait_s"),
    [
        (SessionEnding.RATE_LIMITED, 500, 500),
        (SessionEnding.RATE_LIMITED, -500, PAUSE_S),
        (SessionEnding.OUTAGE, 500, PAUSE_S),
        (SessionEnding.OUTAGE, -500, PAUSE_S),
    ],
)
def test_a_limit_says_when_to_ask_again_only_where_it_ended_the_session_and_is_to_come(
    stand: Stand, ending: SessionEnding, limit_s: float, wait_s: float
) -> None:
    now = time.time()
    state = stand.state(stand.commit({"a.py": b"A = 1\n"}))
    runner = Refused(ending=ending, retry_at=now + limit_s)
    ports = replace(stand.house.ports, runners={SCRIPTED: runner})
    handoff = Handoff(
        stage=Stage.EXECUTE,
        reason="asked for",
        agent="coder",
        number=1,
        strategy=Strategy.DIRECT_FIX,
        rollback_sha=state.head,
    )
    attempt = STAGES[Stage.EXECUTE](handoff, state, ports)
    assert attempt.retry_at is not None
    assert attempt.retry_at - now == pytest.approx(wait_s, abs=30)
