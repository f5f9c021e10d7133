"""A run in which coder, reviewer and tester hand over to each other, by the real command."""

import json

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import BUG
from tests.acceptance.world import replacing

ISSUE = "# Issue #001: double is wrong\n\n## Type\nbug\n"
BLOCKED = "- TESTING_AGENT: test a negative number (File: tests/test_less.py)\n\nMerge decision: BLOCKED\n"
REVIEWER = "---\nname: reviewer\ndescription: Reads the change.\nrole: reviewer\n---\nRead it.\n"
TEST = "from calc import double\n\n\ndef test_less():\n    assert double(-2) == -4\n"
SESSIONS = (
    replacing("calc.py", "x * 3", "x * 2", agent="coder", number=1),
    {"agent": "reviewer", "number": 1, "report": BLOCKED},
    {"agent": "reviewer", "report": "All of it holds now.\n\nMerge decision: APPROVED\n"},
    {"agent": "tester", "steps": [{"do": "write", "path": "tests/test_less.py", "text": TEST}]},
)
LEFT = "Coding_v1 Review_v1 Coding_v2 Testing_v1 Review_v2 Testing_v2 Review_v3"


def test_a_review_blocks_the_tester_acts_and_it_is_merged(world_of: MakeWorld) -> None:
    world = world_of({**BUG, "issues/001-double.md": ISSUE, ".agents/agents/reviewer.md": REVIEWER})
    result = world.sparky("run", "1", "--json", *world.script(*SESSIONS)).json()
    assert (result["outcome"], result["reason"]) == ("ready", "verified at the tested commit")
    run = result["run_id"]
    chain = f"refs/sparky/reports/{run}"
    left = (
        world.git("log", "--reverse", "--format=%s", chain)
        .replace("Agent_Issue#1_Report", "")
        .replace(".md", "")
    )
    assert left.split() == LEFT.split()
    newest = world.sparky("report", "latest", "--agent", "testing", "--issue", "1", "--ref", chain).out
    assert newest == "docs/reports/TestingAgent_Issue#1_Report_v2.md\n"
    shown = world.sparky("show", run).out
    assert "whose turn: tester (0.95)\n" in shown
    assert "by coder  not its turn: 1 item for the tester: test a negative number" in shown
    assert "coder: not_my_responsibility by ReviewAgent_Issue#1_Report_v1.md: " in shown
    assert (
        "tester: retry_after_review_block by ReviewAgent_Issue#1_Report_v1.md: 1 item for the tester" in shown
    )
    assert "for the tester: test a negative number" in shown
    figures = {one["name"]: one for one in json.loads(world.sparky("metrics", "--json", "--check").out)}
    assert {name: (one["numerator"], one["denominator"], one["met"]) for name, one in figures.items()} == {
        "newest_version": (3, 3, True),
        "responsibility": (0, 0, None),
        "wasted_retries": (0, 1, True),
        "review_awareness": (1, 1, True),
        "coordination": (1, 1, True),
        "cost_per_accepted_result": (0.0, 0, None),
    }
    assert world.sparky("merge", run, "--json").json()["outcome"] == "merged"
    assert world.git("for-each-ref", "refs/sparky") == ""
