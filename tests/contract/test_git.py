"""Finding a repository with real git, and what every call of git is told."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.adapters.git import Found, Git, find_repository
from sparky.adapters.shell import SystemShell
from sparky.domain.command import Command, Completed, Ending, Level
from sparky.ports import GitError, NoRepositoryError

NAME = "a repository, schön"


class Person:
    """Someone with a home directory, who uses git by hand."""

    def __init__(self, home: Path) -> None:
        home.mkdir()
        (home / ".gitconfig").write_text(
            "[user]\n\tname = Ada\n\temail = ada@example.org\n[protocol]\n\tfile = always\n"
            '[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n'
        )
        self.env = {"PATH": os.environ["PATH"], "HOME": str(home)}
        self.shell = SystemShell(self.env)

    def git(self, cwd: Path, *args: str) -> str:
        done = subprocess.run(["git", *args], cwd=cwd, env=self.env, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def repository(self, top: Path) -> Path:
        self.git(top.parent, "init", "-q", str(top))
        (top / "sub").mkdir()
        for name in ("a.py", "b.py", "sub/c.py"):
            (top / name).write_text(f"{name}\n")
        (top / ".gitignore").write_text("ignored\n")
        self.git(top, "add", ".")
        self.git(top, "commit", "-qm", "one")
        return top


@pytest.fixture(scope="session")
def person(tmp_path_factory: pytest.TempPathFactory) -> Person:
    return Person(tmp_path_factory.mktemp("person") / "home")


@pytest.fixture(scope="session")
def template(person: Person, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return person.repository(tmp_path_factory.mktemp("template") / NAME)


@pytest.fixture
def top(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / NAME, symlinks=True))


def clean(person: Person, top: Path) -> Found:
    return Found(
        top=top,
        git_dir=top / ".git",
        head=person.git(top, "rev-parse", "HEAD"),
        branch="main",
        remote=None,
        dirty=(),
        untracked=(),
        submodules=(),
        shallow=False,
        in_progress=None,
    )


def test_a_repository_is_found_from_its_top_a_directory_in_it_and_a_file(person: Person, top: Path) -> None:
    expected = clean(person, top)
    for path in (top, top / "sub", top / "sub" / "c.py"):
        assert find_repository(person.shell, path) == expected


def test_the_paths_of_uncommitted_edits_are_named(person: Person, top: Path) -> None:
    (top / "a.py").write_text("edited\n")
    (top / "b.py").write_text("staged\n")
    person.git(top, "add", "b.py")
    (top / "sub" / "c.py").unlink()
    (top / "new ü.py").write_text("")
    (top / "new").mkdir()
    (top / "new" / "d.py").write_text("")
    (top / "ignored").write_text("")
    found = find_repository(person.shell, top)
    expected = clean(person, top)
    edited = ("a.py", "b.py", "sub/c.py")
    assert found == replace(expected, dirty=edited, untracked=("new ü.py", "new/"))


def test_a_detached_head_has_no_branch(person: Person, top: Path) -> None:
    person.git(top, "checkout", "-q", "--detach")
    assert find_repository(person.shell, top) == replace(clean(person, top), branch=None)


def test_a_linked_worktree_names_its_own_top_and_the_common_git_directory(person: Person, top: Path) -> None:
    linked = top.parent / "linked"
    person.git(top, "worktree", "add", "-q", "-b", "other", str(linked))
    found = find_repository(person.shell, linked)
    assert found == replace(clean(person, top), top=linked, branch="other")


def test_a_shallow_clone_works(person: Person, top: Path, tmp_path: Path) -> None:
    person.git(top, "commit", "-q", "--allow-empty", "-m", "two")
    clone = tmp_path / "clone"
    person.git(tmp_path, "clone", "-q", "--depth=1", f"file://{top}", str(clone))
    found = find_repository(person.shell, clone)
    assert found == replace(clean(person, clone), shallow=True, remote=f"file://{top}")


def test_submodules_are_named_and_left_alone(person: Person, top: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(top, tmp_path / "other"))
    person.git(top, "submodule", "--quiet", "add", str(other), "libs/other")
    person.git(top, "commit", "-qm", "with a submodule")
    (top / "libs" / "other" / "a.py").write_text("edited inside\n")
    assert find_repository(person.shell, top) == replace(clean(person, top), submodules=("libs/other",))


def test_a_merge_or_rebase_that_waits_is_said(person: Person, top: Path) -> None:
    person.git(top, "checkout", "-q", "-b", "side")
    (top / "a.py").write_text("side\n")
    person.git(top, "commit", "-qam", "side")
    person.git(top, "checkout", "-q", "main")
    (top / "a.py").write_text("main\n")
    person.git(top, "commit", "-qam", "main")
    expected = replace(clean(person, top), dirty=("a.py",))
    with pytest.raises(subprocess.CalledProcessError):
        person.git(top, "merge", "side")
    assert find_repository(person.shell, top) == replace(expected, in_progress="merge")
    person.git(top, "merge", "--abort")
    with pytest.raises(subprocess.CalledProcessError):
        person.git(top, "rebase", "side")
    found = find_repository(person.shell, top)
    assert (found.in_progress, found.branch, found.dirty) == ("rebase", None, ("a.py",))


def test_the_remote_is_that_of_the_branch_without_credentials(person: Person, top: Path) -> None:
    person.git(top, "remote", "add", "origin", "https://ada:secret@example.org/a.git")
    person.git(top, "remote", "add", "fork", "git@example.org:b.git")
    assert find_repository(person.shell, top).remote == "https://example.org/a.git"
    person.git(top, "config", "branch.main.remote", "fork")
    assert find_repository(person.shell, top).remote == "git@example.org:b.git"


def test_before_the_first_commit_there_is_a_branch_and_no_head(person: Person, tmp_path: Path) -> None:
    top = tmp_path / "empty"
    person.git(tmp_path, "init", "-q", str(top))
    (top / "a.py").write_text("")
    found = find_repository(person.shell, top)
    assert (found.head, found.branch, found.untracked) == (None, "main", ("a.py",))


def test_a_plain_directory_is_refused(person: Person, tmp_path: Path) -> None:
    refused(
        person, tmp_path, f"{tmp_path} is not in a git repository: go to one, or make one with `git init`"
    )


def test_a_path_that_does_not_exist_is_refused(person: Person, tmp_path: Path) -> None:
    refused(person, tmp_path / "no", f"{tmp_path / 'no'} does not exist")


def test_a_bare_repository_is_refused(person: Person, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    person.git(tmp_path, "init", "-q", "--bare", str(bare))
    refused(person, bare, f"{bare} is a bare repository: sparky needs a checkout of it (git clone)")


def test_a_git_directory_is_refused(person: Person, top: Path) -> None:
    inside = top / ".git"
    refused(person, inside, f"{inside} is inside a git directory: go to the checkout that it belongs to")


def test_dubious_ownership_is_refused_with_the_line_that_mends_it(person: Person, top: Path) -> None:
    with_env = Telling(person.shell, {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})
    config = Path(person.env["HOME"], ".gitconfig").read_text()
    line = f"git config --global --add safe.directory '{top}'"
    with pytest.raises(NoRepositoryError) as caught:
        find_repository(with_env, top)
    assert caught.value.code == 2
    assert str(caught.value) == f"{top} belongs to another user; if you trust it: {line}"
    assert Path(person.env["HOME"], ".gitconfig").read_text() == config


def test_a_machine_without_git_is_told_to_install_it(tmp_path: Path) -> None:
    shell = SystemShell({"PATH": str(tmp_path), "HOME": str(tmp_path)})
    with pytest.raises(GitError, match="git is not installed, or not on the PATH; install git"):
        find_repository(shell, tmp_path)


def test_an_old_git_is_refused(tmp_path: Path) -> None:
    old = tmp_path / "git"
    old.write_text("#!/bin/sh\necho git version 2.37.9\n")
    old.chmod(0o755)
    shell = SystemShell({"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)})
    with pytest.raises(GitError, match=r"'git version 2.37.9' is too old: install git 2.38 or newer"):
        find_repository(shell, tmp_path)


def test_finding_writes_nothing(person: Person, top: Path) -> None:
    (top / "a.py").touch()
    before = {path: path.read_bytes() for path in top.rglob("*") if path.is_file()}
    find_repository(person.shell, top)
    assert {path: path.read_bytes() for path in top.rglob("*") if path.is_file()} == before


def test_no_git_variable_of_the_environment_reaches_git(
    person: Person, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(key, "/nowhere")
    assert find_repository(person.shell, top) == clean(person, top)


def test_output_that_was_cut_and_a_killed_git_are_errors(person: Person, top: Path) -> None:
    cut = Git(shell=Changing(person.shell, lambda done: replace(done, dropped=1)), cwd=top)
    with pytest.raises(GitError, match="git status"):
        cut.run("status")
    killed = Git(shell=Changing(person.shell, lambda done: replace(done, ending=Ending.TIMED_OUT)), cwd=top)
    with pytest.raises(GitError, match=r"git status in .*: timed out"):
        killed.run("status")


def test_a_directory_that_is_gone_is_not_taken_for_a_missing_git(person: Person, tmp_path: Path) -> None:
    with pytest.raises(GitError) as caught:
        Git(shell=person.shell, cwd=tmp_path / "gone").run("status")
    assert str(caught.value) == f"{tmp_path / 'gone'} is not there any more"


def refused(person: Person, path: Path, why: str) -> None:
    with pytest.raises(GitError) as caught:
        find_repository(person.shell, path)
    assert str(caught.value) == why


class Changing:
    """A shell that changes what came of a command."""

    def __init__(self, shell: SystemShell, change: Callable[[Completed], Completed]) -> None:
        self._shell = shell
        self._change = change

    def run(self, command: Command) -> Completed:
        return self._change(self._shell.run(command))

    def level(self) -> Level:
        return self._shell.level()

    def halt(self) -> None:
        self._shell.halt()

    def halted(self) -> bool:
        return self._shell.halted()


class Telling:
    """A shell that adds to the environment of each command."""

    def __init__(self, shell: SystemShell, env: dict[str, str]) -> None:
        self._shell = shell
        self._env = env

    def run(self, command: Command) -> Completed:
        return self._shell.run(replace(command, env={**command.env, **self._env}))

    def level(self) -> Level:
        return self._shell.level()

    def halt(self) -> None:
        self._shell.halt()

    def halted(self) -> bool:
        return self._shell.halted()
