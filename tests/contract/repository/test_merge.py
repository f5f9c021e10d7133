"""Merging into a branch, checked out or not."""

import shutil
import subprocess

import pytest

from sparky.ports import DirtyCheckoutError, GitError, TargetMovedError
from tests.contract.repository.house import BRANCH, Cut, House, files, foreign


def test_a_merge_brings_a_clean_checkout_along(house: House) -> None:
    base = house.sha("main")
    (house.top / "untracked").write_text("stays\n")
    worktree = house.repository.open("run-1", BRANCH, base)
    (worktree / "b.py").unlink()
    (worktree / "b.py").mkdir()
    (worktree / "b.py" / "inner.py").write_text("inner\n")
    (worktree / "a.py").write_text("a = 2\n")
    (worktree / "new.py").write_text("new\n")
    sha = house.repository.commit("run-1", "a change")
    assert sha is not None
    house.repository.merge("main", base, sha)
    assert (house.sha("main"), house.sha("HEAD"), house.status()) == (sha, sha, "?? untracked")
    assert [(house.top / name).read_text() for name in ("a.py", "new.py")] == ["a = 2\n", "new\n"]
    assert house.git("reflog", "-1", "--format=%gs", "main") == f"sparky: fast-forward to {sha}"
    assert house.git("reflog", "-1", "--format=%gs", "HEAD") == f"sparky: fast-forward to {sha}"
    assert not list((house.top / ".git").glob("index.*"))
    house.repository.merge("main", base, sha)
    house.repository.merge("main", base, base)
    assert house.sha("main") == sha


def test_a_merge_into_a_branch_that_is_not_checked_out_moves_the_ref_alone(house: House) -> None:
    base = house.sha("main")
    house.git("checkout", "-q", "-b", "elsewhere")
    (house.top / "a.py").write_text("edited\n")
    before = files(house.top, (".git",)), (house.top / ".git" / "index").read_bytes()
    sha = house.change(a="a = 2\n")
    house.repository.merge("main", base, sha)
    assert house.sha("main") == sha
    assert (files(house.top, (".git",)), (house.top / ".git" / "index").read_bytes()) == before


def test_a_merge_brings_a_linked_worktree_of_the_persons_along(house: House) -> None:
    base = house.sha("main")
    house.git("checkout", "-q", "--detach")
    linked = house.root / "linked"
    house.git("worktree", "add", "-q", str(linked), "main")
    sha = house.change(a="a = 2\n")
    house.repository.merge("main", base, sha)
    assert (house.sha("main"), house.sha("HEAD")) == (sha, base)
    assert house.git("status", "--porcelain", "--branch", cwd=linked) == "## main"
    assert (linked / "a.py").read_text() == "a = 2\n"


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", ["a.py", "b.py"])
def test_a_merge_into_a_dirty_checkout_is_refused_and_changes_nothing(
    house: House, name: str, *, staged: bool
) -> None:
    base = house.sha("main")
    sha = house.change(a="a = 2\n")
    (house.top / name).write_text("edited\n")
    if staged:
        house.git("add", name)
    before = foreign(house)
    with pytest.raises(DirtyCheckoutError) as caught:
        house.repository.merge("main", base, sha)
    assert str(caught.value) == f"uncommitted changes in {house.top}: {name}"
    assert foreign(house) == before


@pytest.mark.parametrize("name", ["new.py", "ignored", "new"])
def test_a_merge_with_an_untracked_file_in_the_way_is_refused_by_name(house: House, name: str) -> None:
    base = house.sha("main")
    worktree = house.repository.open("run-1", BRANCH, base)
    (worktree / ".gitignore").write_text("nothing\n")
    (worktree / "new").mkdir()
    for path in ("new.py", "ignored", "new/deep.py"):
        (worktree / path).write_text("new\n")
    sha = house.repository.commit("run-1", "a change")
    assert sha is not None
    (house.top / name).write_text("the person's\n")
    before = foreign(house)
    with pytest.raises(GitError) as caught:
        house.repository.merge("main", base, sha)
    assert str(caught.value) == f"untracked files in {house.top} are in the way: {name}"
    assert foreign(house) == before


