"""`sparky report` and `sparky metrics` on the reports and runs of a repository."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from sparky.cli.main import cli
from tests.acceptance.conftest import MakeWorld
from tests.acceptance.world import Nursery, World, make_world

pytestmark = pytest.mark.xdist_group("report")

GOLDEN = Path(__file__).parent.parent / "golden" / "reports"
FOLDER = "docs/reports"
REVIEW = f"{FOLDER}/ReviewAgent_Issue#5_Report_v1.md"
ANSWER = """<!-- sparky report 1 -->
# Issue `5`: report 2 by `coding`

**Verdict:** PASS, at `abc1234`

**Answers:** `ReviewAgent_Issue#5_Report_v1.md`

## Answers

| item | answer | commit | reason |
|---|---|---|---|
| `#2` | FIXED | `abc1234` | by a default |
"""


def golden(name: str) -> str:
    return (GOLDEN / f"{name}.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, cache: Path, nursery: Nursery) -> World:
    """Reports of three agents; the newest review answered on a branch of its own. No test changes it."""
    world = make_world(
        tmp_path_factory.mktemp("reports"),
        cache,
        nursery,
        {
            "a.py": "x = 1\n",
            f"{FOLDER}/CodingAgent_Issue#5_Report_v1.md": "done\n",
            **{f"{FOLDER}/Testing_Issue#{issue}_Report_v1.md": "done\n" for issue in (1, 12, 122)},
        },
    )
    for version in (2, 9, 10, 11, 20):
        world.write({f"{FOLDER}/TestingAgent_Issue#1_Report_v{version}.md": "done\n"})
    world.commit({REVIEW: golden("bold/as_told")})
    world.git("checkout", "-q", "-b", "answer")
    world.commit({f"{FOLDER}/coding_issue-5_report_v2.md": ANSWER, "a.py": "x = 2\n"})
    world.git("checkout", "-q", "main")
    world.write({f"{FOLDER}/Coding_Issue#_Report_v1.md": "odd\n"})
    return world


def test_the_latest_is_the_highest_version_of_just_that_issue(here: World) -> None:
    said = here.sparky("report", "latest", FOLDER, "--agent", "testing", "--issue", "1", "--json")
    name = "TestingAgent_Issue#1_Report_v20.md"
    assert (said.code, said.json()) == (0, {"name": name, "version": 20, "path": f"{FOLDER}/{name}"})
    assert said.err == (
        f"warning: {FOLDER}/Coding_Issue#_Report_v1.md has no issue number after `Issue`; it is passed over\n"
    )
    assert here.sparky("report", "latest", "--agent", "tester", "--issue", "12").out == (
        f"{FOLDER}/Testing_Issue#12_Report_v1.md\n"
    )


def test_none_is_said_with_what_there_is(here: World) -> None:
    said = here.sparky("report", "latest", "--agent", "review", "--issue", "1", "--ref", "main")
    assert (said.code, said.out) == (1, "")
    assert said.err == (
        "error: no report of review on issue 1 in docs/reports; there are: coding on 5, review on 5, "
        "testing on 1, testing on 12, testing on 122\n"
    )


def test_a_branch_is_read_without_a_checkout(here: World) -> None:
    before = here.snapshot()
    said = here.sparky("report", "latest", "--agent", "coding", "--issue", "5", "--ref", "answer")
    assert (said.code, said.out) == (0, f"{FOLDER}/coding_issue-5_report_v2.md\n")
    told = here.sparky("report", "history", "--issue", "5", "--ref", "answer", "--json").json()
    assert [(row["agent"], row["version"], row["turn"]) for row in told] == [
        ("coding", 1, "nobody"),
        ("review", 1, "coder"),
        ("coding", 2, "nobody"),
    ]
    assert here.snapshot() == before


def test_an_answer_on_the_branch_settles_the_coders_item(here: World) -> None:
    on_main = here.sparky("report", "mine", REVIEW, "--role", "coder", "--json").json()
    assert (on_main["should_act"], on_main["responsibility"]) == (True, "coder")
    assert [(item["id"], item["answer"]) for item in on_main["items"]] == [("#2", None)]
    answered = here.sparky("report", "mine", REVIEW, "--role", "coder", "--json", "--ref", "answer").json()
    assert (answered["should_act"], answered["responsibility"], answered["confidence"]) == (
        False,
        "tester",
        0.95,
    )
    assert [(item["id"], item["answer"]) for item in answered["items"]] == [("#2", "FIXED")]
    shown = here.sparky("report", "mine", REVIEW, "--role", "tester", "--ref", "answer")
    assert shown.out == "yes: 1 item for the tester\n  #3 assert the default\n"


def test_a_report_is_parsed_to_json_of_a_fixed_shape(here: World) -> None:
    told = here.sparky("report", "parse", REVIEW, "--json").json()
    assert list(told) == ["pipeline_status", "failed_jobs", "failures", "items", "merge_decision", "unread"]
    assert list(told["items"]) == ["coder", "tester", "reviewer", "documenter", "person", "environment"]
    assert (told["pipeline_status"], told["merge_decision"], told["unread"]) == ("failed", "blocked", [])
    assert told["items"]["tester"][0]["location"]["path"] == "tests/test_a.py"


def test_a_person_sees_what_is_understood(world_of: MakeWorld) -> None:
    text = (
        golden("checklist/owners") + "\n## Failures\ntest_a failed - expected 1, got 2\n## To do\nwhatever\n"
    )
    world = world_of({"report.md": text})
    said = world.sparky("report", "parse", "report.md").out.splitlines()
    assert said[0] == "pipeline unknown, merge blocked"
    assert said[1] == "  line 9: test_a"
    assert [line.split(" ", 3)[3] for line in said[2:5]] == [
        "for the coder: rename the flag FIXED",
        "for the coder: keep the old flag as an alias (cli/main.py)",
        "for the tester: test the alias (tests/test_main.py)",
    ]
    assert said[5] == "  line 11 is not understood: whatever"
    assert said[6].startswith("turn coder (95% sure): 1 item for the coder: keep the old flag")


def test_the_next_name_follows_the_highest_and_is_never_written_twice(world_of: MakeWorld) -> None:
    world = world_of({f"{FOLDER}/Coding_Issue#5_Report_v{version}.md": "x\n" for version in (1, 3)})
    name = f"{FOLDER}/CodingAgent_Issue#5_Report_v4.md"
    assert world.sparky("report", "next", "--agent", "coder", "--issue", "5").out == f"{name}\n"
    empty = world.sparky("report", "next", "elsewhere", "--agent", "coder", "--issue", "5", "--json").json()
    assert empty == {
        "name": "CodingAgent_Issue#5_Report_v1.md",
        "path": "elsewhere/CodingAgent_Issue#5_Report_v1.md",
        "written": False,
    }
    assert not (world.repo / "elsewhere").exists()


def test_what_comes_on_standard_input_is_written_under_the_next_name(tmp_path: Path) -> None:
    words = ["report", "next", str(tmp_path), "--agent", "coder", "--issue", "5", "--write", "--json"]
    for version in (1, 2):
        said = CliRunner().invoke(cli, words, input=f"text {version}\n")
        path = tmp_path / f"CodingAgent_Issue#5_Report_v{version}.md"
        assert json.loads(said.output) == {"name": path.name, "path": str(path), "written": True}
        assert path.read_text() == f"text {version}\n"


def test_outside_of_a_repository_reports_are_read_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "Coding_Issue#5_Report_v3.md").write_text("x\n")
    said = CliRunner().invoke(cli, ["report", "latest", str(tmp_path), "--agent", "coder", "--issue", "5"])
    assert said.output == f"{tmp_path}/Coding_Issue#5_Report_v3.md\n"


def test_a_report_written_by_hand_is_checked_with_lines(world_of: MakeWorld) -> None:
    world = world_of({f"{FOLDER}/Review_Issue#5_Report_v1.md": "## To do\n- do it\n", "review.md": ANSWER})
    said = world.sparky("report", "check", f"{FOLDER}/Review_Issue#5_Report_v1.md")
    assert (said.code, said.out.splitlines()) == (
        1,
        [
            f"{FOLDER}/Review_Issue#5_Report_v1.md:1: no merge decision: approved, blocked or rejected",
            f"{FOLDER}/Review_Issue#5_Report_v1.md:2: no owner: 'do it' is taken for the coder's",
            f"{FOLDER}/Review_Issue#5_Report_v1.md:2: no file: 'do it'",
        ],
    )
    named = world.sparky("report", "check", "review.md", "--json")
    assert (named.code, named.json()) == (
        1,
        [{"line": 1, "text": "the file's name is not AGENT_Issue#NUMBER_Report_vVERSION.md"}],
    )


def test_what_cannot_be_read_is_said_so(here: World) -> None:
    assert (
        here.sparky("report", "parse", "none.md").err
        == "error: cannot read none.md: No such file or directory\n"
    )
    said = here.sparky("report", "parse", "none.md", "--ref", "main")
    assert (said.code, said.err) == (1, "error: none.md is not a file at main\n")
    assert here.sparky("report", "history", "--issue", "5", "--ref", "nope").code == 2
    gone = here.sparky("report", "history", "nowhere", "--issue", "5")
    assert (gone.code, gone.err) == (
        1,
        "error: cannot list nowhere: No such file or directory; name the folder of the reports\n",
    )


def test_the_history_is_a_table_for_people(here: World) -> None:
    said = here.sparky("report", "history", "--issue", "5").out.splitlines()
    assert [line.split()[0] for line in said] == [
        "REPORT",
        "CodingAgent_Issue#5_Report_v1.md",
        "ReviewAgent_Issue#5_Report_v1.md",
    ]
    (here.repo / "docs/reports/CodingAgent_Issue#_Report_v3.md").write_text("")
    odd = here.sparky("report", "history", "--issue", "5")
    assert "CodingAgent_Issue#_Report_v3.md has no issue number after `Issue`; it is passed over" in odd.err
    assert here.sparky("report", "history", "--issue", "77").out == "no report on issue 77\n"


def test_metrics_count_nothing_before_the_first_run(here: World) -> None:
    told = here.sparky("metrics", "--check", "--json")
    assert (
        told.code,
        [(one["name"], one["value"], one["denominator"], one["met"]) for one in told.json()],
    ) == (
        0,
        [
            ("newest_version", None, 0, None),
            ("responsibility", None, 0, None),
            ("wasted_retries", None, 0, None),
            ("review_awareness", None, 0, None),
            ("coordination", None, 0, None),
            ("cost_per_accepted_result", None, 0, None),
        ],
    )
    assert "0 of 0 in 0 run(s)" in here.sparky("metrics", "-C", ".").out
