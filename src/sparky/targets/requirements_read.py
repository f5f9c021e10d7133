"""From the files of a repository that declare dependencies to what an environment for its tests needs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from sparky.targets import project_read, tox_read
from sparky.targets.environment import Declared, declares, distribution
from sparky.targets.project_read import Project
from sparky.targets.requirement_lines import parse_file, parse_lines
from sparky.targets.tables import read_json, read_text, read_toml, table

_FOR_TESTS = frozenset(
    {"test", "tests", "testing", "unit", "unittest", "pytest", "dev", "develop", "development", "ci", "check"}
)
_FOR_ALL = frozenset(
    {"requirements", "requirement", "reqs", "req", "base", "main", "core", "common", "deps", "txt", "in"}
)
_PLUGINS = {
    "pytest-cov": r"--cov\b",
    "pytest-xdist": r"--numprocesses\b|--dist[ =]|(?<=\s)-n ?(\d|auto)",
    "pytest-timeout": r"--timeout\b|^timeout ?=",
    "pytest-asyncio": r"--asyncio-mode\b|^asyncio_\w+ ?=",
    "pytest-django": r"DJANGO_SETTINGS_MODULE|--ds[ =]",
    "pytest-benchmark": r"--benchmark-",
    "pytest-rerunfailures": r"--reruns\b",
    "pytest-mock": r"^mock_\w+ ?=",
}
_PYTEST_FILES = frozenset({"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"})
_PYTEST_SECTION = re.compile(r"^\[(tool[.:])?pytest(\.[^\]]*)?\]", re.MULTILINE)
_OLD_PYTEST = re.compile(r"pytest\s*(===?|~=|<=?)\s*[0-6](\.|$|,)")


def parse(files: Mapping[str, bytes], python: str = "3.11") -> Declared:
    """What the files declare for tests on a Python such as "3.11". `files`: bytes by path from the top."""
    project, tox = project_read.parse(files), tox_read.parse(files, python)
    listed = parse_lines(tox.deps, "", files)
    for path in _requirement_files(files):
        listed += parse_file(path, files)
    extras = _FOR_TESTS | {*tox.extras, *_own_extras(listed.requirements, project.name)}
    groups = _FOR_TESTS | {*tox.groups}
    wanted = [line for name in project.groups if name in groups for line in _group(project, name)]
    wanted += [line for name in project.extras if name in extras for line in _extra(project, name)]
    wanted += [line for line in listed.requirements if not _is_itself(line, project.name)]
    wanted += [*_plugins(files), "pytest"]
    return Declared(
        name=project.name,
        source=project.source,
        runtime=_unique(project.runtime),
        testing=_unique([_modern(line) for line in wanted]),
        pythons=project.pythons,
        constraints=_unique([c for c in (*listed.constraints, *_locked(files)) if _modern(c) == c]),
    )


def has_pytest_configuration(files: Mapping[str, bytes]) -> bool:
    """Whether a file at the top configures pytest."""
    return any(_pytest_text(path, data) is not None for path, data in files.items())


def _requirement_files(files: Mapping[str, bytes]) -> list[str]:
    """Those for everybody and for tests; a list's source (`.in`) only without its result (`.txt`)."""
    chosen = []
    for path in sorted(files):
        words = set(re.split(r"[-_./]+", "/".join(PurePosixPath(path).parts[-2:]).lower()))
        apt = bool(words & _FOR_TESTS) or words <= _FOR_ALL
        listing = declares(path) and path.endswith((".txt", ".in")) and "constraints" not in words
        if listing and apt and not (path.endswith(".in") and f"{path[:-3]}.txt" in files):
            chosen.append(path)
    return chosen


def _own_extras(lines: Sequence[str], name: str) -> Iterator[str]:
    """`.[test]` in a requirement file means the project's own extra `test`; so does `name[test]`."""
    for line in lines:
        extras = re.search(r"\[([^\]]*)\]", line)
        if extras and _is_itself(line, name):
            yield from (extra.strip() for extra in extras[1].split(","))


def _is_itself(line: str, name: str) -> bool:
    itself = bool(re.match(r"(\.|file:\.|\./)(\[|$)", line))
    return itself or bool(name and distribution(line) == distribution(name))


def _extra(project: Project, name: str, depth: int = 0) -> Iterator[str]:
    for line in project.extras.get(name, ()):
        if not _is_itself(line, project.name):
            yield line
        elif depth < len(project.extras):
            for other in _own_extras([line], project.name):
                yield from _extra(project, other, depth + 1)


def _group(project: Project, name: str, depth: int = 0) -> Iterator[str]:
    for line in project.groups.get(name, ()):
        included = line.removeprefix("include-group ")
        if included == line:
            yield line
        elif depth < len(project.groups):
            yield from _group(project, included, depth + 1)


def _pytest_text(path: str, data: bytes) -> str | None:
    """The part of a file that configures pytest, up to the next section; None if it has none."""
    text = read_text(data)
    if path in _PYTEST_FILES:
        return text
    section = _PYTEST_SECTION.search(text) if path in {"pyproject.toml", "setup.cfg", "tox.ini"} else None
    return re.split(r"\n(?=\[)", text[section.end() :], maxsplit=1)[0] if section else None


def _plugins(files: Mapping[str, bytes]) -> list[str]:
    """Plugins that the configuration's options come from: pytest would refuse to start without them."""
    texts = "\n".join(_pytest_text(path, data) or "" for path, data in files.items())
    return [name for name, pattern in _PLUGINS.items() if re.search(pattern, texts, re.MULTILINE)]


def _modern(line: str) -> str:
    """pytest before 7 does not run on today's Pythons: such a pin is not followed."""
    return "pytest" if _OLD_PYTEST.match(line) else line


def _locked(files: Mapping[str, bytes]) -> list[str]:
    """Exact versions from lock files; a package locked at several versions is left out."""
    versions: dict[str, set[str]] = {}
    for path in ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml"):
        lock = read_toml(files.get(path, b""))
        for package in (*lock.get("package", ()), *lock.get("packages", ())):
            foreign = table(package, "source").keys().isdisjoint({"editable", "virtual", "directory"})
            if foreign and isinstance(package, dict) and "version" in package:
                versions.setdefault(str(package.get("name")), set()).add(f"=={package['version']}")
    lock = read_json(files.get("Pipfile.lock", b"{}"))
    for name, package in (*table(lock, "default").items(), *table(lock, "develop").items()):
        versions.setdefault(name, set()).add(str(table(package).get("version", "")))
    return [name + min(found) for name, found in versions.items() if len(found) == 1]


def _unique(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
