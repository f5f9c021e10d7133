"""What no rule mends is handed on to a coding agent, kind by kind, where a person asks for that."""

import re
from collections.abc import Mapping

import pytest

from sparky.adapters.store import SqliteStore
from sparky.domain.issue import Kind, Source
from tests.acceptance.conftest import MakeWorld
from tests.acceptance.scenes import SCENES
from tests.acceptance.test_relay import REVIEWER
from tests.acceptance.world import Said, Session, World, replacing

SHOP = """\
import os


def total(text: str) -> int:
    return sum(eval(text))


def late() -> int:
    return 1
    print("never")
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


def late() -> int:
    return 1
    print("never")
"""
RIGHT: Session = {"issue": "left-security", "steps": [{"do": "write", "path": "shop.py", "text": MENDED}]}
WRONG = replacing("shop.py", "return sum(", "return 0 * sum(", issue="left-dead-code")
BY_TOOLS = "IMPORT_ERROR: mend 1 finding(s) in 1 file(s)"
BY_A_SESSION = "SECURITY: mend 1 finding(s) that no rule mends"


def fixed(world: World, *more: str) -> Said:
    kinds = ("-k", "security", "-k", "dead_code", "-k", "import_error")
    return world.sparky("fix", "--auto", "--json", *kinds, *more)


def commits(world: World) -> list[str]:
    return world.git("log", "--reverse", "--format=%s", "main").splitlines()[1:]


def test_what_no_rule_mends_is_mended_by_a_coding_agent_and_what_that_could_not_stays(
    world_of: MakeWorld,
) -> None:
    world = world_of(FILES)
    said = fixed(world, *world.script(RIGHT, WRONG))
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.err
    assert commits(world) == [BY_TOOLS, BY_A_SESSION]
    assert (world.repo / "shop.py").read_text() == MENDED
    (left,) = said.json()["issues_remaining"]
    assert left.startswith("shop.py:10 unreachable-code ")
    assert (
        ": a coding agent was asked to mend it, and left it: DEAD_CODE: mend 1 finding(s) that no rule"
        in left
    )
    assert "test_shop.py::test_total" in left


@pytest.mark.soak
def test_bug_what_a_session_left_to_a_person_merged_itself_and_what_stays_on_purpose_was_handed_on(
    world_of: MakeWorld,
) -> None:
    export = {"pkg/__init__.py": "from json import dumps\n"}
    world = world_of({**FILES, **export, ".agents/agents/reviewer.md": REVIEWER})
    said = fixed(world, *world.script({**RIGHT, "agent": "coder"}, {"agent": "reviewer", "success": False}))
    result = said.json()
    assert (said.code, result["outcome"], commits(world)) == (0, "ready", []), said.err
    assert ["has not reviewed" in risk for risk in result["risks"]] == [True], result["risks"]
    assert any("re-export" in line for line in result["issues_remaining"])
    assert sorted({run["issue"] for run in world.runs()}) == [
        *("fix", "fix-all", "left-dead-code", "left-security"),
    ]


OWN = (
    *(Kind.FORMATTING, Kind.IMPORT_ERROR, Kind.PERFORMANCE, Kind.COMPLEXITY, Kind.DRY_VIOLATION),
    *(Kind.DOCUMENTATION, Kind.TEST_ORGANIZATION),
)
"""The kinds in whose scene a file of its own has what is left."""
BY_NAME = ("-k", "dependency", "-k", "type_error", "-k", "test_failure")
EVERY: Mapping[str, str] = {
    **FILES,
    **{path: SCENES[kind].files[path] for kind in OWN for path in (SCENES[kind].left.partition(":")[0],)},
    "pyproject.toml": SCENES[Kind.DEPENDENCY].files["pyproject.toml"],
    "left/dependency.py": "import iniconfig\nimport packaging\nimport pluggy\n\n"
    "X = iniconfig, packaging, pluggy\n",
    "left/types.py": 'LIMIT: int = "many"\n',
    "tests/test_sum.py": "def test_sum() -> None:\n    assert 1 + 1 == 3\n",
}
HANDED = {
    **{kind: SCENES[kind].left for kind in OWN},
    Kind.SECURITY: "shop.py:5 S307 Use of possibly insecure function; consider using `ast.literal_eval`: "
    "needs a coding agent: its remedy changes what the program does",
    Kind.DEAD_CODE: "shop.py:10 unreachable-code unreachable code after 'return': "
    "needs a coding agent: which of the two was meant is for its author to say",
    Kind.TYPE_ERROR: "left/types.py:1 assignment Incompatible types in assignment "
    '(expression has type "str", variable has type "int"): needs a coding agent: no rule mends it',
    Kind.TEST_FAILURE: "tests/test_sum.py:1 failing-test tests/test_sum.py::test_sum: "
    "AssertionError: assert (1 + 1) == 3: needs a coding agent: no rule mends it",
}
"""What a session is asked to mend, and why no rule does."""
DEPENDENCY = SCENES[Kind.DEPENDENCY].left.replace(".py:1", ".py:3")
"""What nobody is asked to mend."""


