"""What a fix may merge by itself: nothing that breaks an import, or that no test ran."""

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import CONFIG

FIX = ("fix", "-k", "formatting", "-k", "import_error", "-k", "dead_code", "--json")
CIRCLE = {
    **CONFIG,
    "pkg/__init__.py": 'from .core import Base\nfrom .addons import Plug\n\n__all__ = ["Base", "Plug"]\n',
    "pkg/addons.py": "import json\n\nfrom pkg import Base\n\n\nclass Plug(Base):\n    y = 2\n",
    "pkg/core.py": "class Base:\n    x = 1\n",
    "pkg/gives.py": "import os\n\nX = 1\n",
    "pkg/takes.py": "from pkg.gives import os\n\nprint(os.sep)\n",
}
"""A package that can be imported in one order only, and a module of it that another takes an import from."""
UNSHOWN = "there are no tests to show whether its fix changes what the program does"
BREAKS = "withdrawn: its fix breaks the import of"
TEST = {"tests/test_a.py": "def test_nothing_of_it():\n    assert True\n"}


@pytest.mark.parametrize(
    ("tests", "sorting", "how"),
    [
        (TEST, f"{BREAKS} pkg and 4 more", "verified at the tested commit"),
        ({}, UNSHOWN, "unverified by tests"),
    ],
)
def test_an_edit_that_breaks_an_import_is_withdrawn_though_no_test_imports_it(
    world_of: MakeWorld, tests: dict[str, str], sorting: str, how: str
) -> None:
    world = world_of({**CIRCLE, **tests})
    said = world.sparky(*FIX)
    assert said.code == 0, said.err
    assert sorted(said.json()["issues_remaining"]) == [
        f"pkg/__init__.py:1 I001 Import block is un-sorted or un-formatted: {sorting}",
        f"pkg/gives.py:1 F401 `os` imported but unused: {BREAKS} pkg.takes",
    ]
    assert world.git("diff", "--name-only", "main", said.json()["commit"]) == "pkg/addons.py"
    assert how in world.sparky("show", said.json()["run_id"]).out


HANDLERS = {
    **CONFIG,
    "plugins.py": "REGISTRY = ['on']\n",
    "handlers.py": (
        "import os\nimport plugins\n\n\ndef _handle_add(a, b):\n    return a + b\n\n\n"
        "def _handle_sub(a, b):\n    return a - b\n\n\n"
        'def run(op, a, b):\n    return globals()[f"_handle_{op}"](a, b)\n\n\n'
        "def key(**options):\n    unused = options.pop('a', None)\n    return options\n\n\n"
        "def lock(**options):\n    unused = options.pop('a', None)\n    return options\n"
    ),
    "extra.py": "def _old():\n    return 1\n\n\nX = 1\n",
    "tests/test_handlers.py": (
        "import handlers\n\n\ndef test_add():\n    assert handlers.run('add', 1, 2) == 3\n"
        "    assert handlers.key(a=1, b=2) == {'b': 2}\n"
    ),
}
"""A program that looks its functions up by name, and whose one test runs some of them."""


def test_what_tools_mended_where_no_test_runs_it_waits_for_a_person_and_is_named(world_of: MakeWorld) -> None:
    world = world_of(HANDLERS)
    base = world.git("rev-parse", "main")
    said = world.sparky(*FIX, "--auto").json()
    assert (said["outcome"], world.git("rev-parse", "main")) == ("ready", base)
    gone = "extra.py: _old, which is gone; handlers.py: the import of plugins"
    assert said["risks"] == [
        f"beyond tests: 2 edit(s) that no test can show to be harmless: {gone}",
        "covered: 1 changed line(s) that no test was seen to run: handlers.py:19",
    ]
    assert world.sparky("merge", said["run_id"], "--json").json()["outcome"] == "merged"


def test_what_the_tests_run_and_what_leaves_the_program_as_it_is_merges_by_itself(
    world_of: MakeWorld,
) -> None:
    neutral = {"extra.py": "X = 1\n", "quiet.py": "import os\n\n\ndef  f( ):\n    return  1\n"}
    source = HANDLERS["handlers.py"].replace("import plugins\n", "").replace("_handle_sub", "handle_sub")
    source = source.partition("\n\n\ndef lock")[0] + "\n"
    world = world_of({**HANDLERS, **neutral, "handlers.py": source})
    said = world.sparky(*FIX, "--auto").json()
    assert (said["outcome"], said["risks"]) == ("merged", [])
    assert world.git("show", "main:quiet.py") == "def f():\n    return 1"
    assert "unused" not in world.git("show", "main:handlers.py")
