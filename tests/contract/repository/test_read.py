"""What is read of commits."""

import subprocess

import pytest

from sparky.adapters.shell import SystemShell
from sparky.domain.change import FileChange, Lines, read_patch
from sparky.ports import GitError
from tests.contract.repository.house import BRANCH, Cut, House, files


def test_changes_tell_a_rename_a_binary_file_and_a_mode(house: House) -> None:
    base = house.commit(long="".join(f"line {n}\n" for n in range(20)))
    worktree = house.repository.open("run-1", BRANCH, base)
    (worktree / "long.py").rename(worktree / "renamed.py")
    (worktree / "bin").write_bytes(b"\0\1\2")
    (worktree / "run.sh").chmod(0o644)
    (worktree / "link").unlink()
    (worktree / "link").write_text("no link\n")
    (worktree / "out").symlink_to("/etc/passwd")
    sha = house.repository.commit("run-1", "a change")
    assert sha is not None
    assert house.repository.changes(base, sha) == (
        FileChange(path="bin", status="A", added=0, deleted=0, binary=True),
        FileChange(path="link", status="M", added=1, deleted=1),
        FileChange(path="out", status="A", added=1, deleted=0, link=True),
        FileChange(path="renamed.py", status="R", added=0, deleted=0, old_path="long.py"),
        FileChange(path="run.sh", status="M", added=0, deleted=0),
    )
    patch = house.repository.patch(base, sha).decode()
    assert read_patch(patch)["out"] == Lines(added=("/etc/passwd",), numbers=(1,))


def test_a_patch_is_the_whole_change_whatever_configuration_and_attributes_say(house: House) -> None:
    house.git("config", "diff.noprefix", "true")
    house.git("config", "diff.context", "0")
    house.git("config", "color.ui", "always")
    for key in ("command", "textconv"):
        house.git("config", f"diff.persons.{key}", "false")
    (house.top / ".git" / "info").mkdir()
    (house.top / ".git" / "info" / "attributes").write_text("b.py diff=persons\n")
    (house.top / ".gitattributes").write_text("*.py -diff\n")
    house.git("add", ".gitattributes")
    repository = house.repository
    worktree = repository.open("run-1", BRANCH, house.sha("main"))
    for name in ("a", "b"):
        (worktree / f"{name}.py").write_text(f"{name} = 2\n")
    (worktree / ".gitattributes").write_text("*.py -diff\n")
    (worktree / "bin").write_bytes(b"\0\1\2")
    sha = repository.commit("run-1", "a change")
    assert sha is not None
    assert repository.patch("main", sha, ("*.py",)) == b""
    for name in ("a", "b"):
        lines = repository.patch("main", sha, (f"{name}.py",)).decode().splitlines()
        expected = [f"--- a/{name}.py", f"+++ b/{name}.py", "@@ -1 +1 @@", f"-{name} = 1", f"+{name} = 2"]
        assert lines[2:] == expected
    house.git("reset", "-q", "--hard")
    apply = ["git", "apply", "--index", "-"]
    subprocess.run(apply, cwd=house.top, env=house.env, input=repository.patch("main", sha), check=True)
    assert house.git("write-tree") == repository.tree(sha)


def test_a_file_is_read_at_a_commit(house: House) -> None:
    read = house.repository.read
    assert read("main", "a.py") == b"a = 1\n"
    assert read("main", "sub dir/ü.py") == b"x = 1\n"
    for path in ("nothing", "sub dir", "link", "*.py", "a.py/"):
        assert read("main", path) is None
    with pytest.raises(GitError, match="nowhere"):
        read("nowhere", "a.py")


def test_many_files_are_read_at_once_in_parts(house: House) -> None:
    worktree = house.repository.open("run-1", BRANCH, house.sha("main"))
    texts = {f"many/{number:04}\n.py": b"\n" * (number % 3) + b"\0%d" % number for number in range(1100)}
    (worktree / "many").mkdir()
    for name, data in texts.items():
        (worktree / name).write_bytes(data)
    sha = house.repository.commit("run-1", "many")
    assert sha is not None
    assert dict(house.repository.contents(sha, [*texts, "link", "nothing"])) == texts


def test_files_are_all_regular_files(house: House) -> None:
    names = (
        ".gitattributes",
        ".gitignore",
        "a.py",
        "b.py",
        "crlf.txt",
        "run.sh",
        "secret.py",
        "sub dir/ü.py",
    )
    assert house.repository.files("main") == names


def test_an_export_is_all_files_and_nothing_else(house: House) -> None:
    into = house.root / "deep" / "export"
    house.repository.export(house.sha("main"), into)
    assert files(into) == files(house.top, (".git",))
    with pytest.raises(GitError, match="is not empty"):
        house.repository.export(house.sha("main"), into)


def test_reading_does_not_look_at_the_persons_own_configuration(house: House) -> None:
    (house.root / "home" / ".gitconfig").write_text("[broken")
    repository = house.with_shell(SystemShell(house.env))
    repository.export("main", house.root / "export")
    assert files(house.root / "export") == files(house.top, (".git",))


def test_the_log_is_oldest_first(house: House) -> None:
    base = house.sha("main")
    first = house.commit(a="a = 2\n")
    second = house.commit(a="a = 3\n")
    assert house.repository.log(base, "main") == ((first, "by hand"), (second, "by hand"))
    assert house.repository.log("main", "main") == ()


def test_bug_an_overlay_took_the_executable_bit_away(house: House) -> None:
    sha = house.repository.overlay(house.sha("main"), {"run.sh": b"#!/bin/sh\ntrue\n", "new.py": b""})
    modes = {line.split("\t")[1]: line[:6] for line in house.git("ls-tree", sha).splitlines()}
    assert (modes["run.sh"], modes["new.py"]) == ("100755", "100644")


def test_what_never_changes_is_asked_once_and_what_a_name_means_each_time(house: House) -> None:
    base, head = house.sha("main"), house.commit(a="a = 2\n")
    shell = Cut(house.shell, 0, lambda: None)
    repository = house.with_shell(shell)
    asked = [
        (
            repository.resolve(head),
            repository.tree(head),
            repository.files(head),
            repository.read(head, "a.py"),
            repository.changes(base, head),
            repository.patch(base, head),
        )
        for _ in range(2)
    ]
    assert asked[0] == asked[1]
    assert shell.calls == ["rev-parse", "rev-parse", "ls-tree", "cat-file", "diff-tree", "diff-tree"]
    assert repository.read("main", "a.py") == b"a = 2\n"
    later = house.commit(a="a = 3\n")
    assert (repository.resolve("main"), repository.read("main", "a.py")) == (later, b"a = 3\n")
