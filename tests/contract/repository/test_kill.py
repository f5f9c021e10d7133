"""kill -9 between any two calls of git, and in the middle of one."""

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from sparky.adapters.git import Git
from sparky.adapters.git_worktree import Worktree
from sparky.adapters.repository import GitRepository
from sparky.ports import DirtyCheckoutError, GitError
from tests.contract.repository.house import BRANCH, Cut, House, files

READS = ("rev-parse", "rev-list", "config", "ls-files", "diff-files", "diff-tree", "status", "merge-base")


class KilledError(Exception):
    """sparky was killed here."""


def kill() -> None:
    raise KilledError


def moments(calls: list[str]) -> list[int]:
    """The calls, counted from 1, before which something may have changed since the one before."""
    writes = [call not in READS for call in calls]
    return [1, *(n + 1 for n in range(1, len(calls)) if writes[n - 1] or writes[n])]


Method = Callable[[GitRepository], object]


def life(house: House) -> dict[str, Method]:
    """What a run does, method by method; each finds what the ones before it left."""
    base = house.sha("main")

    def commit(repository: GitRepository) -> bool:
        (house.work / "run-1" / "a.py").write_text("a = 2\n")
        (house.work / "run-1" / "new.py").write_text("new\n")
        return repository.commit("run-1", "a change") is not None

    def merge(repository: GitRepository) -> None:
        repository.merge("main", base, house.sha(BRANCH))

    return {
        "open": lambda repository: repository.open("run-1", BRANCH, base),
        "commit": commit,
        "keep": lambda repository: repository.keep("run-1", house.sha(BRANCH)),
        "merge": merge,
        "drop": lambda repository: repository.drop("run-1", BRANCH),
    }


def standing(house: House) -> object:
    """What a person would see, without shas."""
    refs = house.git("for-each-ref", "--format=%(refname) %(tree) %(subject)")
    work = files(house.work / "run-1", (".git",)) if house.work.exists() else {}
    count = house.git("rev-list", "--count", "--all")
    return refs, count, work, house.status(), files(house.top, (".git",))


@pytest.mark.parametrize("method", ["open", "commit", "keep", "merge", "drop"])
def test_a_method_that_was_killed_anywhere_is_finished_by_running_it_again(house: House, method: str) -> None:
    steps = life(house)
    for name, step in steps.items():
        if name == method:
            break
        step(house.repository)
    start = house.root / "start"
    kept = {place: start / place.name for place in (house.top, house.root / "state") if place.exists()}
    for place, copy in kept.items():
        shutil.copytree(place, copy, symlinks=True)
    whole = Cut(house.shell, 0, kill)
    expected = steps[method](house.with_shell(whole)), standing(house)
    for number in moments(whole.calls):
        shutil.rmtree(house.top)
        shutil.rmtree(house.root / "state", ignore_errors=True)
        for place, copy in kept.items():
            shutil.copytree(copy, place, symlinks=True)
        with pytest.raises(KilledError):
            steps[method](house.with_shell(Cut(house.shell, number, kill)))
        again = steps[method](house.repository)
        assert (again, standing(house)) == expected, f"killed before call {number} of git"


def test_locks_and_a_half_made_worktree_of_a_killed_git_are_cleared(house: House) -> None:
    base = house.sha("main")
    worktree = house.repository.open("run-1", BRANCH, base)
    before = files(worktree)
    git_dir = house.top / ".git"
    admin = git_dir / "worktrees" / "run-1"
    for lock in (admin / "index.lock", admin / "HEAD.lock", git_dir / f"refs/heads/{BRANCH}.lock"):
        lock.touch()
    (worktree / "a.py").write_text("a = 2\n")
    assert house.repository.commit("run-1", "a change") is not None
    (admin / "locked").write_text("initializing")
    assert house.repository.open("run-1", BRANCH, base) == worktree
    assert not (admin / "locked").exists()
    (admin / "commondir").unlink()
    (worktree / ".git").unlink()
    assert house.repository.open("run-1", BRANCH, base) == worktree
    assert files(worktree) == before
    shutil.rmtree(worktree)
    house.repository.open("run-1", BRANCH, base)
    assert files(worktree) == before


@pytest.mark.parametrize(("run", "branch"), [("run-1", BRANCH), ("run-2", "sparky/issue-2")])
def test_a_worktree_whose_git_was_killed_between_making_a_file_and_filling_it_is_in_nobodys_way(
    run: str, branch: str, house: House
) -> None:
    base = house.sha("main")
    house.repository.open("run-1", BRANCH, base)
    admin = house.top / ".git" / "worktrees" / "run-1"
    (admin / "locked").write_text("initializing")
    (admin / "commondir").write_text("")
    os.utime(admin / "commondir", (0, 0))
    worktree = house.repository.open(run, branch, base)
    assert house.git("rev-parse", "HEAD", cwd=worktree) == base
    assert branch in house.git("worktree", "list")


