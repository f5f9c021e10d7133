"""What no rule mends is handed on to a coding agent, kind by kind, where a person asks for that."""

from collections.abc import Mapping

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.world import Said, Session, World, replacing

SHOP = """\
import os


def total(text: str) -> int:
    return sum(eval(text))
"""
FILES: Mapping[str, str] = {
    "shop.py": SHOP,
    "test_shop.py": """\
from shop import total


def test_total() -> None:
    assert total("[1, 2]") == 3
""",
}
MENDED = """\
from ast import literal_eval


def total(text: str) -> int:
    return sum(literal_eval(text))
"""
RIGHT: Session = {"issue": "left-security", "steps": [{"do": "write", "path": "shop.py", "text": MENDED}]}
WRONG = replacing("shop.py", "eval(text)", "map(int, text)", issue="left-security")
BY_TOOLS = "IMPORT_ERROR: mend 1 finding(s) in 1 file(s)"


def fixed(world: World, *more: str) -> Said:
    return world.sparky("fix", "--auto", "--json", "-k", "security", "-k", "import_error", *more)


def commits(world: World) -> list[str]:
    return world.git("log", "--reverse", "--format=%s", "main").splitlines()[1:]


def test_what_no_rule_mends_is_mended_by_a_coding_agent_on_top_of_what_the_tools_did(
    world_of: MakeWorld,
) -> None:
    world = world_of(FILES)
    said = fixed(world, *world.script(RIGHT))
    assert (said.code, said.json()["outcome"], said.json()["issues_remaining"]) == (0, "merged", []), said.err
    assert commits(world) == [BY_TOOLS, "1 SECURITY finding(s) that no rule mends"]
    assert (world.repo / "shop.py").read_text() == MENDED


@pytest.mark.parametrize(
    ("session", "reason"),
    [
        (WRONG, "test_shop.py::test_total"),
        pytest.param({**WRONG, "steps": [], "success": False}, "no files matched", marks=pytest.mark.soak),
    ],
)
def test_what_the_coding_agent_could_not_mend_stays_and_so_do_the_commits_of_the_tools(
    world_of: MakeWorld, session: Session, reason: str
) -> None:
    world = world_of(FILES)
    said = fixed(world, *world.script(session))
    assert (said.code, said.json()["outcome"], commits(world)) == (0, "merged", [BY_TOOLS]), said.err
    (left,) = said.json()["issues_remaining"]
    assert left.startswith("shop.py:2 S307 ")
    assert ": a coding agent was asked to mend it, and left it: " in left
    assert reason in left


def test_nobody_is_no_coding_agent_to_hand_on_to(world_of: MakeWorld) -> None:
    refused = world_of(FILES).sparky("fix", "--hand-on")
    assert (refused.code, refused.err) == (
        2,
        "error: nobody to hand on to: name a coding agent with --runner, or runner in sparky.toml\n",
    )


@pytest.mark.soak
def test_the_configuration_can_ask_for_it_and_what_was_handed_on_waits_for_a_person_as_all_else(
    world_of: MakeWorld,
) -> None:
    world = world_of({**FILES, "sparky.toml": 'hand_on = true\nscript = "../script.toml"\n'})
    world.script(RIGHT)
    said = world.sparky("fix", "--json", "-k", "security")
    assert (said.code, said.json()["outcome"], commits(world)) == (0, "ready", []), said.err
    assert world.sparky("merge", said.json()["run_id"]).code == 0
    assert commits(world) == ["1 SECURITY finding(s) that no rule mends"]
