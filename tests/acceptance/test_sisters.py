"""An issue of one repository is worked on in another, with that one's own settings and tests."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import QUICK_BUG
from tests.acceptance.world import World, replacing

RIGHT = replacing("calc.py", "x * 3", "x * 2")
DESK = {
    "issues/012-double.md": "# Issue #012: double is wrong\n\nRepository: ada/calc\n\n## Files\n- calc.py\n",
    "sparky.toml": 'write_results = true\nsisters = { calc = "../calc" }\n',
}


@dataclass(frozen=True, kw_only=True)
class Sister(World):
    """The other repository of the same person."""

    @property
    def repo(self) -> Path:
        return self.root / "calc"


@pytest.fixture
def desk(world_of: MakeWorld) -> World:
    """The repository with the issues."""
    return world_of(DESK)


@pytest.fixture
def calc(desk: World) -> World:
    """The repository with the bug, whose settings merge what bears no risk."""
    made = Sister(root=desk.root, cache=desk.cache, nursery=desk.nursery)
    made.repo.mkdir()
    made.git("init", "-q", "-b", "main")
    made.commit({**QUICK_BUG, "sparky.toml": 'merge = "auto"\ntest_command = "make -s test"\n'})
    return made


def test_an_issue_that_names_a_sister_runs_there_and_its_result_is_left_beside_it(
    desk: World, calc: World
) -> None:
    head = desk.git("rev-parse", "main")
    said = desk.sparky("run", "12", "--json", *desk.script(RIGHT))
    result = said.json()
    assert (said.code, result["outcome"]) == (0, "merged"), said.err
    assert f"in {calc.repo}" in said.err
    assert calc.git("show", "main:calc.py") == "def double(x):\n    return x * 2"
    assert ["make", "-s", "test"] in [one["command"] for one in result["evidence"]], "its own test command"
    assert (desk.git("rev-parse", "main"), desk.git("branch", "--list")) == (head, "* main")
    assert desk.git("status", "--porcelain") == "?? issues/012-double.result.md"
    written = (desk.repo / "issues/012-double.result.md").read_text()
    assert written.startswith("# Result: double is wrong\n\n- **Outcome:** merged\n")
    assert f"- **Repository:** {calc.repo}\n" in written
    assert desk.sparky("route", "12", *desk.script(RIGHT)).code == 0, "a result is no second issue 12"


@pytest.mark.soak
def test_what_a_person_says_later_is_written_there_too(desk: World, calc: World) -> None:
    calc.commit({"sparky.toml": None})
    run = desk.sparky("run", "12", "--json", *desk.script(RIGHT)).json()["run_id"]
    path = desk.repo / "issues/012-double.result.md"
    assert "**Outcome:** ready" in path.read_text()
    assert desk.sparky("merge", run, cwd=desk.root).code == 0
    assert "**Outcome:** merged" in path.read_text()


@pytest.mark.soak
def test_a_result_that_can_not_be_written_hinders_no_run(desk: World, calc: World) -> None:
    calc.commit({"sparky.toml": None})
    run = desk.sparky("run", "12", "--json", *desk.script(RIGHT)).json()["run_id"]
    (desk.repo / "issues").rename(desk.repo / "moved")
    merged = desk.sparky("merge", run, "--json", cwd=desk.root)
    assert (merged.code, merged.json()["outcome"]) == (0, "merged"), merged.err
    assert "012-double.result.md could not be written: its directory is gone" in merged.err


def test_an_issue_of_the_sister_itself_is_named_from_here(desk: World, calc: World) -> None:
    said = desk.sparky("run", "calc#1", "--json", *desk.script(RIGHT))
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.err
    assert calc.git("show", "main:calc.py") == "def double(x):\n    return x * 2"
    assert desk.sparky("route", "calc#1", "--json", *desk.script(RIGHT)).json()["agent"] == "coder"


def test_a_repository_that_is_no_sister_is_refused_with_the_nearest(desk: World, calc: World) -> None:
    assert calc.repo.is_dir()
    said = desk.sparky("run", "cale#1")
    assert (said.code, said.err) == (
        2,
        f"error: cale is no sister of {desk.repo}: did you mean calc?\n",
    )
    other = desk.sparky("run", "shop#1").err
    assert other.endswith('add it to sparky.toml: sisters = { "shop" = "PATH or URL" }\n')


def test_a_list_of_issues_runs_in_the_repository_that_it_names_and_what_is_no_issue_is_named(
    desk: World, calc: World
) -> None:
    path = desk.root / "list.json"
    bug = {"title": "double is wrong", "priority": "high", "file": "calc.py"}
    closed = {"title": "old", "status": "closed"}
    path.write_text(json.dumps({"repo": "ada/calc", "issues": [closed, {"line": 3}, bug]}))
    said = desk.sparky("run", "--from-json", str(path), "--json", *desk.script(RIGHT))
    (result,) = said.json()
    assert (said.code, result["outcome"], result["issue"]) == (4, "merged", "double is wrong"), said.err
    assert calc.git("show", "main:calc.py") == "def double(x):\n    return x * 2"
    assert f"error: {path}: entry 2 is no issue: Object missing required field `title`" in said.err
    assert "error: old: issue j-" in said.err
    (written,) = desk.root.glob("list.*.result.md")
    assert written.name == f"list.{result['run_id'][:8]}.result.md"


def test_no_issue_at_all_is_no_success(desk: World) -> None:
    path = desk.root / "list.json"
    path.write_text('{"issues": []}')
    said = desk.sparky("run", "--from-json", str(path))
    assert (said.code, said.err) == (2, f"error: {path} has no issue: its list is empty\n")
    both = desk.sparky("run", "12", "--from-json", str(path))
    assert (both.code, both.err) == (2, "error: give one ISSUE, or a list of them with --from-json\n")


@pytest.mark.soak
def test_a_sister_by_url_is_cloned_and_the_work_is_on_a_branch_there(desk: World, calc: World) -> None:
    url = calc.repo.as_uri()
    desk.commit({"sparky.toml": f'[sisters]\ncalc = "{url}"\n'})
    said = desk.sparky("run", "12", "--json", *desk.script(RIGHT))
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.err
    assert desk.git("status", "--porcelain") == "", "no result where none is asked for"
    (clone,) = (desk.root / "state" / "sisters").iterdir()
    assert (clone / "calc.py").read_text() == "def double(x):\n    return x * 2\n"
    assert calc.git("show", "main:calc.py") == "def double(x):\n    return x * 3"
