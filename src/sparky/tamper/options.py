"""The options that a file of rules states: of pytest, linters, type checkers, coverage and the like."""

import configparser
import re
import tomllib

Options = dict[str, object]
"""By dotted name."""

TOML = re.compile(
    r"(pyproject|pyrefly|\.?complexipy|\.?ruff|tox|pdm|hatch|pixi|\.?coverage)\.toml$|^Pipfile$"
)
INI = re.compile(
    r"^(pytest|tox|mypy|\.?pytest|\.mypy)\.ini$|^setup\.cfg$|^\.(coveragerc|flake8|pylintrc|bandit|isort\.cfg)$|^pylintrc$"
)
_SECTION = re.compile(
    r"pytest|ruff|mypy|coverage|flake8|pylint|pyright|pyrefly|complexipy|bandit|isort|pycodestyle|pydocstyle|tox|testenv|importlinter|vulture|interrogate"
    r"|^(run|report|lint|format|messages control|basic|paths|html|design|similarities)\b",
    re.IGNORECASE,
)


def read_options(name: str, source: str) -> Options:
    """Every option of the sections that state rules, by its dotted name; {} if the file can't be read."""
    found: Options = {}
    try:
        if INI.search(name):
            parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
            parser.read_string(source)
            for section in parser.sections():
                found |= {f"{section}.{key}": value or "" for key, value in parser.items(section)}
        else:
            _flatten(tomllib.loads(source), "", found)
    except (configparser.Error, tomllib.TOMLDecodeError):
        return {}
    whole = not re.search(r"pyproject|setup\.cfg|Pipfile", name)
    return {key: value for key, value in found.items() if whole or _SECTION.search(key.removeprefix("tool."))}


def _flatten(value: object, prefix: str, found: Options) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _flatten(inner, f"{prefix}.{key}" if prefix else str(key), found)
    else:
        found[prefix] = value
