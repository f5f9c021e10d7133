"""What a diff changes, as facts that gates can judge."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate
from pathlib import PurePosixPath

_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPES = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))
_SHOWN = 5
_HUNK = re.compile(r"@@ -\S+ \+(\d+)")
_LOCKS = {
    *("uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "package-lock.json", "yarn.lock"),
    *("pnpm-lock.yaml", "Cargo.lock", "go.sum"),
}
_MIGRATION = re.compile(r"(^|/)(migrations|migrate|alembic/versions)/(.*/)?[^/]+\.(py|sql|rb|js|ts)$")
_TEST_NAME = re.compile(r"test_.*\.py|.*_test\.py|tests?\.py")


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """One file of a diff. `status` is A, M, D or R; `old_path` is set for R; binary files have 0 lines.

    `link`: it is a symbolic link now; the line that it adds is where that leads.
    """

    path: str
    status: str
    added: int
    deleted: int
    old_path: str | None = None
    binary: bool = False
    link: bool = False


@dataclass(frozen=True, kw_only=True)
class Lines:
    """The lines that a diff adds to and removes from one file, without their marks.

    `numbers`: where those that it adds stand in the new file, counted from 1.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()


class Sort(Enum):
    """The sort of tampering that a suspicion is of."""

    REMOVED = "removed"
    SKIPPED = "skipped"
    HOLLOW = "hollow"
    LOOSENED = "loosened"
    CHANGED = "changed"
    REPLACED = "replaced"
    RULES = "rules"
    TRICK = "trick"


@dataclass(frozen=True, kw_only=True)
class Suspicion:
    """Something in a diff that makes evidence worth less. `line`: at head; of what is gone, at base."""

    sort: Sort
    path: str
    line: int
    what: str
    why: str

    @property
    def said(self) -> str:
        """The suspicion in one line, for a person."""
        return f"{self.path}:{self.line}: {self.what}: {self.why}"


@dataclass(frozen=True, kw_only=True)
class Change:
    """A whole diff: its files, their lines by path, and what was seen in it.

    `broken`: the changed Python files that don't parse, and why.
    """

    files: tuple[FileChange, ...]
    lines: Mapping[str, Lines] = field(default_factory=dict)
    broken: Mapping[str, str] = field(default_factory=dict)
    suspicions: tuple[Suspicion, ...] = ()

    @property
    def size(self) -> int:
        """Lines added and deleted."""
        return sum(f.added + f.deleted for f in self.files)

    def paths(self, status: str) -> tuple[str, ...]:
        """The paths of one status; R counts as M."""
        return tuple(f.path for f in self.files if f.status == status or (status, f.status) == ("M", "R"))


def read_patch(patch: str) -> dict[str, Lines]:
    """The lines of a unified diff by path; a file that is deleted keeps its old path."""
    added: dict[str, list[str]] = {}
    removed: dict[str, list[str]] = {}
    numbers: dict[str, list[int]] = {}
    path, old, in_hunk, at = "", "", False, 0
    for line in patch.split("\n"):
        if line.startswith("diff --git "):
            in_hunk = False
        elif not in_hunk and line.startswith("--- "):
            old = _named(line[4:])
        elif not in_hunk and line.startswith("+++ "):
            path = _named(line[4:]) or old
        elif found := _HUNK.match(line):
            in_hunk, at = True, int(found[1])
        elif in_hunk and line.startswith("+"):
            added.setdefault(path, []).append(line[1:])
            numbers.setdefault(path, []).append(at)
            at += 1
        elif in_hunk and line.startswith(" "):
            at += 1
        elif in_hunk and line.startswith("-"):
            removed.setdefault(path, []).append(line[1:])
    return {
        p: Lines(
            added=tuple(added.get(p, ())),
            removed=tuple(removed.get(p, ())),
            numbers=tuple(numbers.get(p, ())),
        )
        for p in {**added, **removed}
    }


def is_test_path(path: str) -> bool:
    """Whether the path is a test's, by the customs of pytest and unittest."""
    parts = PurePosixPath(path).parts
    name = parts[-1] if parts else ""
    in_tests = any(part in {"test", "tests", "testing"} for part in parts[:-1])
    return in_tests or name == "conftest.py" or is_test_module(path)


def is_test_module(path: str) -> bool:
    """Whether pytest or unittest would look for tests in a file of this name."""
    return _TEST_NAME.fullmatch(PurePosixPath(path).name) is not None


def is_lock_file(path: str) -> bool:
    """Whether the path is that of a file in which a package manager pins what is installed."""
    return PurePosixPath(path).name in _LOCKS


def is_migration(path: str) -> bool:
    """Whether the path is that of a step by which a database's data or shape is changed."""
    return _MIGRATION.search(path) is not None


def is_text(path: str) -> bool:
    """Whether a file's name is UTF-8; any other can neither be written to JSON nor be found in a report."""
    return path == path.encode(errors="ignore").decode()


def below(paths: Iterable[str], places: Iterable[str]) -> tuple[str, ...]:
    """Those of the paths that are one of the places or lie in one, in their order; all of them lie in "."."""
    known = {PurePosixPath(place).as_posix() for place in places}
    if "." in known:
        return tuple(paths)
    return tuple(path for path in paths if not known.isdisjoint(accumulate(path.split("/"), "{}/{}".format)))


def nameless(paths: Iterable[str]) -> tuple[str, ...]:
    """One line on each of the paths that is not UTF-8, which the tools can't work on; the first few."""
    odd = [ascii(path) for path in paths if not is_text(path)]
    why = "its name is not UTF-8, and tools report in UTF-8"
    more = (f"{len(odd) - _SHOWN} more files are left out for their names",) if len(odd) > _SHOWN else ()
    return (*(f"{path} is left out: {why}" for path in odd[:_SHOWN]), *more)


def _named(name: str) -> str:
    """The path that a header names, "" for none. Git quotes odd names, and ends one with blanks by a tab."""
    if name == "/dev/null":
        return ""
    if not name.startswith('"'):
        return name[2:].removesuffix("\t")
    raw = _ESCAPE.sub(_unescaped, name[3:-1].encode("utf-8", "surrogateescape"))
    return raw.decode("utf-8", "surrogateescape")


def _unescaped(found: re.Match[bytes]) -> bytes:
    said = found[1]
    return bytes([int(said, 8) if said.isdigit() else _ESCAPES[said[0]]])
