"""A diff as facts, held against what git itself writes."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparky.adapters import git_diff
from sparky.adapters.git import Git
from sparky.adapters.shell import SystemShell
from sparky.domain.change import (
    Change,
    FileChange,
    Lines,
    below,
    is_lock_file,
    is_migration,
    is_test_module,
    is_test_path,
    nameless,
    read_patch,
)

Files = dict[str, str]

NAMES = (
    "a.py",
    "tests/test_a.py",
    "with space.py",
    "tab\there.py",
    'quo"te.py',
    "back\\slash.py",
    "new\nline.py",
    "\x01é.py",
    "é.py",
    "b/a/b.py",
)
LINES = (
    "x = 1",
    "",
    "-- a/a.py",
    "++ b/a.py",
    "--- a/a.py",
    "+++ b/a.py",
    "@@ -1 +1 @@",
    "diff --git a/a.py b/a.py",
    "\\ No newline at end of file",
    "carriage\r",
    "form\x0cfeed",
    "é",
)
lines = st.lists(st.sampled_from(LINES), max_size=12)
texts = st.tuples(lines, st.sampled_from(("", "\n"))).map(lambda told: "\n".join(told[0]) + told[1])
trees = st.dictionaries(st.sampled_from(NAMES), texts, max_size=4)


class Trees:
    """A repository that turns files into a tree, and two trees into what git says differs."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._run("init", "-q")
        shell = SystemShell({"PATH": "/usr/bin:/bin", "HOME": str(top)})
        self._git = Git(shell=shell, cwd=top, git_dir=top / ".git", own=True)

    def tree(self, files: Files) -> str:
        for number, text in enumerate(files.values()):
            (self._top / str(number)).write_bytes(text.encode())
        numbers = "".join(f"{number}\n" for number in range(len(files)))
        blobs = self._run("hash-object", "-w", "--no-filters", "--stdin-paths", said=numbers).split()
        entries = zip(files, blobs, strict=True)
        index = "".join(f"100644 {blob}\t{path}\0" for path, blob in entries)
        self._run("read-tree", "--empty")
        self._run("update-index", "-z", "--index-info", said=index)
        return self._run("write-tree").strip()

    def change(self, old: Files, new: Files) -> tuple[dict[str, Lines], tuple[FileChange, ...]]:
        base, head = self.tree(old), self.tree(new)
        patch = git_diff.patch(self._git, base, head, ()).decode()
        return read_patch(patch), git_diff.changes(self._git, base, head)

    def _run(self, *args: str, said: str = "") -> str:
        call = ["git", *args]
        done = subprocess.run(call, cwd=self._top, input=said.encode(), capture_output=True, check=True)
        return done.stdout.decode()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Trees:
    return Trees(tmp_path_factory.mktemp("repository"))


def split(text: str) -> list[str]:
    """The lines of a text; what stands after the last newline is a line only if there is something."""
    return text.removesuffix("\n").split("\n") if text else []


@settings(max_examples=15)
@given(trees, trees)
def test_every_line_that_git_says_differs_is_read_for_the_file_that_it_is_in(
    repository: Trees, old: Files, new: Files
) -> None:
    found, changes = repository.change(old, new)
    told = {file.path: file for file in changes}
    assert set(found) <= set(told)
    for path, file in told.items():
        before = Counter(split(old[file.old_path or path]) if file.status != "A" else [])
        after = Counter(split(new[path]) if file.status != "D" else [])
        seen = found.get(path, Lines())
        assert before - Counter(seen.removed) == after - Counter(seen.added)
        assert (len(seen.added), len(seen.removed)) == (file.added, file.deleted)
        now = split(new.get(path, ""))
        assert tuple(now[number - 1] for number in seen.numbers) == seen.added


