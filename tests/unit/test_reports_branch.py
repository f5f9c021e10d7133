"""The reports of a branch: each role's scenario, its items, and what others have answered since."""

from collections.abc import Mapping

import pytest

from sparky.domain.agent import Role
from sparky.domain.attempt import Evidence, Responsibility, Verdict
from sparky.domain.change import Lines
from sparky.domain.finding import Location
from sparky.domain.report import ActionItem, Answer, Filed, Reply, Report, ReportId, read_name
from sparky.reports.branch import Left, brief
from sparky.reports.own import read_any, reading_of
from sparky.reports.reading import MergeDecision
from sparky.reports.report_md import render
from sparky.reports.settled import Settled, Settlement, Since, settle
from sparky.reports.told import Briefing, Scenario

REVIEW = """
## Resolution Required
CODING_AGENT: reject a blank name in validate_name() (File: src/names.py, Item: #1)
TESTING_AGENT: cover a blank name (File: tests/test_names.py, Item: #2)
## Merge Decision
BLOCKED
"""
FOR_CODER = "CODING_AGENT: mend src/names.py\nMerge decision: blocked\n"
FOR_TESTER = "TESTING_AGENT: mend tests/test_names.py\nMerge decision: blocked\n"
APPROVED = "Merge decision: approved\n"
UNCLEAR = "test_blank failed - expected 201, got 400\n"


def left(name: str, text: str, rank: int) -> Left:
    found = read_name(f"{name}.md")
    assert isinstance(found, ReportId)
    filed = Filed(id=found, path=f"docs/reports/{name}.md", commit=f"c{rank}", rank=rank)
    return Left(filed=filed, reading=read_any(text))


def coding(version: int, text: str, rank: int) -> Left:
    return left(f"CodingAgent_Issue#5_Report_v{version}", text, rank)


def by_tester(version: int, text: str, rank: int) -> Left:
    return left(f"TestingAgent_Issue#5_Report_v{version}", text, rank)


def review(version: int, text: str, rank: int) -> Left:
    return left(f"ReviewAgent_Issue#5_Report_v{version}", text, rank)


def answer(*replies: Reply) -> str:
    report = Report(
        id=ReportId(agent="coding", issue="5", version=2),
        verdict=Verdict.PASS,
        sha="c9",
        answers=("ReviewAgent_Issue#5_Report_v1.md",),
        replies=replies,
    )
    return render(report)


CASES: list[tuple[Role, list[Left], Scenario, Responsibility]] = [
    (Role.CODER, [], Scenario.FRESH_START, Responsibility.CODER),
    (Role.CODER, [by_tester(1, APPROVED, 1)], Scenario.FRESH_START, Responsibility.CODER),
    (Role.CODER, [coding(1, "", 1), review(1, REVIEW, 2)], Scenario.RETRY_AFTER_REVIEW, Responsibility.CODER),
    (
        Role.CODER,
        [coding(1, "", 1), by_tester(1, FOR_CODER, 2)],
        Scenario.RETRY_AFTER_TESTING,
        Responsibility.CODER,
    ),
    (
        Role.CODER,
        [coding(1, "", 1), by_tester(1, FOR_CODER, 2), review(1, FOR_CODER, 3)],
        Scenario.RETRY_AFTER_REVIEW,
        Responsibility.CODER,
    ),
    (
        Role.CODER,
        [coding(1, "", 1), review(1, FOR_TESTER, 2)],
        Scenario.NOT_MY_RESPONSIBILITY,
        Responsibility.TESTER,
    ),
    (
        Role.CODER,
        [review(1, REVIEW, 1), coding(2, "", 2)],
        Scenario.NOT_MY_RESPONSIBILITY,
        Responsibility.UNKNOWN,
    ),
    (
        Role.CODER,
        [coding(1, "", 1), by_tester(1, UNCLEAR, 2)],
        Scenario.NOT_MY_RESPONSIBILITY,
        Responsibility.UNKNOWN,
    ),
    (Role.TESTER, [coding(1, "", 1)], Scenario.FRESH_TEST_CREATION, Responsibility.TESTER),
    (
        Role.TESTER,
        [by_tester(1, "", 1), review(1, FOR_TESTER, 2)],
        Scenario.RETRY_AFTER_REVIEW_BLOCK,
        Responsibility.TESTER,
    ),
    (
        Role.TESTER,
        [by_tester(1, "fixture 'db' not found\n", 1)],
        Scenario.RETRY_TESTS_FAILED,
        Responsibility.TESTER,
    ),
    (
        Role.TESTER,
        [by_tester(1, "", 1), review(1, FOR_CODER, 2)],
        Scenario.NOT_MY_RESPONSIBILITY,
        Responsibility.CODER,
    ),
    (Role.REVIEWER, [coding(1, "", 1)], Scenario.FRESH_REVIEW, Responsibility.REVIEWER),
    (Role.REVIEWER, [review(1, REVIEW, 1), coding(2, "", 2)], Scenario.REVIEW_AGAIN, Responsibility.REVIEWER),
    (
        Role.REVIEWER,
        [coding(2, "", 1), review(1, REVIEW, 2)],
        Scenario.NOT_MY_RESPONSIBILITY,
        Responsibility.UNKNOWN,
    ),
    (Role.DOCUMENTER, [], Scenario.FRESH_START, Responsibility.DOCUMENTER),
    (
        Role.DOCUMENTER,
        [review(1, "Documentation Agent: describe it in docs/a.md\n", 1)],
        Scenario.RETRY_AFTER_REVIEW,
        Responsibility.DOCUMENTER,
    ),
]


