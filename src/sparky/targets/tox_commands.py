"""The commands that tox.ini, noxfile.py and their kin declare for tests, as far as they can be read."""

import ast
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from sparky.targets.tables import read_ini, read_toml, table
from sparky.targets.tox_read import TEST_SECTION, read_lines

_POSARGS = re.compile(r"\{posargs(?::(?P<default>[^{}]*))?\}|\{\[\]posargs\}")
_KNOWN = {
    "{envpython}": "python",
    "{toxinidir}/": "",
    "{tox_root}/": "",
    "{toxinidir}": ".",
    "{tox_root}": ".",
}
_ELSEWHERE = frozenset({"changedir", "change_dir"})
_NOX_TESTS = re.compile(r"(unit)?tests?|tests?_unit|pytest|unittest")

Commands = tuple[tuple[str, ...], ...]


def parse(files: Mapping[str, bytes], python: str) -> Commands:
    """The command lines of the first file that declares any; what only tox or nox could tell is left out."""
    for path in ("tox.ini", "setup.cfg"):
        if found := tuple(_ini(files.get(path, b"").decode("utf-8", "replace"), python)):
            return found
    pyproject = table(read_toml(files.get("pyproject.toml", b"")), "tool", "tox")
    if found := tuple(_ini(str(pyproject.get("legacy_tox_ini", "")), python)):
        return found
    for said in (pyproject, read_toml(files.get("tox.toml", b""))):
        base = table(said, "env_run_base")
        if found := () if _ELSEWHERE & base.keys() else tuple(_toml(base.get("commands"))):
            return found
    return tuple(_nox(files.get("noxfile.py", b"")))


def _ini(text: str, python: str) -> Iterator[tuple[str, ...]]:
    """Of the first section for tests that has commands, of those of one Python as of any."""
    parser = read_ini(re.sub(r"\\\n\s*", "", text))
    for section in parser.sections():
        if TEST_SECTION.fullmatch(section.removeprefix("tox:")) and parser.has_option(section, "commands"):
            if any(parser.has_option(section, key) for key in _ELSEWHERE):
                return
            for line in read_lines(parser, section, "commands", python):
                yield from _words(line)
            return


def _words(line: str) -> Iterator[tuple[str, ...]]:
    line = _POSARGS.sub(lambda found: found["default"] or "", line.lstrip("-! "))
    for name, meant in _KNOWN.items():
        line = line.replace(name, meant)
    try:
        words = tuple(shlex.split(line))
    except ValueError:
        return
    plain = tuple(word for word in words if "{" not in word or not word.startswith("-"))
    if plain and not any("{" in word for word in plain):
        yield plain


def _toml(commands: Any) -> Iterator[tuple[str, ...]]:
    for command in commands if isinstance(commands, list) else []:
        words: list[Any] = []
        for word in command if isinstance(command, list) else []:
            positional = isinstance(word, dict) and word.get("replace") == "posargs"
            words += word.get("default") or [] if positional else [word]
        if words and all(isinstance(word, str) and "{" not in word for word in words):
            yield tuple(words)


def _nox(source: bytes) -> Iterator[tuple[str, ...]]:
    """What the sessions that are called like tests run, in words that stand there."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and _NOX_TESTS.fullmatch(_session(node)):
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "session.run":
                    words = [word for word in call.args if not isinstance(word, ast.Starred)]
                    said = [word.value for word in words if isinstance(word, ast.Constant)]
                    if said and len(said) == len(words):
                        yield tuple(map(str, said))


def _session(function: ast.FunctionDef) -> str:
    """What nox calls it; "" if it is none of its sessions."""
    for decorator in function.decorator_list:
        call = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(call) in {"nox.session", "session"}:
            named = [word.value for word in getattr(decorator, "keywords", ()) if word.arg == "name"]
            return str(named[0].value) if named and isinstance(named[0], ast.Constant) else function.name
    return ""
