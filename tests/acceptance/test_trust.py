"""What a fix may merge by itself: nothing that breaks an import, or that no test ran."""

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import CONFIG

CIRCLE = {
    **CONFIG,
    "pkg/__init__.py": 'from .core import Base\nfrom .addons import Plug\n\n__all__ = ["Base", "Plug"]\n',
    "pkg/addons.py": "import json\n\nfrom pkg import Base\n\n\nclass Plug(Base):\n    y = 2\n",
    "pkg/core.py": "class Base:\n    x = 1\n",
}
"""A package that can be imported in one order only."""
TEST = {"tests/test_a.py": "def test_nothing_of_it():\n    assert True\n"}


@pytest.mark.parametrize(
    ("tests", "how"),
    [(TEST, "verified at the tested commit"), ({}, "unverified by tests")],
)
def test_an_edit_that_breaks_an_import_is_withdrawn_though_no_test_imports_it(
    world_of: MakeWorld, tests: dict[str, str], how: str
) -> None:
    world = world_of({**CIRCLE, **tests})
    said = world.sparky("fix", "--json")
    assert said.code == 0, said.err
    why = "withdrawn: its fix breaks the import of pkg and 2 more"
    left = f"pkg/__init__.py:1 I001 Import block is un-sorted or un-formatted: {why}"
    assert said.json()["issues_remaining"] == [left]
    assert world.git("diff", "--name-only", "main", said.json()["commit"]) == "pkg/addons.py"
    assert how in world.sparky("show", said.json()["run_id"]).out
