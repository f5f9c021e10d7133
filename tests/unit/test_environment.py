"""Facts about requirements, declaring files and what installers say."""

import pytest

from sparky.targets.environment import declares, distribution, is_own_fault, is_unreachable, looser


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