@pytest.mark.parametrize(("role", "reports", "scenario", "responsibility"), CASES)
def test_each_role_starts_from_its_scenario(
    role: Role, reports: list[Left], scenario: Scenario, responsibility: Responsibility
) -> None:
    told = brief(role, reports)
    assert (told.scenario, told.responsibility) == (scenario, responsibility)


def test_the_newest_version_is_chosen_and_the_others_are_named() -> None:
    reports = [review(2, FOR_CODER, 4), review(10, FOR_CODER, 5), review(9, FOR_CODER, 3), coding(1, "", 1)]
    told = brief(Role.CODER, reports)
    assert told.chosen is not None
    assert told.chosen.id.version == 10
    assert told.passed_over == (
        ("docs/reports/ReviewAgent_Issue#5_Report_v2.md", "ReviewAgent_Issue#5_Report_v10.md is newer"),
        ("docs/reports/ReviewAgent_Issue#5_Report_v9.md", "ReviewAgent_Issue#5_Report_v10.md is newer"),
        ("docs/reports/CodingAgent_Issue#5_Report_v1.md", "it does not decide for this role"),
    )


def test_when_both_are_named_the_tester_waits_for_the_coder_and_then_works() -> None:
    before = [coding(1, "", 1), by_tester(1, "", 2), review(1, REVIEW, 3)]
    told = brief(Role.TESTER, before)
    assert (told.scenario, told.wait_for) == (Scenario.RETRY_AFTER_REVIEW_BLOCK, Responsibility.CODER)
    done = coding(2, answer(Reply(item="#1", answer=Answer.FIXED, commit="c9")), 4)
    after = brief(
        Role.TESTER, [*before, done], diff=lambda *_: {"src/names.py": Lines(added=("def validate_name():",))}
    )
    assert ([item.id for item in after.items], after.wait_for) == (["#2"], None)
    assert after.settled == (
        Settlement(
            item="#1",
            settled=Settled.FIXED,
            reason="FIXED in c9: the diff touches src/names.py, validate_name in it",
        ),
    )


def test_where_the_reports_do_not_say_the_evidence_decides() -> None:
    reports = [coding(1, "", 1), by_tester(1, UNCLEAR, 2)]
    told = brief(Role.CODER, reports, judged=Responsibility.CODER)
    assert (told.scenario, told.responsibility) == (Scenario.RETRY_AFTER_TESTING, Responsibility.CODER)
    other = brief(Role.CODER, reports, judged=Responsibility.ENVIRONMENT)
    assert (other.scenario, other.responsibility) == (
        Scenario.NOT_MY_RESPONSIBILITY,
        Responsibility.ENVIRONMENT,
    )


def test_two_reports_of_one_commit_count_as_unseen() -> None:
    assert (
        brief(Role.CODER, [coding(1, "", 1), review(1, FOR_CODER, 1)]).scenario is Scenario.RETRY_AFTER_REVIEW
    )


def test_a_start_says_why() -> None:
    assert brief(Role.CODER, []) == Briefing(
        role=Role.CODER,
        scenario=Scenario.FRESH_START,
        responsibility=Responsibility.CODER,
        reason="no report of a coder yet, and nothing is asked",
        confidence=1.0,
    )


