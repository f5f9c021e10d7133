"""The names that are made of an issue: its key, its runs, their branches."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparky.domain.issue import Source, branch_name, issue_key, run_id, slug
from tests.builders import BASE, ISSUE, sha


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix the Report!", "fix-the-report"),
        ("  --a__b--  ", "a-b"),
        ("über größe", "ber-gr-e"),
        ("日本", "issue"),
        ("", "issue"),
        ("x" * 50, "x" * 40),
        ("a" * 39 + " b", "a" * 39),
    ],
)
def test_slug(text: str, expected: str) -> None:
    assert slug(text) == expected


@given(st.text(), st.integers(1, 60))
def test_a_slug_is_a_name_that_files_refs_and_shells_take(text: str, limit: int) -> None:
    name = slug(text, limit)
    assert name == "issue" or len(name) <= limit
    assert all(word.isascii() and word.isalnum() and word == word.lower() for word in name.split("-"))


def test_an_issue_has_one_key_whatever_commit_it_is_looked_at() -> None:
    key = issue_key("/home/ada/shop/.git", Source.MARKDOWN, "7")
    assert key == issue_key("/home/ada/shop/.git", Source.MARKDOWN, "7")
    assert len(key) == 16
    others = {
        issue_key("/home/bob/shop/.git", Source.MARKDOWN, "7"),
        issue_key("/home/ada/shop/.git", Source.SENTENCE, "7"),
        issue_key("/home/ada/shop/.git", Source.MARKDOWN, "77"),
    }
    assert len(others - {key}) == 3


def test_a_run_is_named_for_its_issue_the_base_and_how_many_there_were() -> None:
    first = run_id(ISSUE, BASE, 1)
    assert first == "7-dad37eaf-1"
    assert run_id(ISSUE, BASE, 2) == "7-dad37eaf-2"
    assert run_id(ISSUE, sha("c"), 1) != first
    assert run_id(replace(ISSUE, key="another"), BASE, 1) != first
    long = replace(ISSUE, id="A very long name for one issue")
    assert run_id(long, BASE, 1) == "a-very-long-name-for-one-dad37eaf-1"


def test_a_branch_says_the_issue_and_its_title_and_bears_the_runs_mark() -> None:
    assert branch_name(ISSUE, "7-dad37eaf-2") == "sparky/7-tidy-the-report-dad37eaf-2"
    same = replace(ISSUE, id="tidy", title="Tidy the report")
    assert branch_name(same, "tidy-0a-1") == "sparky/tidy-the-report-0a-1"


def test_the_branch_of_a_long_issue_is_cut_and_still_its_own() -> None:
    long = replace(ISSUE, id="a long name; of 25 letters", title="t" * 50)
    run = run_id(long, BASE, 3)
    assert run == "a-long-name-of-25-letter-dad37eaf-3"
    assert branch_name(long, run) == f"sparky/a-long-name-of-25-letter-{'t' * 40}-dad37eaf-3"