def test_a_merge_with_untracked_files_where_a_directory_goes_is_refused(house: House) -> None:
    base = house.sha("main")
    worktree = house.repository.open("run-1", BRANCH, base)
    shutil.rmtree(worktree / "sub dir")
    (worktree / "sub dir").write_text("a file now\n")
    sha = house.repository.commit("run-1", "a change")
    assert sha is not None
    (house.top / "sub dir" / "the person's").write_text("")
    before = foreign(house)
    with pytest.raises(GitError, match="sub dir"):
        house.repository.merge("main", base, sha)
    assert foreign(house) == before


def test_a_merge_into_a_branch_that_moved_is_refused(house: House) -> None:
    base = house.sha("main")
    sha = house.change(a="a = 2\n")
    moved = house.commit(b="b = 2\n")
    with pytest.raises(TargetMovedError) as caught:
        house.repository.merge("main", base, sha)
    assert str(caught.value) == f"main is at {moved}, not at {base}"
    with pytest.raises(GitError, match="can't be fast-forwarded"):
        house.repository.merge("main", moved, sha)
    with pytest.raises(TargetMovedError, match="no commit"):
        house.repository.merge("nothing", base, sha)


def test_a_branch_that_moves_during_the_merge_takes_its_checkout_back(house: House) -> None:
    base = house.sha("main")
    sha = house.change(a="a = 2\n", new="new\n")
    other = house.git("commit-tree", f"{base}^{{tree}}", "-p", base, "-m", "meanwhile")
    shell = Cut(house.shell, "update-ref", lambda: house.git("update-ref", "refs/heads/main", other))
    with pytest.raises(TargetMovedError, match="in the meantime"):
        house.with_shell(shell).merge("main", base, sha)
    assert (house.sha("main"), house.status(), (house.top / "a.py").read_text()) == (other, "", "a = 1\n")
    assert not (house.top / "new.py").exists()


def test_a_merge_in_the_middle_of_the_persons_rebase_is_refused(house: House) -> None:
    house.git("checkout", "-q", "-b", "side", "main~1")
    house.commit(a="side\n")
    house.git("checkout", "-q", "main")
    base = house.sha("main")
    sha = house.change(b="b = 2\n")
    with pytest.raises(subprocess.CalledProcessError):
        house.git("rebase", "side")
    with pytest.raises(DirtyCheckoutError, match="a rebase is in progress"):
        house.repository.merge("main", base, sha)
    assert house.sha("main") == base


def test_a_merge_waits_for_another_git_in_vain_and_says_so(house: House) -> None:
    base = house.sha("main")
    sha = house.change(a="a = 2\n")
    lock = house.top / ".git" / "index.lock"
    lock.touch()
    with pytest.raises(GitError, match="is there: another git works in"):
        house.repository.merge("main", base, sha)
    lock.unlink()
    house.repository.merge("main", base, sha)
    assert (house.sha("main"), house.status()) == (sha, "")


def test_a_merge_uses_the_persons_own_filters_in_their_checkout(house: House) -> None:
    house.git("config", "filter.upper.smudge", "tr a-z A-Z")
    house.git("config", "filter.upper.clean", "tr A-Z a-z")
    (house.top / ".gitattributes").write_text("*.up filter=upper\n")
    (house.top / "x.up").write_text("ONE\n")
    base = house.commit()
    worktree = house.repository.open("run-1", BRANCH, base)
    assert (worktree / "x.up").read_text() == "one\n"
    (worktree / "x.up").write_text("two\n")
    sha = house.repository.commit("run-1", "a change")
    assert sha is not None
    house.repository.merge("main", base, sha)
    assert ((house.top / "x.up").read_text(), house.status()) == ("TWO\n", "")
