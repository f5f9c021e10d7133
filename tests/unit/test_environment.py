"""Facts about requirements, declaring files and what installers say."""

import pytest

from sparky.targets.environment import (
    Declared,
    TargetEnvironment,
    declares,
    distribution,
    is_own_fault,
    is_unreachable,
    looser,
    meaning,
    unfit,
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("pyproject.toml", True),
        ("sub/pyproject.toml", False),
        ("requirements.txt", True),
        ("dev-requirements.txt", True),
        ("requirements/tests.in", True),
        ("ci/requirements/tests.txt", True),
        ("a/b/c/requirements.txt", False),
        ("docs/requirements.md", False),
        ("latest-prerequirements.txt", False),
    ],
)
def test_the_files_that_declare_are_known_by_name(path: str, *, expected: bool) -> None:
    assert declares(path) is expected


@pytest.mark.parametrize(
    ("line", "name", "others"),
    [
        ("A_b.c>=1,<2", "a-b-c", ("A_b.c",)),
        (
            "a[x] == 1.18.0 ; os_name == 'nt'",
            "a",
            ("a[x]>=1.18.0,<2 ; os_name == 'nt'", "a[x] ; os_name == 'nt'"),
        ),
        ("a (==1)", "a", ("a>=1,<2", "a")),
        ("a==1,!=1.2", "a", ("a",)),
        ("a", "a", ("a",)),
        ("a @ https://example.org/a>=1.whl", "a", ()),
        ("git+https://example.org/a", "", ()),
        ("./local", "", ()),
    ],
)
def test_a_requirement_has_a_name_and_other_versions_to_try(
    line: str, name: str, others: tuple[str, ...]
) -> None:
    assert (distribution(line), looser(line)) == (name, others)


@pytest.mark.parametrize(
    ("said", "unreachable", "own"),
    [
        ("error: Failed to fetch: x\n cause: tcp connect error", True, False),
        ("error: The build backend returned an error\n ValueError", False, True),
        ("error: Failed to build `x`\n cause: No solution found when resolving: `y`", False, False),
        ("error: Failed to build `x`\n cause: dns error", True, False),
    ],
)
def test_the_reasons_of_an_installer_are_told_apart(said: str, *, unreachable: bool, own: bool) -> None:
    assert (is_unreachable(said), is_own_fault(said)) == (unreachable, own)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("setup(name='a')", 'setup(\n    name="a",  # why\n)\n', True),
        ("setup(name='a')", "setup(name='b')", False),
        ("setup(", "setup(\n", False),
    ],
)
def test_the_meaning_of_setup_py_is_not_its_layout(one: str, other: str, *, same: bool) -> None:
    assert (meaning("setup.py", one.encode()) == meaning("setup.py", other.encode())) is same
    assert meaning("setup.cfg", b"a=1") != meaning("setup.cfg", b"a = 1")


@pytest.mark.parametrize(
    ("pythons", "said"),
    [
        ([], ""),
        ([(">=3.7", "setup.py"), ("!=3.0.*", "setup.cfg")], ""),
        ([("three", "setup.py")], ""),
        ([(">=3.7", "setup.py"), ("<3.11", "setup.cfg")], "shop requires Python <3.11 (setup.cfg)"),
    ],
)
def test_a_project_says_which_pythons_it_runs_on(pythons: list[tuple[str, str]], said: str) -> None:
    assert unfit(Declared(name="shop", pythons=tuple(pythons)), "3.11.7") == said
    assert unfit(Declared(pythons=((">=4", "setup.py"),)), "3.11.7").startswith("the project requires")


def test_an_environment_says_where_it_is_not_as_declared() -> None:
    made = TargetEnvironment(
        key="", path="", python="3.11.7", missing=("a", "b==1"), replaced=("c instead of c==1",)
    )
    assert made.remarks == ("could not be installed: a, b==1", "other than declared: c instead of c==1")
    assert TargetEnvironment(key="", path="", python="3.11.7").remarks == ()
