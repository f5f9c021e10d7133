"""The port Repository, on every adapter: what both git and memory promise. More of git is in repository/."""

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from sparky.adapters.memory_repository import MemoryRepository
from sparky.adapters.repository import GitRepository
from sparky.adapters.shell import SystemShell
from sparky.domain.change import FileChange, Lines, read_patch
from sparky.ports import DirtyCheckoutError, GitError, Repository, TargetMovedError

Files = Mapping[str, bytes | None]

RUN, BRANCH = "run-1", "sparky/7-tidy"
START: Files = {"a.py": b"A = 1\n", "dir/b.py": b"B = 1\r\nC = 2", "data.bin": b"\0\1"}


@dataclass(frozen=True, kw_only=True)
class Person:
    """A repository, with what a person does to it."""

    repository: Repository
    write: Callable[[Files], str]
    edit: Callable[[], None]

    def change(self, files: Files, run: str = RUN, branch: str = BRANCH, at: str = "main") -> str:
        """sparky's commit of these files, in a run's worktree."""
        start = self.repository.resolve(f"refs/heads/{at}")
        assert start is not None
        write(self.repository.open(run, branch, start), files)
        sha = self.repository.commit(run, "mend it\n\nSparky-Run: run-1\n")
        assert sha is not None
        return sha


def write(root: Path, files: Files) -> None:
    for name, data in files.items():
        if data is None:
            (root / name).unlink()
        else:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)


def seen(root: Path) -> dict[str, bytes]:
    """The files of a directory, without git's own."""
    paths = (path for path in root.rglob("*") if path.is_file() and path.name != ".git")
    return {str(path.relative_to(root)): path.read_bytes() for path in paths}


