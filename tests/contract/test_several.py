"""What real tools say of a file full of faults; it is recorded, and `unit/test_faults.py` tells it once."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.adapters.shell import SystemShell
from sparky.app.build import find_binary, find_pyright
from sparky.domain.issue import Kind
from sparky.evidence.detect import detect
from sparky.testing.house import memory_house
from sparky.tools.ruff_rules import FORMAT
from sparky.tools.table import BINARIES

GOLDEN = Path(__file__).parents[1] / "golden" / "findings" / "several"
PROJECT = """[project]
name = "x"
version = "1"
requires-python = ">=3.11"
[tool.mypy]
strict = true
warn_unreachable = true
enable_error_code = ["possibly-undefined"]
[tool.pyrefly]
[tool.pyright]
typeCheckingMode = "strict"
"""
KINDS = [kind for kind in Kind if kind not in {Kind.TEST_FAILURE, Kind.DEPENDENCY}]


@pytest.mark.soak
def test_the_recorded_words_are_those_of_the_tools_of_today(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "pyproject.toml").write_text(PROJECT)
    shutil.copy(GOLDEN / "shop.txt", root / "shop.py")
    pyright = find_pyright()
    binaries = {**{name: find_binary(binary) for name, binary in BINARIES.items()}, "pyright": pyright}
    ports = memory_house(tmp_path / "house", lambda _: ()).ports
    found = detect(replace(ports, shell=SystemShell({}), binaries=binaries), root, "0" * 40, KINDS).findings
    places = [(one, one.location) for one in found if one.rule != FORMAT]
    told = [f"{at.line}:{at.column} {one.tool} {one.rule}: {one.message}" for one, at in places]
    lines = (GOLDEN / "told.txt").read_text().splitlines()
    recorded = [line.partition(" ")[2].lstrip() for line in lines]
    assert sorted(told) == sorted(one for one in recorded if pyright or " pyright " not in one)
