"""An issue with several deliverables: each is a run, on top of those before; together they merge."""

from typing import Any

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import CONFIG
from tests.acceptance.world import Session, World, replacing

CALC = "def double(x):\n    return x * 3\n\n\ndef half(x):\n    return x / 3\n"
TESTS = (
    "from calc import double, half\n\n\n"
    "def test_double():\n    assert double(2) == 4\n\n\n"
    "def test_half():\n    assert half(4) == 2\n"
)
EPIC = (
    "# Issue #007: arithmetic is wrong\n\n## Deliverables\n"
    "- [ ] #008: double\n- [ ] #009: half\n- [x] #010: add\n"
)
DOUBLE = "# Issue #008: double is wrong\n\n## Files\n- calc.py\n"
HALF = "# Issue #009: half is wrong\n\n## Files\n- calc.py\n\n## Depends on\n#8\n"
FILES = {
    **CONFIG,
    "calc.py": CALC,
    "tests/test_calc.py": TESTS,
    "issues/007-arithmetic.md": EPIC,
    "issues/008-double.md": DOUBLE,
    "issues/009-half.md": HALF,
}
RIGHT_DOUBLE = replacing("calc.py", "x * 3", "x * 2", issue="008")
RIGHT_HALF = replacing("calc.py", "x / 3", "x / 2", issue="009")


@pytest.fixture
def world(world_of: MakeWorld) -> World:
    return world_of(FILES)


def run(world: World, *sessions: Session, issue: str = "7") -> tuple[int, dict[str, Any]]:
    said = world.sparky("run", issue, "--auto", "--json", *world.script(*sessions))
    return said.code, said.json()


def story(world: World, run: str) -> list[tuple[str, str]]:
    steps = world.sparky("show", run, "--json").json()["steps"]
    return [(step["stage"], step["verdict"]) for step in steps]


def test_every_deliverable_is_verified_alone_and_all_are_merged_together(world: World) -> None:
    code, result = run(world, RIGHT_HALF, RIGHT_DOUBLE)
    assert (code, result["outcome"]) == (0, "merged"), result
    assert story(world, result["run_id"]) == [
        ("decompose", "PASS"),
        ("child", "PASS"),
        ("child", "PASS"),
        ("test", "PASS"),
        ("verify", "PASS"),
        ("merge", "PASS"),
    ]
    assert world.git("show", "main:calc.py") == CALC.replace("3", "2").strip()
    assert world.git("log", "--format=%s", "main").splitlines() == [
        "half is wrong",
        "double is wrong",
        "by a person",
    ]


@pytest.mark.soak
def test_its_progress_is_told_with_that_of_its_parts(world: World) -> None:
    said = world.sparky("run", "7", "--auto", *world.script(RIGHT_HALF, RIGHT_DOUBLE))
    told = [line[9:] for line in said.err.splitlines()]
    assert "decompose 1: PASS, 2 deliverables: double is wrong, then half is wrong" in told
    assert "8: execute 1 by coder: PASS, 1 file(s) changed, 2 line(s)" in told
    assert told.index("8: review 1: PASS, all 9 gates pass") < told.index("9: route 1: PASS, GENERAL: coder")


def test_what_needs_a_deliverable_that_failed_is_skipped_with_that_reason(world: World) -> None:
    code, result = run(world, {"success": False, "summary": "no idea"}, RIGHT_HALF)
    assert (code, result["outcome"]) == (4, "nothing_to_do"), result
    assert result["reason"].startswith("none of 2 deliverables is done: double is wrong: nothing_to_do: ")
    assert result["reason"].endswith("; half is wrong: skipped, since 8 is not done")


def test_where_one_is_done_and_another_is_not_the_whole_is_partial_and_can_be_merged(world: World) -> None:
    no_half: Session = {"issue": "009", "success": False, "summary": "no idea"}
    code, result = run(world, RIGHT_DOUBLE, no_half)
    assert (code, result["outcome"]) == (4, "partial"), result
    assert result["reason"].endswith("; given up: half is wrong")
    assert world.sparky("merge", result["run_id"], "--json").json()["outcome"] == "merged"
    assert world.git("show", "main:calc.py") == CALC.replace("x * 3", "x * 2").strip()