@pytest.fixture(params=["git", "memory"])
def person(request: pytest.FixtureRequest, tmp_path: Path) -> Person:
    """A repository with one commit of START on main, which is checked out and clean."""
    if request.param == "memory":
        memory = MemoryRepository(tmp_path / "work")
        memory.write(START)
        return Person(
            repository=memory,
            write=memory.write,
            edit=lambda: setattr(memory, "dirty", ("a.py",)),
        )
    top = tmp_path / "top"
    top.mkdir()
    env = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(tmp_path)}
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")

    def git(*words: str) -> str:
        done = subprocess.run(["git", *identity, *words], cwd=top, env=env, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def commit(files: Files) -> str:
        write(top, files)
        git("add", "-A")
        git("commit", "-qm", "by a person")
        return git("rev-parse", "HEAD")

    git("init", "-q", "-b", "main")
    commit(START)
    real = GitRepository(SystemShell(env), top, top / ".git", tmp_path / "work")
    return Person(repository=real, write=commit, edit=lambda: write(top, {"a.py": b"edited\n"}))


def test_a_ref_names_a_commit_or_none(person: Person) -> None:
    repository = person.repository
    sha = repository.resolve("HEAD")
    assert sha is not None
    assert [repository.resolve(ref) for ref in ("main", "refs/heads/main", sha)] == [sha] * 3
    assert repository.resolve("refs/heads/none") is None


def test_a_commit_has_its_files_byte_for_byte(person: Person, tmp_path: Path) -> None:
    repository, sha = person.repository, person.repository.resolve("main") or ""
    assert repository.files(sha) == ("a.py", "data.bin", "dir/b.py")
    assert [repository.read(sha, path) for path in ("dir/b.py", "none.py")] == [START["dir/b.py"], None]
    wanted = ("none.py", "dir/b.py", "dir", "a.py")
    expected = [(name, START[name]) for name in ("a.py", "dir/b.py")]
    assert list(repository.contents(sha, wanted)) == expected
    assert list(repository.contents(sha, ())) == []
    repository.export(sha, tmp_path / "export")
    assert seen(tmp_path / "export") == dict(START)
    with pytest.raises(GitError, match="not empty"):
        repository.export(sha, tmp_path / "export")


def test_a_worktree_is_clean_and_its_changes_become_one_commit(person: Person) -> None:
    repository, base = person.repository, person.repository.resolve("main") or ""
    root = repository.open(RUN, BRANCH, base)
    assert seen(root) == dict(START)
    assert repository.commit(RUN, "nothing") is None
    write(root, {"a.py": b"A = 2\n", "new/c.py": b"", "data.bin": None})
    sha = repository.commit(RUN, "mend it") or ""
    assert repository.resolve(BRANCH) == sha != base
    assert repository.files(sha) == ("a.py", "dir/b.py", "new/c.py")
    write(root, {"left.py": b"over"})
    assert seen(repository.open(RUN, BRANCH, sha)).keys() == {"a.py", "dir/b.py", "new/c.py"}


def test_opening_at_no_commit_or_on_the_branch_of_another_is_refused(person: Person) -> None:
    person.change({"a.py": b"A = 2\n"})
    base = person.repository.resolve("main") or ""
    with pytest.raises(GitError):
        person.repository.open("run-2", "sparky/other", "0" * 40)
    with pytest.raises(GitError, match="is there already"):
        person.repository.open("run-2", BRANCH, base)


def test_a_reset_takes_worktree_and_branch_back(person: Person) -> None:
    base = person.repository.resolve("main") or ""
    person.change({"a.py": b"A = 2\n"})
    person.repository.reset(RUN, base)
    assert person.repository.resolve(BRANCH) == base
    assert seen(person.repository.open(RUN, BRANCH, base)) == dict(START)


def test_what_differs_is_told_by_file_and_by_line(person: Person) -> None:
    repository, base = person.repository, person.repository.resolve("main") or ""
    files: Files = {"a.py": b"A = 2\nB = 3\n", "new.py": b"N = 1\n", "dir/b.py": None, "data.bin": b"\0\2"}
    head = person.change(files)
    assert repository.changes(base, head) == (
        FileChange(path="a.py", status="M", added=2, deleted=1),
        FileChange(path="data.bin", status="M", added=0, deleted=0, binary=True),
        FileChange(path="dir/b.py", status="D", added=0, deleted=2),
        FileChange(path="new.py", status="A", added=1, deleted=0),
    )
    lines = read_patch(repository.patch(base, head).decode())
    assert {path: lines[path] for path in ("a.py", "dir/b.py", "new.py")} == {
        "a.py": Lines(added=("A = 2", "B = 3"), removed=("A = 1",), numbers=(1, 2)),
        "dir/b.py": Lines(removed=("B = 1\r", "C = 2")),
        "new.py": Lines(added=("N = 1",), numbers=(1,)),
    }
    assert read_patch(repository.patch(base, head, ["new.py"]).decode()).keys() == {"new.py"}
    assert (repository.changes(base, base), repository.patch(base, base)) == ((), b"")


def test_the_log_names_what_one_commit_has_and_another_has_not_oldest_first(person: Person) -> None:
    repository, base = person.repository, person.repository.resolve("main") or ""
    shas = [person.write({"new.py": text}) for text in (b"N = 1\n", b"N = 2\n")]
    assert repository.log(base, shas[1]) == tuple((sha, "by a person") for sha in shas)
    assert (repository.log(shas[1], base), repository.log(base, base)) == ((), ())


def test_trees_are_alike_where_files_are(person: Person) -> None:
    repository, base = person.repository, person.repository.resolve("main") or ""
    there = person.write({"a.py": b"A = 2\n"})
    back = person.write({"a.py": START["a.py"]})
    assert repository.tree(base) == repository.tree(back) != repository.tree(there)
    assert base != back


def test_a_merge_moves_the_branch_once_and_twice_is_success(person: Person) -> None:
    repository, base = person.repository, person.repository.resolve("main") or ""
    head = person.change({"a.py": b"A = 2\n"})
    for _ in range(2):
        repository.merge("main", base, head)
        assert repository.resolve("main") == head


def test_a_merge_into_a_branch_that_moved_is_refused(person: Person) -> None:
    base = person.repository.resolve("main") or ""
    head = person.change({"a.py": b"A = 2\n"})
    moved = person.write({"c.py": b""})
    with pytest.raises(TargetMovedError):
        person.repository.merge("main", base, head)
    with pytest.raises(GitError, match="does not come after"):
        person.repository.merge("main", moved, head)
    assert person.repository.resolve("main") == moved


def test_a_merge_into_a_checkout_with_edits_is_refused(person: Person) -> None:
    base = person.repository.resolve("main") or ""
    head = person.change({"dir/b.py": b"B = 2\n"})
    person.edit()
    with pytest.raises(DirtyCheckoutError, match=r"a\.py"):
        person.repository.merge("main", base, head)
    assert person.repository.resolve("main") == base


def test_a_rebase_puts_the_work_onto_another_base(person: Person) -> None:
    repository = person.repository
    person.change({"a.py": b"A = 2\n"})
    onto = person.write({"c.py": b"C = 1\n"})
    head, conflicts = repository.rebase(RUN, onto)
    assert head is not None
    assert (repository.resolve(BRANCH), conflicts) == (head, ())
    assert repository.changes(onto, head) == (FileChange(path="a.py", status="M", added=1, deleted=1),)
    repository.merge("main", onto, head)
    assert repository.read(repository.resolve("main") or "", "c.py") == b"C = 1\n"


def test_a_rebase_onto_what_has_the_work_already_leaves_nothing_to_merge(person: Person) -> None:
    person.change({"a.py": b"A = 2\n"})
    onto = person.write({"a.py": b"A = 2\n"})
    assert person.repository.rebase(RUN, onto) == (onto, ())


def test_a_rebase_in_conflict_names_the_files_and_changes_nothing(person: Person) -> None:
    head = person.change({"a.py": b"A = 2\n", "dir/b.py": b"B = 2\n"})
    onto = person.write({"a.py": b"A = 3\n"})
    assert person.repository.rebase(RUN, onto) == (None, ("a.py",))
    assert person.repository.resolve(BRANCH) == head


def test_changes_are_taken_back_by_a_new_commit_that_moves_no_branch(person: Person) -> None:
    repository, base = person.repository, person.repository.resolve("main") or ""
    head = person.change({"a.py": b"A = 2\n", "new.py": b""})
    repository.merge("main", base, head)
    onto = person.write({"c.py": b"C = 1\n"})
    back, conflicts = repository.revert(base, head, onto, "take it back")
    assert back is not None
    assert (conflicts, repository.resolve("main")) == ((), onto)
    assert repository.changes(onto, back) == (
        FileChange(path="a.py", status="M", added=1, deleted=1),
        FileChange(path="new.py", status="D", added=0, deleted=0),
    )
    later = person.write({"a.py": b"A = 3\n"})
    assert repository.revert(base, head, later, "take it back") == (None, ("a.py",))


def test_an_overlay_is_a_commit_of_the_files_as_wanted_that_moves_no_branch(person: Person) -> None:
    repository = person.repository
    main = repository.resolve("main") or ""
    sha = repository.overlay(main, {"a.py": b"A = 2\r\n", "dir/b.py": None, "new/c.py": b""})
    assert {path: repository.read(sha, path) for path in repository.files(sha)} == {
        "a.py": b"A = 2\r\n",
        "data.bin": b"\0\1",
        "new/c.py": b"",
    }
    assert repository.resolve("main") == main
    assert repository.tree(repository.overlay(main, {})) == repository.tree(main)


def test_a_run_is_dropped_only_if_its_work_is_elsewhere(person: Person) -> None:
    repository, base = person.repository, person.repository.resolve("main") or ""
    head = person.change({"a.py": b"A = 2\n"})
    repository.keep(RUN, head)
    root = repository.open(RUN, BRANCH, head)
    repository.close(RUN)
    assert (root.exists(), repository.resolve(BRANCH)) == (False, head)
    for refuse in (repository.require_droppable, repository.drop):
        with pytest.raises(GitError, match="on no other branch"):
            refuse(RUN, BRANCH)
    assert repository.resolve(f"refs/sparky/runs/{RUN}") == head
    repository.merge("main", base, head)
    repository.require_droppable(RUN, BRANCH)
    assert repository.resolve(BRANCH) == head
    repository.drop(RUN, BRANCH)
    assert [repository.resolve(ref) for ref in (BRANCH, f"refs/sparky/runs/{RUN}")] == [None, None]
