"""How the tests of a repository are run, where nobody says so: what it declares, else what it looks like."""

import re
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath

from sparky.targets import tox_commands
from sparky.targets.environment import declares
from sparky.targets.requirements_read import has_pytest_configuration
from sparky.targets.suites.table import suite_of
from sparky.targets.tables import read_json, table

_DECLARING = ("tox.ini", "setup.cfg", "pyproject.toml", "tox.toml", "noxfile.py")
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_MAKE_TARGET = re.compile(rb"^(test|check)\s*:(?!=)", re.MULTILINE)
_NEEDS_PYTEST = re.compile(
    rb"^\s*(import|from)\s+pytest\b|^(async\s+)?def test|^class Test\w*(\((object)?\))?:", re.MULTILINE
)
_UNITTEST = re.compile(rb"\bunittest\b")
_PYTEST = re.compile(rb"\bpytest\b")
_NO_SCRIPT = "no test specified"  # npm's own placeholder
_SAMPLE = 20
_PYTHON = frozenset({*_DECLARING, "setup.py", "Pipfile"})
_ASIDE = frozenset({"docs", "doc", "tools", "scripts", "examples"})

PYTEST = ("pytest",)

Read = Callable[[str], bytes]
Command = tuple[str, ...]


def find_command(paths: Iterable[str], read: Read, python: str) -> Command | None:
    """The command to run the tests of a commit with these files; None if there are none to be seen.

    `python`: the version of Python to test with, such as "3.11".
    """
    files = sorted(paths)
    declared = tox_commands.parse({path: read(path) for path in _DECLARING if path in files}, python)
    known = {_uncovered(words) for words in declared if suite_of(words).REPORTER}
    if len(known) == 1:
        return known.pop()
    return _python(files, read) or _other(files, read) or (declared[0] if len(declared) == 1 else None)


def _uncovered(command: Command) -> Command:
    """The command without the measuring of coverage, which says nothing of the code."""
    if command[0] == "coverage" or command[1:3] == ("-m", "coverage"):
        command = ("python", *command[command.index("-m", command.index("coverage") + 1) :])
    words, skip = [], False
    for word in command:
        if word.startswith("--cov"):
            skip = "=" not in word
        elif not skip or word.startswith("-"):
            words.append(word)
            skip = False
        else:
            skip = False
    return tuple(words)


def is_python(paths: Iterable[str]) -> bool:
    """Whether a project of these files is one of Python, or has more of it than a script aside."""
    own = (path for path in paths if PurePosixPath(path).parts[0] not in _ASIDE)
    return any(path in _PYTHON or path.endswith(".py") for path in own)


def looks_like_test(path: str) -> bool:
    """Whether pytest, or a person, would look for tests in a file of this path."""
    file = PurePosixPath(path)
    return file.suffix == ".py" and (_is_named(file) or file.parts[0] in {"test", "tests"})


def _is_named(file: PurePosixPath) -> bool:
    return file.name.startswith("test_") or file.stem.endswith("_test")


def _python(files: list[str], read: Read) -> Command | None:
    """unittest where the tests are its own and nothing speaks of pytest; else pytest."""
    tests = [path for path in files if looks_like_test(path)]
    declaring = {path: read(path) for path in files if declares(path)}
    if not tests:
        return PYTEST if has_pytest_configuration(declaring) else None
    if any(_PYTEST.search(data) for data in declaring.values()):
        return PYTEST
    return _unittest(files, tests, read) or PYTEST


def _unittest(files: list[str], tests: list[str], read: Read) -> Command | None:
    """The call that discovers them all; None if it takes more than one, or some are not unittest's."""
    named = [path for path in map(PurePosixPath, tests) if _is_named(path)]
    texts = [read(str(path)) for path in named[:_SAMPLE]]
    if not all(_UNITTEST.search(text) and not _NEEDS_PYTEST.search(text) for text in texts):
        return None
    starts = {_start(path, frozenset(files)) for path in named}
    if len(starts) != 1 or not all(path.name.startswith("test") for path in named):
        return None
    (start,) = starts
    return ("python", "-m", "unittest", "discover", *([] if start == "." else ["-s", start]))


def _start(path: PurePosixPath, files: frozenset[str]) -> str:
    """The directory from which a module is imported by its full name."""
    folder = path.parent
    while str(folder / "__init__.py") in files:
        folder = folder.parent
    return str(folder)


def _other(files: list[str], read: Read) -> Command | None:
    """What the manifests and the Makefile at the top stand for."""
    if "Cargo.toml" in files:
        return ("cargo", "test", "--no-fail-fast")
    if "go.mod" in files:
        return ("go", "test", "-json", "./...")
    targets = [found for path in _MAKEFILES if path in files for found in _MAKE_TARGET.findall(read(path))]
    if targets:
        return ("make", "test" if b"test" in targets else "check")
    script = table(read_json(read("package.json")) if "package.json" in files else {}, "scripts").get("test")
    return ("npm", "test") if isinstance(script, str) and _NO_SCRIPT not in script else None
