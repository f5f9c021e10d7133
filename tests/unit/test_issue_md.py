"""Issue files are read as people write them."""

import contextlib
import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sparky.domain.issue import Issue, Kind, Severity, Source, issue_key
from sparky.domain.reference import UnreadableIssueError
from sparky.issues.markdown import Parsed, parse, sentence_issue

GOLDEN = Path(__file__).parent.parent / "golden" / "issues"
FILES = sorted(path.name for path in GOLDEN.glob("*.md"))
EXPECTED = json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8"))


def read(text: str, path: str = "issues/some.md") -> Parsed:
    return parse(text, path=path, repository="house")


def golden(name: str) -> tuple[str, Parsed]:
    text = (GOLDEN / name).read_bytes().decode()
    return text, read(text, f"issues/{name}")


def fields(parsed: Parsed) -> dict[str, object]:
    issue = parsed.issue
    return {
        "id": issue.id,
        "title": issue.title,
        "kinds": [kind.value for kind in issue.kinds],
        "severity": issue.severity.value,
        "criteria": list(issue.criteria),
        "constraints": list(issue.constraints),
        "files": list(issue.files),
        "labels": list(issue.labels),
        "agent": issue.agent,
        "status": issue.status,
        "parent_issue": issue.parent_issue,
        "dependencies": list(issue.dependencies),
        "warnings": list(parsed.warnings),
    }


@pytest.mark.parametrize("name", FILES)
def test_every_golden_issue_is_read_as_a_person_would(name: str) -> None:
    assert fields(golden(name)[1]) == EXPECTED[name]


def test_the_golden_file_speaks_of_every_issue_file_and_no_other() -> None:
    assert sorted(EXPECTED) == FILES


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("variant")])
def test_the_body_is_all_of_a_real_file_but_its_title(name: str) -> None:
    text, parsed = golden(name)
    assert parsed.issue.body == text.split("\n", 1)[1].strip()


def test_a_windows_file_is_read_like_any_other_and_keeps_its_code() -> None:
    body = golden("variant-crlf-bom.md")[1].issue.body
    assert body.endswith("## Code\n~~~make\nall:\n\techo\n~~~")
    assert body.startswith("## Priority\nHigh — wichtig\n")


def test_front_matter_is_no_part_of_the_body() -> None:
    body = golden("variant-front-matter.md")[1].issue.body
    assert body == "The last line of a file without a final newline is dropped.\n\n## Status\ndone"


def test_an_issue_is_whole() -> None:
    assert read("# Issue #007: Mend it\nPlease.\n", "issues/007-mend-it.md") == Parsed(
        issue=Issue(
            id="007",
            key=issue_key("house", Source.MARKDOWN, "issues/007-mend-it.md"),
            title="Mend it",
            source=Source.MARKDOWN,
            body="Please.",
            path="issues/007-mend-it.md",
        )
    )


@pytest.mark.parametrize(
    ("text", "path", "name", "title"),
    [
        ("# Issue #007: Mend it", "x.md", "007", "Mend it"),
        ("# ISSUE 7a \u2014 Mend it", "x.md", "7a", "Mend it"),
        ("## #12 Mend it", "x.md", "12", "Mend it"),
        ("# Issue #9", "x.md", "9", "Issue #9"),
        ("# Issue 3 comes back", "x.md", "x", "Issue 3 comes back"),
        ("# Port it to C#", "012-port.md", "012", "Port it to C#"),
        ("# Port it ## ", "issue-12.md", "12", "Port it"),
        ("# Mend it", "2025-09-18-mend.md", "2025-09-18-mend", "Mend it"),
        ("# Mend it", "12factor.md", "12factor", "Mend it"),
        ("---\ntitle: 'Issue #4: Mend it'\n---\n# Other", "x.md", "4", "Mend it"),
        ("---\njust a rule\n---\n# Mend it", "x.md", "x", "Mend it"),
        ("---\ntitle: never closed\n# Mend it", "x.md", "x", "Mend it"),
        ("```\n# no heading\n```\n# Mend it", "x.md", "x", "Mend it"),
        ("## Type\nbug", "x.md", "x", "x"),
        ("> **The login** is broken\nbadly", "x.md", "x", "The login is broken"),
        ("", "x.md", "x", "x"),
    ],
)
def test_id_and_title(text: str, path: str, name: str, title: str) -> None:
    issue = read(text, path).issue
    assert (issue.id, issue.title) == (name, title)


@pytest.mark.parametrize(
    ("said", "severity"),
    [
        ("High - Core compliance infrastructure", Severity.HIGH),
        ("\U0001f534 Critical", Severity.CRITICAL),
        ("`P3`", Severity.LOW),
        ("normal", Severity.MEDIUM),
        ("highlight", Severity.MEDIUM),
    ],
)
def test_a_priority_is_its_first_known_word(said: str, severity: Severity) -> None:
    assert read(f"# T\n## Priority\n{said}\n").issue.severity is severity


@pytest.mark.parametrize(
    "text",
    [
        "---\nkind: security\n---\n# T",
        "# T\n## Kind\nSECURITY",
        "# T\nKind: Security",
        "# T\n\n- **Kind:** `security`",
        "# T\n## Details\n- Type: security",
        "# T\n## Type: security (urgent)",
        "# T\n```no block```\n## Type\nsecurity",
        "# T\n- ~~~ `\n  Kind: review\n  ~~~\n## Kind\nsecurity",
        "# T\n## Solution\nSome words.\n\n**Type**\n\nSecurity\n\nMore words.",
    ],
)
def test_a_kind_is_read_where_it_is_said(text: str) -> None:
    assert read(text).issue.kinds == (Kind.SECURITY,)


