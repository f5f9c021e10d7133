"""One `fix` of every kind: from findings to a merged commit each, refused by tests, and handed over."""

import json
import subprocess
import sys
from collections.abc import Iterable

import pytest

from sparky.app.intake import BY_DEFAULT
from sparky.domain.issue import Kind
from tests.acceptance.conftest import MakeWorld
from tests.acceptance.scenes import SCENES
from tests.acceptance.world import World

TESTED = "Merged only where no test is worse than before: pytest"
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


def assert_scenes(world: World, kinds: Iterable[Kind], subtests: pytest.Subtests, *options: str) -> None:
    """One `fix` and `merge`: what holds is merged, what a test refuses is withdrawn, the rest is told."""
    base, before = world.git("rev-parse", "HEAD"), world.snapshot()
    fixed = world.sparky("fix", "--json", *options)
    assert (fixed.code, fixed.json()["outcome"], world.snapshot()) == (0, "ready", before), fixed.err
    merged = world.sparky("merge", fixed.json()["run_id"], "--json")
    assert (merged.code, merged.json()["outcome"]) == (0, "merged"), merged.err
    scenes = {kind: SCENES[kind] for kind in kinds}
    lines = [line for scene in scenes.values() for line in (scene.refused, scene.left)]
    assert sorted(fixed.json()["issues_remaining"]) == sorted(lines)
    commits = world.git("log", "--reverse", "--format=%s", f"{base}..main").splitlines()
    assert [subject.partition(":")[0] for subject in commits] == [kind.value for kind in scenes]
    for kind, scene in scenes.items():
        with subtests.test(kind.value):
            (commit,) = world.git("log", f"--grep=^{kind.value}: ", "--format=%H", f"{base}..main").split()
            said = world.git("show", "-s", "--format=%b", commit).splitlines()
            files = world.git("show", "--format=", "--name-only", commit).splitlines()
            assert (said[0], said[2], files) == (scene.rule, TESTED, list(scene.mended))
            now = {path: (world.repo / path).read_bytes().decode() for path in scene.files}
            assert now == {**scene.files, **scene.mended}


def test_of_each_kind_what_holds_is_merged_what_a_test_refuses_withdrawn_and_the_rest_handed_over(
    world_of: MakeWorld, subtests: pytest.Subtests
) -> None:
    files = {path: text for kind in BY_DEFAULT for path, text in SCENES[kind].files.items()}
    world = world_of({**SCENES[Kind.DEPENDENCY].files, **files})
    assert_scenes(world, BY_DEFAULT, subtests)


@pytest.mark.soak
@pytest.mark.parametrize("kind", [Kind.DEPENDENCY, Kind.TYPE_ERROR], ids=lambda kind: kind.value)
def test_so_it_is_with_a_kind_that_has_to_be_asked_for(
    kind: Kind, world_of: MakeWorld, subtests: pytest.Subtests
) -> None:
    assert_scenes(world_of(SCENES[kind].files), [kind], subtests, "-k", kind.value)


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
