"""Lists of issues as JSON: what is an issue becomes one, and all else is named, entry by entry."""

import json

import pytest

from sparky.domain.issue import Issue, Kind, Severity, Source, issue_key
from sparky.domain.reference import UnreadableIssueError
from sparky.issues.list_json import IssueList, parse_list

ABSOLUTE = "it is absolute, and files are named from the root of the repository"
REPOSITORY = "/home/ada/shop/.git"


def parsed(*entries: object, **more: object) -> IssueList:
    return parse_list(json.dumps({"issues": entries, **more}), path="list.json", repository=REPOSITORY)


def test_an_entry_with_all_its_fields_is_an_issue() -> None:
    entry = {
        "title": "  Memory leak\nin a loop ",
        "description": "It grows.",
        "number": 144,
        "priority": "high",
        "type": "bug",
        "file": "src/processor.py",
        "line": 67,
        "labels": ["memory"],
        "status": "Open",
        "assignee": "nobody",
    }
    listed = parsed(entry, repo="ada/shop", summary={"total_issues": 1})
    assert listed == IssueList(
        repo="ada/shop",
        issues=(
            Issue(
                id="144",
                key=issue_key(REPOSITORY, Source.JSON, "144"),
                title="Memory leak in a loop",
                source=Source.JSON,
                body="It grows.\n\nSeen in src/processor.py, line 67.",
                severity=Severity.HIGH,
                labels=("bug", "memory"),
                path="list.json",
            ),
        ),
    )


def test_a_title_is_enough_and_the_same_entry_is_the_same_issue_again() -> None:
    (issue,) = parsed({"title": "Broken"}).issues
    assert (issue.id, issue.body, issue.severity) == ("j-b7dccf", "", Severity.MEDIUM)
    assert parsed({"title": "other"}, {"title": "Broken"}).issues[1] == issue
    assert parsed({"title": "Broken", "line": 2}).issues[0].key != issue.key


def test_a_type_that_is_the_name_of_a_kind_is_its_kind() -> None:
    (issue,) = parsed({"title": "a", "type": "dead code", "file": "a.py"}).issues
    assert (issue.kinds, issue.labels, issue.body) == ((Kind.DEAD_CODE,), (), "Seen in a.py.")


def test_a_list_may_stand_alone() -> None:
    listed = parse_list('[{"title": "a"}]', path="list.json", repository=REPOSITORY)
    assert (listed.repo, [issue.title for issue in listed.issues]) == ("", ["a"])


def test_what_is_no_issue_is_named_entry_by_entry_and_the_others_are_taken() -> None:
    listed = parsed(
        {"title": "good", "number": "#7"},
        {"description": "no title"},
        {"title": " "},
        {"title": 5},
        "words",
        {"title": "a", "file": "/etc/passwd"},
        {"title": "again", "number": 7},
        {"title": "fine", "priority": "so so"},
    )
    assert [issue.title for issue in listed.issues] == ["good", "fine"]
    assert listed.invalid == (
        "entry 2 is no issue: Object missing required field `title`",
        "entry 3 is no issue: its title is empty",
        "entry 4 is no issue: Expected `str`, got `int` - at `$.title`",
        "entry 5 is no issue: Expected `object`, got `str`",
        f"entry 6 is no issue: /etc/passwd is refused: {ABSOLUTE}",
        "entry 7 is no issue: 7 is there already",
    )
    assert listed.warnings == ('entry 8: priority "so so" is not known: medium is taken',)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"issues": []}', "list.json has no issue: its list is empty"),
        ("[]", "list.json has no issue: its list is empty"),
        ("[1]", "list.json has no issue: entry 1 is no issue: Expected `object`, got `int`"),
        ("{}", 'list.json has no list of issues: it needs "issues": [{"title": …}, …]'),
        ('{"issues": {}}', 'list.json has no list of issues: it needs "issues": [{"title": …}, …]'),
        ("5", 'list.json has no list of issues: it needs "issues": [{"title": …}, …]'),
        ("words", "list.json is no JSON: JSON is malformed: invalid character (byte 0)"),
        ("", "list.json is no JSON: Input data was truncated"),
    ],
)
def test_no_issue_at_all_is_an_error(text: str, why: str) -> None:
    with pytest.raises(UnreadableIssueError) as error:
        parse_list(text, path="list.json", repository=REPOSITORY)
    assert (str(error.value), error.value.code) == (why, 2)


def test_who_wrote_an_issue_is_read_as_trackers_write_it() -> None:
    entries = [
        {"title": "A", "author": "ada", "author_association": "OWNER"},
        {"title": "B", "author": {"login": "mallory"}, "author_association": None},
        {"title": "C", "author": ["x"]},
    ]
    listed = parse_list(json.dumps(entries), path="list.json", repository="/shop")
    assert [(issue.author, issue.association) for issue in listed.issues] == [
        ("ada", "OWNER"),
        ("mallory", ""),
        ("", ""),
    ]