AT = Location(path="src/names.py", symbol="Names.validate")
TEXT = "Reject blank names before the database is asked"
CHANGED: Mapping[str, Lines] = {"lib/src/names.py": Lines(removed=("    def validate(self):",))}
FIXED = Reply(item="1", answer=Answer.FIXED, commit="abc1234")


@pytest.mark.parametrize(
    ("location", "reply", "since", "settled"),
    [
        (AT, FIXED, Since(diff=CHANGED), Settled.FIXED),
        (AT, FIXED, Since(diff={"src/names.py": Lines(added=("x = 1",))}), Settled.LIKELY),
        (AT, FIXED, Since(diff={"src/names.py": Lines(added=("x = 1",))}, gone=True), Settled.FIXED),
        (AT, FIXED, Since(diff={"src/other.py": Lines()}), Settled.UNKNOWN),
        (AT, FIXED, Since(), Settled.UNKNOWN),
        (None, FIXED, Since(diff=CHANGED), Settled.LIKELY),
        (None, FIXED, Since(diff=CHANGED, gone=True), Settled.FIXED),
        (Location(path="src/names.py"), FIXED, Since(diff=CHANGED), Settled.FIXED),
        (AT, FIXED, Since(diff=CHANGED, gone=False), Settled.OPEN),
        (AT, Reply(item="1", answer=Answer.REJECTED, reason="as asked"), Since(diff=CHANGED), Settled.OPEN),
        (AT, Reply(item="1", answer=Answer.DEFERRED), Since(diff=CHANGED), Settled.OPEN),
        (AT, None, Since(diff=CHANGED, told="Blank names are refused before the database"), Settled.LIKELY),
        (AT, None, Since(diff=CHANGED, gone=True), Settled.LIKELY),
        (AT, None, Since(diff=CHANGED, told="validation"), Settled.UNKNOWN),
        (AT, None, Since(told="Blank names are refused before the database"), Settled.UNKNOWN),
        (None, None, Since(diff=CHANGED, told=TEXT), Settled.UNKNOWN),
    ],
)
def test_an_answer_is_a_claim_that_the_diff_bears_out_or_not(
    location: Location | None, reply: Reply | None, since: Since, settled: Settled
) -> None:
    item = ActionItem(id="1", owner=Responsibility.CODER, text=TEXT, location=location)
    assert settle(item, reply, since).settled is settled


def test_the_word_validation_alone_never_makes_anything_fixed() -> None:
    item = ActionItem(id="1", owner=Responsibility.CODER, text="Fix the validation", location=AT)
    told = "The validation was fixed, all of the validation."
    assert settle(item, None, Since(diff=CHANGED, told=told)).settled is Settled.UNKNOWN


@pytest.mark.parametrize(
    ("verdict", "codes", "decision", "status"),
    [
        (Verdict.PASS, (0, 0), MergeDecision.APPROVED, "success"),
        (Verdict.REVISE, (0, 1), MergeDecision.BLOCKED, "failed"),
        (Verdict.ESCALATE, (), MergeDecision.BLOCKED, "unknown"),
        (Verdict.SKIP, (), MergeDecision.UNCLEAR, "unknown"),
    ],
)
def test_a_report_of_our_own_reads_like_any_other(
    verdict: Verdict, codes: tuple[int, ...], decision: MergeDecision, status: str
) -> None:
    seen = tuple(Evidence(command=("x",), code=code, output="", sha="", seconds=0.0) for code in codes)
    report = Report(
        id=ReportId(agent="review", issue="5", version=1), verdict=verdict, sha="c", evidence=seen
    )
    reading = reading_of(report)
    assert (reading.merge_decision, reading.pipeline_status) == (decision, status)
    assert read_any(render(report)) == reading


def test_a_broken_report_of_our_own_is_read_as_far_as_it_goes() -> None:
    item = ActionItem(
        id="a1", owner=Responsibility.TESTER, text="cover it", location=Location(path="tests/a.py")
    )
    report = Report(
        id=ReportId(agent="review", issue="5", version=1), verdict=Verdict.REVISE, sha="c", items=(item,)
    )
    reading = read_any(render(report).replace("**Verdict:** REVISE", "**Verdict:** blocked"))
    assert reading.unread[0].line == 4
    assert [one.owner for one in reading.items] == [Responsibility.TESTER]
