"""The public API: what a change breaks for those who import it, told from the sources alone."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from sparky.tools.api_diff import UnreadableApiError, breaks

Files = Mapping[str, str]

INIT = "from ._impl import add\n\n__all__ = ['add']\n"
IMPL = "def add(a, b=1):\n    return a + b\n\n\ndef hidden(a):\n    return a\n"
PACKAGE = {"src/calc/__init__.py": INIT, "src/calc/_impl.py": IMPL, "src/calc/shape.py": "class Box: ...\n"}


def broken(root: Path, before: Files, after: Files) -> tuple[str, ...]:
    """What is broken between two trees of these files."""
    for name, files in (("before", before), ("after", after)):
        for path, text in files.items():
            (root / name / path).parent.mkdir(parents=True, exist_ok=True)
            (root / name / path).write_text(text)
    changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    return breaks(root / "before", root / "after", changed)


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("_impl.py", IMPL.replace("b=1", "b"), ("calc._impl.add(b): parameter is now required",)),
        ("_impl.py", IMPL.replace("a, b=1", "a"), ("calc._impl.add(b): parameter was removed",)),
        ("_impl.py", IMPL.replace("b=1", "b=2"), ("calc._impl.add(b): parameter default was changed",)),
        ("_impl.py", IMPL.replace("b=1", "b=1, c=2"), ()),
        ("_impl.py", IMPL.replace("hidden(a)", "hidden()"), ()),
        ("_impl.py", IMPL.replace("a + b", "b + a"), ()),
        ("__init__.py", "", ("calc.add: public object was removed",)),
        ("shape.py", "class Ball: ...\n", ("calc.shape.Box: public object was removed",)),
        ("shape.py", "class Box: ...\nclass Ball: ...\n", ()),
    ],
)
def test_what_callers_would_miss_is_named_and_nothing_else(
    tmp_path: Path, path: str, text: str, said: tuple[str, ...]
) -> None:
    assert broken(tmp_path, PACKAGE, {**PACKAGE, f"src/calc/{path}": text}) == said


def test_a_package_or_module_that_is_gone_is_named_once(tmp_path: Path) -> None:
    before = {**PACKAGE, "one.py": "A = 1\n"}
    assert broken(tmp_path, before, {"kept.txt": ""}) == ("one: it is gone", "calc: it is gone")


def test_a_new_value_of_a_constant_is_not_a_broken_api(tmp_path: Path) -> None:
    assert broken(tmp_path, {"one.py": "RATE = 1\n"}, {"one.py": "RATE = 2\n"}) == ()


def test_tests_scripts_and_new_modules_are_nobodys_api(tmp_path: Path) -> None:
    before = {"tests/test_a.py": "def helper(): ...\n", "setup.py": "A = 1\n", "docs/conf.py": "A = 1\n"}
    assert (
        broken(tmp_path, before, {"new.py": "A = 1\n", "setup.py": "", "docs/conf.py": "", "tests/a": ""})
        == ()
    )


def test_foreign_code_is_read_and_never_imported(tmp_path: Path) -> None:
    trap = "raise SystemExit('imported')\ndef f(a): ...\n"
    assert broken(tmp_path, {"trap.py": trap}, {"trap.py": trap.replace("(a)", "()")}) == (
        "trap.f(a): parameter was removed",
    )


def test_what_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UnreadableApiError, match=r"^one: "):
        broken(tmp_path, {"one.py": "def f(\n"}, {"one.py": "A = 1\n"})
