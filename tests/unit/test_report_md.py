"""sparky's own reports: people read them, and nothing is lost on the way back."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparky.domain.attempt import Evidence, Responsibility, Verdict
from sparky.domain.finding import Location
from sparky.domain.issue import Severity
from sparky.domain.report import ActionItem, Answer, Failure, Reply, Report, ReportId
from sparky.reports.report_md import MARK, ReportFormatError, is_own, parse, render

GOLDEN = Path(__file__).parent.parent / "golden" / "report_own.md"

REVIEW = Report(
    id=ReportId(agent="review", issue="5", version=2),
    verdict=Verdict.REVISE,
    sha="3f2a9c1d",
    summary="The discount is taken once now.\nMembers still get it twice.",
    answers=("CodingAgent_Issue#5_Report_v1.md",),
    replies=(
        Reply(item="a1b2c3d4", answer=Answer.FIXED, commit="3f2a9c1d", reason="once, in `total`"),
        Reply(item="#2", answer=Answer.REJECTED, reason="the issue asks for a | b, not for <both>"),
    ),
    findings=(
        Failure(
            title="Discount taken twice",
            severity=Severity.HIGH,
            expected="90",
            actual="81",
            root_cause="`total` calls `discounted` in the loop and after it",
            location=Location(path="src/shop.py", line=42, symbol="total"),
        ),
        Failure(title="No docstring", severity=Severity.LOW),
    ),
    items=(
        ActionItem(
            id="e5f60718",
            owner=Responsibility.CODER,
            text="Take the discount once",
            location=Location(path="src/shop.py", line=42, column=5, symbol="total"),
            done_when="tests/test_shop.py::test_member passes",
        ),
        ActionItem(
            id="0918f7e6",
            owner=Responsibility.TESTER,
            text="Test a member without a discount",
            answer=Answer.FIXED,
            commit="77aa00bb",
            why="test_plain_member",
        ),
    ),
    evidence=(
        Evidence(
            command=("pytest", "-k", "a or b", ""),
            code=1,
            output="9f86d081",
            sha="3f2a9c1d",
            seconds=1.25,
            note="11 passed, 1 failed",
            sandbox="bubblewrap",
        ),
    ),
    next_step="The coder takes e5f60718.",
)

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TRAPS = st.sampled_from(
    [
        "## Answers", "a | b", "|", "\\", "\\|", "<br>", "\n", "\r\n", "&#32;", "`", "``", '"', '"a"', " a ",
        "- [ ] `x` for the coder: y", "- **Where:** x", "**Answers:** `a`", "\u2028", "\x85", "\x00", "```",
    ]
)  # fmt: skip
TEXT = st.one_of(WORDS, TRAPS, st.lists(TRAPS, max_size=4).map("".join))
PLACE = st.none() | st.builds(
    Location,
    path=TEXT,
    line=st.none() | st.integers(0, 10**6),
    column=st.none() | st.integers(0, 10**6),
    symbol=TEXT,
)
REPLY = st.builds(Reply, item=TEXT, answer=st.sampled_from(Answer), commit=TEXT, reason=TEXT)
FAILURE = st.builds(
    Failure,
    title=TEXT,
    severity=st.sampled_from(Severity),
    expected=TEXT,
    actual=TEXT,
    root_cause=TEXT,
    location=PLACE,
)
ITEM = st.builds(
    ActionItem,
    id=TEXT,
    owner=st.sampled_from(Responsibility),
    text=TEXT,
    location=PLACE,
    done_when=TEXT,
    answer=st.none() | st.sampled_from(Answer),
    commit=TEXT,
    why=TEXT,
)
SEEN = st.builds(
    Evidence,
    command=st.lists(TEXT, max_size=3).map(tuple),
    code=st.integers(-300, 300),
    output=TEXT,
    sha=TEXT,
    seconds=st.floats(0, 1e6),
    note=TEXT,
    sandbox=TEXT,
)
REPORT = st.builds(
    Report,
    id=st.builds(ReportId, agent=TEXT, issue=TEXT, version=st.integers(1, 10**8)),
    verdict=st.sampled_from(Verdict),
    sha=TEXT,
    summary=TEXT,
    answers=st.lists(TEXT, max_size=2).map(tuple),
    replies=st.lists(REPLY, max_size=2).map(tuple),
    findings=st.lists(FAILURE, max_size=2).map(tuple),
    items=st.lists(ITEM, max_size=2).map(tuple),
    evidence=st.lists(SEEN, max_size=2).map(tuple),
    next_step=TEXT,
)


@given(REPORT)
def test_every_report_comes_back_as_it_was(report: Report) -> None:
    text = render(report)
    assert parse(text) == report
    assert parse("\ufeff" + text.replace("\n", "\r\n")) == report


def test_a_person_reads_it_as_the_golden_file_shows() -> None:
    assert render(REVIEW) == GOLDEN.read_text(encoding="utf-8")
    assert parse(GOLDEN.read_text(encoding="utf-8")) == REVIEW


def test_a_finding_knows_the_line_that_it_was_read_on() -> None:
    assert [finding.line for finding in parse(render(REVIEW)).findings] == [19, 25]


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(UnicodeError):
        render(Report(id=REVIEW.id, verdict=Verdict.PASS, sha="", summary="\ud800"))


def test_a_report_says_that_it_is_one_of_ours() -> None:
    assert is_own(render(REVIEW))
    assert not is_own("# Review\n")


BARE = f"{MARK}\n# Issue `5`: report 1 by `coding`\n**Verdict:** PASS, at `abc`\n"

REPLIES = f"{BARE}## Answers\n| item | answer | commit | reason |\n|---|---|---|---|\n"
SEEN_AT = "| command | code | at | seconds | output | note | sandbox |\n|---|---|---|---|---|---|---|\n"
WHO = [each.value for each in Responsibility]


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("# Review\n", 1, f"`{MARK}`"),
        (f"{MARK}\n\n# Review\n", 3, "`# Issue `ID`: report VERSION by `AGENT``"),
        (BARE.replace("PASS", "pass"), 3, "`**Verdict:** PASS, REVISE, ESCALATE or SKIP, at `SHA``"),
        (BARE.replace("abc", "\udcee"), 3, "text in UTF-8"),
        (BARE.replace("PASS", "FINE"), 3, "one of PASS, REVISE, ESCALATE, SKIP"),
        (
            f"{BARE}\n## Remarks\n",
            5,
            "nothing more, or a section in its place: Answers, Findings, Action items, Evidence, Next step",
        ),
        (f"{BARE}## Answers\nnone\n", 5, "a table of item, answer, commit, reason"),
        (
            f"{BARE}## Answers\n| item | answer | commit | reason |\n",
            7,
            "the line under the head of a table",
        ),
        (
            f"{REPLIES}| `1` | FIXED |\n",
            7,
            "4 cells: item, answer, commit, reason",
        ),
        (
            f"{REPLIES}| `1` | DONE | `a` | |\n",
            7,
            "4 cells: item, answer, commit, reason",
        ),
        (
            f"{REPLIES}| `1` | DONE | `a` | x |\n",
            7,
            "one of FIXED, REJECTED, DEFERRED",
        ),
        (f"{BARE}## Findings\n### grave: x\n", 5, "one of low, medium, high, critical"),
        (
            f"{BARE}## Findings\n### low: x\n- **Colour:** red\n",
            6,
            "one of the fields Where, Expected, Actual, Root cause",
        ),
        (
            f"{BARE}## Findings\n### low: x\n- **Where:** here\n- **Actual:** 2\n",
            6,
            "`Where:` as `PATH` line LINE in `SYMBOL`",
        ),
        (
            f"{BARE}## Action items\n- [ ] `a` for the coder: x\n  - **Answer:** DONE\n  - **Why:** x\n",
            6,
            "one of FIXED, REJECTED, DEFERRED",
        ),
        (f"{BARE}## Action items\n- [ ] `a` for the cook: x\n", 5, f"one of {', '.join(WHO)}"),
        (
            f"{BARE}## Evidence\n{SEEN_AT}| pytest | one | `a` | 1.0 | `b` | x | off |\n",
            7,
            "a command line, a whole number, a commit and seconds",
        ),
    ],
)
def test_what_is_not_of_the_format_is_told_with_its_line(text: str, line: int, expected: str) -> None:
    with pytest.raises(ReportFormatError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.expected) == (line, expected)
    assert str(caught.value) == f"line {line}: expected {expected}"
