"""What an attempt was told by reports: `sparky show` tells it, `sparky metrics` counts it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from sparky.adapters.blobs import FileBlobs
from sparky.adapters.store import SqliteStore
from sparky.cli.main import cli
from sparky.domain.agent import Role
from sparky.domain.attempt import Responsibility, Stage, Verdict
from sparky.domain.report import ActionItem, Filed, ReportId
from sparky.domain.run import Take
from sparky.formats.values_json import encode
from sparky.reports.settled import Settled, Settlement
from sparky.reports.told import BRIEFING, Briefing, Scenario
from tests.builders import RUN, changed, sha, state_of, visited

TOLD = Briefing(
    role=Role.CODER,
    scenario=Scenario.RETRY_AFTER_REVIEW,
    responsibility=Responsibility.CODER,
    reason="1 item for the coder",
    chosen=Filed(id=ReportId(agent="review", issue="7", version=2), path="ReviewAgent_Issue#7_Report_v2.md"),
    passed_over=(("ReviewAgent_Issue#7_Report_v1.md", "ReviewAgent_Issue#7_Report_v2.md is newer"),),
    items=(ActionItem(id="a1", owner=Responsibility.CODER, text="count once in shop.py"),),
    settled=(Settlement(item="b2", settled=Settled.FIXED, reason="FIXED in abc: the diff touches cart.py"),),
)


@pytest.fixture
def told_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run whose second EXECUTE was told by a review."""
    monkeypatch.setenv("SPARKY_STATE_DIR", str(tmp_path))
    monkeypatch.setenv("SPARKY_CACHE_DIR", str(tmp_path / "cache"))
    blobs = {BRIEFING: FileBlobs(tmp_path / "blobs").put(encode(TOLD))}
    attempts = (
        changed("coder", sha("a")),
        visited(Stage.REVIEW, Verdict.REVISE, items=("shop.py: counts twice",)),
        replace(changed("coder", sha("b"), number=2), blobs=blobs),
        visited(Stage.REVIEW),
    )
    store = SqliteStore(tmp_path / "sparky.db")
    store.prepare()
    store.claim(state_of(), "executor-1", lambda _: Take.START)
    for ordinal, attempt in enumerate(attempts):
        store.save_attempt(RUN, ordinal, attempt)


@pytest.mark.usefixtures("told_run")
def test_show_names_the_report_chosen_its_items_and_those_passed_over() -> None:
    lines = [line.strip() for line in CliRunner().invoke(cli, ["show", RUN]).output.splitlines()]
    start = lines.index("coder: retry_after_review by ReviewAgent_Issue#7_Report_v2.md: 1 item for the coder")
    assert lines[start + 1 : start + 4] == [
        "for the coder: count once in shop.py",
        "b2 fixed: FIXED in abc: the diff touches cart.py",
        "passed over ReviewAgent_Issue#7_Report_v1.md: ReviewAgent_Issue#7_Report_v2.md is newer",
    ]


@pytest.mark.usefixtures("told_run")
def test_show_gives_the_briefing_as_json() -> None:
    steps = json.loads(CliRunner().invoke(cli, ["show", RUN, "--json"]).output)["steps"]
    assert [step["briefing"] and step["briefing"]["scenario"] for step in steps] == [
        None,
        None,
        "retry_after_review",
        None,
    ]


@pytest.mark.usefixtures("told_run")
def test_metrics_count_what_was_read() -> None:
    said = CliRunner().invoke(cli, ["metrics", "--json"]).output
    figures = {one["name"]: (one["numerator"], one["denominator"], one["runs"]) for one in json.loads(said)}
    assert figures["newest_version"] == (1, 1, [RUN])
    assert figures["review_awareness"] == (1, 1, [RUN])


@pytest.mark.usefixtures("told_run")
def test_metrics_are_a_table_for_people() -> None:
    said = CliRunner().invoke(cli, ["metrics", "--check"])
    assert [line.split()[:6] for line in said.output.splitlines()[1:3]] == [
        ["newest_version", "1.00", "1", "of", "1", "in"],
        ["responsibility", "-", "0", "of", "0", "in"],
    ]
