"""What sparky itself reports of an attempt: answers by what the diff shows, whatever the agent says."""

from dataclasses import replace

import pytest

from sparky.domain.agent import Role
from sparky.domain.attempt import Evidence, Responsibility, Stage, Trait, Verdict
from sparky.domain.change import Lines
from sparky.domain.finding import Location
from sparky.domain.issue import Severity
from sparky.domain.report import ActionItem, Answer, Failure, Filed, Reply, ReportId
from sparky.reports.branch import Left, brief
from sparky.reports.compose import author, replies_of, report_of, skip_report
from sparky.reports.own import read_any, reading_of
from sparky.reports.report_md import parse, render
from sparky.reports.told import Briefing, Scenario
from tests.builders import BASE, changed, executed, refusal, sha, visited

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


def id_of(agent: str, version: int = 1) -> ReportId:
    return ReportId(agent=agent, issue="7", version=version)


def test_a_red_test_becomes_items_for_whom_the_evidence_names() -> None:
    test = replace(
        visited(
            Stage.TEST, Verdict.REVISE, to=sha("a"), items=("tests/test_shop.py::test_total: 3 is not 4",)
        ),
        responsibility=Responsibility.TESTER,
        evidence=(SEEN,),
    )
    report = report_of(test, id_of("testing"), sha("a"))
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
    report = report_of(review, id_of("review", 3), BASE)
    assert report.findings == (Failure(title="scope", severity=Severity.HIGH, root_cause="too far"),)
    assert [item.owner for item in report.items] == [Responsibility.CODER]


def test_what_an_attempt_was_told_is_answered_by_its_diff() -> None:
    attempt = changed("coder", sha("b"))
    diff = {"shop.py": Lines(added=("def total():",))}
    replies = replies_of(TOLD.items, sha("b"), diff, "mended")
    report = report_of(attempt, id_of("coding"), sha("b"), told=TOLD, replies=replies)
    assert report.answers == ("ReviewAgent_Issue#7_Report_v2.md",)
    assert [(reply.item, reply.answer, reply.commit) for reply in report.replies] == [
        ("1", Answer.FIXED, sha("b")),
        ("2", Answer.DEFERRED, ""),
        ("3", Answer.FIXED, sha("b")),
    ]


def test_without_a_diff_nothing_is_answered_fixed() -> None:
    assert {reply.answer for reply in replies_of(TOLD.items, sha("b"), {}, "")} == {Answer.DEFERRED}


def test_an_agent_may_refuse_an_item_in_its_own_words() -> None:
    diff = {"shop.py": Lines(added=("def total():",)), "cart.py": Lines(added=("x",))}
    said = "done\n- **REJECTED** 2: it counts twice on purpose\nDEFERRED 9: of another\nREJECTED 3\n"
    assert [
        (reply.item, reply.answer, reply.reason) for reply in replies_of(TOLD.items, sha("b"), diff, said)
    ] == [
        ("1", Answer.FIXED, "the diff touches shop.py, total in it"),
        ("2", Answer.REJECTED, "it counts twice on purpose"),
        ("3", Answer.REJECTED, ""),
    ]


def test_a_reviewers_items_stay_each_with_its_owner() -> None:
    review = read_any("CODING_AGENT: count once (shop.py)\nTESTING_AGENT: test it (test_shop.py)\nBlocked.\n")
    attempt = visited(Stage.REVIEW, Verdict.REVISE, items=("count once", "test it"))
    report = report_of(attempt, id_of("review"), BASE, review=review)
    assert [(item.owner.value, item.text) for item in report.items] == [
        ("coder", "count once (shop.py)"),
        ("tester", "test it (test_shop.py)"),
    ]


def test_what_stays_after_verify_is_nobodys_item() -> None:
    verified = visited(Stage.VERIFY, items=("shop.py:3 F401 stays",))
    assert report_of(verified, id_of("review"), BASE).items == ()
    refused = replace(verified, verdict=Verdict.REVISE, validation_errors=("1 finding appeared",))
    assert [item.text for item in report_of(refused, id_of("review"), BASE).items] == ["1 finding appeared"]


def test_the_next_agent_reads_what_was_left() -> None:
    review = visited(Stage.REVIEW, Verdict.REVISE, items=("shop.py: `total()` counts twice",))
    asked = report_of(review, id_of("review"), sha("a"))
    left = Left(filed=Filed(id=asked.id, path="r1.md", commit="c1", rank=1), reading=reading_of(asked))
    told = brief(Role.CODER, [left])
    assert (told.scenario, [item.text for item in told.items]) == (
        Scenario.RETRY_AFTER_REVIEW,
        ["shop.py: `total()` counts twice"],
    )
    attempt = changed("coder", sha("b"))
    diff = {"shop.py": Lines(added=("def total():",))}
    replies = replies_of(told.items, sha("b"), diff, "")
    done = report_of(attempt, id_of("coding"), sha("b"), told=told, replies=replies)
    answered = Left(filed=Filed(id=done.id, path="c1.md", commit="c2", rank=2), reading=reading_of(done))
    again = brief(Role.REVIEWER, [left, answered], diff=lambda *_: diff)
    assert again.scenario is Scenario.REVIEW_AGAIN
    assert [one.settled.value for one in again.settled] == ["fixed"]
    assert brief(Role.CODER, [left, answered]).scenario is Scenario.NOT_MY_RESPONSIBILITY


def test_who_hands_over_leaves_a_short_report_that_says_why() -> None:
    told = replace(
        TOLD, scenario=Scenario.NOT_MY_RESPONSIBILITY, responsibility=Responsibility.TESTER, reason="so"
    )
    attempt = executed("coder", Verdict.REVISE, Trait.HANDED_OVER)
    report = report_of(replace(attempt, reason="so"), id_of("coding"), sha("a"), told=told)
    assert (report.id, report.verdict) == (id_of("coding"), Verdict.SKIP)
    assert (report.summary, report.next_step) == ("Not the coder's responsibility: so", "The tester goes on.")
    alone = replace(told, chosen=None, responsibility=Responsibility.UNKNOWN)
    said = skip_report(alone, id_of("coding"), "", "so")
    assert (said.answers, said.next_step) == ((), "")


def test_an_answer_of_the_diff_is_taken_back_to_the_reader() -> None:
    attempt = changed("coder", sha("b"))
    replies = replies_of(TOLD.items, sha("b"), {"shop.py": Lines(added=("total",))}, "")
    report = report_of(attempt, id_of("coding"), sha("b"), told=TOLD, replies=replies)
    assert reading_of(report).replies[0] == Reply(
        item="1",
        answer=Answer.FIXED,
        commit=sha("b"),
        reason="the diff touches shop.py, total in it",
    )


@pytest.mark.parametrize(
    ("stage", "agent", "role", "name"),
    [
        (Stage.EXECUTE, "dead-code", Role.CODER, "deadcode"),
        (Stage.EXECUTE, "coder", Role.CODER, "coding"),
        (Stage.EXECUTE, "tess", Role.TESTER, "testing"),
        (Stage.TEST, "tester", Role.TESTER, "testing"),
        (Stage.REVIEW, "mechanical-reviewer", Role.CODER, "review"),
        (Stage.VERIFY, "verifier", Role.CODER, "review"),
    ],
)
def test_reports_bear_the_name_of_what_was_done(stage: Stage, agent: str, role: Role, name: str) -> None:
    assert author(replace(visited(stage), agent=agent), role) == name
