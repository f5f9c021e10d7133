"""What stands between a verified change and the branch: nothing is lost, and each refusal says what to do."""

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import CONFIG, SHOP
from tests.acceptance.world import Said, World, replacing

FILE = {"shop.py": "import os\n\nX = 1\n"}
FIX = ("fix", "--kind", "IMPORT_ERROR", "--json")


def fixed(world: World, *words: str) -> str:
    """`fix` of one kind, which is ready then; the run."""
    said = world.sparky(*FIX, *words)
    assert (said.code, said.json()["outcome"]) == (0, "ready"), said.err
    return str(said.json()["run_id"])


def ended(said: Said) -> tuple[int, str, list[str]]:
    """Exit code, outcome and the next steps."""
    return said.code, said.json()["outcome"], said.json()["manual_steps_needed"]


@pytest.mark.soak
def test_with_a_detached_head_it_is_ready_and_merged_into_the_branch_checked_out_then(
    world_of: MakeWorld,
) -> None:
    world = world_of(FILE)
    world.git("checkout", "-q", "--detach")
    run = fixed(world, "--auto")
    then = ["check out a branch", f"then: sparky merge {run}"]
    assert ended(world.sparky("merge", run, "--json")) == (3, "ready", then)
    world.git("checkout", "-q", "main")
    assert ended(world.sparky("merge", run, "--json")) == (0, "merged", [])
    assert (world.repo / "shop.py").read_text() == "X = 1\n"


@pytest.mark.soak
def test_a_dirty_checkout_is_warned_of_and_waited_for_and_its_later_commit_rebased_onto(
    world_of: MakeWorld,
) -> None:
    world = world_of({**SHOP, "notes.txt": "old\n"})
    world.write({"notes.txt": "edited\n"})
    before = world.snapshot()
    first = world.sparky("fix", "--auto", "--json")
    run = first.json()["run_id"]
    then = ["commit or stash your changes", f"then: sparky merge {run}"]
    assert first.err.startswith("warning: uncommitted edits are not part of the base: notes.txt\n")
    assert ended(first) == (0, "ready", then)
    assert first.json()["reason"] == f"uncommitted changes in {world.repo}: notes.txt"
    assert ended(world.sparky("merge", run, "--json")) == (3, "ready", then)
    assert world.snapshot() == before

    elsewhere = world.commit({})
    merged = world.sparky("merge", run, "--json")
    assert ended(merged) == (0, "merged", []), merged.err
    assert f"main moved to {elsewhere[:10]}: rebased, to be tested again" in merged.err
    assert (merged.json()["base"], merged.json()["commit"]) == (elsewhere, world.git("rev-parse", "main"))
    assert (world.repo / "notes.txt").read_text() == "edited\n"
    assert world.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert world.git("status", "--porcelain") == ""


def test_a_conflict_blocks_and_names_the_files_and_the_work_is_kept(world_of: MakeWorld) -> None:
    world = world_of(FILE)
    run = fixed(world)
    moved = world.commit({"shop.py": "import os as o\n\nX = o.sep\n"})
    said = world.sparky("merge", run, "--json")
    steps = ["resolve conflict in shop.py", f"or run it again: it starts anew at {moved[:10]}"]
    assert ended(said) == (3, "blocked", steps)
    assert said.json()["reason"] == "main moved, and does not go with this change"
    branch, commit = said.json()["branch"], said.json()["commit"]
    assert world.git("show", f"{branch}:shop.py") == "X = 1"
    assert said.json()["work_completed"]["tests_passed"] is None
    assert said.json()["partial_fixes"] == [f"unverified work is kept at {commit[:12]} on {branch}"]
    assert world.sparky("merge", run).err == (
        f"error: {run} is blocked, not ready: see `sparky show {run}`\n"
    )
    assert world.git("rev-parse", "main") == moved
    assert world.sparky(*FIX).json()["outcome"] == "nothing_to_do"


def test_files_in_the_way_are_named_and_nothing_is_overwritten(world_of: MakeWorld) -> None:
    bug = {"calc.py": "X = 1\n", "issues/1-new.md": "# Issue #1: add new.py\n"}
    world = world_of(bug)
    script = world.script({"steps": [{"do": "write", "path": "new.py", "text": "Y = 2\n"}]})
    run = world.sparky("run", "1", "--json", *script).json()["run_id"]
    world.write({"new.py": "mine = 1\n"})
    said = world.sparky("merge", run, "--json")
    assert (said.code, said.json()["reason"]) == (
        3,
        f"untracked files in {world.repo} are in the way: new.py",
    )
    assert (world.repo / "new.py").read_text() == "mine = 1\n"
    world.write({"new.py": None})
    assert ended(world.sparky("merge", run, "--json")) == (0, "merged", [])


