"""One `fix` of every kind: from findings to a merged commit each, refused by tests, and handed over."""

import json
import subprocess
import sys

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.world import World
from tests.contract.faults import FAULTS

GUARD = """

def test_what_is_looked_up_by_name() -> None:
    assert vars(shop)["_old" + "_key"]("a") == "a"
"""
WHY = "coder: it needs a coding agent (--runner NAME) or a script (--script FILE)"
PROGRAM = """
import dataclasses, json, sys
from sparky.api import get_agent, handle_issues
from sparky.domain.issue import Issue, Kind, Source

assert get_agent("imports").kinds == (Kind.IMPORT_ERROR,)
titles = sys.argv[1:]
issues = [Issue(id=title, key=title, title=title, source=Source.SENTENCE) for title in titles]
print(json.dumps(dataclasses.asdict(handle_issues(issues))))
"""


@pytest.mark.soak
def test_each_kind_is_a_merged_commit_and_what_a_test_refuses_is_withdrawn_alone(world_of: MakeWorld) -> None:
    world = world_of({**FAULTS, "test_shop.py": FAULTS["test_shop.py"] + GUARD})
    base = world.git("rev-parse", "HEAD")
    said = world.sparky("fix", "--auto", "--json")
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.err
    subjects = world.git("log", "--reverse", "--format=%s", f"{base}..main").splitlines()
    assert [subject.partition(":")[0] for subject in subjects] == [
        "SECURITY",
        "DRY_VIOLATION",
        "PERFORMANCE",
        "COMPLEXITY",
        "TEST_ORGANIZATION",
        "DOCUMENTATION",
    ]
    (left,) = said.json()["issues_remaining"]
    assert left.startswith("shop.py:")
    assert left.endswith(
        "unused-private unused function `_old_key`: withdrawn: "
        "its fix breaks test_shop.py::test_what_is_looked_up_by_name"
    )


@pytest.mark.soak
def test_dependencies_are_mended_only_where_they_are_asked_for(world_of: MakeWorld) -> None:
    world = world_of(FAULTS)
    kinds = {one["finding"]["kind"] for one in world.sparky("scan", "--json").json()["findings"]}
    said = world.sparky("fix", "--auto", "--json", "-k", "dependency")
    assert kinds & {"DEPENDENCY", "TYPE_ERROR"} == set()
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.err
    assert (world.repo / "pyproject.toml").read_text() == FAULTS["pyproject.toml"].replace(
        '    "requests>=2",  # nobody knows why\n', ""
    )


def handed_over(world: World, *titles: str) -> object:
    """What `handle_issues` returns for issues with these titles."""
    argv = [sys.executable, "-c", PROGRAM, *titles]
    done = subprocess.run(argv, cwd=world.repo, env=world.env, capture_output=True, check=True)
    return json.loads(done.stdout)


NOBODY = {
    "success": False,
    "confidence": 0.0,
    "fixes_applied": [],
    "remaining_issues": [
        "no agent for GENERAL",
        f"Crash: no agent bids enough for GENERAL: {WHY}",
    ],
    "files_modified": [],
    "calls": {},
}


def test_a_program_hands_an_issue_over_that_nobody_can_work_on(world_of: MakeWorld) -> None:
    assert handed_over(world_of({"a.py": "X = 1\n"}), "Crash") == NOBODY


@pytest.mark.soak
def test_a_program_hands_issues_over_and_gets_one_result(world_of: MakeWorld) -> None:
    world = world_of({"a.py": "import os\n\nX = 1\n", "test_a.py": "def test_a():\n    pass\n"})
    mended = "Remove unused imports: verified at the tested commit; 1 of 1 finding(s) gone"
    expected = {"fixes_applied": [mended], "files_modified": ["a.py"], "calls": {"imports": 1}}
    assert handed_over(world, "Remove unused imports", "Crash") == {**NOBODY, **expected}
