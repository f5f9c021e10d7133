"""TEST_FAILURE with stale snapshots: rewritten only where a person asks for that, and looks at it then."""

from pathlib import Path

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.world import Nursery, Said, World, make_world

pytestmark = pytest.mark.xdist_group("snapshots")

CONFTEST = """\
from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption("--snapshot-update", action="store_true")


@pytest.fixture
def matches(request):
    file = Path(request.path.parent, "__snapshots__", f"{request.path.stem}.txt")

    def matches(name, value):
        text = file.read_text() if file.is_file() else ""
        known = dict(line.split(": ", 1) for line in text.splitlines())
        if request.config.getoption("--snapshot-update"):
            known[name] = value
            file.write_text("".join(f"{name}: {known[name]}\\n" for name in sorted(known)))
        if known.get(name) != value:
            raise AssertionError(f"{name} is not as in its snapshot")

    return matches
"""
PAGE = """\
def test_title(matches):
    matches("title", "A new shop")


def test_body(matches):
    matches("body", "Buy more")


def test_foot(matches):
    matches("foot", "The end")
"""
SNAPSHOT = "tests/__snapshots__/test_page.txt"
FILES = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
    "conftest.py": CONFTEST,
    SNAPSHOT: "body: Buy\nfoot: The end\ntitle: A shop\n",
    "tests/test_page.py": PAGE,
    "tests/test_first.py": 'def test_first(matches):\n    matches("first", "one")\n',
    "tests/test_wrong.py": """\
def test_other():
    raise AssertionError("a snapshot that nobody keeps")


def test_sum():
    assert 1 + 1 == 3
""",
}
UNASKED = (
    "needs a person: a snapshot is never rewritten unasked, since the code may be what is wrong: "
    "`sparky fix -k test_failure --update-snapshots` rewrites it"
)
NO_RULE = "needs a coding agent: no rule mends it"
ASK = ("fix", "-k", "test_failure", "--update-snapshots")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, cache: Path, nursery: Nursery) -> World:
    return make_world(tmp_path_factory.mktemp("snapshots"), cache, nursery, FILES)


@pytest.fixture(scope="module")
def unasked(world: World) -> Said:
    return world.sparky("fix", "--auto", "--json", "-k", "test_failure")


@pytest.fixture(scope="module")
def said(world: World, unasked: Said) -> Said:
    del unasked
    return world.sparky(*ASK, "--auto", "--json")


def remaining(said: Said) -> dict[str, tuple[str, str]]:
    """What stays, by test: where and as what it is found, and why it stays."""
    lines: list[str] = said.json()["issues_remaining"]
    pairs = [(line.partition(": ")[0].split(), line.partition(": needs ")[2]) for line in lines]
    return {test: (f"{place} {rule}", f"needs {why}") for (place, rule, test), why in pairs}


def test_unasked_every_snapshot_stays_and_says_how_to_ask(unasked: Said) -> None:
    assert (unasked.code, unasked.json()["outcome"]) == (0, "nothing_to_do"), unasked.err
    assert remaining(unasked) == {
        "tests/test_first.py::test_first": ("conftest.py:1 stale-snapshot", UNASKED),
        "tests/test_page.py::test_body": ("conftest.py:1 stale-snapshot", UNASKED),
        "tests/test_page.py::test_title": ("conftest.py:1 stale-snapshot", UNASKED),
        "tests/test_wrong.py::test_other": ("tests/test_wrong.py:1 stale-snapshot", UNASKED),
        "tests/test_wrong.py::test_sum": ("tests/test_wrong.py:1 failing-test", NO_RULE),
    }


def test_to_ask_for_snapshots_takes_the_kind_by_its_name(world: World) -> None:
    for kinds in ((), ("-k", "type_error")):
        refused = world.sparky("fix", "--update-snapshots", *kinds)
        assert (refused.code, refused.out) == (2, "")
        said = "--update-snapshots rewrites what failing tests compare with: add -k test_failure"
        assert said in " ".join(refused.err.split())


def test_asked_the_lines_of_each_test_are_rewritten_and_wait_for_a_person(world: World, said: Said) -> None:
    result = said.json()
    risk = f"rewrote 1 snapshot(s), as asked: look at them: {SNAPSHOT}"
    reason = f"for a person: {risk}; 2 of 5 finding(s) gone"
    assert (said.code, result["outcome"], result["reason"]) == (0, "ready", reason), said.err
    assert result["risks"] == [f"snapshots: {risk}"]
    assert world.git("diff", "--name-only", "main", result["commit"]) == SNAPSHOT
    now = "body: Buy more\nfoot: The end\ntitle: A new shop"
    assert world.git("show", f"{result['commit']}:{SNAPSHOT}") == now
    message = world.git("log", "-1", "--format=%B", result["commit"])
    assert message.startswith("TEST_FAILURE: mend 2 finding(s) in 1 file(s)\n")
    assert "\nStale snapshots are rewritten, as asked (--update-snapshots): look at them.\n" in message


@pytest.mark.soak
def test_asked_what_is_no_edit_of_lines_stays_with_the_reason(said: Said) -> None:
    whole = "needs a person: its test makes or removes a whole snapshot, and only what is there is edited"
    same = "needs a person: run alone and told to rewrite its snapshots, its test writes none"
    assert remaining(said) == {
        "tests/test_first.py::test_first": ("conftest.py:1 whole-snapshot", whole),
        "tests/test_wrong.py::test_other": ("tests/test_wrong.py:1 unchanged-snapshot", same),
        "tests/test_wrong.py::test_sum": ("tests/test_wrong.py:1 failing-test", NO_RULE),
    }


def test_a_person_who_has_looked_merges_them(world: World, said: Said) -> None:
    merged = world.sparky("merge", said.json()["run_id"])
    assert merged.code == 0, merged.err
    assert world.git("log", "-1", "--format=%s", "main") == "TEST_FAILURE: mend 2 finding(s) in 1 file(s)"


SYRUPY = """\
[project]
name = "shop"
version = "1"

[dependency-groups]
dev = ["syrupy"]
"""
AMBR = """\
# serializer version: 1
# name: test_cart
  dict({
    'eggs': 12,
    'milk': 1,
  })
# ---
# name: test_page
  'A shop'
# ---
# name: test_shelf
  list([
    'milk',
  ])
# ---
"""
BASKET = """\
from pathlib import Path


def test_cart(snapshot):
    assert {"milk": 1, "eggs": 12, "bread": 2} == snapshot


def test_page(snapshot):
    assert "A new shop" == snapshot


def test_shelf(snapshot):
    assert ["milk"] == snapshot


def test_index():
    assert "A shop" in Path("tests/__snapshots__/test_basket.ambr").read_text()
"""


@pytest.mark.soak
def test_snapshots_of_syrupy_are_rewritten_but_for_one_that_another_test_reads(world_of: MakeWorld) -> None:
    ambr = "tests/__snapshots__/test_basket.ambr"
    world = world_of({"pyproject.toml": SYRUPY, ambr: AMBR, "tests/test_basket.py": BASKET})
    said = world.sparky(*ASK, "--json")
    result = said.json()
    assert result["outcome"] == "ready", said.err
    now = AMBR.replace("  dict({\n", "  dict({\n    'bread': 2,\n").strip()
    assert world.git("show", f"{result['commit']}:{ambr}") == now
    (left,) = result["issues_remaining"]
    assert left == (
        f"{ambr}:10 stale-snapshot tests/test_basket.py::test_page: AssertionError: "
        "assert [+ received] == [- snapshot] - 'A shop' + 'A new shop': "
        "withdrawn: its fix breaks tests/test_basket.py::test_index"
    )
