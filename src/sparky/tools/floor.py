"""The oldest Python that a target declares, wherever projects do that."""

import ast
import configparser
import re
from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from sparky.foreign import parse_foreign
from sparky.tools.tool import Read

_PYTHON_2 = -1
_SAID = re.compile(r"Programming Language :: Python :: (2\b|3\.\d+)|^py(2|3)(\d+)$|^(3\.\d+)$", re.MULTILINE)
_ROUGHLY = re.compile(r"(?:\^|~(?!=))\s*")
_BARE = re.compile(r"\d+(?:\.\d+)*(?:\.\*)?")
_NEXT = re.compile(r"(?<=[\d*])\s+(?=[<>=!~^])")
_KEYS = ("project.requires-python", "tool.poetry.dependencies.python")
_HINTS = ("tool.black.target-version", "project.classifiers", "tool.mypy.python_version")


def floor(read: Read, project: object) -> int | None:
    """The lowest minor version of Python 3 that is declared; None: none is, or Python 2 as well.

    `project` is the target's pyproject.toml. What installers read is believed before what else tells it: the
    configuration of black or mypy, classifiers.
    """
    for specifier in (*(_at(project, key) for key in _KEYS), *_setup(read, "python_requires")):
        if isinstance(specifier, str) and specifier.strip():
            return _lowest(_allowed(specifier))
    return _lowest({minor for hint in _hints(read, project) for minor in _said(hint)})


def _lowest(minors: set[int]) -> int | None:
    return min(minors) if minors and _PYTHON_2 not in minors else None


def _at(table: object, key: str) -> object:
    for part in key.split("."):
        table = table.get(part) if isinstance(table, dict) else None
    return table


def _allowed(specifier: str) -> set[int]:
    """The minor versions that a specifier allows, also as Poetry writes it."""
    found: set[int] = set()
    for one in specifier.split("||"):
        clauses = (_ROUGHLY.sub(">=", c.strip()) for c in _NEXT.sub(",", one.strip()).split(","))
        pep440 = (f"=={c.removesuffix('.*')}.*" if _BARE.fullmatch(c) else c for c in clauses)
        try:
            allowed = SpecifierSet(",".join(c for c in pep440 if c != "*"))
        except InvalidSpecifier:
            continue
        found |= {minor for minor in range(100) for patch in (0, 99) if f"3.{minor}.{patch}" in allowed}
        found |= {_PYTHON_2} if "2.7.18" in allowed else set()
    return found


def _hints(read: Read, project: object) -> Iterator[object]:
    yield from (_at(project, key) for key in _HINTS)
    yield from _setup(read, "classifiers")


def _said(hint: object) -> Iterator[int]:
    text = "\n".join(map(str, hint)) if isinstance(hint, list | tuple) else str(hint)
    for python, major, minor, version in _SAID.findall(text):
        two = python == "2" or major == "2"
        yield _PYTHON_2 if two else int(minor or (python or version).partition(".")[2])


def _setup(read: Read, key: str) -> Iterator[object]:
    """What setup.cfg, and then setup.py, say of a keyword of setuptools' `setup`."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string((read("setup.cfg") or b"").decode(errors="replace"))
    except configparser.Error:
        parser.clear()
    yield from (parser[name][key] for name in ("options", "metadata") if parser.has_option(name, key))
    try:
        nodes = [*ast.walk(parse_foreign(read("setup.py") or b""))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    named = {ast.unparse(n.targets[0]): n.value for n in nodes if isinstance(n, ast.Assign)}
    for word in (word for n in nodes if isinstance(n, ast.Call) for word in n.keywords if word.arg == key):
        try:
            yield ast.literal_eval(named.get(ast.unparse(word.value), word.value))
        except ValueError:
            continue
