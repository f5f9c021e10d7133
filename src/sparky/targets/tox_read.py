"""tox's configuration: what the test environments install. INI and TOML, of tox 3 and 4."""

import configparser
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sparky.targets.tables import read_ini, read_text, read_toml, strings, table

_FACTOR = re.compile(r"(?P<factors>[\w{},!.-]+)\s*:\s+(?P<rest>\S.*)")
_REFERENCE = re.compile(r"\{\[(?P<section>[^\]]+)\](?P<key>\w+)\}")
_LIMIT = 5
TEST_SECTION = re.compile(r"testenv(:(py|py3\d*|tests?|unit|unittests?))?")
"""The sections of environments that are for tests."""
_KEYS = ("deps", "extras", "dependency_groups")


@dataclass(frozen=True, kw_only=True)
class Tox:
    """Lines as in a requirement file, the project's own extras, and dependency groups."""

    deps: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def __add__(self, other: "Tox") -> "Tox":
        """Both, one after the other."""
        return Tox(
            deps=self.deps + other.deps,
            extras=self.extras + other.extras,
            groups=self.groups + other.groups,
        )


def parse(files: Mapping[str, bytes], python: str) -> Tox:
    """What tox would install to test on a Python such as "3.11"; unreadable files count as empty."""
    found = Tox()
    for path in ("tox.ini", "setup.cfg"):
        found += _parse_ini(read_text(files.get(path, b"")), python)
    pyproject = table(read_toml(files.get("pyproject.toml", b"")), "tool", "tox")
    found += _parse_ini(str(pyproject.get("legacy_tox_ini", "")), python)
    for said in (pyproject, read_toml(files.get("tox.toml", b""))):
        base = table(said, "env_run_base")
        found += Tox(
            deps=strings(base.get("deps")),
            extras=strings(base.get("extras")),
            groups=strings(base.get("dependency_groups")),
        )
    return found


def _parse_ini(text: str, python: str) -> Tox:
    parser = read_ini(text)
    found = Tox()
    for section in parser.sections():
        name = section.removeprefix("tox:")
        if TEST_SECTION.fullmatch(name):
            read = {
                key: tuple(line for line in read_lines(parser, section, key, python) if "{" not in line)
                for key in _KEYS
            }
            words = {key: tuple(" ".join(read[key]).replace(",", " ").split()) for key in _KEYS}
            found += Tox(deps=read["deps"], extras=words["extras"], groups=words["dependency_groups"])
    return found


def read_lines(
    parser: configparser.RawConfigParser, section: str, key: str, python: str, depth: int = 0
) -> Iterator[str]:
    """The lines of a setting that are for this Python; for one that names another setting, that one's."""
    for line in (parser.get(section, key, fallback="") or "").splitlines():
        factor = _FACTOR.fullmatch(line.strip())
        if factor is not None and not _applies(factor["factors"], python):
            continue
        rest = factor["rest"] if factor else line.strip()
        rest = re.sub(r"\{(toxinidir|tox_root)\}[/\\]?", "", rest)
        reference = _REFERENCE.fullmatch(rest)
        if reference and depth < _LIMIT:
            yield from read_lines(parser, reference["section"], reference["key"], python, depth + 1)
        elif rest:
            yield rest


def _applies(factors: str, python: str) -> bool:
    """Whether a conditional line is for every environment of this Python; other factors say nothing of it."""
    ours = {"py", "py3", "py" + python.replace(".", ""), f"py{python}"}
    names = {name for choice in _expanded(factors) for name in [choice.strip()]}
    return any(name in ours or (name.startswith("!") and name[1:] not in ours) for name in names)


def _expanded(factors: str) -> list[str]:
    """`py{38,39}-x,lint` as py38-x, py39-x, lint."""
    brace = re.search(r"\{([^{}]*)\}", factors)
    if brace is None:
        return factors.split(",")
    head, tail = factors[: brace.start()], factors[brace.end() :]
    return [name for part in brace[1].split(",") for name in _expanded(head + part.strip() + tail)]