@pytest.mark.soak
def test_the_work_branch_may_be_checked_out_deleted_or_moved_when_it_is_merged(world_of: MakeWorld) -> None:
    world = world_of(FILE)
    run = fixed(world)
    branch = world.runs()[0]["branch"]
    world.git("checkout", "-q", branch)
    merged = world.sparky("merge", run, "--json")
    assert ended(merged) == (0, "merged", []), merged.err
    assert f"left as it is: {branch} is checked out in {world.repo}" in merged.err
    assert world.runs()[0]["life"] == "ended"
    world.git("checkout", "-q", "main")
    assert (world.repo / "shop.py").read_text() == "X = 1\n"

    world.commit({"more.py": "import os\n\nX = 1\n"})
    run = fixed(world)
    world.git("branch", "-qD", world.runs()[0]["branch"])
    assert ended(world.sparky("merge", run, "--json")) == (0, "merged", [])

    world.commit({"most.py": "import os\n\nX = 1\n"})
    run = fixed(world)
    branch = world.runs()[0]["branch"]
    world.git("checkout", "-q", branch)
    mine = world.commit({"mine.txt": "on top\n"})
    world.git("checkout", "-q", "main")
    assert ended(world.sparky("merge", run, "--json")) == (0, "merged", [])
    assert world.git("rev-parse", branch) == mine


def test_what_the_target_had_already_needs_no_undo(world_of: MakeWorld) -> None:
    world = world_of(FILE)
    run = fixed(world)
    world.commit({"shop.py": "X = 1\n"})
    merged = world.sparky("merge", run, "--json")
    assert (ended(merged), merged.json()["reason"]) == ((0, "merged", []), "main has this change already")
    assert world.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    said = world.sparky("undo", run)
    assert (said.code, said.out) == (3, "")
    why = f"{run} brought nothing to main, which had this change already"
    assert said.err == f"error: {why}: there is nothing to take back; see `git log main`\n"


def test_an_older_run_is_not_merged_while_a_newer_one_has_the_issue(world_of: MakeWorld) -> None:
    world = world_of(FILE)
    older = fixed(world)
    world.commit({"notes.txt": "x\n"})
    newer = fixed(world)
    said = world.sparky("merge", older)
    assert (said.code, said.out) == (3, "")
    way = f"`sparky show {newer}`, then merge or cancel one of the two"
    assert said.err == f"error: {newer} has this issue now: {way}\n"
    assert world.sparky("cancel", older).code == 0
    assert ended(world.sparky("merge", newer, "--json")) == (0, "merged", [])


def test_merging_twice_says_so(world_of: MakeWorld) -> None:
    world = world_of(FILE)
    run = fixed(world)
    assert world.sparky("merge", run).code == 0
    again = world.sparky("merge", run, "--json")
    assert (ended(again), again.err) == ((0, "merged", []), f"{run} is merged already\n")


def test_a_repository_that_is_gone_leaves_the_run_as_it_was(world_of: MakeWorld) -> None:
    world = world_of(FILE)
    run = fixed(world)
    world.repo.rename(world.root / "moved")
    gone = f"{world.repo}/.git is not there any more"
    said = world.sparky("merge", run, "--json", cwd=world.root)
    assert (said.code, said.json()["outcome"], said.json()["reason"]) == (3, "ready", gone)
    step = "put it back there, or run the issue again where the repository is now"
    assert said.json()["manual_steps_needed"][0] == step
    moved = world.sparky("status", "-C", str(world.root / "moved"), cwd=world.root)
    told = f"no runs of {world.root}/moved; there are runs of {world.repo}, which is not there any more"
    way = "if it was moved here, put it back to go on with them"
    assert (moved.code, moved.out) == (0, f"{told}: {way}\n")
    assert world.sparky("diff", run, cwd=world.root) == Said(
        code=2, out="", err=f"error: {world.repo} does not exist\n"
    )
    (world.root / "moved").rename(world.repo)
    assert ended(world.sparky("merge", run, "--json")) == (0, "merged", [])


TRIO = {
    **CONFIG,
    **{f"{name}.py": f"def {name}(x):\n    return x * 3\n" for name in ("one", "two", "six")},
    "tests/test_one.py": "from one import one\n\n\ndef test_one():\n    assert one(2) == 4\n",
    "tests/test_two.py": "from two import two\n\n\ndef test_two():\n    assert two(2) == 4\n",
    "tests/test_six.py": "from six import six\n\n\ndef test_six():\n    assert six(2) == 4\n",
}
"""A repository with three bugs."""


