"""What is committed of a worktree, and as what."""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

from sparky.adapters.shell import SystemShell
from sparky.domain.agent import ToolFix
from sparky.domain.change import FileChange
from sparky.domain.issue import Kind
from sparky.domain.state import Preferences
from sparky.evidence.failing import hear
from sparky.fixing.composer import Composer
from sparky.fixing.stack import Layer
from sparky.testing.house import memory_house
from sparky.tools.tool import Unit
from tests.builders import CONTEXT
from tests.contract.repository.house import BRANCH, House


def test_bug_caches_that_the_repository_does_not_ignore_were_committed(house: House) -> None:
    repository = house.with_shell(SystemShell(house.env))
    worktree = repository.open("run-1", BRANCH, house.sha("main"))
    names = (
        "pkg/__pycache__/a.cpython-311.pyc",
        "old.pyc",
        ".pytest_cache/v/x",
        ".mypy_cache/x",
        ".ruff_cache/x",
    )
    for name in names:
        (worktree / name).parent.mkdir(parents=True, exist_ok=True)
        (worktree / name).write_text("cache")
    assert repository.commit("run-1", "nothing") is None
    (worktree / "a.py").write_text("a = 2\n")
    sha = repository.commit("run-1", "a change")
    assert sha is not None
    assert [file.path for file in repository.changes("main", sha)] == ["a.py"]


def test_a_cache_that_is_tracked_stays_tracked(house: House) -> None:
    repository = house.with_shell(SystemShell(house.env))
    (house.top / "old.pyc").write_text("kept")
    house.git("add", "-f", "old.pyc")
    house.git("commit", "-qm", "with a cache")
    worktree = repository.open("run-1", BRANCH, house.sha("main"))
    (worktree / "old.pyc").write_text("changed")
    sha = repository.commit("run-1", "a change")
    assert sha is not None
    assert repository.changes("main", sha) == (FileChange(path="old.pyc", status="M", added=1, deleted=1),)


def test_a_commit_has_all_that_changed_but_ignored_files(house: House) -> None:
    repository = house.with_shell(SystemShell(house.env))
    worktree = repository.open("run-1", BRANCH, house.sha("main"))
    (house.root / "home" / "my ignore").write_text("*.swp\n")
    house.git("config", "--global", "core.excludesFile", "~/my ignore")
    (worktree / "a.py").write_text("a = 2\n")
    (worktree / "b.py").unlink()
    (worktree / "new\tü.py").write_text("new\n")
    (worktree / "ignored").write_text("")
    (worktree / "x.swp").write_text("")
    (worktree / "made.sh").write_text("#!/bin/sh\n")
    (worktree / "made.sh").chmod(0o755)
    shutil.rmtree(worktree / "sub dir")
    (worktree / "sub dir").symlink_to("nowhere")
    sha = repository.commit("run-1", "a change")
    assert sha is not None
    assert repository.changes("main", sha) == (
        FileChange(path="a.py", status="M", added=1, deleted=1),
        FileChange(path="b.py", status="D", added=0, deleted=1),
        FileChange(path="made.sh", status="A", added=1, deleted=0),
        FileChange(path="new\tü.py", status="A", added=1, deleted=0),
        FileChange(path="sub dir", status="A", added=1, deleted=0, link=True),
        FileChange(path="sub dir/ü.py", status="D", added=0, deleted=1),
    )
    modes = house.git("ls-tree", sha, "sub dir", "made.sh").split()
    assert (modes[0], modes[4]) == ("100755", "120000")
    assert house.sha(BRANCH) == sha
    assert house.git("status", "--porcelain", cwd=worktree) == ""


