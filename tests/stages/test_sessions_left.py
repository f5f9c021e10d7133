"""What sessions leave behind: a person's words reach the next attempt, a broken end is no success."""

from sparky.adapters.scripted import ScriptedSession
from sparky.adapters.session_room import Room, make_room
from sparky.domain.attempt import Stage, Trait, Verdict
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
