"""What deptry (MIT) says of a target's dependencies, with the edits of pyproject.toml that are certain.

deptry runs in sparky's own environment, and so sees no other package's modules: those whose name is not that
of their package are told to it. Where a module has no package, any package may be that one, and none is taken
out; nor is one that another file names, as a Procfile or settings do. What is missing is put in where the
project's own requirements have it: any other would be a guess.
"""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

import msgspec
from msgspec import structs
from packaging.requirements import InvalidRequirement, Requirement

from sparky.tools.programs.pyproject import name_of, with_one, without
from sparky.tools.programs.sources import SKIPPED, diagnostic, put, tree_of
from sparky.tools.ruff_json import Diagnostic, Edit, Place

PROJECT = "pyproject.toml"
MISSING, UNUSED = "DEP001", "DEP002"
_TRANSITIVE = "DEP003"
_TIMEOUT_S = 300
_MODULES = (
    "attrs=attr|attrs,beautifulsoup4=bs4,gitpython=git,grpcio=grpc,msgpack-python=msgpack,mysqlclient=MySQLdb,"
    "opencv-python=cv2,pillow=PIL,protobuf=google,psycopg2-binary=psycopg2,pycryptodome=Crypto,pyjwt=jwt,"
    "pymysql=pymysql,pyserial=serial,python-dateutil=dateutil,python-dotenv=dotenv,pyyaml=yaml,"
    "scikit-learn=sklearn,setuptools=setuptools|pkg_resources,typing-extensions=typing_extensions"
)
_PACKAGES = {
    module: package
    for package, _, modules in (pair.partition("=") for pair in _MODULES.split(","))
    for module in modules.split("|")
}
_TEST = re.compile(r"(?:^|/)(?:tests?/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$)")
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "requirements.lock")
_LISTS = ("requirements.txt", "requirements.in", "requirements/base.txt", "requirements/main.txt")
"""Where projects write down, besides, what they need to run."""
_PLUGIN = re.compile(r"^(?:types-|pytest-|mkdocs-|sphinx-|flake8-)|(?:-stubs|-plugin|-binary)$")
_PROSE = (".md", ".rst", ".txt", ".lock", ".in")
_LARGE = 1_000_000
"""A file of more bytes is data: it names nothing."""


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

    @property
    def code(self) -> str:
        """What it finds; transitive is what sparky's own environment happens to have."""
        return MISSING if self.error.code == _TRANSITIVE else self.error.code

    @property
    def path(self) -> str:
        """The file, from the target's root."""
        return PurePosixPath(self.location.file).as_posix()


def found(issues: Iterable[_Issue]) -> Iterator[Diagnostic]:
    """The findings, each with the edit that would mend it; what is missing, once for each package."""
    real = [one for one in issues if one.code != MISSING or _is_meant(one)]
    listed = {name_of(line): line for line in _listed()}
    missing = {_package(one.module): one for one in reversed(real) if one.code == MISSING}
    certain = missing.keys() <= listed.keys() and not any(Path(lock).exists() for lock in _LOCKS)
    data = Path(PROJECT).read_bytes()
    for package in sorted(missing.keys() & listed.keys()):
        said = f"`{listed[package]}` is in the requirements, and {missing[package].path} imports it"
        yield _finding(MISSING, PROJECT, said, edit=with_one(data, listed[package]))
    for one in real:
        where = Place(row=one.location.line or 1, column=one.location.column or 1)
        if one.code == UNUSED:
            free = certain and not _PLUGIN.search(one.module) and not _is_named(one.module)
            edit = without(data, name_of(one.module)) if free else None
            yield _finding(UNUSED, one.path, f"`{one.module}` is declared, and nothing imports it", edit=edit)
        elif one.code != MISSING:
            yield _finding(one.code, one.path, one.error.message, where)
        elif _package(one.module) not in listed:
            said = f"`{one.module}` is imported, and no dependency is known to bring it"
            yield _finding(MISSING, one.path, said, where)


def apart(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings; of edits that meet in a line of pyproject.toml the first is offered."""
    edited: set[int] = set()
    for one in found:
        edits = one.fix.edits if one.fix else ()
        rows = {row for edit in edits for row in range(edit.location.row, edit.end_location.row)}
        yield structs.replace(one, fix=None) if rows & edited else one
        edited |= set() if rows & edited else rows


def _finding(
    code: str, path: str, message: str, where: Place | None = None, *, edit: Edit | None = None
) -> Diagnostic:
    place = edit.location if edit else where or Place(row=1, column=1)
    return diagnostic(code, path, message, place, *([edit] if edit else []))


def _package(module: str) -> str:
    """The package that brings a module, as far as its name tells."""
    return _PACKAGES.get(module, name_of(module))


def _listed() -> Iterator[str]:
    """What the target's own lists of requirements name, a line each, in no order; not by hash or URL."""
    for path in (path for name in _LISTS if (path := Path(name)).is_file()):
        for line in path.read_text("utf-8", "replace").splitlines():
            said = line.partition(" #")[0].strip()
            with suppress(InvalidRequirement):
                if Requirement(said).url is None:
                    yield said


def _is_meant(one: _Issue) -> bool:
    """Whether the program needs what it imports: not in a test, and not in a `try` or below an `if`."""
    if _TEST.search(one.path):
        return False
    tree, line = tree_of(Path(one.path).read_bytes()), one.location.line or 0
    guards = (node for node in ast.walk(tree) if isinstance(node, ast.Try | ast.If)) if tree else ()
    return not any(node.lineno <= line <= (node.end_lineno or 0) for node in guards)


def _is_named(package: str) -> bool:
    """Whether a file that is neither prose nor a test names a package, or what is called like it."""
    name = re.escape(name_of(package).encode()).replace(rb"\-", rb"[-_.]")
    word = re.compile(rb"(?<![\w-])%s" % name, re.IGNORECASE)
    known = len(word.findall(Path(PROJECT).read_bytes()))
    return known > 1 or any(word.search(path.read_bytes()) for path in _texts())


def _texts() -> Iterator[Path]:
    for place, folders, names in os.walk("."):
        folders[:] = sorted({*folders} - SKIPPED)
        for path in (Path(place, name) for name in names if not name.endswith(_PROSE) and name != PROJECT):
            plain = path.is_file() and not path.is_symlink() and not _TEST.search(path.as_posix())
            if plain and path.stat().st_size <= _LARGE:
                yield path


def main() -> None:
    """Print what is wrong with the dependencies of the current directory; fails where deptry does."""
    argv = [str(Path(sys.executable).with_name("deptry")), ".", "--no-ansi", "--json-output", "/dev/stdout"]
    argv += ["--package-module-name-map", _MODULES]
    done = subprocess.run(argv, capture_output=True, check=False, timeout=_TIMEOUT_S)
    if done.returncode not in {0, 1}:
        said = done.stderr.decode("utf-8", "replace")[:500]
        sys.exit(f"deptry gave no answer (exit code {done.returncode}): {said}")
    put(apart(found(msgspec.json.decode(done.stdout, type=list[_Issue]))))


if __name__ == "__main__":
    main()