def test_a_commit_is_sparkys_with_the_person_as_co_author(house: House) -> None:
    worktree = house.repository.open("run-1", BRANCH, house.sha("main"))
    house.git("config", "commit.gpgSign", "true")
    house.git("config", "gpg.program", "false")
    for number, message in enumerate(("Subject\n\nBody\n\nSparky-Run: run-1\n", "Subject")):
        (worktree / "a.py").write_text(f"a = {number + 2}\n")
        house.repository.commit("run-1", message)
    form = ("-s", "--format=%an <%ae>|%cn <%ce>|%B")
    sparky = "sparky <sparky@localhost>|sparky <sparky@localhost>"
    trailer = "Co-authored-by: Ada <ada@example.org>"
    assert (
        house.git("show", *form, f"{BRANCH}~") == f"{sparky}|Subject\n\nBody\n\nSparky-Run: run-1\n{trailer}"
    )
    assert house.git("show", *form, BRANCH) == f"{sparky}|Subject\n\n{trailer}"
    assert house.repository.identity() == "Ada <ada@example.org>"


def test_without_a_name_in_the_configuration_there_is_no_co_author(house: House) -> None:
    (house.root / "home" / ".gitconfig").unlink()
    repository = house.with_shell(SystemShell(house.env))
    worktree = repository.open("run-1", BRANCH, house.sha("main"))
    (worktree / "a.py").write_text("a = 2\n")
    sha = repository.commit("run-1", "Subject")
    assert sha is not None
    assert (repository.identity(), house.git("show", "-s", "--format=%B", sha)) == (None, "Subject")


def test_nothing_changed_is_no_commit(house: House) -> None:
    worktree = house.repository.open("run-1", BRANCH, house.sha("main"))
    (worktree / "a.py").touch()
    (worktree / "ignored").write_text("")
    assert house.repository.commit("run-1", "nothing") is None
    assert house.sha(BRANCH) == house.sha("main")


def test_bytes_are_committed_and_checked_out_as_they_are(house: House) -> None:
    house.git("config", "core.autocrlf", "true")
    house.git("config", "core.fileMode", "false")
    worktree = house.repository.open("run-1", BRANCH, house.sha("main"))
    assert (worktree / "crlf.txt").read_bytes() == b"one\r\ntwo\n"
    (worktree / "crlf.txt").write_bytes(b"one\r\nand\ntwo\r\n\0")
    (worktree / "new.txt").write_bytes(b"new\r\n")
    (worktree / "run.sh").chmod(0o644)
    sha = house.repository.commit("run-1", "a change")
    assert sha is not None
    assert house.repository.read(sha, "crlf.txt") == b"one\r\nand\ntwo\r\n\0"
    assert house.repository.read(sha, "new.txt") == b"new\r\n"
    assert house.git("ls-tree", sha, "run.sh").startswith("100644")


def test_line_endings_follow_the_repositorys_own_attributes(house: House) -> None:
    (house.top / ".gitattributes").write_text("*.bat text eol=crlf\n")
    (house.top / "x.bat").write_bytes(b"one\r\n")
    house.commit()
    worktree = house.repository.open("run-1", BRANCH, house.sha("main"))
    assert (worktree / "x.bat").read_bytes() == b"one\r\n"
    (worktree / "x.bat").write_bytes(b"one\r\ntwo\r\n")
    sha = house.repository.commit("run-1", "a change")
    assert sha is not None
    assert house.repository.read(sha, "x.bat") == b"one\ntwo\n"


def test_what_an_agent_committed_itself_becomes_sparkys_one_commit(house: House) -> None:
    base = house.sha("main")
    worktree = house.repository.open("run-1", BRANCH, base)
    (worktree / "a.py").write_text("a = 2\n")
    house.git("checkout", "-q", "-b", "mine", cwd=worktree)
    house.git("commit", "-qam", "by an agent", cwd=worktree)
    (worktree / "ignored").write_text("")
    house.git("add", "-f", "ignored", cwd=worktree)
    sha = house.repository.commit("run-1", "a change")
    assert sha is not None
    assert house.repository.log(base, BRANCH) == ((sha, "a change"),)
    assert [change.path for change in house.repository.changes(base, sha)] == ["a.py"]
    assert house.git("symbolic-ref", "HEAD", cwd=worktree) == f"refs/heads/{BRANCH}"


