"""References: how people name issues and files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparky.domain.reference import (
    elsewhere,
    in_scope,
    issue_number,
    mentioned_issues,
    number_in_name,
    number_in_title,
    number_order,
    paths_in,
    paths_mentioned,
    repository_named,
    same_repository,
)


@pytest.mark.parametrize(
    ("reference", "number"),
    [
        ("123", "123"),
        ("#123", "123"),
        ("issue 123", "123"),
        ("Issue #007a", "7a"),
        ("007", "7"),
        ("issue-7A", "7a"),
        (" ISSUE: 0 ", "0"),
        ("000", "0"),
        ("0a", "0a"),
        ("9" * 5000, "9" * 5000),
        ("12 13", None),
        ("issue", None),
        ("12ab", None),
        ("-12", None),
        ("12.md", None),
        ("\uff11\uff12", None),
        ("12\u212a", None),
        ("fix issue 12", None),
        ("", None),
    ],
)
def test_a_number_is_the_whole_of_a_reference(reference: str, number: str | None) -> None:
    assert issue_number(reference) == number


@given(st.integers(min_value=0, max_value=10**6), st.integers(min_value=0, max_value=10**6))
def test_two_numbers_are_one_issue_only_if_they_are_equal(one: int, other: int) -> None:
    assert (issue_number(f"#{one:04}") == issue_number(f"issue {other}")) == (one == other)


@pytest.mark.parametrize(
    ("stem", "number"),
    [
        ("007a-factor3", "007a"),
        ("123", "123"),
        ("12_x", "12"),
        ("issue-12-x", "12"),
        ("Issue #12", "12"),
        ("122-x", "122"),
        ("12factor", None),
        ("12\u00e4", None),
        ("3.11-support", None),
        ("2025-09-18-x", None),
        ("20250918", None),
        ("x-12", None),
        ("PHASE2", None),
    ],
)
def test_a_file_name_begins_with_its_number(stem: str, number: str | None) -> None:
    assert number_in_name(stem) == number


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("Issue #007: Mend it", ("007", "Mend it")),
        ("#7 Mend it", ("7", "Mend it")),
        ("issue 7b - Mend it", ("7b", "Mend it")),
        ("Issue 7 is back", (None, "Issue 7 is back")),
        ("Issue #7", ("7", "Issue #7")),
        ("7 ways to mend it", (None, "7 ways to mend it")),
        ("#7th heaven", (None, "#7th heaven")),
        ("", (None, "")),
    ],
)
def test_a_title_gives_up_its_number(title: str, parts: tuple[str | None, str]) -> None:
    assert number_in_title(title) == parts


def test_numbers_are_sorted_as_numbers() -> None:
    shuffled = ["10", "7b", "007a", "9", "7", "0100"]
    assert sorted(shuffled, key=number_order) == ["7", "007a", "7b", "9", "10", "0100"]


@pytest.mark.parametrize(
    ("text", "issues"),
    [
        ("#008: Externalize prompts", ("008",)),
        ("8, 09 and #10a", ("8", "09", "10a")),
        ("issues #7 and 8; #7", ("7", "8")),
        ("#MASTER-12-FACTOR-COMPLIANCE", ("MASTER-12-FACTOR-COMPLIANCE",)),
        ("[#8](../issues/008-x.md) or plan.md", ("8", "plan")),
        ("Issue 12 (see #13)", ("12", "13")),
        ("3 servers", ()),
        ("requests>=2", ()),
        ("Phase 1 complete", ()),
        ("", ()),
    ],
)
def test_issues_are_found_where_they_are_named(text: str, issues: tuple[str, ...]) -> None:
    assert mentioned_issues(text) == issues


@pytest.mark.parametrize(
    ("entry", "paths"),
    [
        ("src/a.py", ("src/a.py",)),
        ("agents/a.py (not imported anywhere)", ("agents/a.py",)),
        ("core/a.py - Add Factor3Validator class", ("core/a.py",)),
        ("core/a.py: see core/b.py", ("core/a.py",)),
        ("`core/a.py`: see core/b.py", ("core/a.py",)),
        ("agents/a.py (lines ~170-200)", ("agents/a.py",)),
        ("src/a.py:10:3, src/b.py#L9 & src/c.py::TestX::test_y", ("src/a.py", "src/b.py", "src/c.py")),
        ("Create new file `docs/My File.md`", ("docs/My File.md",)),
        ("Modify: `a.py` and (b.py)", ("a.py", "b.py")),
        ("New module: a.py", ()),
        ("Parser: a.py", ("a.py",)),
        ("[a.py](https://example.com/a.py)", ("a.py",)),
        ("./src//a.py.", ("src/a.py",)),
        ("src\\a.py", ("src/a.py",)),
        ("src/", ("src/",)),
        ("src/**/*.py", ("src/**/*.py",)),
        ("Makefile, .gitignore", ("Makefile", ".gitignore")),
        ("bin/tool", ("bin/tool",)),
        ("`bin/tool` and more", ("bin/tool",)),
        ("bin/tool and more", ()),
        ("Multiple agent files (need to scan all)", ()),
        ("e.g. the parser", ()),
        ("and/or logic", ()),
        ("`ExecutionContext()`", ()),
        ("version 3.11", ()),
        ("https://example.com/a.py", ()),
        ("<path>/a.py", ()),
        ("/", ()),
        ("", ()),
    ],
)
def test_an_entry_begins_with_its_paths(entry: str, paths: tuple[str, ...]) -> None:
    assert paths_in(entry) == (paths, ())


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("/etc/passwd", "/etc/passwd is refused: it is absolute"),
        ("../a.py: b.py", "../a.py is refused"),
        ("~/.netrc.bak", "~/.netrc.bak is refused: it is absolute"),
        ("`C:\\x.py`", "C:/x.py is refused: it is absolute"),
        ("../a.py", "../a.py is refused: `..` may lead out of the repository"),
        ("a/../b.py", "a/../b.py is refused: `..` may lead out of the repository"),
    ],
)
def test_a_path_out_of_the_repository_is_refused(entry: str, reason: str) -> None:
    paths, (refused,) = paths_in(entry)
    assert paths == ()
    assert refused.startswith(reason)


def test_what_is_refused_does_not_hide_what_is_not() -> None:
    paths, refused = paths_in("src/a.py, ../b.py, src/c.py")
    assert paths == ("src/a.py", "src/c.py")
    assert refused == ("../b.py is refused: `..` may lead out of the repository",)


@pytest.mark.parametrize(
    ("path", "files", "allowed"),
    [
        ("src/a.py", (), True),
        ("src/a.py", ("src/a.py",), True),
        ("src/a.py", ("src/",), True),
        ("src/a.py", ("src",), True),
        ("src/x/a.py", ("src/*.py",), True),
        ("app/[id]/a.ts", ("app/[id]/a.ts",), True),
        ("src/ab.py", ("src/a.py",), False),
        ("src/a.py", ("src/**/*.py",), True),
        ("src/x/y/a.py", ("src/**/*.py",), True),
        ("lib/a.py", ("src/**/*.py",), False),
        ("srcs/a.py", ("src/",), False),
        ("src/a.pyi", ("src/*.py", "b.py"), False),
    ],
)
def test_an_issue_allows_what_it_names(path: str, files: tuple[str, ...], *, allowed: bool) -> None:
    assert in_scope(path, files) is allowed


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Fix the formatting in a.py", (("a.py",), ())),
        ("Format `src/b.py`, src/ and ./a.py: all of them.", (("src/b.py", "src/", "a.py"), ())),
        ("Format src, c.py and e.g. the docs/", ((), ())),
        ("a.py:12 is too long", (("a.py",), ())),
        ("Format everything but a.py and `src/b.py`", ((), ("a.py", "src/b.py"))),
        ("Format src/, except for `src/b.py`", (("src/",), ("src/b.py",))),
        ("Sort all imports except in a.py.", ((), ("a.py",))),
        ("A bare except in a.py is fine, but formatting is not", (("a.py",), ())),
    ],
)
def test_a_sentence_names_files_that_are_there_and_those_that_it_leaves_out(
    text: str, named: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    assert paths_mentioned(text, ["a.py", "src/b.py"]) == named


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("shop#144", ("shop", "144")),
        ("ada/cite-assist#7a: a leak", ("ada/cite-assist", "7a")),
        (" my.shop_2#1 ", ("my.shop_2", "1")),
        ("issue#144", None),
        ("Issues#1", None),
        ("#144", None),
        ("see shop#144", None),
        ("shop#first", None),
        ("shop#144th", None),
        ("shop 144", None),
    ],
)
def test_an_issue_elsewhere_is_named_with_its_repository(text: str, named: tuple[str, str] | None) -> None:
    assert elsewhere(text) == named


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("shop", "shop"),
        ("`ada/shop`", "ada/shop"),
        ("shop#144", "shop"),
        ("https://example.org/ada/shop.git", "example.org/ada/shop"),
        ("<https://example.org/ada/shop/>", "example.org/ada/shop"),
        ("git@example.org:ada/shop.git", "ada/shop"),
        ("the code of the shop", None),
        ("", None),
        ("#7", None),
    ],
)
def test_a_repository_is_a_name_or_a_url_and_no_prose(text: str, name: str | None) -> None:
    assert repository_named(text) == name


@pytest.mark.parametrize(
    "other", ["shop", "Ada/Shop", "../shop/", "git@example.org:shop.git", "file:///x/shop"]
)
def test_names_of_one_repository_end_alike(other: str) -> None:
    assert same_repository("shop", other)
    assert not same_repository("workshop", other)


def test_nothing_is_no_repository() -> None:
    assert not same_repository("", "")