def ready(world: World, name: str) -> str:
    """`run`, which mends one of them and is ready then; the run."""
    script = world.script(replacing(f"{name}.py", "x * 3", "x * 2"))
    said = world.sparky("run", name, "is", "wrong", "--json", *script)
    assert (said.code, said.json()["outcome"]) == (0, "ready"), said.err
    return str(said.json()["run_id"])


@pytest.mark.soak
def test_several_are_rebased_in_a_row_tested_once_together_and_each_can_be_taken_back(
    world_of: MakeWorld,
) -> None:
    world = world_of(TRIO)
    runs = [ready(world, name) for name in ("one", "two", "six")]
    moved = world.commit({"notes.txt": "x\n"})
    said = world.sparky("merge", "--all", "--json")
    assert said.code == 0, said.err
    assert [(one["run_id"], one["outcome"]) for one in said.json()] == [(run, "merged") for run in runs]
    assert said.err.count("running the tests at head") == 1
    subjects = world.git("log", "--format=%s", f"{moved}..main").splitlines()
    assert subjects == ["six is wrong", "two is wrong", "one is wrong"]
    assert world.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert world.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert world.git("status", "--porcelain") == ""
    assert world.sparky("undo", runs[1]).code == 0
    assert world.git("show", "main:two.py").endswith("x * 3")
    assert world.git("show", "main:one.py").endswith("x * 2")


@pytest.mark.soak
def test_of_several_that_are_red_together_the_largest_green_part_is_merged_and_the_other_named(
    world_of: MakeWorld,
) -> None:
    both = "import one\nimport two\n\n\ndef test_both():\n    assert one.one(1) == 3 or two.LEVEL == 1\n"
    world = world_of(
        {**TRIO, "two.py": "LEVEL = 1\n\n\ndef two(x):\n    return x * 3\n", "tests/test_both.py": both}
    )
    first = ready(world, "one")
    steps = [
        {"do": "replace", "path": "two.py", "old": a, "text": b}
        for a, b in (("= 1", "= 2"), ("x * 3", "x * 2"))
    ]
    said = world.sparky("run", "two", "is", "wrong", "--json", *world.script({"steps": steps}))
    second, third = said.json()["run_id"], ready(world, "six")
    merged = world.sparky("merge", first, second, third, "--json")
    assert merged.code == 3, merged.err
    assert [one["outcome"] for one in merged.json()] == ["merged", "ready", "merged"]
    why = "beside 1 run(s) merged before it: 1 test(s) worse than at base: tests/test_both.py::test_both"
    assert f"{second} is left as it was: {why}\n" in merged.err
    assert world.git("log", "--format=%s", "main").splitlines() == [
        "six is wrong",
        "one is wrong",
        "by a person",
    ]
    assert world.git("rev-parse", merged.json()[1]["branch"]) == said.json()["commit"]
    assert world.git("worktree", "list", "--porcelain").count("worktree ") == 1


@pytest.mark.soak
def test_one_that_conflicts_with_another_is_left_and_what_no_test_looks_at_is_merged_one_by_one(
    world_of: MakeWorld,
) -> None:
    world = world_of({"calc.py": "def double(x):\n    return x * 3\n", "other.py": "Y = 3\n"})
    runs = []
    for what, path, old, new in (("double", "calc.py", "x * 3", "x * 2"), ("y", "other.py", "= 3", "= 2")):
        script = world.script(replacing(path, old, new))
        runs.append(world.sparky("run", what, "is", "wrong", "--json", *script).json()["run_id"])
    script = world.script(replacing("calc.py", "x * 3", "2 * x"))
    runs.append(world.sparky("run", "double", "is", "strange", "--json", *script).json()["run_id"])
    merged = world.sparky("merge", *runs)
    assert merged.code == 3, merged.err
    assert "not merged together, so one after the other: unverified by tests: no test command" in merged.err
    assert [run["outcome"] for run in reversed(world.runs())] == ["merged", "merged", "blocked"]
    assert world.git("show", "main:calc.py").endswith("x * 2")
    assert [line for line in merged.out.splitlines() if line.startswith(tuple(runs))] == [
        f"{run}: {title}"
        for run, title in zip(runs, ("double is wrong", "y is wrong", "double is strange"), strict=True)
    ]


def test_without_a_run_nothing_is_merged(world_of: MakeWorld) -> None:
    world = world_of(FILE)
    assert world.sparky("merge") == Said(code=2, out="", err="error: name the runs to merge, or say --all\n")
    said = world.sparky("merge", "--all", "--json")
    assert (said.code, said.json(), said.err) == (0, [], "no run of this repository is ready\n")
