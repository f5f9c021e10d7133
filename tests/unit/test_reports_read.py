"""The tolerant reader: what stands in a report is found, however it is written, and nothing breaks it."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from re import _parser as sre  # type: ignore[attr-defined]
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparky.domain.attempt import Responsibility
from sparky.domain.finding import Location
from sparky.domain.report import Answer, Failure
from sparky.reports import causes, decision, gather, heads, lines, phrases, places, vocabulary, weigh, words
from sparky.reports import read as reader
from sparky.reports.lines import FENCES, LIMIT, LONGEST
from sparky.reports.mine import whose
from sparky.reports.places import find_place, is_document, is_test
from sparky.reports.read import read
from sparky.reports.reading import MergeDecision, Unread

GOLDEN = Path(__file__).parent.parent / "golden" / "reports"
PIECES = st.sampled_from(
    [
        "## Resolution Required", "CODING_AGENT:", "**Testing Agent:**", "# ", "```", "~~~", "<!--", "-->",
        "| a | b |", "|---|---|", "| Owner | Task |", "- [x] ", "1. ", "[HIGH] ", "Expected:",
        "got", "Merge Decision", "APPROVED", "(File: a.py, Item: #2)", "→", " - ", ":", "\t", "  ", "\r",
        "\x00", "\u2028", "✅", "a/b.py:3",
        "none", "> ", "---", "test_a fails", "Root cause: x()", "\ud800",
    ]
)  # fmt: skip
TEXT = st.lists(st.one_of(PIECES, st.text(max_size=12), st.just("\n")), max_size=60).map("".join)


def golden(name: str) -> str:
    return (GOLDEN / f"{name}.md").read_text(encoding="utf-8")


def test_a_review_is_read_with_everything_that_it_says() -> None:
    reading = read(golden("resolution/both"))
    assert (reading.pipeline_status, reading.failed_jobs) == ("failed", ("test", "mypy"))
    (failure,) = reading.failures
    assert failure == Failure(
        title="test_create_project",
        expected="201",
        actual="400",
        root_cause="validate_name() in src/projects/names.py rejects umlauts",
        location=Location(path="src/projects/names.py", line=17),
    )
    assert failure.line == 12
    assert [(item.owner.value, item.text, item.location) for item in reading.items] == [
        (
            "coder",
            "Allow all letters in validate_name (src/projects/names.py)",
            Location(path="src/projects/names.py"),
        ),
        (
            "coder",
            "Add the missing annotation in src/projects/models.py line 9",
            Location(path="src/projects/models.py", line=9),
        ),
        ("tester", "Cover names with umlauts in tests/test_names.py", Location(path="tests/test_names.py")),
    ]
    assert [line for _, line in reading.lines] == [20, 21, 22]
    assert reading.merge_decision is MergeDecision.BLOCKED
    assert reading.assumed == frozenset()


def test_the_details_of_an_item_become_its_id_and_place() -> None:
    item = read(golden("bold/as_told")).items[0]
    assert (item.id, item.text) == ("#2", "catch the missing key")
    assert item.location == Location(path="a.py")


def test_a_ticked_box_and_a_done_row_are_answers() -> None:
    assert [item.answer for item in read(golden("checklist/owners")).items] == [Answer.FIXED, None, None]
    rows = read(golden("disposition/round3")).items
    assert [item.answer for item in rows] == [Answer.FIXED, None, Answer.REJECTED]


def test_an_item_that_is_said_twice_is_one_and_keeps_its_answer() -> None:
    text = "- [ ] mend a.py\n- [ ] mend b.py\n- [x] mend a.py\n"
    assert [(item.text, item.answer) for item in read(text).items] == [
        ("mend a.py", None),
        ("mend b.py", None),
    ]


def test_a_line_of_a_list_that_ends_in_done_is_answered() -> None:
    text = "- a.py counts twice: fixed\n- b.py counts twice: not fixed\n"
    assert [item.answer for item in read(text).items] == [Answer.FIXED, None]


def test_a_finding_on_a_file_for_which_somebody_is_asked_by_name_is_told_once() -> None:
    text = "### High\n- a.py counts twice\n\nCODING_AGENT: count once in a.py\n"
    assert [item.text for item in read(text).items] == ["count once in a.py"]


def test_a_table_tells_what_each_item_is_done_by() -> None:
    items = read(golden("table/search")).items
    assert [(item.id, item.done_when) for item in items] == [
        ("A1", "test_percent passes"),
        ("A2", "no ResourceWarning"),
        ("A3", ""),
    ]


def test_a_finding_below_its_heading_gets_place_and_end_from_its_lines() -> None:
    told = "File: `core/locks.py`, line 61\nDone when: test_locks passes\nProblem: two orders\n"
    text = f"### [HIGH] Deadlock\n{told}"
    (item,) = read(text).items
    assert (item.location, item.done_when) == (Location(path="core/locks.py", line=61), "test_locks passes")


def test_headings_and_numbers_below_failures_are_failures() -> None:
    text = (
        "## Failures\n1. test_a breaks\nExpected: 1\nActual: 2\nLocation: a.py:3\n"
        "### Failure 2: the limit\nExpected: 3\nExpected: 4\n"
    )
    told = [(f.title, f.expected, f.actual, f.location, f.line) for f in read(text).failures]
    assert told == [
        ("test_a breaks", "1", "2", Location(path="a.py", line=3), 2),
        ("the limit", "3", "", None, 6),
        ("", "4", "", None, 8),
    ]


def test_an_assertion_in_prose_is_a_failure_with_both_sides() -> None:
    (failure,) = read("Test test_create_project failed - expected 201, got 400\n").failures
    assert (failure.title, failure.expected, failure.actual) == ("test_create_project", "201", "400")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("## Resolution Required\nwhatever that may be\n", 2),
        ("## Resolution Required\nCODING_AGENT: [what the coder has to fix]\n", 2),
        ("## Resolution Required\n\n| Foo | Bar |\n|---|---|\n", 3),
    ],
)
def test_what_is_not_understood_where_items_stand_is_named_with_its_line(text: str, line: int) -> None:
    assert [one.line for one in read(text).unread] == [line]
    assert read(text).items == ()


def test_quotes_code_and_comments_are_not_what_the_report_says() -> None:
    fences = "```\nCODING_AGENT: b\n```\n~~~\nCODING_AGENT: d\n~~~\n"
    quoted = f"> CODING_AGENT: a\n\n{fences}<!-- CODING_AGENT: c\n-->\n"
    assert read(quoted).items == ()
    assert "CODING_AGENT: b" in read(quoted).code


def test_a_fence_or_comment_that_nobody_closes_hides_nothing() -> None:
    for opening in ("```python", "~~~", "<!-- note"):
        assert len(read(f"{opening}\nCODING_AGENT: mend a.py\n").items) == 1, opening


def test_headings_are_also_those_that_are_underlined() -> None:
    text = "Resolution Required\n===================\n\n- CODING_AGENT: mend a.py\n"
    assert [item.text for item in read(text).items] == ["mend a.py"]


def test_what_is_too_long_is_named_and_the_end_is_read_all_the_same() -> None:
    text = "filler line\n" * 60_000 + "\n## Merge Decision\nBLOCKED\n"
    reading = read(text)
    assert reading.merge_decision is MergeDecision.BLOCKED
    (unread,) = reading.unread
    assert unread.line < 10_000
    assert unread.text.endswith(f"are not read: more than {LIMIT} characters")
    (cut,) = read("x" * 5_000).unread
    assert cut == Unread(line=1, text=f"cut off after {LONGEST} characters")
    (many,) = read("```\n```\n" * FENCES).unread
    assert many.text == f"nothing is read after {FENCES} lines of code fences"


def test_lists_ticked_by_pictures_are_lists_and_what_is_told_as_done_is_no_item() -> None:
    reading = read(
        "✅ Sign in\n❌ Reset: the link in the mail leads to a 404\n\n- Added a flag (`src/cli.py`)\n"
    )
    assert [(item.text, item.answer) for item in reading.items] == [
        ("Sign in", Answer.FIXED),
        ("Reset: the link in the mail leads to a 404", None),
    ]


@given(TEXT)
def test_no_text_breaks_the_reader(text: str) -> None:
    reading = read(text)
    assert len({item.id for item in reading.items}) == len(reading.items)
    assert reading.assumed <= {name for name, _ in reading.lines}
    rows = len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    assert all(1 <= one.line <= rows for one in reading.unread)
    assert 0.0 <= whose(reading).confidence <= 1.0


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every compiled pattern of the room."""
    for module in (
        causes,
        decision,
        gather,
        heads,
        lines,
        phrases,
        places,
        reader,
        vocabulary,
        weigh,
        words,
    ):
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                yield f"{module.__name__}.{name}", value
    for who, _, pattern in phrases.STATED:
        yield f"phrases.{who}", pattern


