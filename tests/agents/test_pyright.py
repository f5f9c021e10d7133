"""Targets that configure pyright, and the real one, as npm puts it on the PATH."""

import shutil
from pathlib import Path

import pytest

from tests.acceptance.files import CONFIG
from tests.acceptance.world import Nursery, make_world
from tests.agents.conftest import installed

pytestmark = pytest.mark.agents

CHECKED = """
[tool.pyright]
reportUnnecessaryIsInstance = "error"
venvPath = "/"
"""
SHOP = """import nowhere


def price(count: int) -> str:
    return count


def half(x):
    if isinstance(x, int):
        return x // 2
    return nowhere.half(x)
"""
PLAIN = "def twice(x):\n    return x * 2\n"
TESTS = """import sys
import types

sys.modules["nowhere"] = types.ModuleType("nowhere")

from plain import twice
from shop import half


def test_half() -> None:
    assert half(4) == 2


def test_twice() -> None:
    assert twice(4) == 8
"""
FILES = {
    "pyproject.toml": CONFIG["pyproject.toml"] + CHECKED,
    "shop.py": SHOP,
    "plain.py": PLAIN,
    "tests/test_shop.py": TESTS,
}
BRINGS = 'reportUnnecessaryIsInstance Unnecessary isinstance call; "int" is always an instance of "int"'
WITHDRAWN = f"withdrawn: its fix brings a new finding: shop.py:9 {BRINGS}"
NOBODY = "needs a coding agent: no rule mends it"


@pytest.mark.soak
def test_an_annotation_that_brings_an_error_of_pyright_is_refused(
    tmp_path: Path, cache: Path, nursery: Nursery
) -> None:
    world = make_world(tmp_path, cache, nursery, FILES)
    fixed = world.sparky("fix", "-k", "type_error", "--json", env={"PATH": installed("pyright")})
    assert (fixed.code, fixed.json()["outcome"]) == (0, "ready"), fixed.err
    (kept,) = (one for one in fixed.json()["evidence"] if "sparky.tools.programs.pyright" in one["command"])
    assert kept["seconds"] == 0  # what is verified was looked at when it was made
    assert world.git("show", f"{fixed.json()['commit']}:shop.py") == SHOP.strip()
    annotated = "def twice(x: int) -> int:\n    return x * 2"
    assert world.git("show", f"{fixed.json()['commit']}:plain.py").endswith(annotated)
    assert sorted(fixed.json()["issues_remaining"]) == [
        f'shop.py:5 return-value Incompatible return value type (got "int", expected "str"): {NOBODY}',
        f"shop.py:8 no-untyped-def Function is missing a type annotation: {WITHDRAWN}",
    ]


def test_its_findings_are_told_and_where_it_can_t_be_had_that_is_told(
    tmp_path: Path, cache: Path, nursery: Nursery
) -> None:
    world, there = make_world(tmp_path, cache, nursery, FILES), {"PATH": installed("pyright")}
    seen = world.sparky("scan", "-k", "type_error", "--json", env=there)
    found = [one["finding"] for one in seen.json()["findings"]]
    rules = sorted((one["tool"], one["rule"], one["location"]["line"]) for one in found)
    mypys = [("mypy", "no-untyped-def", line) for line in (1, 8)]
    assert rules == [*mypys, ("mypy", "return-value", 5)]
    told = {(one["tool"], one["rule"]) for one in seen.json()["everything"]}
    assert ("pyright", "reportReturnType") in told  # the same fault in its words
    assert "ok      pyright    pyright 1.1.414\n" in world.sparky("doctor", env=there).out
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(shutil.which("git", path=there["PATH"]) or "git")
    doctor = world.sparky("doctor", env={"PATH": str(tmp_path / "bin")})
    absent = "absent  pyright    not installed, and pyproject.toml configures it\n"
    assert f"{absent}{'':19}→ pip install 'sparky-agents[pyright]'\n" in doctor.out
