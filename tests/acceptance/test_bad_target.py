"""Configuration: the target's own is followed where it is valid, and no parent's; sparky's is checked."""

from pathlib import Path

import pytest

from tests.acceptance.conftest import Files, MakeWorld
from tests.acceptance.files import SHOP
from tests.acceptance.world import Said

BROKEN = "Expected ']' at the end of a table declaration (at line 1, column 6)"
UNUSED: Files = {"a.py": "import os\n"}

NOTED: dict[str, tuple[Files, str]] = {
    "pyproject.toml is no TOML": (
        {"pyproject.toml": "[tool\n"},
        f"pyproject.toml is not valid TOML ({BROKEN}); ruff's defaults are used",
    ),
    "ruff.toml is no TOML": (
        {"ruff.toml": "[lint\n"},
        f"ruff.toml is not valid TOML ({BROKEN}); ruff's defaults are used",
    ),
    "a value that ruff would refuse": (
        {"pyproject.toml": "[tool.ruff]\nline-length = 0\n"},
        "ruff's line-length = 0 is not valid; the default is used",
    ),
}


@pytest.mark.parametrize(("files", "note"), NOTED.values(), ids=NOTED)
def test_what_of_a_targets_configuration_is_not_valid_is_noted_and_left_out(
    files: Files, note: str, world_of: MakeWorld
) -> None:
    world = world_of({**UNUSED, **files})
    said = world.sparky("scan", "-k", "import_error", "--check", "--json")
    assert (said.code, said.err) == (1, f"note: {note}\n")
    assert [one["finding"]["rule"] for one in said.json()["findings"]] == ["F401"]


REFUSED: dict[str, tuple[Files, str]] = {
    "a key that nobody knows": (
        {"sparky.toml": "merg = 'ask'\n"},
        "sparky.toml: unknown key 'merg'; did you mean 'merge'?",
    ),
    "such a key in pyproject.toml": (
        {"pyproject.toml": "[tool.sparky]\nmerg = 'ask'\n"},
        "pyproject.toml [tool.sparky]: unknown key 'merg'; did you mean 'merge'?",
    ),
    "a word that is none": (
        {"sparky.toml": "merge = 'now'\n"},
        "sparky.toml: merge is 'now', and may be 'ask' or 'auto'",
    ),
    "no TOML": ({"sparky.toml": "[tool\n"}, f"sparky.toml is not valid TOML: {BROKEN}"),
    "no TOML, with settings": (
        {"pyproject.toml": "[tool.sparky]\nsandbox = true\n[tool\n"},
        f"pyproject.toml is not valid TOML: {BROKEN.replace('line 1', 'line 3')}",
    ),
    "no UTF-8": ({"sparky.toml": b"# \xe4\n"}, "sparky.toml is not UTF-8 at byte 2; save it as UTF-8"),
}


@pytest.mark.parametrize(("files", "why"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_in_sparkys_settings_is_refused(files: Files, why: str, world_of: MakeWorld) -> None:
    world = world_of({**UNUSED, **files})
    assert world.sparky("scan") == Said(code=2, out="", err=f"error: {world.repo}/{why}\n")


@pytest.mark.parametrize("words", [("fix",), ("run", "mend it"), ("route", "mend it")])
def test_settings_are_checked_before_anything_starts(words: tuple[str, ...], world_of: MakeWorld) -> None:
    world = world_of({**UNUSED, "sparky.toml": "merge = 'now'\n"})
    said = world.sparky(*words)
    assert (said.code, said.out, world.runs()) == (2, "", [])
    assert said.err.endswith("sparky.toml: merge is 'now', and may be 'ask' or 'auto'\n")


def test_a_target_is_laid_out_as_it_says_itself(world_of: MakeWorld) -> None:
    wide = f"x = [{', '.join(['1000'] * 18)}]\n"
    world = world_of({"a.py": wide, "pyproject.toml": "[tool.ruff]\nline-length = 120\n"})
    assert world.sparky("scan", "--check", "--json").json()["findings"] == []
    world.commit({"pyproject.toml": "[tool.ruff]\nline-length = 100\n"})
    found = world.sparky("scan", "--json").json()["findings"]
    assert [one["finding"]["rule"] for one in found] == ["format", "E501"]


PARENT = {
    "pyproject.toml": "[tool.ruff]\nline-length = 10\n[tool.pytest.ini_options]\naddopts = '--nosuch'\n"
    "[tool.sparky]\nmerg = 'auto'\n",
    "ruff.toml": "line-length = 10\nexclude = ['*']\n",
    "pytest.ini": "[pytest]\naddopts = --nosuch\n",
    "setup.cfg": "[tool:pytest]\naddopts = --nosuch\n",
    "conftest.py": "raise RuntimeError('a parent')\n",
    "sparky.toml": "merg = 'auto'\n",
    ".gitignore": "*\n",
}


def test_the_configuration_of_a_parent_directory_changes_nothing(world_of: MakeWorld) -> None:
    world = world_of(SHOP)
    own = {"SPARKY_CACHE_DIR": str(world.root / "cache")}
    for name, text in PARENT.items():
        (world.root / name).write_text(text, encoding="utf-8")
    kinds = [word for kind in ("formatting", "import_error", "dead_code") for word in ("-k", kind)]
    said = world.sparky("fix", "--auto", "--json", *kinds, env=own)
    result = said.json()
    assert (said.code, result["outcome"], said.err.count("note:")) == (0, "merged", 0), said.err
    assert (result["work_completed"]["tests_passed"], result["issues_remaining"]) == (True, [])
    assert Path(world.repo / "shop.py").read_text() == "def total(items):\n    return sum(items)\n"
