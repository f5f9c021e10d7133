"""What stands between a verified change and the branch: nothing is lost, and each refusal says what to do."""

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import SHOP
from tests.acceptance.world import Said, World

FILE = {"shop.py": "import os\n\nX = 1\n"}


def fixed(world: World, *words: str) -> str:
    """`fix`, which is ready then; the run."""
    said = world.sparky("fix", "--json", *words)
    assert (said.code, said.json()["outcome"]) == (0, "ready"), said.err
    return str(said.json()["run_id"])


def ended(said: Said) -> tuple[int, str, list[str]]:
    """Exit code, outcome and the next steps."""
    return said.code, said.json()["outcome"], said.json()["manual_steps_needed"]


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
    assert world.sparky("fix", "--json").json()["outcome"] == "nothing_to_do"


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
    assert world.sparky("diff", run, cwd=world.root) == Said(
        code=2, out="", err=f"error: {world.repo} does not exist\n"
    )
    (world.root / "moved").rename(world.repo)
    assert ended(world.sparky("merge", run, "--json")) == (0, "merged", [])