def test_bug_all_work_was_dropped_where_a_repository_was_made_inside_the_worktree(house: House) -> None:
    worktree = house.repository.open("run-1", BRANCH, house.sha("main"))
    for name in ("nested", "empty"):
        (worktree / "sub dir" / name).mkdir()
        house.git("init", "-q", cwd=worktree / "sub dir" / name)
    (worktree / "sub dir" / "nested" / "f").write_text("")
    house.git("add", ".", cwd=worktree / "sub dir" / "nested")
    house.git("commit", "-qm", "nested", cwd=worktree / "sub dir" / "nested")
    house.git("init", "-q", "deeper", cwd=worktree / "sub dir" / "nested")
    (worktree / "sub dir" / "nested" / "deeper" / "g").write_text("")
    (worktree / "a.py").write_text("a = 2\n")
    sha = house.repository.commit("run-1", "a change\n\nSparky-Run: run-1\n")
    assert sha is not None
    changed = [change.path for change in house.repository.changes("main", sha)]
    assert changed == ["a.py", "sub dir/nested/deeper/g", "sub dir/nested/f"]
    lines = house.git("log", "-1", "--format=%B", sha).splitlines()
    inside = "sub dir/empty/, sub dir/nested/, a git repository of its own, are here; its history is not."
    assert lines[:5] == ["a change", "", f"The files of {inside}", "", "Sparky-Run: run-1"]


def test_a_git_directory_among_tracked_files_is_no_obstacle(house: House) -> None:
    worktree = house.repository.open("run-1", BRANCH, house.sha("main"))
    house.git("init", "-q", cwd=worktree / "sub dir")
    (worktree / "sub dir" / "ü.py").write_text("x = 2\n")
    sha = house.repository.commit("run-1", "a change")
    assert sha is not None
    change = FileChange(path="sub dir/ü.py", status="M", added=1, deleted=1)
    assert house.repository.changes("main", sha) == (change,)


def test_submodules_are_left_alone(house: House) -> None:
    other = shutil.copytree(house.top, house.root / "other", symlinks=True)
    house.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "lib")
    base = house.commit()
    worktree = house.repository.open("run-1", BRANCH, base)
    (worktree / "lib" / "stray").write_text("")
    (worktree / "a.py").write_text("a = 2\n")
    sha = house.repository.commit("run-1", "a change")
    assert sha is not None
    assert [change.path for change in house.repository.changes(base, sha)] == ["a.py"]
    house.repository.reset("run-1", base)
    assert list((worktree / "lib").iterdir()) == []
    assert "lib" not in house.repository.files(sha)
    house.repository.merge("main", base, sha)
    assert (house.status(), (house.top / "lib" / "a.py").read_text()) == ("", "a = 1\n")


def test_bug_a_trial_had_line_ends_that_its_commit_does_not_have(house: House, tmp_path: Path) -> None:
    (house.top / ".gitattributes").write_text("*.py text eol=crlf\n")
    base = house.commit(x="import os\nimport re\n")
    ports = replace(memory_house(tmp_path / "house", lambda _: ()).ports, repository=house.repository)
    worktree = house.repository.open("run-1", BRANCH, base)
    works = ToolFix(tools=("ruff",), rules=("F401",))
    unit = Unit(path="x.py", rule="F401")
    layer = Layer(part=0, kind=Kind.DEAD_CODE, agent="ruff", works=works, units=(unit,))
    composer = Composer(
        ports, worktree, base, [layer], shown=lambda: None, hear=partial(hear, ports, CONTEXT, Preferences())
    )
    texts = {"x.py": b"import re\r\n"}
    trial = house.repository.overlay(base, composer.stored(texts))
    (worktree / "x.py").write_bytes(texts["x.py"])
    sha = house.repository.commit("run-1", "a change")
    assert sha is not None
    assert house.repository.tree(trial) == house.repository.tree(sha)
