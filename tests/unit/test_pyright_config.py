"""What of a target's configuration pyright is given."""

import sys

import pytest

from sparky.domain.issue import Kind
from sparky.tools.programs.pyright_config import configured_in, harmless
from sparky.tools.pyright import configure
from sparky.tools.tool import Read

TYPES = [Kind.TYPE_ERROR]
OWN = {"pythonVersion": "{}.{}".format(*sys.version_info)}
JSON = """\ufeff{
  // what is looked at
  "include": ["src", "/etc", "../beside", "~/x", "${env:HOME}", "C:\\\\x", 3,], /* not "all" */
  "exclude": ["**/gen", "http://no-comment"],
  "extraPaths": ["/usr/lib", "lib"],
  "stubPath": "/etc", "extends": "base.json", "venvPath": ".", "venv": "v", "pythonPath": "./evil",
  "typeCheckingMode": "strict", "pythonVersion": "3.9", "pythonPlatform": "Linux",
  "reportMissingImports": false, "defineConstant": {"DEBUG": true},
  "executionEnvironments": [
    {"root": "src", "extraPaths": ["lib", "/"], "reportReturnType": "none"}, {"root": "/etc"}, 3,
  ],
}
"""
KEPT = {
    "include": ["src"],
    "exclude": ["**/gen", "http://no-comment"],
    "extraPaths": ["lib"],
    "typeCheckingMode": "strict",
    "pythonVersion": "3.9",
    "pythonPlatform": "Linux",
    "reportMissingImports": False,
    "defineConstant": {"DEBUG": True},
    "executionEnvironments": [{"root": "src", "extraPaths": ["lib"], "reportReturnType": "none"}],
}


def reading(**files: str) -> Read:
    """Files whose names have `_` for a dot."""
    there = {name.replace("_", "."): text.encode() for name, text in files.items()}
    return there.get


def test_rules_and_what_lies_inside_the_target_are_kept_and_nothing_else() -> None:
    assert harmless(reading(pyrightconfig_json=JSON)) == KEPT


@pytest.mark.parametrize(
    ("files", "where", "told"),
    [
        ({}, None, OWN),
        ({"pyproject_toml": "[tool.mypy]\n"}, None, OWN),
        ({"pyproject_toml": "tool = 1\n"}, None, OWN),
        ({"pyproject_toml": "[tool\n"}, None, OWN),
        ({"pyproject_toml": "[tool]\npyright = 1\n"}, None, OWN),
        ({"pyproject_toml": "[tool.pyright]\n"}, "pyproject.toml", OWN),
        (
            {"pyproject_toml": "[tool.basedpyright]\nreportReturnType = false\n"},
            "pyproject.toml",
            {**OWN, "reportReturnType": False},
        ),
        (
            {"pyproject_toml": "[tool.pyright]\nstubPath = 'stubs'\n[tool.basedpyright]\nstrict = ['**']\n"},
            "pyproject.toml",
            {**OWN, "stubPath": "stubs"},
        ),
        (
            {"pyproject_toml": "[tool.pyright]\nstrict = ['**']\n", "pyrightconfig_json": "{}"},
            "pyrightconfig.json",
            OWN,
        ),
        ({"pyrightconfig_json": '{"strict": ["a"'}, "pyrightconfig.json", OWN),
        ({"pyrightconfig_json": "[" * 100_000}, "pyrightconfig.json", OWN),
        ({"pyrightconfig_json": "[]"}, "pyrightconfig.json", OWN),
    ],
)
def test_where_a_target_configures_pyright_and_what_counts(
    files: dict[str, str], where: str | None, told: dict[str, object]
) -> None:
    assert (configured_in(reading(**files)), harmless(reading(**files))) == (where, told)


def test_a_pyright_that_is_not_there_is_told_where_the_target_configures_it() -> None:
    absent = configure("", reading(pyproject_toml="[tool.pyright]\n"))
    said = (
        "pyproject.toml configures pyright, which is not installed: its errors are not told; "
        "pip install 'sparky-agents[pyright]'"
    )
    assert (absent.notes(TYPES), absent.notes([Kind.FORMATTING]), absent.detect(TYPES)) == ((said,), (), ())
    assert configure("", reading(pyproject_toml="[tool.mypy]\n")).notes(TYPES) == ()


def test_what_a_configuration_inherits_is_not_read_and_that_is_told() -> None:
    there = configure("node pyright", reading(pyrightconfig_json=JSON))
    assert there.notes(TYPES) == ("pyrightconfig.json extends another file, which is not read",)
    assert configure("node pyright", reading(pyrightconfig_json="{}")).notes(TYPES) == ()
