"""How the tests of a repository are run, where nobody says so."""

import pytest

from sparky.targets.discover import find_command, is_python, looks_like_test

CASE = "import unittest\n\n\nclass TestA(unittest.TestCase):\n    def test_a(self): pass\n"
FUNCTION = "def test_a(): pass\n"
TOX = "[testenv]\ncommands =\n  {}\n"
UNITTEST = "python -m unittest discover"
MAKE = "all:\n\ttrue\ntest: all\n\ttrue\n"

FOUND: dict[str, tuple[dict[str, str], str | None]] = {
    "nothing": ({"README.md": ""}, None),
    "pytest's tests": ({"tests/test_a.py": FUNCTION}, "pytest"),
    "pytest's classes": ({"tests/test_a.py": CASE + "\nclass TestB:\n    pass\n"}, "pytest"),
    "a test that imports pytest": ({"tests/test_a.py": f"import pytest\n{CASE}"}, "pytest"),
    "pytest configured": ({"pytest.ini": ""}, "pytest"),
    "pytest declared": ({"test_a.py": CASE, "requirements-dev.txt": "pytest>=7\n"}, "pytest"),
    "a directory of tests": ({"tests/all.py": CASE}, "pytest"),
    "unittest at the top": ({"test_a.py": CASE, "setup.py": ""}, UNITTEST),
    "unittest in a package": ({"tests/__init__.py": "", "tests/test_a.py": CASE}, UNITTEST),
    "unittest in a directory": ({"tests/test_a.py": CASE, "tests/help.py": ""}, f"{UNITTEST} -s tests"),
    "unittest in two places": ({"a/test_a.py": CASE, "b/test_a.py": CASE}, "pytest"),
    "unittest by other names": ({"a_test.py": CASE}, "pytest"),
    "tox with unittest": ({"tox.ini": TOX.format(f"{UNITTEST} -v"), "test_a.py": FUNCTION}, f"{UNITTEST} -v"),
    "tox with pytest": ({"tox.ini": TOX.format("pytest a {posargs}"), "a/test_a.py": CASE}, "pytest a"),
    "tox with coverage": (
        {"tox.ini": TOX.format("coverage run -p -m unittest\n  coverage report"), "test_a.py": CASE},
        "python -m unittest",
    ),
    "tox with pytest-cov": (
        {"tox.ini": TOX.format("pytest --cov=a --cov b --cov-report xml -q t")},
        "pytest -q t",
    ),
    "tox with bare pytest-cov": ({"tox.ini": TOX.format("pytest --cov -q t")}, "pytest -q t"),
    "tox with a directory of that name": ({"tox.ini": TOX.format("pytest coverage")}, "pytest coverage"),
    "tox with two suites": ({"tox.ini": TOX.format("pytest a\n  pytest b"), "a/test_a.py": CASE}, "pytest"),
    "tox with a script": ({"tox.ini": TOX.format("./run-tests {posargs}")}, "./run-tests"),
    "tox with a script and tests": ({"tox.ini": TOX.format("./run"), "test_a.py": FUNCTION}, "pytest"),
    "nox": (
        {"noxfile.py": "import nox\n@nox.session\ndef tests(session):\n    session.run('pytest', 'x')\n"},
        "pytest x",
    ),
    "Rust": ({"Cargo.toml": "", "Makefile": MAKE}, "cargo test --no-fail-fast"),
    "Go": ({"go.mod": ""}, "go test -json ./..."),
    "a Makefile": ({"Makefile": MAKE}, "make test"),
    "a Makefile with a check": ({"makefile": "check:\n\ttrue\n"}, "make check"),
    "a Makefile without": ({"Makefile": "test := x\nall:\n\ttrue\n"}, None),
    "npm": ({"package.json": '{"scripts": {"test": "jest"}}'}, "npm test"),
    "npm without": ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\""}}'}, None),
    "Python before others": ({"test_a.py": FUNCTION, "Makefile": MAKE, "package.json": ""}, "pytest"),
}


@pytest.mark.parametrize("what", FOUND)
def test_the_command_is_what_a_person_would_expect(what: str) -> None:
    files, expected = FOUND[what]
    found = find_command(files, lambda path: files[path].encode(), "3.11")
    assert (" ".join(found) if found else None) == expected


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["Makefile", "a.sh"], False),
        (["Cargo.toml", "scripts/gen.py", "docs/conf.py"], False),
        (["src/a.py"], True),
        (["pyproject.toml"], True),
        ([], False),
    ],
)
def test_a_python_environment_is_for_projects_of_python(paths: list[str], *, expected: bool) -> None:
    assert is_python(paths) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/test_x.py", True),
        ("x_test.py", True),
        ("tests/api.py", True),
        ("test/deep/api.py", True),
        ("src/tests/api.py", False),
        ("latest.py", False),
        ("tests/test_x.txt", False),
    ],
)
def test_a_test_is_known_by_its_path(path: str, *, expected: bool) -> None:
    assert looks_like_test(path) is expected
