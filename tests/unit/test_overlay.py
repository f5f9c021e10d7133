"""When an installation needs no build."""

import pytest

from sparky.domain.change import FileChange
from sparky.targets.overlay import module_names, plan_overlay, same_version

ORIGINS = {
    "pkg/__init__.py": ("src/pkg/__init__.py",),
    "pkg/a.py": ("src/pkg/a.py",),
    "pkg/twin.py": ("src/pkg/twin.py", "tests/twin.py"),
    "pkg/made.py": (),
    "pkg/data.json": (),
}


def changes(*paths: str, status: str = "M") -> list[FileChange]:
    return [FileChange(path=path, status=status, added=1, deleted=1) for path in paths]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ((), {}),
        (("src/pkg/a.py",), {"pkg/a.py": "src/pkg/a.py"}),
        (("src/pkg/a.py", "tests/test_a.py", "tests/data.csv"), {"pkg/a.py": "src/pkg/a.py"}),
        (("src/pkg/twin.py",), None),
        (("src/pkg/made.py",), None),
        (("tests/made.py",), None),
        (("tests/data.json",), None),
        (("versioneer.py",), None),
        (("README.md",), None),
    ],
)
def test_only_modules_that_are_copied_can_be_written_over(
    paths: tuple[str, ...], expected: dict[str, str] | None
) -> None:
    assert plan_overlay(changes(*paths), ORIGINS) == expected


@pytest.mark.parametrize("status", ["A", "D", "R"])
def test_a_file_more_or_less_takes_a_build(status: str) -> None:
    assert plan_overlay(changes("tests/test_a.py", status=status), ORIGINS) is None


def test_a_copied_file_that_is_no_module_takes_a_build() -> None:
    assert plan_overlay(changes("src/pkg/x.html"), {"pkg/x.html": ("src/pkg/x.html",)}) is None


def test_anything_compiled_takes_a_build() -> None:
    assert plan_overlay(changes("src/pkg/a.py"), {**ORIGINS, "pkg/a.cpython-311.so": ()}) is None


@pytest.mark.parametrize(
    ("after", "same"),
    [(b"x = 2\n__version__ = '1'\n", True), (b"x = 1\n__version__ = '2'\n", False), (b"x = 1\n", False)],
)
def test_a_version_in_a_module_is_noticed(after: bytes, *, same: bool) -> None:
    assert same_version(b"x = 1\n__version__ = '1'\n", after) is same


def test_the_names_of_modules_are_those_that_tests_import() -> None:
    paths = ["pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/m.py", "single.py", "fast.cpython-311.so"]
    namespace = ["ns/part/__init__.py", "ns/part/m.py", "ns/lone.py"]
    other = ["pkg/data.json", "README.md", ".github/x.py", "bin/tool"]
    expected = ("fast", "ns.lone", "ns.part", "pkg", "single")
    assert module_names([*paths, *namespace, *other]) == expected