def test_a_file_is_found_by_its_own_name_when_it_is_made_edited_moved_and_deleted(repository: Trees) -> None:
    old = {name: "".join(f"line {n} of {name!r}\n" for n in range(20)) for name in NAMES}
    new = {name: text.replace("line 3 ", "line three ") for name, text in old.items()}
    elsewhere = {f"old/{number}": text for number, text in enumerate(old.values())}
    three = {n: (f"line three of {n!r}", f"line 3 of {n!r}") for n in NAMES}
    one_line = {n: Lines(added=(a,), removed=(r,), numbers=(4,)) for n, (a, r) in three.items()}
    every = tuple(range(1, 21))
    all_lines = {name: tuple(split(text)) for name, text in old.items()}
    assert repository.change({}, old)[0] == {
        n: Lines(added=told, numbers=every) for n, told in all_lines.items()
    }
    assert repository.change(old, {})[0] == {n: Lines(removed=told) for n, told in all_lines.items()}
    assert repository.change(old, new)[0] == one_line
    assert repository.change(elsewhere, new)[0] == one_line
    assert repository.change(elsewhere, old)[0] == {}


def test_names_that_git_writes_in_octal_are_read_as_they_are() -> None:
    patch = 'diff --git x y\n--- "a/caf\\303\\251.py"\n+++ "b/caf\\303\\251.py"\n@@ -1 +1 @@\n-a\n+b\n'
    assert read_patch(patch) == {"café.py": Lines(added=("b",), removed=("a",), numbers=(1,))}


def test_nothing_is_read_from_no_patch() -> None:
    assert read_patch("") == {}


def test_a_change_counts_its_lines_and_names_its_paths_by_status_a_moved_file_as_modified() -> None:
    change = Change(
        files=(
            FileChange(path="new.py", status="A", added=3, deleted=0),
            FileChange(path="here.py", status="R", old_path="there.py", added=1, deleted=1),
            FileChange(path="edited.py", status="M", added=2, deleted=5),
            FileChange(path="gone.py", status="D", added=0, deleted=7),
        )
    )
    assert change.size == 19
    assert {status: change.paths(status) for status in "AMDR"} == {
        "A": ("new.py",),
        "M": ("here.py", "edited.py"),
        "D": ("gone.py",),
        "R": ("here.py",),
    }


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py",
        "test_a.py",
        "a_test.py",
        "src/shop/test_a.py",
        "tests/data/a.json",
        "test/a.py",
        "conftest.py",
        "src/tests.py",
        "shop/testing/fakes.py",
    ],
)
def test_a_path_is_a_tests(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize("path", ["src/latest.py", "contest.py", "src/attest/a.py", "tests", "tests.md", ""])
def test_a_path_is_no_tests(path: str) -> None:
    assert not is_test_path(path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a/test_a.py", True), ("a_test.py", True), ("tests/helpers.py", False), ("test_a.py.bak", False)],
)
def test_only_files_of_certain_names_are_looked_at_for_tests(path: str, *, expected: bool) -> None:
    assert is_test_module(path) is expected


def test_names_that_are_not_utf8_are_told_the_first_few_of_them() -> None:
    odd = [f"{number}\udce9.py" for number in range(7)]
    why = "is left out: its name is not UTF-8, and tools report in UTF-8"
    assert nameless(["ü.py", odd[0]]) == (f"'0\\udce9.py' {why}",)
    assert nameless(odd)[4:] == (f"'4\\udce9.py' {why}", "2 more files are left out for their names")


@pytest.mark.parametrize(
    ("path", "lock", "migration"),
    [
        ("uv.lock", True, False),
        ("web/package-lock.json", True, False),
        ("lock.py", False, False),
        ("shop/migrations/0002_price.py", False, True),
        ("alembic/versions/1f3a_price.py", False, True),
        ("db/migrate/2024/price.rb", False, True),
        ("migrations/notes.md", False, False),
        ("immigrations/a.py", False, False),
    ],
)
def test_lock_files_and_migrations_are_known_by_their_paths(
    path: str, *, lock: bool, migration: bool
) -> None:
    assert (is_lock_file(path), is_migration(path)) == (lock, migration)


@pytest.mark.parametrize(
    ("places", "found"),
    [
        (["src"], ["src/a.py", "src/b/c.py"]),
        (["src/b/", "top.py"], ["top.py", "src/b/c.py"]),
        (["./src/a.py"], ["src/a.py"]),
        (["sr", "a.py", "src/b/c"], []),
        (["none", "."], ["top.py", "src/a.py", "src/b/c.py"]),
        ([], []),
    ],
)
def test_paths_below_places(places: list[str], found: list[str]) -> None:
    assert below(["top.py", "src/a.py", "src/b/c.py"], places) == tuple(found)
