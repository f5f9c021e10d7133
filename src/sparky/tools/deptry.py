"""DEPENDENCY by deptry (MIT): what is declared and not imported, imported and not declared.

It runs in sparky's own environment, and so sees no other package's modules: those whose name is not that of
their package are told to it. Where a module has no package, any package may be that one, and none is removed.
"""

import ast
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

import msgspec

from sparky.domain.command import Completed
from sparky.domain.finding import for_agent, for_person, kept
from sparky.domain.issue import Kind, Severity
from sparky.tools.listing import Listing
from sparky.tools.programs.sources import tree_of
from sparky.tools.ruff_json import Diagnostic, Edit, Place, Remedy
from sparky.tools.tool import Argv, Read

MISSING, UNUSED, MISPLACED = "DEP001", "DEP002", "DEP004"
_TRANSITIVE = "DEP003"
_WHY = {
    MISSING: for_person("a guess could install a stranger's package of that name"),
    UNUSED: kept("it may be a plugin, or bring a module that no package is known for; or a lock file has it"),
    MISPLACED: for_agent("a dependency of development is imported by the package itself"),
}
_MODULES = (
    "attrs=attr|attrs,beautifulsoup4=bs4,gitpython=git,grpcio=grpc,msgpack-python=msgpack,mysqlclient=MySQLdb,"
    "opencv-python=cv2,pillow=PIL,protobuf=google,psycopg2-binary=psycopg2,pycryptodome=Crypto,pyjwt=jwt,"
    "pymysql=pymysql,pyserial=serial,python-dateutil=dateutil,python-dotenv=dotenv,pyyaml=yaml,"
    "scikit-learn=sklearn,setuptools=setuptools|pkg_resources,typing-extensions=typing_extensions"
)
_TEST = re.compile(r"(?:^|/)(?:tests?/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$)")
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "requirements.lock")
_PLUGIN = re.compile(r"^(?:types-|pytest-|mkdocs-|sphinx-|flake8-)|(?:-stubs|-plugin|-binary)$")


class _Error(msgspec.Struct):
    code: str
    message: str


class _Where(msgspec.Struct):
    file: str
    line: int | None = None
    column: int | None = None


class _Issue(msgspec.Struct):
    error: _Error
    module: str
    location: _Where


def configure(binary: str, read: Read) -> Listing:
    """deptry for the target whose files `read` gives; it finds nothing where none is declared."""
    declares = bool(_dependencies(read("pyproject.toml") or b""))

    def argv(paths: Sequence[str]) -> Argv:
        del paths  # what one file imports says nothing about the whole
        return (".", "--no-ansi", "--package-module-name-map", _MODULES, "--json-output", "/dev/stdout")

    return Listing(
        name="deptry",
        binary=binary,
        kinds=dict.fromkeys(_WHY, Kind.DEPENDENCY) if declares else {},
        argv=argv,
        parse=_issues,
        why=_WHY,
        severity=Severity.MEDIUM,
        suffixes=(".py", ".toml"),
        codes=frozenset({0, 1}),
    )


def _dependencies(data: bytes) -> list[str]:
    try:
        found = tomllib.loads(data.decode()).get("project", {}).get("dependencies", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError):
        return []
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def _issues(result: Completed, read: Read) -> Iterator[Diagnostic]:
    listed = msgspec.json.decode(result.stdout, type=list[_Issue])
    there = [(one, _code(one), PurePosixPath(one.location.file).as_posix()) for one in listed]
    real = [row for row in there if row[1] != MISSING or _is_meant(row[0], row[2], read)]
    certain = not any(code == MISSING for _, code, _ in real) and all(read(lock) is None for lock in _LOCKS)
    for one, code, path in real:
        place = one.location
        where = Place(row=place.line, column=place.column or 1) if place.line else None
        if code == UNUSED:
            edits = (
                _removal(read(path) or b"", one.module) if certain and not _PLUGIN.search(one.module) else ()
            )
            fix = Remedy(applicability="safe", edits=edits) if edits else None
            where = edits[0].location if edits else None
            message = f"`{one.module}` is declared, and nothing imports it"
        elif code == MISSING:
            fix, message = None, f"`{one.module}` is imported, and no dependency is known to bring it"
        else:
            fix, message = None, one.error.message
        yield Diagnostic(code=code, filename=path, message=message, location=where, fix=fix)


def _code(one: _Issue) -> str:
    """What it finds; transitive is what sparky's own environment happens to have."""
    return MISSING if one.error.code == _TRANSITIVE else one.error.code


def _is_meant(one: _Issue, path: str, read: Read) -> bool:
    """Whether the program needs what it imports: not in a test, and not in a `try` or below an `if`."""
    if _TEST.search(path):
        return False
    tree, line = tree_of(read(path) or b""), one.location.line or 0
    guards = (node for node in ast.walk(tree) if isinstance(node, ast.Try | ast.If)) if tree else ()
    return not any(node.lineno <= line <= (node.end_lineno or 0) for node in guards)


def _removal(data: bytes, package: str) -> tuple[Edit, ...]:
    """The edit that takes just one dependency out of `project.dependencies`; none if there is none."""
    text, known = data.decode(), _dependencies(data)
    mine = [one for one in known if _name(one) == _name(package)]
    for quoted in (f"{quote}{one}{quote}" for one in mine[:1] for quote in ('"', "'")):
        line = re.compile(rf"^[ \t]*{re.escape(quoted)}[ \t]*,?[ \t]*(?:#[^\n]*)?\n", re.MULTILINE)
        inside = re.compile(rf"{re.escape(quoted)}[ \t]*,[ \t]*|,?[ \t]*{re.escape(quoted)}")
        for pattern in (line, inside):
            found = pattern.search(text, max(text.find("dependencies"), 0))
            without = text[: found.start()] + text[found.end() :] if found else text
            if found and _dependencies(without.encode()) == [one for one in known if one not in mine]:
                start, end = _place(text, found.start()), _place(text, found.end())
                return (Edit(content="", location=start, end_location=end),)
    return ()


def _name(requirement: str) -> str:
    """The normal name of what a requirement asks for."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[<>=!~;@(]", requirement.strip(), maxsplit=1)[0]).lower()


def _place(text: str, at: int) -> Place:
    before = text[:at]
    return Place(row=before.count("\n") + 1, column=at - (before.rfind("\n") + 1) + 1)
