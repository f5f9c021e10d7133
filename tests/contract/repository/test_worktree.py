"""The worktree of a run."""

import shutil

import pytest

from sparky.ports import GitError, Repository
from tests.contract.repository.house import BRANCH, House, files, foreign


def test_the_adapter_keeps_the_port(house: House) -> None:
    repository: Repository = house.repository
    assert repository.resolve("main") == house.sha("main")
    assert repository.resolve("nothing") is None


def test_an_opened_worktree_lies_outside_has_the_commits_files_and_is_on_the_branch(house: House) -> None:
    worktree = house.repository.open("run-1", BRANCH, house.sha("main"))
    assert worktree == house.work / "run-1"
    assert files(worktree, (".git",)) == files(house.top, (".git",))
    assert house.git("symbolic-ref", "HEAD", cwd=worktree) == f"refs/heads/{BRANCH}"
    assert house.git("status", "--porcelain", cwd=worktree) == ""
    assert house.sha(BRANCH) == house.sha("main")


def test_a_whole_run_touches_nothing_of_the_persons(house: House) -> None:
    house.git("stash", "list")
    (house.top / "a.py").write_text("edited\n")
    (house.top / "untracked").write_text("")
    hook = house.top / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch '{house.root}/hooked'\n")
    hook.chmod(0o755)
    for name in ("pre-commit", "reference-transaction", "post-index-change"):
        shutil.copy(hook, hook.with_name(name))
    house.git("config", "core.fsmonitor", f"'{hook}'")
    before = foreign(house)
    sha = house.change(b="b = 2\n")
    house.repository.keep("run-1", sha)
    house.repository.reset("run-1", house.sha("main"))
    house.repository.rebase("run-1", house.sha("main"))
    house.repository.export(sha, house.root / "export")
    house.repository.patch("main", sha)
    house.repository.close("run-1")
    assert foreign(house) == before
    assert not (house.root / "hooked").exists()


def test_opening_again_undoes_what_is_in_the_worktree(house: House) -> None:
    worktree = house.repository.open("run-1", BRANCH, house.sha("main"))
    before = files(worktree)
    (worktree / "a.py").unlink()
    (worktree / "a.py").mkdir()
    (worktree / "a.py" / "in the way").write_text("")
    (worktree / "ignored").write_text("")
    (worktree / "nested").mkdir()
    house.git("init", "-q", cwd=worktree / "nested")
    (worktree / "run.sh").chmod(0o644)
    (worktree / "sub dir" / ".git").mkdir()
    (worktree / "sub dir" / ".git" / "config").write_text("")
    (worktree / "locked").mkdir(mode=0o500)
    house.git("add", "-A", ":!sub dir", ":!nested", cwd=worktree)
    assert house.repository.open("run-1", BRANCH, house.sha("main")) == worktree
    assert files(worktree) == before
    assert sorted(path.name for path in worktree.iterdir()) == sorted({path.split("/")[0] for path in before})


def test_a_branch_of_the_run_is_put_back_to_the_commit_asked_for(house: House) -> None:
    sha = house.change(a="a = 2\n")
    worktree = house.repository.open("run-1", BRANCH, house.sha("main"))
    assert (house.sha(BRANCH), (worktree / "a.py").read_text()) == (house.sha("main"), "a = 1\n")
    house.repository.close("run-1")
    house.repository.open("run-1", BRANCH, sha)
    assert (house.sha(BRANCH), (worktree / "a.py").read_text()) == (sha, "a = 2\n")


def test_a_branch_that_is_not_the_runs_is_refused(house: House) -> None:
    house.git("branch", BRANCH, "main~1")
    house.git("branch", "feature")
    with pytest.raises(GitError, match="is there already"):
        house.repository.open("run-1", BRANCH, house.sha("main"))
    with pytest.raises(GitError, match="feature is there already"):
        house.repository.open("run-1", "feature", house.sha("main"))
    assert house.sha(BRANCH) == house.sha("main~1")
    assert not house.work.exists()


def test_a_branch_that_a_person_committed_to_is_left_where_it_is(house: House) -> None:
    house.change(a="a = 2\n")
    house.repository.close("run-1")
    house.git("checkout", "-q", BRANCH)
    with pytest.raises(GitError, match="is checked out in"):
        house.repository.open("run-1", BRANCH, house.sha("main"))
    theirs = house.commit(b="by hand\n")
    house.git("checkout", "-q", "main")
    with pytest.raises(GitError, match="was moved to"):
        house.repository.open("run-1", BRANCH, house.sha("main"))
    assert house.sha(BRANCH) == theirs


def test_a_run_whose_name_is_no_file_name_is_refused(house: House) -> None:
    for run in ("../run", "a/b", ".run", "run.lock", "a..b", ""):
        with pytest.raises(GitError, match="can't name a worktree"):
            house.repository.open(run, BRANCH, house.sha("main"))


def test_a_worktree_of_the_persons_with_the_runs_name_is_left_alone(house: House) -> None:
    theirs = house.root / "run-1"
    house.git("worktree", "add", "-q", "-b", "other", str(theirs))
    before = foreign(house), files(theirs)
    for act in (
        lambda: house.repository.open("run-1", BRANCH, "main"),
        lambda: house.repository.close("run-1"),
    ):
        with pytest.raises(GitError, match="is another worktree's"):
            act()
    assert (foreign(house), files(theirs)) == before


def test_a_worktree_that_was_never_opened_says_so(house: House) -> None:
    with pytest.raises(GitError, match="was never opened"):
        house.repository.commit("run-1", "a change")


def test_a_commit_that_is_not_there_says_so(house: House) -> None:
    with pytest.raises(GitError, match="is not a commit of"):
        house.repository.open("run-1", BRANCH, "0" * 40)