def repeats_a_repetition(parsed: Any, *, inside: bool = False) -> bool:
    """Whether an unbounded repetition holds another one: what makes a search exponential."""
    for operation, argument in parsed:
        endless, parts = False, []
        match str(operation):
            case "MAX_REPEAT" | "MIN_REPEAT":
                endless, parts = argument[1] == sre.MAXREPEAT, [argument[2]]
            case "SUBPATTERN":
                parts = [argument[3]]
            case "BRANCH" | "ASSERT" | "ASSERT_NOT":
                parts = argument[1] if str(operation) == "BRANCH" else [argument[1]]
        if endless and inside:
            return True
        if any(repeats_a_repetition(part, inside=inside or endless) for part in parts):
            return True
    return False


KNOWN = {"sparky.reports.lines._RULE"}
"""`(?:[-=*_]\\s*){3,}`: each round begins with a mark that blanks are not, so there is one way to match."""


def test_no_pattern_repeats_a_repetition() -> None:
    parsed = {name: sre.parse(pattern.pattern, pattern.flags) for name, pattern in patterns()}
    assert {name for name, tree in parsed.items() if repeats_a_repetition(tree)} <= KNOWN


def spent(text: str) -> float:
    """Seconds of the processor for one reading."""
    started = time.process_time()
    whose(read(text))
    return time.process_time() - started


