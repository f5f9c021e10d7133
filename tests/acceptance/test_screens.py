"""What a person sees, word for word. `SPARKY_GOLDEN=write` writes the files anew, for a look at the diff."""

import os
import re
from pathlib import Path

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import BUG, SHOP, SIDE_EFFECT
from tests.acceptance.world import Nursery, Said, World, make_world

pytestmark = pytest.mark.xdist_group("screens")

GOLDEN = Path(__file__).parent.parent / "golden" / "cli"

_PATTERNS = {
    r"\b[0-9a-f]{40}\b": "SHA-40",
    r"\b[0-9a-f]{12}\b": "SHA-12",
    r"\b[0-9a-f]{10}\b": "SHA-10",
    r"(?<=-)[0-9a-f]{8}(?=-[0-9])": "MARK",
    r"\b\d\d:\d\d:\d\d\b": "HH:MM:SS",
    r"\b\d+\.\d s\b": "T s",
    r"(?m)^(  sandbox   ).*$": r"\1LEVEL",
    r"(?m) +$": "",
    r"(?m)^(HH:MM:SS )?waiting for .*\n": "",
}


def normal(world: World, said: Said) -> str:
    """Both streams without what differs from call to call."""
    text = f"exit code {said.code}\n--- stdout\n{said.out}--- stderr\n{said.err}"
    text = text.replace(str(world.repo), "REPO").replace(str(world.root), "ROOT")
    for pattern, word in _PATTERNS.items():
        text = re.sub(pattern, word, text)
    return text


def assert_golden(name: str, world: World, said: Said) -> None:
    """The screen is that of the golden file."""
    path, text = GOLDEN / f"{name}.txt", normal(world, said)
    if os.environ.get("SPARKY_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, cache: Path, nursery: Nursery) -> World:
    """A repository in which `fix` is ready, and issue 1 was given up."""
    files = {**SHOP, **BUG, "pkg/__init__.py": "import json\n"}
    world = make_world(tmp_path_factory.mktemp("screens"), cache, nursery, files)
    assert_golden("fix_ready", world, world.sparky("fix"))
    script = world.script(
        {"number": 1, "summary": "All tests pass [bold]now[/]\x1b[2J."},
        {
            "success": False,
            "steps": [{"do": "replace", "path": "calc.py", "old": "x * 3", "text": "x * 4"}],
        },
    )
    assert_golden("run_failed", world, world.sparky("run", "1", *script))
    return world


def run_of(world: World, issue: str) -> str:
    """The run of an issue."""
    return next(str(run["run_id"]) for run in world.runs() if run["issue"] == issue)


def test_a_ready_run_tells_its_story(here: World) -> None:
    assert_golden("show_ready", here, here.sparky("show", run_of(here, "fix")))


def test_a_failed_run_tells_its_story(here: World) -> None:
    assert_golden("show_failed", here, here.sparky("show", run_of(here, "001")))


def test_status_says_what_waits(here: World) -> None:
    assert_golden("status", here, here.sparky("status"))


def test_scan_sums_up(here: World) -> None:
    assert_golden("scan", here, here.sparky("scan", "-v"))


def test_route_shows_bids(here: World) -> None:
    assert_golden("route", here, here.sparky("route", "1", *here.script({})))


def test_agents_are_listed(here: World) -> None:
    assert_golden("agents", here, here.sparky("agents"))


def test_help_lists_the_verbs(here: World) -> None:
    assert_golden("help", here, here.sparky("--help"))


def test_fix_tells_what_it_withdrew_and_then_that_nothing_is_to_do(world_of: MakeWorld) -> None:
    world = world_of(SIDE_EFFECT)
    fix = ("fix", "-k", "import_error", "-k", "dead_code")
    assert_golden("fix_withdrawn", world, world.sparky(*fix, "--auto"))
    assert_golden("fix_nothing", world, world.sparky(*fix))
    assert_golden("status_merged", world, world.sparky("status"))


def test_words_of_agents_and_issues_are_shown_as_they_are_and_move_no_cursor(world_of: MakeWorld) -> None:
    world = world_of({"a.py": "X = 1\n"})
    words = ("run", "Mend [red]this[/] and \x1b[2J[/nothing]", "--json")
    run = world.sparky(*words, *world.script({"success": False, "summary": "\x1b]0;[/x]\x07"})).json()[
        "run_id"
    ]
    said = [
        world.sparky(*verb) for verb in (("show", run), ("status",), ("logs", run), ("route", *words[1:2]))
    ]
    assert [one.code for one in said] == [0, 0, 0, 3]
    assert all("\x1b" not in one.out + one.err and "\x07" not in one.out + one.err for one in said)
    assert "Mend [red]this[/] and \ufffd[2J[/nothing]" in said[0].out
    assert "nothing was changed (\ufffd]0;[/x]\ufffd)" in said[0].out
