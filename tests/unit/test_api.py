"""The functions of the old design: their names, their arguments, what they give."""

import pytest

from sparky.api import (
    create_skip_report,
    determine_my_responsibility,
    determine_responsibility,
    extract_section,
    extract_value,
    extract_version_number,
    get_latest_report_by_version,
    parse_numbered_list,
    parse_review_report,
)

REVIEW = """# Review Report

**Pipeline Status:** FAILED
**Failed Jobs:** test, lint

## Test Failures

### 1. test_create_project
**Expected:** 201
**Actual:** 400
**Root Cause:** validate_name() rejects umlauts
**Location:** src/names.py:17

## Resolution Required

CODING_AGENT: allow all letters in src/names.py
TESTING_AGENT: cover umlauts in tests/test_names.py
ESCALATE: may names be empty?

## Merge Decision

BLOCKED
"""


@pytest.mark.parametrize(
    ("name", "version"), [("CodingAgent_Issue#5_Report_v10.md", 10), ("a_v2.md", 2), ("a.md", 0), ("", 0)]
)
def test_the_version_of_a_name(name: str, version: int) -> None:
    assert extract_version_number(name) == version


def test_the_latest_of_names_and_of_mappings() -> None:
    names = [f"CodingAgent_Issue#5_Report_v{version}.md" for version in (1, 2, 9, 10, 11, 20)]
    assert get_latest_report_by_version(names) == "CodingAgent_Issue#5_Report_v20.md"
    assert (
        get_latest_report_by_version([{"name": name} for name in names])
        == "CodingAgent_Issue#5_Report_v20.md"
    )
    assert get_latest_report_by_version([]) is None


@pytest.mark.parametrize(
    ("content", "names", "section"),
    [
        ("## A\none\n\n## B\ntwo\n", "a", "one"),
        ("## A\none\n### Sub\ntwo\n## B\nthree\n", ["x", "A"], "one\n### Sub\ntwo"),
        ("**Resolution:**\n1. x\n**Next:**\ny\n", ["Resolution"], "1. x"),
        ("## 🚫 Merge Decision: REJECTED\nwhy\n", "Merge Decision", "REJECTED\nwhy"),
        ("**Status:** failed\n", "Status", "failed"),
        ("## B\n", "A", ""),
    ],
)
def test_a_section_by_its_names(content: str, names: str | list[str], section: str) -> None:
    assert extract_section(content, names) == section


def test_the_items_of_a_list() -> None:
    assert parse_numbered_list("1. one\n   and more\n2) two\n- three\n\ntext\n") == [
        "one and more",
        "two",
        "three text",
    ]
    assert parse_numbered_list("before\n") == []


def test_a_value_by_its_key() -> None:
    section = "- **Expected:** 201\n**Actual**: 400\n| Root Cause: no |\n"
    assert (extract_value(section, "expected"), extract_value(section, "Actual")) == ("201", "400")
    assert extract_value(section, "Root Cause") is None


def test_a_review_report_by_its_old_keys() -> None:
    assert parse_review_report(REVIEW) == {
        "pipeline_status": "failed",
        "failed_jobs": ["test", "lint"],
        "failures": [
            {
                "title": "test_create_project",
                "expected": "201",
                "actual": "400",
                "root_cause": "validate_name() rejects umlauts",
                "location": "src/names.py",
            }
        ],
        "resolution_items": {
            "CODING_AGENT": ["allow all letters in src/names.py"],
            "TESTING_AGENT": ["cover umlauts in tests/test_names.py"],
            "ESCALATE": ["may names be empty?"],
        },
        "merge_decision": "BLOCKED",
    }


def test_each_agent_finds_its_own_items() -> None:
    assert determine_my_responsibility(REVIEW, "CODING") == (
        True,
        ["allow all letters in src/names.py"],
        "1 item for the coder",
    )
    acts, items, _ = determine_my_responsibility(REVIEW, "TESTING")
    assert (acts, items) == (True, ["cover umlauts in tests/test_names.py"])


def test_an_unassigned_resolution_is_everybodys_as_it_always_was() -> None:
    text = "test_a failed - expected 201, got 400\n"
    assert determine_my_responsibility(text, "CODING_AGENT") == (True, [], "Unclear responsibility")


@pytest.mark.parametrize("agent", ["CODING", "TESTING"])
def test_a_resolution_that_is_assigned_to_nobody_is_everybodys(agent: str) -> None:
    text = "## Resolution Required\n1. Allow all letters (File: src/names.py)\n2. Say so\n\nBlocked.\n"
    assert determine_my_responsibility(text, agent) == (
        True,
        ["Allow all letters", "Say so"],
        "Unclear responsibility",
    )


def test_what_is_another_agents_is_left_alone() -> None:
    text = "Test is correct. Implementation has bug in validateName()"
    acts, items, reason = determine_my_responsibility(text, "TESTING")
    assert (acts, items) == (False, [])
    assert reason.startswith("not the tester's turn")


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Compilation failed in Position.java line 42", "CODING_AGENT"),
        ("TESTING_AGENT: mend the fixture", "TESTING_AGENT"),
        ("Merge conflict in src/main.py", "ESCALATE"),
        ("Runner system failure", "ENVIRONMENT"),
        ("Merge decision: approved", "NONE"),
        ("test_a failed - expected 201, got 400", "UNKNOWN"),
    ],
)
def test_whose_turn_it_is_by_its_old_name(text: str, who: str) -> None:
    assert determine_responsibility(text)[0] == who


def test_a_skip_report_says_why_and_asks_nothing() -> None:
    text = create_skip_report("all items are the tester's")
    assert "all items are the tester's" in text
    assert determine_my_responsibility(text, "CODING")[1] == []
