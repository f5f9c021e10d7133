"""What projects declare for their tests, in all the places where they do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparky.targets.environment import Declared
from sparky.targets.requirements_read import has_pytest_configuration, parse

FILES = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "tox.toml",
    "Pipfile",
    "Pipfile.lock",
    "uv.lock",
    "pytest.ini",
    "requirements.txt",
)


def read(**files: str) -> Declared:
    """What files say; `setup_py="…"` stands for setup.py."""
    return parse({".".join(name.rsplit("_", 1)): text.encode() for name, text in files.items()})


def wanted(**files: str) -> tuple[str, ...]:
    return read(**files).testing


def test_nothing_declared_is_pytest_alone() -> None:
    assert parse({}) == Declared(testing=("pytest",))


def test_a_standard_pyproject() -> None:
    text = """
        [build-system]
        requires = []
        [project]
        name = "My.Pkg"
        dependencies = ["click>=8"]
        [project.optional-dependencies]
        test = ["my-pkg[extra]", "a"]
        extra = ["b", "my_pkg[test]"]
        docs = ["sphinx"]
        [dependency-groups]
        dev = ["c", { include-group = "lint" }]
        lint = ["ruff", { include-group = "dev" }]
        docs = ["mkdocs"]
        [tool.uv]
        dev-dependencies = ["d"]
        [tool.pdm.dev-dependencies]
        test = ["e"]
        [tool.hatch.envs.test]
        dependencies = ["f"]
        extra-dependencies = ["g"]
    """
    assert read(pyproject_toml=text) == Declared(
        name="My.Pkg",
        source="pyproject.toml",
        runtime=("click>=8",),
        testing=("c", "ruff", "d", "e", "f", "g", "b", "a", "pytest"),
    )


def test_a_pyproject_of_tools_alone_is_nothing_to_install() -> None:
    assert read(pyproject_toml="[tool.ruff]\n").source is None
    assert read(pyproject_toml="[[").source == "pyproject.toml"


def test_poetry_s_own_tables() -> None:
    text = """
        [build-system]
        requires = ["poetry-core"]
        [tool.poetry]
        name = "p"
        [tool.poetry.dependencies]
        python = "^3.8"
        a = "^1.2.3"
        b = "^0.2"
        c = { version = "~1.4", extras = ["x", "y"] }
        d = { git = "https://example.org/d.git", tag = "v1" }
        e = "*"
        f = "1.0"
        g = ">=1,<3"
        h = "^1 || ^2"
        i = [{ version = "1" }, { version = "2" }]
        j = "~2"
        k = "~=1.1"
        l = { git = "https://example.org/l.git" }
        m = "^0.0.x"
        [tool.poetry.dev-dependencies]
        old = "3.*"
        [tool.poetry.group.test.dependencies]
        new = ""
    """
    declared = read(pyproject_toml=text)
    assert declared == Declared(
        name="p",
        source="pyproject.toml",
        runtime=(
            "a>=1.2.3,<2",
            "b>=0.2,<0.3",
            "c[x,y]>=1.4,<1.5",
            "d @ git+https://example.org/d.git@v1",
            "e",
            "f==1.0",
            "g>=1,<3",
            "h",
            "i",
            "j>=2,<3",
            "k~=1.1",
            "l @ git+https://example.org/l.git",
            "m>=0.0.x,<0.0.1",
        ),
        testing=("new", "old==3.*", "pytest"),
        pythons=((">=3.8,<4", "pyproject.toml"),),
    )


def test_setup_cfg() -> None:
    text = """
[metadata]
name = pkg
[options]
install_requires =
    click
    attrs; python_version < "3.12"
tests_require = file: t.txt
[options.extras_require]
test =
    a
    b>=2
docs = sphinx
"""
    assert read(setup_cfg=text) == Declared(
        name="pkg",
        source="setup.cfg",
        runtime=("click", 'attrs; python_version < "3.12"'),
        testing=("a", "b>=2", "pytest"),
    )


def test_setup_py_is_read_and_never_run() -> None:
    text = """
import setuptools
REQUIRES = WANTED = ["a", "b"]
setuptools.setup(
    name="pkg",
    install_requires=REQUIRES,
    tests_require="c\\n d",
    extras_require={"dev": ["e"], "docs": "sphinx"},
    version=read_version(),
    packages=find_packages(),
    **more,
)
"""
    assert read(setup_py=text) == Declared(
        name="pkg", source="setup.py", runtime=("a", "b"), testing=("c", "d", "e", "pytest")
    )


@pytest.mark.parametrize(
    "text", ["print 'of old'", "setup(extras_require=extras, install_requires=None)", "\0"]
)
def test_what_setup_py_computes_is_left_to_an_installer(text: str) -> None:
    assert read(setup_py=text) == Declared(source="setup.py", testing=("pytest",))


def test_a_requirement_of_setup_cfg_may_go_on_in_the_next_line() -> None:
    text = """
[options.extras_require]
testing =
    pytest-black >= 0.3.7; \\
    python_implementation != "PyPy"
    pytest-cov
