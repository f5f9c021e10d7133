"""A run that asks a person waits, is answered from another process, and goes on as the answer says."""

import sqlite3
from typing import Any

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import QUICK_BUG
from tests.acceptance.world import Session, World

MENDED = "def double(x):\n    return x * 2\n"
HIDING = ("", "  # noqa", "  # noqa: E501")


def writes(text: str, **more: Any) -> Session:
    return {"steps": [{"do": "write", "path": "calc.py", "text": text}], **more}


def hides(number: int) -> Session:
    return writes(MENDED.replace("2\n", f"2{HIDING[number]}\n"), number=number)


RIGHT = writes(MENDED)


def asking(world: World, *later: Session) -> str:
    """A run that review refused twice, and that asks what is to become of it; `later` is played then."""
    said = world.sparky("run", "1", "--auto", "--json", *world.script(hides(1), hides(2), *later))
    assert (said.code, said.json()["outcome"]) == (3, "blocked"), said.err
    return str(said.json()["run_id"])


@pytest.fixture
def world(world_of: MakeWorld) -> World:
    return world_of(QUICK_BUG)


def test_without_an_answer_the_question_is_shown_with_its_options(world: World) -> None:
    run = asking(world)
    said = world.sparky("answer", run, "--json")
    question: dict[str, Any] = said.json()
    assert said.code == 3
    assert question["question"] == "What is to become of a change that review refuses?"
    assert [option["choice"] for option in question["options"]] == ["coder", "accept", "stop"]
    assert question["default"] == "coder"
    assert question["about"] == world.git("rev-parse", world.runs()[0]["branch"])
    shown = world.sparky("answer", run).out
    assert f"sparky answer {run} coder (recommended): the agent once more" in shown
    assert shown in world.sparky("show", run).out


def test_what_asks_is_listed_first_and_joined_by_whoever_asks_for_the_issue(world: World) -> None:
    run = asking(world)
    assert [(line["run_id"], line["needs_person"], line["next_step"]) for line in world.runs()] == [
        (run, True, f"sparky answer {run}")
    ]
    joined = world.sparky("run", "1", "--json", *world.script(RIGHT))
    assert (joined.code, joined.json()["run_id"]) == (3, run)


def test_the_answer_reaches_the_agent_and_its_new_attempt_is_judged_as_any_other(world: World) -> None:
    run = asking(world, writes(MENDED, number=3))
    said = world.sparky("answer", run, "coder", "--text", "without a comment", "--json")
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.err
    assert (world.repo / "calc.py").read_text() == MENDED
    assert "answered  coder: without a comment" in world.sparky("show", run).out


def test_what_a_person_accepts_is_tested_all_the_same_and_waits_for_the_merge(world: World) -> None:
    run = asking(world)
    said = world.sparky("answer", run, "accept", "--json")
    assert (said.code, said.json()["outcome"]) == (0, "ready"), said.err
    assert said.json()["manual_steps_needed"][1] == f"then: sparky merge {run}"


@pytest.mark.soak
def test_a_person_may_end_it(world: World) -> None:
    run = asking(world)
    said = world.sparky("answer", run, "stop", "--json")
    assert (said.code, said.json()["outcome"], said.json()["reason"]) == (
        1,
        "cancelled",
        "a person said: stop",
    )
    assert world.sparky("run", "1", "--json", *world.script(RIGHT)).json()["run_id"] != run


def test_what_is_no_option_is_refused(world: World) -> None:
    run = asking(world)
    for word, why in (
        ("tester", "tester is no answer here; these are: coder, accept, stop"),
        ("maybe", "'maybe' is not one of"),
    ):
        said = world.sparky("answer", run, word)
        assert (said.code, why in said.err) == (2, True), said.err


def test_a_run_that_asks_nothing_says_so(world: World) -> None:
    run = world.sparky("run", "1", "--json", *world.script(RIGHT)).json()["run_id"]
    said = world.sparky("answer", run, "coder")
    assert (said.code, said.err) == (2, f"error: {run} asks nothing: see `sparky show {run}`\n")


def test_an_answer_holds_for_the_commit_that_was_asked_about(world: World) -> None:
    run = asking(world)
    branch = world.runs()[0]["branch"]
    about = world.git("rev-parse", branch)
    world.git("branch", "-f", branch, "main")
    said = world.sparky("answer", run, "accept")
    main = world.git("rev-parse", "main")
    assert said.code == 3
    assert said.err == (
        f"error: {branch} is at {main[:10]}, and the question was about {about[:10]}: "
        f"put it back, or `sparky retry {run}`\n"
    )


@pytest.mark.soak
def test_a_question_expires_and_the_run_can_be_tried_again_from_what_there_is(world: World) -> None:
    run = asking(world, writes(MENDED, number=3))
    with sqlite3.connect(world.root / "state" / "sparky.db") as store:
        store.execute("UPDATE runs SET updated = '2020-01-31T10:00:00Z'")
    said = world.sparky("answer", run, "coder")
    assert said.code == 3
    assert said.err == (
        "error: the question of 2020-01-31 has expired after 30 days: "
        f"`sparky retry {run}` starts from what there is now\n"
    )
    again = world.sparky("retry", run, "--json")
    assert (again.code, again.json()["outcome"]) == (0, "merged"), again.err


@pytest.mark.soak
def test_what_the_environment_lacked_is_tested_again_once_it_is_there(world: World) -> None:
    world.commit({"sparky.toml": 'test_command = "no-such-runner -q"\n'})
    first = world.sparky("run", "1", "--json", *world.script(RIGHT))
    assert (first.code, first.json()["outcome"]) == (3, "blocked"), first.err
    run = first.json()["run_id"]
    again = world.sparky("answer", run, "test", "--json")
    assert (again.code, again.json()["run_id"], again.json()["outcome"]) == (3, run, "blocked")
    assert [step["stage"] for step in world.sparky("show", run, "--json").json()["steps"]][-2:] == [
        "test",
        "test",
    ]


def test_a_retry_that_cannot_be_is_refused(world: World) -> None:
    run = world.sparky("run", "1", "--json", *world.script({"success": False})).json()["run_id"]
    for stage, why in (
        ("test", "has changed nothing: retry it from `route` or `execute`"),
        ("merge", "'merge' is not one of"),
    ):
        said = world.sparky("retry", run, "--from", stage)
        assert (said.code, why in said.err) == (2, True), said.err


@pytest.mark.soak
def test_what_is_merged_is_not_tried_again(world: World) -> None:
    run = world.sparky("run", "1", "--auto", "--json", *world.script(RIGHT)).json()["run_id"]
    said = world.sparky("retry", run)
    assert (said.code, said.err) == (2, f"error: {run} is merged: there is nothing to try again\n")


@pytest.mark.soak
def test_a_run_without_a_change_is_tried_again_with_what_a_person_says(world: World) -> None:
    done = world.sparky("run", "1", "--json", *world.script({"success": False}, {**RIGHT, "number": 9}))
    run = done.json()["run_id"]
    assert done.json()["outcome"] == "nothing_to_do"
    again = world.sparky("retry", run, "--text", "calc.py", "--json", "--from", "execute")
    assert (again.code, again.json()["run_id"], again.json()["attempts"]) == (4, run, 4)
