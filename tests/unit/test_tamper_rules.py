"""What the tamper gate says of configuration and CI: what is loosened is named, the rest is let through."""

import pytest

from sparky.tamper.edit import Edit
from sparky.tamper.judge import judge

TOML = """[project]
version = "1"

[tool.pytest.ini_options]
testpaths = ["tests", "docs"]
addopts = "-ra --strict-markers"
filterwarnings = ["error"]

[tool.coverage.report]
fail_under = 90

[tool.ruff]
line-length = 100
lint.select = ["E", "F"]
lint.ignore = ["E203"]

[tool.mypy]
strict = true
"""
INI = "[tox]\nenvlist = py312, lint\n\n[testenv]\ncommands =\n    pytest -W error\n    mypy src\n"
CI = "jobs:\n  a:\n    steps:\n      - run: pytest --cov-fail-under=90\n      - run: mypy src\n"
HOOKS = "repos:\n  - hooks:\n      - id: ruff\n        args: [--fix]\n      - id: mypy\n"
PYREFLY = 'project-includes = ["src"]\n\n[errors]\nbad-return = "error"\nunused-ignore = false\n'
PYRIGHT = '{\n  "typeCheckingMode": "strict", // ours\n  "strict": ["src"],\n  "reportAny": "error",\n}\n'
FILES = {
    "pyrefly.toml": PYREFLY,
    "pyrightconfig.json": PYRIGHT,
    ".complexipy.toml": "max-complexity-allowed = 10\n",
    "pyproject.toml": TOML,
    "tox.ini": INI,
    ".github/workflows/ci.yml": CI,
    ".pre-commit-config.yaml": HOOKS,
}


def said(path: str, old: str, new: str) -> list[str]:
    text = FILES[path]
    assert old in text
    return [one.what for one in judge([Edit(path=path, before=text, after=text.replace(old, new, 1))], dict)]


LOOSER = [
    (
        "pyproject.toml",
        "fail_under = 90",
        "fail_under = 10",
        "tool.coverage.report.fail_under lowers what is demanded",
    ),
    (
        "pyproject.toml",
        '["E203"]',
        '["E203", "F401"]',
        "tool.ruff.lint.ignore is hidden from: entries are added",
    ),
    ("pyproject.toml", '["E", "F"]', '["E"]', "tool.ruff.lint.select demands less"),
    ("pyproject.toml", "= 100", "= 300", "tool.ruff.line-length raises what is allowed"),
    ("pyproject.toml", "strict = true", "strict = false", "tool.mypy.strict is switched off"),
    ("pyproject.toml", "strict = true", "ignore_errors = true", "tool.mypy.ignore_errors is switched on"),
    ("pyrightconfig.json", '"strict",', '"basic",', "typeCheckingMode lowers what is demanded"),
    ("pyrightconfig.json", '["src"]', "[]", "strict demands less"),
    ("pyrightconfig.json", '"error"', '"warning"', "reportAny is switched off"),
    ("pyrightconfig.json", '"reportAny": "error"', "", "reportAny is taken out"),
    ("pyrightconfig.json", "\n}", '"reportCallIssue": false}', "reportCallIssue is switched off"),
    ("pyrightconfig.json", "\n}", '"ignore": ["a.py"]}', "ignore is hidden from: entries are added"),
    (".complexipy.toml", "= 10", "= 40", "max-complexity-allowed raises what is allowed"),
    ("pyrefly.toml", '= "error"', '= "warn"', "errors.bad-return is switched off"),
    ("pyrefly.toml", "[errors]\n", "[errors]\nbad-index = false\n", "errors.bad-index is switched off"),
    (
        "pyrefly.toml",
        "[errors]",
        'project-excludes = ["**/a.py"]\n[errors]',
        "project-excludes is hidden from: entries are added",
    ),
    ("pyproject.toml", '"tests", "docs"', '"docs"', "tool.pytest.ini_options.testpaths demands less"),
    ("pyproject.toml", "-ra ", "-ra -k x ", "tool.pytest.ini_options.addopts evades tests"),
    ("pyproject.toml", " --strict-markers", "", "tool.pytest.ini_options.addopts evades tests"),
    ("tox.ini", "    mypy src\n", "", "testenv.commands no longer runs what it ran"),
    ("tox.ini", ", lint", "", "tox.envlist no longer runs what it ran"),
    ("tox.ini", "pytest -W error", "pytest", "testenv.commands evades tests"),
    (
        ".github/workflows/ci.yml",
        "mypy src",
        "mypy src || true",
        "`- run: mypy src || true` excuses a failure",
    ),
    (".github/workflows/ci.yml", "      - run: mypy src\n", "", "`- run: mypy src` is no longer run"),
    (
        ".github/workflows/ci.yml",
        "pytest ",
        "pytest -x ",
        "`- run: pytest -x --cov-fail-under=90` leaves tests out",
    ),
    (".pre-commit-config.yaml", "      - id: mypy\n", "", "the hook `- id: mypy` is taken out"),
    (
        ".pre-commit-config.yaml",
        "id: mypy",
        "id: mypy\n        exclude: src",
        "`exclude: src` hides files or hooks",
    ),
    (".pre-commit-config.yaml", "--fix]", "--fix, --exit-zero]", "`args: [--fix, --exit-zero]` ignores more"),
]


@pytest.mark.parametrize(("path", "old", "new", "what"), LOOSER, ids=[row[3] for row in LOOSER])
def test_a_rule_that_is_loosened_is_named(path: str, old: str, new: str, what: str) -> None:
    assert what in said(path, old, new)


FIRM = [
    ("pyproject.toml", 'version = "1"', 'version = "2"'),
    ("pyproject.toml", "fail_under = 90", "fail_under = 95"),
    ("pyproject.toml", '["E", "F"]', '["E", "F", "B"]'),
    ("pyproject.toml", '["E203"]', "[]"),
    ("pyproject.toml", "= 100", "= 88"),
    ("pyproject.toml", "-ra ", "-q "),
    ("pyrefly.toml", "unused-ignore = false", "unused-ignore = true"),
    ("pyrefly.toml", 'bad-return = "error"\n', ""),
    ("pyrightconfig.json", "// ours", "/* all */"),
    ("pyrightconfig.json", '"strict",', '"all",'),
    ("pyrightconfig.json", "\n}", '"reportCallIssue": "warning"}'),
    ("tox.ini", "py312", "py313"),
    ("tox.ini", "mypy src", "mypy src tests"),
    (".github/workflows/ci.yml", "under=90", "under=95"),
    (".github/workflows/ci.yml", "mypy src", "mypy src tests"),
    (".pre-commit-config.yaml", "id: ruff", "id: ruff-check"),
]


@pytest.mark.parametrize(("path", "old", "new"), FIRM)
def test_a_rule_that_stays_or_gets_stricter_is_let_through(path: str, old: str, new: str) -> None:
    assert said(path, old, new) == []


def test_a_file_of_rules_is_neither_taken_away_nor_hidden_behind_a_new_one() -> None:
    gone = Edit(path="tox.ini", before=INI, after=None)
    before = Edit(path="pytest.ini", before=None, after="[pytest]\naddopts = --ignore=tests/test_a.py\n")
    fresh = Edit(path="pytest.ini", before=None, after="[pytest]\nminversion = 8\n")
    found = [[one.what for one in judge([edit], dict)] for edit in (gone, before, fresh)]
    assert found == [["it is removed"], ["pytest.addopts evades tests"], []]


def test_what_cannot_be_read_says_nothing() -> None:
    assert judge([Edit(path="ruff.toml", before="[", after="[[")], dict) == ()