def unplaced(line: str) -> str:
    """What is told of a finding without its line, which an edit above it moves."""
    return re.sub(r"(?<=\.py):\d+", "", line, count=1)


def handed(world: World) -> dict[Kind, tuple[str | None, str]]:
    """Who was asked first for each kind, and what for."""
    store = SqliteStore(world.root / "state" / "sparky.db")
    runs = [store.state(row.run_id) for row in store.rows()]
    parts = [run for run in runs if run.issue.source is Source.LEFTOVERS]
    return {run.issue.kinds[0]: (run.routes[0].agent, run.issue.body) for run in parts}


@pytest.mark.soak
def test_of_every_kind_what_no_rule_mends_is_handed_on_and_the_commits_of_the_tools_stay(
    world_of: MakeWorld,
) -> None:
    world = world_of(EVERY)
    more = [word for kind in OWN for word in ("-k", kind.value)]
    said = fixed(world, *more, *BY_NAME, *world.script({"success": False, "summary": "no idea"}))
    assert (said.code, said.json()["outcome"], commits(world)) == (0, "merged", [BY_TOOLS]), said.err
    asked = dict.fromkeys(HANDED, "coder") | {Kind.TEST_ORGANIZATION: "tester"}
    assert handed(world) == {kind: (asked[kind], f"- {line}") for kind, line in HANDED.items()}
    stays = [line.split(": a coding agent was asked to mend it") for line in said.json()["issues_remaining"]]
    by_session = {what: why for what, *rest in stays for why in rest}
    handed_on = [line.partition(": needs a coding agent")[0] for line in HANDED.values()]
    assert sorted(map(unplaced, by_session)) == sorted(map(unplaced, handed_on))
    assert all("no files matched" in why for why in by_session.values())
    assert [what for what, *rest in stays if not rest and "DEP" in what] == [DEPENDENCY]
    assert "note: DEPENDENCY is not handed on" in said.err


def test_nobody_is_no_coding_agent_to_hand_on_to(world_of: MakeWorld) -> None:
    world = world_of(FILES)
    refused = world.sparky("fix", "--hand-on")
    assert world.sparky("fix", "--check", "--hand-on", "-k", "security").code == 0
    assert (refused.code, refused.err) == (
        2,
        "error: nobody to hand on to: name a coding agent with --runner, or runner in sparky.toml\n",
    )


@pytest.mark.soak
def test_bug_a_fix_that_waits_had_the_part_of_the_tools_and_sessions_were_had_without_it(
    world_of: MakeWorld,
) -> None:
    world = world_of(FILES)
    words = ("fix", "--json", "-k", "security", "-k", "import_error")
    run = world.sparky(*words).json()["run_id"]
    refused = world.sparky(*words, *world.script(RIGHT))
    said = f"error: {run} has what the tools mend here: `sparky merge {run}`, or `sparky cancel {run}`"
    assert (refused.code, refused.err) == (3, f"{said}, then run this again\n")
    alone = ("fix", "--json", "-k", "import_error")
    first = world.sparky(*alone).json()["run_id"]
    again = world.sparky(*alone, *world.script(RIGHT))
    assert (again.code, again.json()["run_id"]) == (0, first), again.err


@pytest.mark.soak
def test_bug_a_session_that_was_refused_twice_asked_somebody_and_kept_its_findings(
    world_of: MakeWorld,
) -> None:
    world = world_of(FILES)
    hidden = [
        replacing("shop.py", "eval(text))", f"eval(text))  {how}", issue="left-security")
        for how in ("# noqa: S307", "# noqa")
    ]
    words = ("fix", "--auto", "--json", "-k", "security")
    said = world.sparky(*words, *world.script(*hidden))
    assert (said.code, said.json()["outcome"]) == (1, "failed"), said.err
    (left,) = said.json()["issues_remaining"]
    assert ": a coding agent was asked to mend it, and left it: SECURITY: mend 1 finding(s)" in left
    assert {run["outcome"] for run in world.runs()} <= {"failed", "nothing_to_do"}
    said = world.sparky(*words, *world.script(RIGHT))
    assert (said.code, said.json()["outcome"], commits(world)) == (0, "merged", [BY_A_SESSION]), said.err


@pytest.mark.soak
def test_the_configuration_can_ask_for_it_and_what_was_handed_on_waits_for_a_person_as_all_else(
    world_of: MakeWorld,
) -> None:
    world = world_of({**FILES, "sparky.toml": 'hand_on = true\nscript = "../script.toml"\n'})
    world.script(RIGHT)
    said = world.sparky("fix", "--json", "-k", "security")
    assert (said.code, said.json()["outcome"], commits(world)) == (0, "ready", []), said.err
    assert world.sparky("merge", said.json()["run_id"]).code == 0
    assert commits(world) == [BY_A_SESSION]