@pytest.mark.parametrize("length", [4, LONGEST - 1], ids=["short lines", "long lines"])
@pytest.mark.parametrize("piece", ["- ", "!", "a ", "a_1/", "is not ", "wer: "])
def test_four_times_the_text_is_far_from_sixteen_times_the_work(piece: str, length: int) -> None:
    row = piece * max(1, length // len(piece)) + "\n"
    short, long = (row * (size // (len(row) + 16)) for size in (15_000, 60_000))
    assert any(spent(long) < 8 * spent(short) + 0.05 for _ in range(3))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("src/a.py:42", Location(path="src/a.py", line=42)),
        ("`src/a.py` (line 42)", Location(path="src/a.py", line=42)),
        ("./src/a.py#L42", Location(path="src/a.py", line=42)),
        ("/src/app/Position.java:[42,17]", Location(path="src/app/Position.java", line=42)),
        ("in a.py, Zeile 7: `total()` fehlt", Location(path="a.py", line=7, symbol="total")),
        ("Dockerfile is old", Location(path="Dockerfile")),
        ("`Cache` in cache.py", Location(path="cache.py", symbol="Cache")),
        ("see https://example.org/a.py", None),
        ("e.g. that", None),
    ],
)
def test_places_are_found_as_people_write_them(text: str, place: Location | None) -> None:
    assert find_place(text) == place


@pytest.mark.parametrize(
    "path", ["tests/a.py", "test_a.py", "src/AppTest.java", "a.spec.ts", "a_test.go", "conftest.py"]
)
def test_tests_are_told_by_the_customs_of_several_languages(path: str) -> None:
    assert is_test(path)
    assert not is_test("src/contest.py")


def test_documents_are_told_by_name_or_folder() -> None:
    assert [is_document(path) for path in ("docs/a.txt", "README.md", "a.py")] == [True, True, False]


def test_an_item_for_a_document_is_the_documenters() -> None:
    (item,) = read("### Minor\n- docs/feed.md still has the old option\n").items
    assert item.owner is Responsibility.DOCUMENTER
