"""Reports by name: versions are numbers, issues are kept apart, and agents' clocks differ."""

import pytest

from sparky.domain.agent import Role
from sparky.domain.attempt import Responsibility
from sparky.domain.report import (
    Filed,
    OddName,
    ReportId,
    agent_name,
    in_order,
    is_newer,
    item_id,
    latest,
    next_id,
    of_agent,
    read_name,
    role_of,
    version_in,
)


def coding(version: int, issue: str = "5") -> ReportId:
    return ReportId(agent="coding", issue=issue, version=version)


def filed(*names: str, rank: int = 0) -> list[Filed]:
    """The reports of these names, as they lie in one commit."""
    ids = ((read_name(name), name) for name in names)
    return [Filed(id=found, path=name, rank=rank) for found, name in ids if isinstance(found, ReportId)]


@pytest.mark.parametrize(
    "name",
    [
        "CodingAgent_Issue#5_Report_v2.md",
        "Coding_Issue#5_Report_v2.md",
        "coding-agent_issue-5_report_v2.md",
        "CoderAgent_Issue_005_Report_v02.md",
        "coder_issue5_report_v2.MD",
    ],
)
def test_one_report_is_read_in_every_spelling_of_its_name(name: str) -> None:
    assert read_name(name) == coding(2)


def test_a_name_is_written_in_one_spelling_and_read_back() -> None:
    report = ReportId(agent="deadcode", issue="s-0a1b2c", version=3)
    assert report.name == "DeadcodeAgent_Issue#s-0a1b2c_Report_v3.md"
    assert read_name(report.name) == report


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("CodingAgent_Issue#_Report_v1.md", "has no issue number after `Issue`"),
        ("CodingAgent_Issue#abc_Report_v1.md", "'abc' is no issue number"),
        ("CodingAgent_Issue#5_Report_v0.md", "versions count from 1"),
        ("__Issue#5_Report_v1.md", "has no agent"),
        ("CodingAgent_Issue#5_Report.md", "is not AGENT_Issue#NUMBER_Report_vVERSION.md"),
        ("CodingAgent_Report_v1.md", "is not AGENT_Issue#NUMBER_Report_vVERSION.md"),
        ("Coding_Issue#5_Report_v" + "9" * 99 + ".md", "is not AGENT_Issue#NUMBER_Report_vVERSION.md"),
    ],
)
def test_what_only_looks_like_a_report_is_named_with_the_reason(name: str, reason: str) -> None:
    assert read_name(name) == (OddName(name=name, reason=reason))


@pytest.mark.parametrize(
    "name", ["README.md", "notes_v2.md", "Issue#5.md", "report.txt", "", "_issue_report" * 999 + ".md"]
)
def test_other_files_are_no_reports(name: str) -> None:
    assert read_name(name) is None


def test_version_20_is_newest_of_1_2_9_10_11_20() -> None:
    names = [f"CodingAgent_Issue#5_Report_v{version}.md" for version in (9, 20, 1, 10, 2, 11)]
    newest = latest(filed(*names), "coding", "5")
    assert newest == Filed(id=coding(20), path="CodingAgent_Issue#5_Report_v20.md")


def test_issues_1_12_and_122_are_kept_apart() -> None:
    reports = filed(*(f"Coding_Issue#{issue}_Report_v{n}.md" for n, issue in enumerate((122, 12, 1), 1)))
    found = {issue: latest(reports, "CodingAgent", issue) for issue in ("1", "#12", "122", "2")}
    versions = {issue: report.id.version if report else None for issue, report in found.items()}
    assert versions == {"1": 3, "#12": 2, "122": 1, "2": None}


def test_after_a_gap_the_next_version_is_the_highest_and_one() -> None:
    reports = filed("Coding_Issue#5_Report_v1.md", "CodingAgent_Issue#5_Report_v3.md")
    assert next_id(reports, "coder", "005") == coding(4)
    assert next_id(reports, "tester", "5") == ReportId(agent="testing", issue="5", version=1)
    assert next_id([], "coder", "PLAN") == coding(1, issue="s-0ff154")


def test_the_reports_of_an_agent_come_in_the_order_of_their_versions() -> None:
    reports = filed(*(f"Coding_Issue#5_Report_v{n}.md" for n in (10, 2)), "Review_Issue#5_Report_v3.md")
    assert [report.id for report in of_agent(reports, "coding", "5")] == [coding(2), coding(10)]


def test_all_reports_come_in_one_order_that_breaks_no_agents_versions() -> None:
    names = ("Coding_Issue#5_Report_v10.md", "Coding_Issue#5_Report_v9.md", "Review_Issue#5_Report_v1.md")
    ten, nine, review = (filed(name, rank=rank)[0] for name, rank in zip(names, (2, 4, 3), strict=True))
    assert in_order([ten, nine, review]) == (review, nine, ten)


def test_versions_order_one_agents_reports_and_commits_those_of_two() -> None:
    second, tenth = filed("Coding_Issue#5_Report_v2.md", "Coding_Issue#5_Report_v10.md")
    (early,) = filed("Review_Issue#5_Report_v7.md", rank=0)
    (late,) = filed("Review_Issue#5_Report_v1.md", rank=4)
    assert is_newer(tenth, second) is True
    assert is_newer(second, tenth) is False
    assert is_newer(late, tenth) is True
    assert is_newer(tenth, late) is False
    assert is_newer(early, tenth) is None


@pytest.mark.parametrize(("name", "version"), [("a_v10.md", 10), ("A_v2_v3.md", 3), ("a.md", None)])
def test_a_version_is_read_as_a_number_from_any_name(name: str, version: int | None) -> None:
    assert version_in(name) == version


@pytest.mark.parametrize(
    ("agent", "name", "role"),
    [
        ("Code Reviewer", "review", Role.REVIEWER),
        ("qa-agent", "testing", Role.TESTER),
        ("agent", "agent", None),
        ("dead_code", "deadcode", None),
    ],
)
def test_agents_have_one_name_and_those_of_a_role_are_known(agent: str, name: str, role: Role | None) -> None:
    assert (agent_name(agent), role_of(agent)) == (name, role)


def test_the_id_of_an_item_depends_on_its_words_not_on_their_marks() -> None:
    one = item_id(Responsibility.CODER, "Fix `validateName()`!", "a.py")
    assert one == item_id(Responsibility.CODER, "**fix** validatename", "a.py")
    assert one != item_id(Responsibility.TESTER, "Fix validateName", "a.py")
    assert one != item_id(Responsibility.CODER, "Fix validateName", "b.py")