def test_a_merge_whose_git_was_killed_halfway_is_finished(house: House) -> None:
    base = house.sha("main")
    worktree = house.repository.open("run-1", BRANCH, base)
    for name, text in {"a.py": "a = 2\n", "new.py": "new\n", "other.py": "other\n"}.items():
        (worktree / name).write_text(text)
    (worktree / "b.py").unlink()
    sha = house.repository.commit("run-1", "a change")
    assert sha is not None
    (house.top / "a.py").write_text("a = 2\n")
    (house.top / "new.py").write_text("ne")
    (house.top / "b.py").unlink()
    git_dir = house.top / ".git"
    (git_dir / "index.lock").write_bytes(b"sparky merges here\n")
    for name in ("index.sparky", "index.sparky.lock", "HEAD.lock", "refs/heads/main.lock"):
        (git_dir / name).touch()
    house.repository.merge("main", base, sha)
    assert (house.sha("main"), house.status()) == (sha, "")
    assert not [path for path in git_dir.rglob("*") if path.name.endswith((".lock", ".sparky"))]


def test_a_merge_that_was_killed_as_all_was_done_leaves_no_lock_when_it_is_run_again(house: House) -> None:
    base = house.sha("main")
    sha = house.change(a="a = 2\n")
    house.repository.merge("main", base, sha)
    git_dir = house.top / ".git"
    (git_dir / "index.lock").write_bytes(b"sparky merges here\n")
    for name in ("HEAD.lock", "refs/heads/main.lock"):
        (git_dir / name).touch()
    house.repository.merge("main", base, sha)
    assert list(git_dir.rglob("*.lock")) == []
    (git_dir / "index.lock").touch()
    house.repository.merge("main", base, sha)
    assert [path.name for path in git_dir.rglob("*.lock")] == ["index.lock"]


def test_an_edit_made_after_a_killed_merge_is_not_overwritten(house: House) -> None:
    base = house.sha("main")
    sha = house.change(a="a = 2\n", b="b = 2\n")
    (house.top / "a.py").write_text("a = 2\n")
    (house.top / "b.py").write_text("b = 2 # by hand\n")
    (house.top / ".git" / "index.lock").write_bytes(b"sparky merges here\n")
    with pytest.raises(DirtyCheckoutError) as caught:
        house.repository.merge("main", base, sha)
    assert str(caught.value) == f"uncommitted changes in {house.top}: b.py"
    assert (house.top / "b.py").read_text() == "b = 2 # by hand\n"


LOCKS = (f"refs/heads/{BRANCH}.lock", "refs/sparky/runs/run-1.lock", "packed-refs.lock")


def ended(house: House) -> None:
    """A run that is merged, and still has its branch and its kept ref."""
    base = house.sha("main")
    sha = house.change(a="a = 2\n")
    house.repository.keep("run-1", sha)
    house.repository.merge("main", base, sha)


def test_a_drop_whose_git_was_killed_with_its_locks_in_place_is_finished(house: House) -> None:
    ended(house)
    git_dir = house.top / ".git"

    def die() -> None:
        for lock in LOCKS:
            (git_dir / lock).touch()
        kill()

    with pytest.raises(KilledError):
        house.with_shell(Cut(house.shell, "update-ref", die)).drop("run-1", BRANCH)
    house.repository.drop("run-1", BRANCH)
    assert house.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert list(git_dir.rglob("*.lock")) == []


def test_a_lock_on_all_refs_that_is_not_of_a_killed_drop_is_left_alone(house: House) -> None:
    ended(house)
    lock = house.top / ".git" / "packed-refs.lock"
    lock.touch()
    with pytest.raises(GitError, match=r"packed-refs\.lock"):
        house.repository.drop("run-1", BRANCH)
    assert lock.exists()


def test_bug_a_worktree_could_not_be_made_while_another_run_ended(house: House) -> None:
    admins = [house.top / ".git" / "worktrees" / f"other-{number}" for number in range(40)]
    for admin in admins:
        admin.mkdir(parents=True)
    stop = Event()

    def others() -> None:
        while not stop.is_set():
            for admin in admins:
                (admin / "commondir").touch()
            for admin in admins:
                (admin / "commondir").unlink()

    git_dir = house.top / ".git"
    with ThreadPoolExecutor() as pool:
        ending = pool.submit(others)
        try:
            for _ in range(200):
                git = Git(shell=Cut(house.shell, 1, kill), cwd=house.top)
                with pytest.raises(KilledError):
                    Worktree(git, git_dir, house.work, "run-1").make("HEAD")
        finally:
            stop.set()
        ending.result()