@pytest.mark.parametrize(
    "text",
    [
        "# Security\nThis is about security.",
        "# T\n```\nType: security\n```",
        "# T\n<!--\n## Type\nsecurity\n-->",
        "# T\n## Acceptance criteria\n- Type: security",
        "# T\n## Solution\n- type: security",
        "# T\nA type: security",
        "# T\n**Type** security",
    ],
)
def test_a_kind_is_not_read_where_it_is_not_said(text: str) -> None:
    assert read(text).issue.kinds == ()


def test_a_kind_beats_a_type() -> None:
    assert read("---\nkind: review\n---\n# T\n## Type\nsecurity").issue.kinds == (Kind.REVIEW,)


def test_a_kind_that_is_none_is_an_error_with_the_nearest() -> None:
    with pytest.raises(UnreadableIssueError) as caught:
        read("---\nkind: formating\n---\n# T", "issues/3.md")
    assert str(caught.value).startswith(
        'issues/3.md: "FORMATING" is no kind; the nearest is FORMATTING. Kinds: FORMATTING, IMPORT_ERROR, '
    )


def test_a_type_that_is_no_kind_is_a_label() -> None:
    issue = read("# T\n**Type:** Bug fix, TYPE ERROR\n**Labels:** #ui, `Big`").issue
    assert (issue.kinds, issue.labels) == ((Kind.TYPE_ERROR,), ("bug fix", "ui", "Big"))


def test_a_checked_status_is_kept() -> None:
    assert read("# T\n**Status:** ✅ COMPLETED (yesterday)").issue.status == "completed"


def test_items_of_a_list_are_no_fields_but_a_bold_line_ends_it() -> None:
    issue = read("# T\n## Success Criteria\n- Status: green\n- **Files:** kept\n\n**Priority:** high").issue
    assert (issue.criteria, issue.severity) == (("Status: green", "Files: kept"), Severity.HIGH)


@pytest.mark.parametrize(
    ("text", "criteria"),
    [
        ("**Done when:**\n- a\nand b\n\n  and c\n\nno more", ("a and b and c",)),
        ("## Success criteria\n- a\n---\nb\n***\n", ("a", "b")),
        ("## Success criteria\n- a:\n- b:\n  - c\n    - d\n  - e\n- f", ("b: c: d", "b: e", "f")),
        (
            "## Success criteria\n### By day\n- a\n#### At noon\n- b\n### Notes\n- c\n## Notes\n- d",
            ("a", "b", "c"),
        ),
        ("## Success criteria\nNone.\n## Definition of done\n- a\n- a", ("a",)),
        ("## Success criteria: all green\n- a", ("all green", "a")),
    ],
)
def test_criteria_are_items_and_paragraphs(text: str, criteria: tuple[str, ...]) -> None:
    assert read(f"# T\n{text}").issue.criteria == criteria


def test_an_agent_is_one_word() -> None:
    assert read("# T\n**Agent:** `@type-fixer`").issue.agent == "type-fixer"


@pytest.mark.parametrize(
    "text", ["Repository: ada/shop", "---\nrepo: ada/shop\n---", "**Repo:** `ada/shop#144`"]
)
def test_an_issue_may_name_another_repository(text: str) -> None:
    parsed = read(f"{text}\n# T" if text.startswith("---") else f"# T\n\n{text}")
    assert (parsed.issue.repository, parsed.warnings) == ("ada/shop", ())


def test_prose_about_a_repository_names_none_and_is_warned_of() -> None:
    parsed = read("# T\n\n## Repository\nAll of the code\n")
    assert (parsed.issue.repository, parsed.warnings) == (None, ('"All of the code" names no repository',))


def test_a_sentence_is_an_issue() -> None:
    issue = sentence_issue("\n  mend the login \n\nit is broken\n", repository="house")
    assert issue == Issue(
        id="s-f274d8",
        key=issue_key("house", Source.SENTENCE, "mend the login it is broken"),
        title="mend the login",
        source=Source.SENTENCE,
        body="it is broken",
    )


def test_a_sentence_has_the_same_key_however_it_is_spaced() -> None:
    one, other = (
        sentence_issue(text, repository="house") for text in ("mend the login", " mend  the\tlogin ")
    )
    assert (one.id, one.key) == (other.id, other.key)


LINES = st.sampled_from([
    "# T", "## Type", "**Files:**", "- a/b.py", "  - [x] c", "```", "---", "Priority: high", "<!--", "-->",
    "kind: [review", "\t1. x:", "`", "## Acceptance criteria", "depends_on: #1", "", "\\", "** **",
])  # fmt: skip
TEXTS = st.text(max_size=5000) | st.lists(LINES | st.text(max_size=30), max_size=80).map("\n".join)


@settings(max_examples=300, deadline=5000)
@given(TEXTS)
@example("---\nkind: [\n---")
def test_any_text_is_read_but_for_a_kind_that_is_none(text: str) -> None:
    with contextlib.suppress(UnreadableIssueError):
        issue = read(text).issue
        assert issue.title
        assert all(path and not path.startswith("/") and ".." not in path.split("/") for path in issue.files)


UNITS = [
    "# ", "- ", "  - a\n", "**", "`", "```\n", "<!--", "[", "[](", "(", "#1,", "a:", "Type: a\n\n", "### a\n",
    " ", "---\n", "**Type:** a\n", "|", "a/", "-a\n", "\t", '"', "a.md ", "\x1b[",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    "head", ["", "---\nfiles: [", "# T\n## Files\n- ", "# T\n## Success criteria\n", "# T\nRepo: "]
)
def test_a_file_made_to_be_slow_is_not(head: str, unit: str) -> None:
    text = (head + unit * (30_000 // len(unit)))[:30_000]
    started = time.process_time()
    read(text)
    assert time.process_time() - started < 1
