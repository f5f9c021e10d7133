"""What a report lacks that its reader needs, with the line."""

from dataclasses import replace

from sparky.domain.attempt import Responsibility, Verdict
from sparky.domain.finding import Location
from sparky.domain.report import ActionItem, Answer, Reply, Report, ReportId
from sparky.reports.check import find_lacks
from sparky.reports.report_md import render

NAME = "ReviewAgent_Issue#5_Report_v1.md"
ITEM = ActionItem(
    id="a1",
    owner=Responsibility.CODER,
    text="mend it",
    location=Location(path="a.py"),
    done_when="test_a passes",
)
OWN = Report(
    id=ReportId(agent="review", issue="5", version=1), verdict=Verdict.REVISE, sha="abc1234", items=(ITEM,)
)


def lacks(text: str, name: str = NAME) -> list[tuple[int, str]]:
    return [(one.line, one.text) for one in find_lacks(text, name)]


def test_a_whole_report_lacks_nothing() -> None:
    text = "CODING_AGENT: mend src/a.py\n\nMerge decision: blocked\n"
    assert (lacks(render(OWN)), lacks(text), lacks(text, "")) == ([], [], [])


def test_the_name_is_checked_as_well() -> None:
    text = "Merge decision: approved\n"
    assert lacks(text, "notes.md") == [(1, "the file's name is not AGENT_Issue#NUMBER_Report_vVERSION.md")]
    assert lacks(text, "Review_Issue#_Report_v1.md") == [
        (1, "the file's name has no issue number after `Issue`")
    ]


def test_a_foreign_report_needs_decision_items_owners_files_and_causes() -> None:
    assert lacks("# Review\n") == [(1, "no merge decision: approved, blocked or rejected")]
    assert lacks("Merge decision: rejected\n") == [
        (1, "it is rejected, and no item says what to do, and who")
    ]
    text = "## To do\n- somehow\nwhat?\n## Failures\n- test_a\n## Merge decision\nblocked\n"
    assert lacks(text) == [
        (2, "no owner: 'somehow' is taken for the coder's"),
        (2, "no file: 'somehow'"),
        (5, "no root cause: 'test_a'"),
    ]


def test_our_own_needs_a_commit_items_and_what_each_is_done_by() -> None:
    bare = replace(ITEM, location=None, done_when="")
    answers = (Reply(item="b1", answer=Answer.FIXED), Reply(item="b2", answer=Answer.DEFERRED))
    assert lacks(render(replace(OWN, sha="", items=(bare,), replies=answers))) == [
        (1, "it does not say which commit it speaks of"),
        (10, "the answer to b1 is FIXED, and names no commit"),
        (11, "the answer to b2 is DEFERRED, and gives no reason"),
        (15, "item a1 names no file (`Where:`)"),
        (15, "item a1 does not say when it is done (`Done when:`)"),
    ]
    assert lacks(render(replace(OWN, items=()))) == [
        (1, "the verdict is REVISE, and no item says what to do")
    ]


def test_what_is_not_of_our_format_is_told_with_its_line() -> None:
    text = render(OWN).replace("**Verdict:** REVISE", "**Verdict:** FINE")
    assert lacks(text) == [(4, "expected one of PASS, REVISE, ESCALATE, SKIP")]
