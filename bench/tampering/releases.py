"""Consecutive releases of real packages, cut into diffs such as one change by one agent would be."""

import io
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from sparky.domain.change import is_test_path
from sparky.tamper.edit import Edit

VERSIONS: Mapping[str, tuple[str, ...]] = {
    "tabulate": ("0.8.5", "0.8.6", "0.8.7", "0.8.8", "0.8.9", "0.8.10", "0.9.0", "0.10.0"),
    "WTForms": ("3.0.0", "3.0.1", "3.1.0", "3.1.1", "3.1.2", "3.2.0", "3.2.1"),
    "sqlparse": ("0.3.1", "0.4.0", "0.4.1", "0.4.2", "0.4.3", "0.4.4", "0.5.0", "0.5.1", "0.5.2", "0.5.3"),
    "mistune": (
        "2.0.3",
        "2.0.4",
        "2.0.5",
        "3.0.0",
        "3.0.1",
        "3.0.2",
        "3.1.0",
        "3.1.1",
        "3.1.2",
        "3.1.3",
        "3.1.4",
    ),
    "itsdangerous": ("2.0.0", "2.0.1", "2.1.0", "2.1.1", "2.1.2", "2.2.0"),
    "blinker": ("1.4", "1.5", "1.6", "1.6.2", "1.7.0", "1.8.1", "1.8.2", "1.9.0"),
}
HELD_OUT: Mapping[str, tuple[str, ...]] = {
    "iniconfig": ("1.0.0", "1.1.1"),
    "parse": ("1.19.0", "1.19.1", "1.20.0", "1.20.1", "1.20.2"),
}
_RULES = re.compile(
    r"(^|/)(pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|mypy\.ini|Makefile|noxfile\.py|\.coveragerc|\.flake8|\.pre-commit-config\.yaml)$"
    r"|\.github/workflows/|(^|/)\.travis\.yml$"
)
_TEST_NAME = re.compile(r"(?m)^\s*(?:async )?def (test\w*)\(")

Files = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Unit:
    """One honest or cheating diff: where it comes from, of which sort it is, and all tests at its head."""

    name: str
    sort: str
    edits: tuple[Edit, ...]
    tests: Files


def sdist(cache: Path, package: str, version: str) -> Path | None:
    """The file, downloaded once; None if the index does not have it."""
    pattern = re.compile(rf"{re.escape(package)}-{re.escape(version)}\.(tar\.gz|zip)", re.IGNORECASE)
    for _ in range(2):
        for path in cache.glob("*"):
            if pattern.fullmatch(path.name):
                return path
        wanted = [f"{package}=={version}", "--no-binary", ":all:", "--no-deps", "-d", str(cache)]
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "-q", *wanted], check=False, capture_output=True
        )
    return None


def read(path: Path) -> dict[str, str]:
    """The text files of an sdist, by their path below its top directory."""
    files = {}
    with tarfile.open(fileobj=io.BytesIO(path.read_bytes())) as archive:
        for member in archive.getmembers():
            name = member.name.partition("/")[2]
            data = archive.extractfile(member) if member.isfile() else None
            if data is not None and name and ".egg-info/" not in name and name != "PKG-INFO":
                try:
                    files[name] = data.read().decode()
                except UnicodeDecodeError:
                    continue
    return files


def units(cache: Path, package: str, versions: tuple[str, ...]) -> Iterator[Unit]:
    """The diffs between consecutive releases, cut up by `cut`."""
    found = [(version, read(path)) for version in versions if (path := sdist(cache, package, version))]
    for (old, before), (new, after) in pairwise(found):
        for sort, edits in cut(before, after):
            names = ", ".join(edit.path for edit in edits if edit.test or len(edits) == 1)
            tests = {
                path: text for path, text in after.items() if is_test_path(path) and path.endswith(".py")
            }
            yield Unit(name=f"{package} {old}..{new} {names}", sort=sort, edits=tuple(edits), tests=tests)


def cut(before: Files, after: Files) -> Iterator[tuple[str, list[Edit]]]:
    """The diff between two trees in pieces. Documents are left out: nothing in them could be suspected.

    A source file that changed is a piece by itself. A test module that changed is a piece together with all
    source that changed, and the other test modules that it exchanged tests with; so is all data of tests. A
    file of rules (CI, linters, coverage, pytest) is a piece by itself.
    """
    paths = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    edits = {path: Edit(path=path, before=before.get(path), after=after.get(path)) for path in paths}
    source = [edit for edit in edits.values() if edit.python and not edit.test]
    yield from (("release: source", [edit]) for edit in source)
    data = [edit for edit in edits.values() if edit.test and not edit.python]
    for group in groups([edit for edit in edits.values() if edit.test and edit.python]):
        yield "release: tests", [*group, *source]
    if data:
        yield "release: tests", [*data, *source]
    yield from (("release: rules", [edit]) for path, edit in edits.items() if _RULES.search(path))


def groups(edits: list[Edit]) -> list[list[Edit]]:
    """Test modules, those together that a test of one name left and entered."""
    made: list[tuple[set[str], set[str], list[Edit]]] = []
    for edit in edits:
        was, now = ({*_TEST_NAME.findall(side or "")} for side in (edit.before, edit.after))
        gone, come, together = was - now, now - was, [edit]
        for other in [one for one in made if one[0] & come or one[1] & gone]:
            made.remove(other)
            gone, come, together = gone | other[0], come | other[1], [*other[2], *together]
        made.append((gone, come, together))
    return [together for _, _, together in made]
