"""An agent that plants programs for git to start."""

import shutil

from sparky.adapters.repository import GitRepository
from tests.contract.repository.house import BRANCH, House, plant


def test_nothing_that_an_agent_plants_is_executed(house: House) -> None:
    canary = house.root / "canary"
    house.git("config", "filter.persons.clean", "./trap.sh")
    house.git("config", "filter.persons.smudge", "./trap.sh")
    house.git("config", "filter.persons.required", "true")
    house.git("config", "merge.persons.driver", "./trap.sh")
    base = house.sha("main")
    worktree = house.repository.open("run-1", BRANCH, base)
    plant(house, worktree, canary)
    sha = house.repository.commit("run-1", "a change")
    assert sha is not None
    plant(house, worktree, canary)
    house.repository.patch(base, sha)
    house.repository.changes(base, sha)
    house.repository.export(sha, house.root / "export")
    house.commit(b="b = 2\nfrom main\n")
    assert house.repository.rebase("run-1", house.sha("main")) == (None, ("b.py",))
    house.repository.reset("run-1", sha)
    plant(house, worktree, canary)
    house.repository.open("run-1", BRANCH, sha)
    plant(house, worktree, canary)
    house.repository.close("run-1")
    assert not canary.exists()


def test_the_traps_of_the_test_above_do_spring(house: House) -> None:
    canary = house.root / "canary"
    worktree = house.repository.open("run-1", BRANCH, house.sha("main"))
    plant(house, worktree, canary)
    house.git("status", cwd=worktree)
    assert canary.read_text().split()[0] == "fsmonitor"
    house.git("-c", "core.fsmonitor=false", "add", "a.py", cwd=worktree)
    assert "clean" in canary.read_text().split()


def test_a_worktree_of_another_sparky_is_not_looked_into_when_merging(house: House) -> None:
    canary = house.root / "canary"
    base = house.sha("main")
    other = GitRepository(house.shell, house.top, house.top / ".git", house.root / "other")
    worktree = other.open("run-2", "sparky/other", base)
    plant(house, worktree, canary)
    sha = house.change(a="a = 2\n")
    house.repository.merge("main", base, sha)
    assert (house.sha("main"), house.status(), canary.exists()) == (sha, "", False)


def test_a_repository_planted_in_the_place_of_a_submodule_is_not_looked_into(house: House) -> None:
    canary = house.root / "canary"
    other = shutil.copytree(house.top, house.root / "submodule", symlinks=True)
    house.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "lib")
    base = house.commit()
    worktree = house.repository.open("run-1", BRANCH, base)
    plant(house, worktree, canary)
    (worktree / "lib").rmdir()
    (worktree / "sub dir" / ".git").rename(worktree / "git")
    shutil.copytree(worktree, house.root / "lib", symlinks=True)
    (house.root / "lib").rename(worktree / "lib")
    (worktree / "lib" / ".git" / "HEAD").write_text(house.sha("main:lib"))
    house.repository.commit("run-1", "a change")
    house.repository.reset("run-1", base)
    assert not canary.exists()