@pytest.mark.soak
def test_a_part_is_merged_with_the_whole_and_not_by_itself(world: World) -> None:
    said = world.sparky("run", "7", "--json", *world.script(RIGHT_HALF, RIGHT_DOUBLE))
    whole = said.json()["run_id"]
    assert said.json()["outcome"] == "ready"
    part = next(line for line in world.runs() if line["issue"] == "008")
    assert (part["life"], part["needs_person"]) == ("ended", False)
    refused = world.sparky("merge", part["run_id"])
    assert (refused.code, refused.err) == (
        3,
        f"error: {part['run_id']} is a part of {whole}: `sparky merge {whole}`\n",
    )


def test_deliverables_that_wait_for_each_other_are_named(world: World) -> None:
    world.commit({"issues/008-double.md": DOUBLE + "\n## Depends on\n#009\n"})
    code, result = run(world, RIGHT_HALF, RIGHT_DOUBLE)
    assert (code, result["outcome"]) == (3, "blocked")
    assert result["reason"] == "no order can be found: 8 needs 9 needs 8"
    assert result["manual_steps_needed"] == ["say in issue 007 what comes first, then run it again"]


@pytest.mark.soak
def test_lines_of_a_checklist_are_deliverables_too(world: World) -> None:
    text = "# Issue #020: arithmetic\n\n## Tasks\n- [ ] double is wrong\n- [ ] half is wrong\n- [x] done\n"
    world.commit({"issues/020-arithmetic.md": text})
    code, result = run(
        world, {**RIGHT_DOUBLE, "issue": "020.1"}, {**RIGHT_HALF, "issue": "020.2"}, issue="20"
    )
    assert (code, result["outcome"]) == (0, "merged"), result


@pytest.mark.soak
def test_an_agent_may_say_that_an_issue_is_several(world: World) -> None:
    world.commit({"issues/030-all.md": "# Issue #030: all of it is wrong\n"})
    plan: Session = {"issue": "030", "success": False, "plan": ["double is wrong", "half is wrong"]}
    one, two = {**RIGHT_DOUBLE, "issue": "030.1"}, {**RIGHT_HALF, "issue": "030.2"}
    code, result = run(world, plan, one, two, issue="30")
    assert (code, result["outcome"]) == (0, "merged"), result
    assert story(world, result["run_id"])[:3] == [
        ("route", "PASS"),
        ("execute", "REVISE"),
        ("decompose", "PASS"),
    ]


@pytest.mark.soak
def test_a_part_that_asks_is_answered_by_itself_and_the_whole_tried_again(world: World) -> None:
    gone = {"do": "write", "path": "tests/test_calc.py", "text": "def test_double():\n    pass\n"}
    other = {**gone, "text": "def test_double():\n    return\n"}
    back = {"do": "write", "path": "tests/test_calc.py", "text": TESTS}
    weak = [{"issue": "009", "number": n, "steps": [step]} for n, step in ((1, gone), (2, other))]
    mended = {"issue": "009", "number": 3, "steps": [*RIGHT_HALF["steps"], back]}
    code, result = run(world, RIGHT_DOUBLE, *weak, mended)
    assert (code, result["outcome"]) == (4, "partial"), result
    part = next(line for line in world.runs() if line["needs_person"])
    assert part["issue"] == "009"
    answered = world.sparky("answer", part["run_id"], "coder", "--json").json()
    assert answered["outcome"] == "ready"
    again = world.sparky("retry", result["run_id"], "--from", "execute", "--json")
    assert (again.code, again.json()["outcome"]) == (0, "merged"), again.err
    assert world.git("show", "main:calc.py") == CALC.replace("3", "2").strip()


@pytest.mark.soak
def test_bug_what_a_person_took_in_a_part_against_its_review_was_merged_by_the_whole(world: World) -> None:
    hidden = replacing("calc.py", "x * 3", "x * 2  # noqa", issue="008", number=1)
    again = replacing("calc.py", "# noqa", "# noqa: E501", issue="008", number=2)
    code, blocked = run(world, hidden, again, RIGHT_HALF)
    assert (code, blocked["outcome"]) == (3, "blocked"), blocked
    (part,) = [one["run_id"] for one in world.runs() if one["issue"] == "008"]
    assert world.sparky("answer", part, "accept").code == 0
    said = world.sparky("retry", blocked["run_id"], "--json")
    assert (said.code, said.json()["outcome"]) == (0, "ready"), said.err
    assert said.json()["risks"] == ["accepted: a person took the change in spite of what its review found"]
