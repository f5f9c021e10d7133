"""Keeping, closing and dropping."""

import pytest

from sparky.ports import GitError
from tests.contract.repository.house import BRANCH, House


def test_kept_commits_outlive_their_branch_also_the_earlier_ones(house: House) -> None:
    first = house.change(a="a = 2\n")
    house.repository.keep("run-1", first)
    second = house.change(a="a = 3\n")
    house.repository.keep("run-1", second)
    house.repository.keep("run-1", second)
    house.repository.close("run-1")
    house.git("branch", "-qD", BRANCH)
    house.git("gc", "-q", "--prune=now")
    assert [house.repository.read(sha, "a.py") for sha in (first, second)] == [b"a = 2\n", b"a = 3\n"]
    assert house.repository.resolve("refs/sparky/runs/run-1") == second


def test_closing_leaves_the_branch_and_nothing_of_the_worktree(house: House) -> None:
    sha = house.change(a="a = 2\n")
    (house.work / "run-1" / ".git").unlink()
    (house.work / "run-1" / "locked").mkdir(mode=0o500)
    for _ in range(2):
        house.repository.close("run-1")
    assert not (house.work / "run-1").exists()
    assert house.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert house.sha(BRANCH) == sha


def test_dropping_what_is_merged_leaves_no_trace(house: House) -> None:
    before = set(house.git("for-each-ref", "--format=%(refname)").split())
    base = house.sha("main")
    sha = house.change(a="a = 2\n")
    house.repository.keep("run-1", sha)
    house.repository.merge("main", base, sha)
    for _ in range(2):
        house.repository.drop("run-1", BRANCH)
    assert set(house.git("for-each-ref", "--format=%(refname)").split()) == before
    assert list(house.work.iterdir()) == []


def test_dropping_what_is_nowhere_else_is_refused_and_names_it(house: House) -> None:
    sha = house.change(a="a = 2\n")
    house.repository.keep("run-1", sha)
    with pytest.raises(GitError) as caught:
        house.repository.drop("run-1", BRANCH)
    said = f"{sha} of {BRANCH} is on no other branch: merge it, or delete it yourself"
    assert str(caught.value) == said
    assert (house.sha(BRANCH), house.sha("refs/sparky/runs/run-1")) == (sha, sha)
    house.git("tag", "release", sha)
    house.repository.drop("run-1", BRANCH)
    assert house.repository.resolve(BRANCH) is None


def test_what_a_person_removed_the_branch_of_can_be_dropped(house: House) -> None:
    house.repository.keep("run-1", house.change(a="a = 2\n"))
    house.repository.close("run-1")
    house.git("branch", "-qD", BRANCH)
    house.repository.drop("run-1", BRANCH)
    assert house.repository.resolve("refs/sparky/runs/run-1") is None


def test_dropping_a_branch_that_is_not_the_runs_or_checked_out_is_refused(house: House) -> None:
    house.git("branch", "feature")
    house.repository.open("run-1", BRANCH, house.sha("main"))
    with pytest.raises(GitError, match="is not this run's"):
        house.repository.drop("run-1", "feature")
    house.repository.close("run-1")
    house.git("checkout", "-q", BRANCH)
    with pytest.raises(GitError, match="is checked out in"):
        house.repository.drop("run-1", BRANCH)
    assert house.sha("feature") == house.sha(BRANCH) == house.sha("main")


def test_an_unborn_change_from_a_detached_head_can_be_dropped(house: House) -> None:
    house.git("checkout", "-q", "--detach")
    house.git("commit", "-q", "--allow-empty", "-m", "on no branch")
    house.repository.open("run-1", BRANCH, house.sha("HEAD"))
    house.repository.drop("run-1", BRANCH)
    assert house.repository.resolve(BRANCH) is None