"""
    assert wanted(setup_cfg=text) == (
        'pytest-black >= 0.3.7;  python_implementation != "PyPy"',
        "pytest-cov",
        "pytest",
    )


@pytest.mark.parametrize(
    ("name", "text", "path"),
    [
        ("setup_cfg", "[options]\npython_requires = >=3.7\n", "setup.cfg"),
        ("setup_py", "setup(python_requires='>=3.7')", "setup.py"),
        ("pyproject_toml", "[project]\nrequires-python = '>=3.7'\n", "pyproject.toml"),
    ],
)
def test_the_pythons_of_a_project_are_known_with_their_file(name: str, text: str, path: str) -> None:
    assert read(**{name: text}).pythons == ((">=3.7", path),)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup_cfg", "[options]\nnamespace_packages = zope\n"),
        ("setup_py", "setup(namespace_packages=['zope'])"),
    ],
)
def test_an_old_namespace_package_wants_a_setuptools_that_has_pkg_resources(name: str, text: str) -> None:
    assert wanted(**{name: text}) == ("setuptools<82", "pytest")


def test_requirement_files_for_everybody_and_for_tests() -> None:
    files = {
        "requirements.txt": "a # why\n\n-r more/extra.txt\n--index-url https://example.org\n-e .[fast]\n",
        "more/extra.txt": "b --hash=sha256:00\n-r ../requirements.txt\n-c ../constraints.txt\n",
        "constraints.txt": "b<3\npytest<7\n",
        "requirements/tests.txt": "c==1 \\\n  ; python_version > '3'\n",
        "requirements/tests.in": "not-this\n",
        "requirements/docs.txt": "sphinx\n",
        "dev-requirements.in": "-e git+https://example.org/d#egg=d\n"
        "--requirement=gone.txt\n--constraint gone.txt\n",
        "pyproject.toml": "[project]\noptional-dependencies = { fast = ['e'] }\n",
    }
    declared = parse({path: text.encode() for path, text in files.items()})
    assert declared == Declared(
        testing=(
            "e",
            "git+https://example.org/d#egg=d",
            "a",
            "b",
            "c==1    ; python_version > '3'",
            "pytest",
        ),
        constraints=("b<3", "pytest<7"),
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_files_of_other_systems_are_read(encoding: str) -> None:
    text = "a==1 \\\r\n    --hash=sha256:00\r\nb\r\n"
    ini = "[options]\r\ntests_require =\r\n    c\r\n"
    files = {"requirements.txt": text.encode(encoding), "setup.cfg": ini.encode(encoding)}
    assert parse(files).testing == ("c", "a==1", "b", "pytest")


def test_a_pipfile_and_its_lock() -> None:
    pipfile = '[packages]\na = "*"\n[dev-packages]\nb = ">=1"\n'
    lock = '{"default": {"a": {"version": "==1.5"}}, "develop": {"b": {"version": "==2"}, "c": {}}}'
    files = {"Pipfile": pipfile.encode(), "Pipfile.lock": lock.encode()}
    assert parse(files) == Declared(
        runtime=("a",), testing=("b>=1", "pytest"), constraints=("a==1.5", "b==2", "c")
    )


def test_lock_files_are_constraints() -> None:
    lock = """
        [[package]]
        name = "self"
        version = "1"
        source = { editable = "." }
        [[package]]
        name = "a"
        version = "1.2"
        [[package]]
        name = "forked"
        version = "1"
        [[package]]
        name = "forked"
        version = "2"
        [[package]]
        name = "pytest"
        version = "5.4"
        [[package]]
        name = "no-version"
    """
    assert parse({"uv.lock": lock.encode(), "Pipfile.lock": b"[1]"}).constraints == ("a==1.2",)
    assert parse({"uv.lock": b"package = [1]", "Pipfile.lock": b"{"}).constraints == ()


@pytest.mark.parametrize(
    ("name", "text", "plugins"),
    [
        ("pytest.ini", "[pytest]\naddopts = --cov=x -n auto --reruns 2\n", ("cov", "xdist", "rerunfailures")),
        ("setup.cfg", "[tool:pytest]\ntimeout = 3\n[flake8]\naddopts = --cov\n", ("timeout",)),
        ("pyproject.toml", "[tool.pytest.ini_options]\nasyncio_mode = 'auto'\n", ("asyncio",)),
        ("tox.ini", "[testenv]\ncommands = pytest --cov\n", ()),
    ],
)
def test_plugins_that_the_configuration_needs_are_wanted(
    name: str, text: str, plugins: tuple[str, ...]
) -> None:
    assert parse({name: text.encode()}).testing == (*(f"pytest-{plugin}" for plugin in plugins), "pytest")


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("pytest==5.4.1", "pytest"),
        ("pytest<7", "pytest<7"),
        ("pytest<=6", "pytest"),
        ("pytest ~= 4.6", "pytest"),
        ("pytest==7.0", "pytest==7.0"),
        ("pytest-cov==2", "pytest-cov==2"),
    ],
)
def test_a_pin_of_a_pytest_that_no_longer_runs_is_not_followed(line: str, kept: str) -> None:
    assert kept in wanted(requirements_txt=line)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pytest.ini": b""}, True),
        ({"pyproject.toml": b"[tool.pytest.ini_options]"}, True),
        ({"setup.cfg": b"[tool:pytest]"}, True),
        ({"tox.ini": b"[pytest]"}, True),
        ({"tox.ini": b"[pytest-extra]", "pyproject.toml": b"[tool.mypy]", "x.ini": b"[pytest]"}, False),
    ],
)
def test_a_configuration_of_pytest_is_recognised(files: dict[str, bytes], *, expected: bool) -> None:
    assert has_pytest_configuration(files) is expected


@given(st.dictionaries(st.sampled_from(FILES), st.text() | st.binary().map(lambda b: b.decode("latin-1"))))
def test_whatever_a_project_writes_is_read(files: dict[str, str]) -> None:
    assert "pytest" in parse({name: text.encode() for name, text in files.items()}).testing


WRONG = "[project]\noptional-dependencies = 1\ndependencies = 2\n[dependency-groups]\nx = 3\n[tool]\n"
TOOLS = "poetry = 1\nuv = 2\npdm = 3\nhatch = { envs = { test = 4 } }\ntox = 5\n"


def test_tables_of_the_wrong_shape_count_as_empty() -> None:
    assert wanted(pyproject_toml=WRONG + TOOLS) == ("pytest",)
