"""One `fix` of every kind: from findings to a merged commit each, refused by tests, and handed over."""

import json
import subprocess
import sys

from tests.acceptance.conftest import MakeWorld
from tests.contract.faults import FAULTS

GUARD = """

def test_what_is_looked_up_by_name() -> None:
    assert vars(shop)["_old" + "_key"]("a") == "a"
"""
PROGRAM = """
import dataclasses, json
from sparky.api import get_agent, handle_issues
from sparky.domain.issue import Issue, Kind, Source

assert get_agent("imports").kinds == (Kind.IMPORT_ERROR,)
titles = ("Remove unused imports", "Crash")
issues = [Issue(id=title, key=title, title=title, source=Source.SENTENCE) for title in titles]
print(json.dumps(dataclasses.asdict(handle_issues(issues))))
"""


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


def test_dependencies_are_mended_only_where_they_are_asked_for(world_of: MakeWorld) -> None:
    world = world_of(FAULTS)
    kinds = {one["finding"]["kind"] for one in world.sparky("scan", "--json").json()["findings"]}
    said = world.sparky("fix", "--auto", "--json", "-k", "dependency")
    assert kinds & {"DEPENDENCY", "TYPE_ERROR"} == set()
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.err
    assert (world.repo / "pyproject.toml").read_text() == FAULTS["pyproject.toml"].replace(
        '    "requests>=2",  # nobody knows why\n', ""
    )


def test_a_program_hands_issues_over_and_gets_one_result(world_of: MakeWorld) -> None:
    world = world_of({"a.py": "import os\n\nX = 1\n", "test_a.py": "def test_a():\n    pass\n"})
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=world.repo,
        env=world.env,
        capture_output=True,
        text=True,
        check=True,
    )
    why = "coder: it plays a script, and none is given (--script FILE)"
    assert json.loads(done.stdout) == {
        "success": False,
        "confidence": 0.0,
        "fixes_applied": ["Remove unused imports: verified at the tested commit; 1 of 1 finding(s) gone"],
        "remaining_issues": ["no agent for GENERAL", f"Crash: no agent bids enough for GENERAL: {why}"],
        "files_modified": ["a.py"],
        "calls": {"imports": 1},
    }
