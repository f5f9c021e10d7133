"""A fault that tools of two kinds tell, in a run that works on both kinds."""

import pytest

from tests.acceptance.conftest import MakeWorld

PROJECT = '[project]\nname = "shop"\nversion = "1"\nrequires-python = ">=3.11"\n[tool.mypy]\nstrict = true\n'
SHOP = "import os\n\n\ndef price(x: int) -> int:\n    return int(rate * x)\n"
TEST = "import shop\n\n\ndef test_there_is_a_price() -> None:\n    assert shop.price\n"


@pytest.mark.soak
def test_a_name_that_is_not_there_is_counted_once_and_stays_one_fault_when_lines_move(
    world_of: MakeWorld,
) -> None:
    world = world_of({"pyproject.toml": PROJECT, "shop.py": SHOP, "test_shop.py": TEST})
    kinds = ("-k", "type_error", "-k", "import_error")
    seen = world.sparky("scan", *kinds, "--json").json()
    assert [one["finding"]["rule"] for one in seen["findings"]] == ["F401", "F821"]
    said = world.sparky("fix", *kinds, "--json")
    result = said.json()
    assert (said.code, result["outcome"]) == (0, "ready"), said.err
    assert [line.partition(": ")[0] for line in result["issues_remaining"]] == [
        "shop.py:2 F821 Undefined name `rate`"
    ]
    assert result["reason"].endswith("1 of 2 finding(s) gone")
    alone = world.sparky("scan", "-k", "type_error", "--json").json()
    assert [one["finding"]["rule"] for one in alone["findings"]] == ["name-defined"]
