"""What sparky itself reports of an attempt: answers by what the diff shows, whatever the agent says."""

from dataclasses import replace

import pytest

from sparky.domain.agent import Role
from sparky.domain.attempt import Evidence, Responsibility, Stage, Verdict
from sparky.domain.change import Lines
from sparky.domain.finding import Location
from sparky.domain.issue import Severity
from sparky.domain.report import ActionItem, Answer, Failure, Filed, Reply, ReportId
from sparky.reports.branch import Briefing, Left, Scenario, brief
from sparky.reports.compose import report_of, skip_report
from sparky.reports.own import reading_of
from sparky.reports.report_md import parse, render
from tests.builders import ISSUE, changed, refusal, sha, state_of, visited

REVIEW = Filed(
    id=ReportId(agent="review", issue="7", version=2), path="ReviewAgent_Issue#7_Report_v2.md", rank=1
)
IN_SHOP = ActionItem(
    id="1", owner=Responsibility.CODER, text="once", location=Location(path="shop.py", symbol="total")
)
IN_CART = ActionItem(id="2", owner=Responsibility.CODER, text="twice", location=Location(path="cart.py"))
ANYWHERE = ActionItem(id="3", owner=Responsibility.CODER, text="somewhere")
TOLD = Briefing(
    role=Role.CODER,
    scenario=Scenario.RETRY_AFTER_REVIEW,
    responsibility=Responsibility.CODER,
    reason="2 items",
    chosen=REVIEW,
    items=(IN_SHOP, IN_CART, ANYWHERE),
)
SEEN = Evidence(command=("pytest",), code=1, output="d", sha=sha("a"), seconds=1.0)


def test_a_red_test_becomes_items_for_whom_the_evidence_names() -> None:
    test = replace(
        visited(
            Stage.TEST, Verdict.REVISE, to=sha("a"), items=("tests/test_shop.py::test_total: 3 is not 4",)
        ),
        responsibility=Responsibility.TESTER,
        evidence=(SEEN,),
    )
    report = report_of(state_of(test), test, [])
    assert report.id == ReportId(agent="testing", issue="7", version=1)
    assert (report.verdict, report.sha, report.summary) == (Verdict.REVISE, sha("a"), "test said 1")
    (item,) = report.items
    assert (item.owner, item.text, item.location) == (
        Responsibility.TESTER,
        "tests/test_shop.py::test_total: 3 is not 4",
        Location(path="tests/test_shop.py"),
    )
    assert (report.evidence, report.next_step) == ((SEEN,), "The tester goes on.")
    assert parse(render(report)) == report


def test_a_review_that_refuses_asks_the_coder_and_names_its_gates() -> None:
    review = replace(
        visited(Stage.REVIEW, Verdict.REVISE, items=("shop.py: too far",)), gates=(refusal(Severity.HIGH),)
    )
    report = report_of(state_of(review), review, [REVIEW])
    assert (report.id.agent, report.id.version) == ("review", 3)
    assert report.findings == (Failure(title="scope", severity=Severity.HIGH, root_cause="too far"),)
    assert [item.owner for item in report.items] == [Responsibility.CODER]


def test_what_an_attempt_was_told_is_answered_by_its_diff() -> None:
    attempt = changed("coder", sha("b"))
    diff = {"shop.py": Lines(added=("def total():",))}
    report = report_of(state_of(attempt), attempt, [REVIEW], TOLD, diff)
    assert (report.id.agent, report.answers) == ("coding", ("ReviewAgent_Issue#7_Report_v2.md",))
    assert [(reply.item, reply.answer, reply.commit) for reply in report.replies] == [
        ("1", Answer.FIXED, sha("b")),
        ("2", Answer.DEFERRED, ""),
        ("3", Answer.FIXED, sha("b")),
    ]


@pytest.mark.parametrize("diff", [None, {}])
def test_without_a_diff_nothing_is_answered_fixed(diff: dict[str, Lines] | None) -> None:
    attempt = changed("coder", sha("b"))
    report = report_of(state_of(attempt), attempt, [], TOLD, diff)
    assert {reply.answer for reply in report.replies} == {Answer.DEFERRED}


def test_the_next_agent_reads_what_was_left() -> None:
    review = visited(Stage.REVIEW, Verdict.REVISE, items=("shop.py: `total()` counts twice",))
    asked = report_of(state_of(review), review, [])
    left = Left(filed=Filed(id=asked.id, path="r1.md", commit="c1", rank=1), reading=reading_of(asked))
    told = brief(Role.CODER, [left])
    assert (told.scenario, [item.text for item in told.items]) == (
        Scenario.RETRY_AFTER_REVIEW,
        ["shop.py: `total()` counts twice"],
    )
    attempt = changed("coder", sha("b"))
    diff = {"shop.py": Lines(added=("def total():",))}
    done = report_of(state_of(attempt), attempt, [left.filed], told, diff)
    answered = Left(filed=Filed(id=done.id, path="c1.md", commit="c2", rank=2), reading=reading_of(done))
    again = brief(Role.REVIEWER, [left, answered], diff=lambda *_: diff)
    assert again.scenario is Scenario.REVIEW_AGAIN
    assert [one.settled.value for one in again.settled] == ["fixed"]
    assert brief(Role.CODER, [left, answered]).scenario is Scenario.NOT_MY_RESPONSIBILITY


def test_who_hands_over_leaves_a_short_report_that_says_why() -> None:
    told = replace(
        TOLD, scenario=Scenario.NOT_MY_RESPONSIBILITY, responsibility=Responsibility.TESTER, reason="so"
    )
    report = skip_report(Role.CODER, told, [], ISSUE.id, sha("a"))
    assert (report.id, report.verdict) == (ReportId(agent="coding", issue="7", version=1), Verdict.SKIP)
    assert (report.summary, report.next_step) == ("Not the coder's responsibility: so", "The tester goes on.")
    alone = skip_report(
        Role.TESTER, replace(told, chosen=None, responsibility=Responsibility.UNKNOWN), [], "7", ""
    )
    assert (alone.id.agent, alone.answers, alone.next_step) == ("testing", (), "")


def test_an_answer_of_the_diff_is_taken_back_to_the_reader() -> None:
    attempt = changed("coder", sha("b"))
    report = report_of(state_of(attempt), attempt, [], TOLD, {"shop.py": Lines(added=("total",))})
    assert reading_of(report).replies[0] == Reply(
        item="1",
        answer=Answer.FIXED,
        commit=sha("b"),
        reason="the diff touches shop.py, total in it",
    )
