"""Repositories that are laid out in other ways than most."""

from dataclasses import replace
from pathlib import Path

import pytest

from sparky.adapters.git import find_repository
from sparky.adapters.repository import GitRepository
from tests.contract.repository.house import BRANCH, House, files


def bare_with_worktrees(house: House) -> Path:
    """A bare repository, and its checkouts beside it."""
    bare = house.root / "bare.git"
    house.git("clone", "-q", "--bare", str(house.top), str(bare))
    house.git("worktree", "add", "-q", str(house.root / "checkout"), "main", cwd=bare)
    return house.root / "checkout"


def separate_git_directory(house: House) -> Path:
    house.git("init", "-q", "--separate-git-dir", str(house.root / "elsewhere"))
    return house.top


def submodule(house: House) -> Path:
    """A repository that is a submodule of another."""
    outer = house.root / "outer"
    house.git("init", "-q", str(outer))
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(house.top), "lib")
    house.git(*add, cwd=outer)
    return outer / "lib"


def sparse(house: House) -> Path:
    house.git("config", "extensions.worktreeConfig", "true")
    house.git("sparse-checkout", "set", "--cone", "--sparse-index", "other")
    return house.top


def split_index(house: House) -> Path:
    house.git("config", "core.splitIndex", "true")
    house.git("update-index", "--split-index", "--untracked-cache")
    return house.top


def packed(house: House) -> Path:
    house.git("gc", "-q")
    return house.top


def sha256(house: House) -> Path:
    top = house.root / "sha256"
    house.git("init", "-q", "--object-format=sha256", str(top))
    (top / "a.py").write_text("a = 1\n")
    (top / "sub dir").mkdir()
    (top / "sub dir" / "ü.py").write_text("x = 1\n")
    house.git("add", ".", cwd=top)
    house.git("commit", "-qm", "one", cwd=top)
    return top


@pytest.mark.parametrize(
    "layout", [bare_with_worktrees, separate_git_directory, submodule, sparse, split_index, packed, sha256]
)
def test_a_change_is_made_and_merged_in(house: House, layout: object) -> None:
    assert callable(layout)
    top = layout(house)
    found = find_repository(house.shell, top)
    assert (found.top, found.branch, found.dirty) == (top, "main", ())
    base = str(found.head)
    repository = GitRepository(house.shell, found.top, found.git_dir, house.work)
    worktree = repository.open("run-1", BRANCH, base)
    assert set(repository.files(base)) <= set(files(worktree))
    (worktree / "a.py").write_text("a = 2\n")
    (worktree / "sub dir" / "ü.py").write_text("x = 2\n")
    (worktree / "new.py").write_text("new\n")
    sha = repository.commit("run-1", "a change")
    assert sha is not None
    assert [change.path for change in repository.changes(base, sha)] == ["a.py", "new.py", "sub dir/ü.py"]
    repository.merge("main", base, sha)
    assert find_repository(house.shell, top) == replace(found, head=sha)
    assert [(top / name).read_text() for name in ("a.py", "new.py")] == ["a = 2\n", "new\n"]
    assert house.git("status", "--porcelain", cwd=top) == ""
    repository.drop("run-1", BRANCH)
    assert repository.resolve(BRANCH) is None
