"""The commands that tox and nox would run for tests."""

import pytest

from sparky.targets.tox_commands import parse


def commands(**files: str) -> list[str]:
    """The lines of what is declared; `tox_ini="…"` stands for tox.ini."""
    found = parse({".".join(name.rsplit("_", 1)): text.encode() for name, text in files.items()}, "3.11")
    return [" ".join(words) for words in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pytest {posargs}", ["pytest"]),
        ("pytest {posargs:tests -q}", ["pytest tests -q"]),
        ("- {envpython} -m unittest discover -s {toxinidir}/tests", ["python -m unittest discover -s tests"]),
        ("pytest --basetemp={envtmpdir} \\\n  tests", ["pytest tests"]),
        ("pytest {envsitepackagesdir}/p", []),
        ("py27: nosetests\n  py311: pytest", ["pytest"]),
        ("{[base]run}", ["make test", "flake8"]),
        ("pytest 'torn", []),
    ],
)
def test_a_line_of_tox_ini(line: str, expected: list[str]) -> None:
    sections = "[base]\nrun =\n  make test\n  flake8\n[testenv:docs]\ncommands = sphinx\n"
    text = f"{sections}[testenv]\ncommands =\n  {line}\n"
    assert commands(tox_ini=text) == expected


def test_the_first_place_that_declares_any_counts() -> None:
    old = '[tool.tox]\nlegacy_tox_ini = """\n[testenv]\ncommands = pytest old\n"""\n'
    assert commands(tox_ini="[testenv]\ndeps = x\n", pyproject_toml=old) == ["pytest old"]
    assert commands(setup_cfg="[testenv:py3]\ncommands = pytest cfg\n", pyproject_toml=old) == ["pytest cfg"]


def test_tox_in_toml() -> None:
    text = """
[env_run_base]
commands = [
    ["pytest", { replace = "posargs", default = ["tests"], extend = true }],
    ["pytest", { replace = "ref", of = ["x"] }],
    ["pytest", "{env:X}"],
    "flat",
]
"""
    assert commands(tox_toml=text) == ["pytest tests"]
    assert commands(tox_toml="[env_run_base]\ncommands = 3\n") == []


NOXFILE = """
import nox

@nox.session(python=["3.11"], name="tests")
def suite(session):
    session.install("pytest")
    session.run("pytest", "-q", *session.posargs)
    session.run("coverage", str(1))

@nox.session
def lint(session):
    session.run("ruff")

def test(session):
    session.run("never")

@other
def tests(session):
    session.run("nor this")
"""


def test_commands_that_are_run_in_another_directory_are_left_to_tox() -> None:
    assert commands(tox_ini="[testenv]\nchangedir = t\ncommands = pytest\n") == []
    assert commands(tox_toml='[env_run_base]\nchange_dir = "t"\ncommands = [["pytest"]]\n') == []


def test_nox() -> None:
    assert commands(noxfile_py=NOXFILE) == ["pytest -q"]
    assert commands(noxfile_py="def :") == []
