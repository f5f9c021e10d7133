"""The options that a file of rules states: of pytest, linters, type checkers, coverage and the like."""

import configparser
import json
import re
import tomllib

Options = dict[str, object]
"""By dotted name."""

_TOML = re.compile(
    r"(pyproject|pyrefly|\.?complexipy|\.?ruff|tox|pdm|hatch|pixi|\.?coverage)\.toml$|^Pipfile$"
)
_INI = re.compile(
    r"^(pytest|tox|mypy|\.?pytest|\.mypy)\.ini$|^setup\.cfg$|^\.(coveragerc|flake8|pylintrc|bandit|isort\.cfg)$|^pylintrc$"
)
_PYRIGHT = "pyrightconfig.json"
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_SECTION = re.compile(
    r"pytest|ruff|mypy|coverage|flake8|pylint|pyright|pyrefly|complexipy|bandit|isort|pycodestyle|pydocstyle|tox|testenv|importlinter|vulture|interrogate"
    r"|^(run|report|lint|format|messages control|basic|paths|html|design|similarities)\b",
    re.IGNORECASE,
)


def states_rules(name: str) -> bool:
    """Whether a file of this name states options that are rules."""
    return bool(name == _PYRIGHT or _TOML.search(name) or _INI.search(name))


def read_options(name: str, source: str) -> Options:
    """Every option of the sections that state rules, by its dotted name; {} if the file can't be read."""
    found: Options = {}
    try:
        if _INI.search(name):
            parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
            parser.read_string(source)
            for section in parser.sections():
                found |= {f"{section}.{key}": value or "" for key, value in parser.items(section)}
        elif name == _PYRIGHT:
            _flatten(loose_json(source), "", found)
        else:
            _flatten(tomllib.loads(source), "", found)
    except (configparser.Error, tomllib.TOMLDecodeError, RecursionError):
        return {}
    whole = not re.search(r"pyproject|setup\.cfg|Pipfile", name)
    return {key: value for key, value in found.items() if whole or _SECTION.search(key.removeprefix("tool."))}


def loose_json(text: str) -> dict[str, object]:
    """The object in JSON with comments and commas too many; {} if there is none."""
    for noise in (_COMMENT, _COMMA):
        text = noise.sub(lambda found: found[1] or "", text)
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _flatten(value: object, prefix: str, found: Options) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _flatten(inner, f"{prefix}.{key}" if prefix else str(key), found)
    else:
        found[prefix] = value
