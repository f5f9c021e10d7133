"""The issue files of a real directory: each reference means exactly one of them, or says why not."""

import contextlib
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparky.adapters.issue_files import MarkdownTracker
from sparky.domain.issue import Severity, Source
from sparky.domain.reference import (
    AmbiguousIssueError,
    IssueError,
    IssueNotFoundError,
    UnreadableIssueError,
)

GOLDEN = Path(__file__).parent.parent / "golden" / "issues"


@pytest.fixture
def tracker(tmp_path: Path) -> MarkdownTracker:
    """A tracker on a repository without issues, used from its root."""
    root = tmp_path / "house"
    root.mkdir()
    return MarkdownTracker(root=root, repository="house", cwd=root)


@pytest.fixture
def real(tracker: MarkdownTracker) -> MarkdownTracker:
    """A tracker on the real issue files."""
    real_files = shutil.ignore_patterns("variant-*", "*.json", "*.txt")
    shutil.copytree(GOLDEN, tracker.root / "issues", ignore=real_files)
    return tracker


def put(tracker: MarkdownTracker, path: str, text: str | bytes = "# Mend it\n") -> Path:
    file = tracker.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def refusal(tracker: MarkdownTracker, reference: str, error: type[IssueError]) -> str:
    with pytest.raises(error) as caught:
        tracker.find(reference)
    assert type(caught.value) is error
    return str(caught.value)


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("123", "123.md"),
        ("#123", "123.md"),
        ("issue 123", "123.md"),
        ("Issue #007a", "007a-factor3-context-window-validator.md"),
        ("7A", "007a-factor3-context-window-validator.md"),
        ("007", "007-implement-missing-factor-validators.md"),
        ("7", "007-implement-missing-factor-validators.md"),
        ("issue 0018", "018-implement-circuit-breaker.md"),
        ("issues/123.md", "123.md"),
        ("./issues/../issues/123.md", "123.md"),
        ("123.md", "123.md"),
        ("test-simple", "test-simple.md"),
        ("PHASE2-REFACTORING.md", "PHASE2-REFACTORING.md"),
    ],
)
def test_a_reference_means_exactly_one_file(real: MarkdownTracker, reference: str, name: str) -> None:
    assert real.find(reference).path == f"issues/{name}"


def test_an_absolute_path_is_the_same_issue_as_its_number(real: MarkdownTracker) -> None:
    assert real.find(str(real.root / "issues" / "123.md")) == real.find("#123")


def test_12_is_never_122(tracker: MarkdownTracker) -> None:
    put(tracker, "issues/122-other.md")
    put(tracker, "issues/12a-part.md")
    put(tracker, "issues/112.md")
    text = refusal(tracker, "12", IssueNotFoundError)
    assert text == (
        f"no issue file for '12': looked in issues of {tracker.root} (3 files). "
        "Nearest: issues/12a-part.md, issues/122-other.md, issues/112.md."
    )


def test_the_number_in_the_heading_counts_too(tracker: MarkdownTracker) -> None:
    put(tracker, "docs/issues/parser.md", "# Issue #042: Mend the parser\n")
    issue = tracker.find("42")
    assert (issue.id, issue.path, issue.title) == ("042", "docs/issues/parser.md", "Mend the parser")


@pytest.mark.parametrize("folder", ["issues", ".issues", "docs/issues", ".github/issues"])
def test_issues_are_found_in_the_usual_folders(tracker: MarkdownTracker, folder: str) -> None:
    put(tracker, f"{folder}/5-x.md")
    assert tracker.find("5").path == f"{folder}/5-x.md"


def test_issues_are_found_in_folders_given(tracker: MarkdownTracker, tmp_path: Path) -> None:
    put(tracker, "plans/5-x.md")
    outside = tmp_path / "elsewhere" / "6-x.MARKDOWN"
    outside.parent.mkdir()
    outside.write_text("# Mend it\n")
    both = MarkdownTracker(root=tracker.root, repository="house", extra=(Path("plans"), outside.parent))
    assert [both.find(number).path for number in "56"] == ["plans/5-x.md", str(outside)]


def test_a_path_is_looked_for_where_the_person_is_first(tracker: MarkdownTracker) -> None:
    put(tracker, "note.md", "# At the root\n")
    put(tracker, "sub/note.md", "# Below\n")
    below = MarkdownTracker(root=tracker.root, repository="house", cwd=tracker.root / "sub")
    assert (below.find("note.md").title, tracker.find("note.md").title) == ("Below", "At the root")


def test_a_file_outside_the_repository_is_read(tracker: MarkdownTracker, tmp_path: Path) -> None:
    (tmp_path / "idea.md").write_text("# An idea\n")
    issue = tracker.find("../idea.md")
    assert (issue.id, issue.path, issue.title) == ("idea", str(tmp_path / "idea.md"), "An idea")


def test_words_are_a_sentence(tracker: MarkdownTracker) -> None:
    for sentence in (
        "Mend the typo in docs/README.md",
        "fix issue 12",
        "x" * 5000 + " y",
        "a \udcff b",
        "a\0 b",
    ):
        assert tracker.find(sentence).source is Source.SENTENCE


def test_a_path_with_spaces_is_no_sentence(tracker: MarkdownTracker) -> None:
    put(tracker, "issues/12 my issue.md")
    assert tracker.find("issues/12 my issue.md").id == "12"
    assert "issues/12 my issue.md" in refusal(tracker, "issues/my issue.md", IssueNotFoundError)


def test_a_completed_issue_is_read_and_says_so(real: MarkdownTracker) -> None:
    assert real.find("7a").status == "completed"


def test_warnings_come_with_the_issue(real: MarkdownTracker) -> None:
    assert real.read("5").warnings == ('"Multiple agent files (need to scan all)" names no file',)


def test_issues_are_listed_by_severity_then_number(real: MarkdownTracker) -> None:
    put(real, "issues/019-fire.md", "# Fire\n## Priority\nurgent\n")
    put(real, "issues/README.md", "# Our issues\n")
    listed = [(issue.severity, issue.id) for issue in real.issues()]
    assert listed == [
        (Severity.CRITICAL, "019"),
        *((Severity.HIGH, name) for name in ("007", "007a", "010", "123")),
        *(
            (Severity.MEDIUM, name)
            for name in ("008", "011", "015", "018", "PHASE2-REFACTORING", "test-simple")
        ),
        *((Severity.LOW, name) for name in ("001", "002", "004", "005")),
    ]


def test_a_broken_file_is_a_problem_of_its_own(tracker: MarkdownTracker) -> None:
    put(tracker, "issues/1.md", "# Fine\n## Files\n- all of them\n")
    put(tracker, "issues/2.md", "")
    put(tracker, "issues/3.md", "---\nkind: formating\n---\n# T\n")
    assert [issue.id for issue in tracker.issues()] == ["1"]
    first, second, third = tracker.problems()
    assert (first, second) == ('issues/1.md: "all of them" names no file', "issues/2.md is empty")
    assert third.startswith('issues/3.md: "FORMATING" is no kind; the nearest is FORMATTING.')
    assert refusal(tracker, "3", UnreadableIssueError) == third


def test_two_files_of_one_number_are_both_named(tracker: MarkdownTracker) -> None:
    put(tracker, "issues/012-one.md")
    put(tracker, "docs/issues/plan.md", "# Issue #12: Two\n")
    text = refusal(tracker, "#12", AmbiguousIssueError)
    assert text == "#12 means 2 files: issues/012-one.md, docs/issues/plan.md. Give the path of one."
    assert tracker.find("issues/012-one.md").id == "012"


def test_a_file_linked_twice_is_one_file(tracker: MarkdownTracker) -> None:
    file = put(tracker, "issues/012-one.md")
    (tracker.root / ".issues").mkdir()
    (tracker.root / ".issues" / "012-one.md").symlink_to(file)
    assert tracker.find("12").path == "issues/012-one.md"


def test_without_a_folder_the_error_says_where_issues_are_expected(tracker: MarkdownTracker) -> None:
    assert refusal(tracker, "12", IssueNotFoundError) == (
        f"no issue file for '12': {tracker.root} has none of the folders issues, .issues, docs/issues, "
        ".github/issues. A sentence of several words is an issue, too."
    )


@pytest.mark.parametrize(
    ("reference", "nearest"),
    [
        ("issues/test-simpel.md", "test-simple.md"),
        ("phase2-refactor", "PHASE2-REFACTORING.md"),
        ("07b", "007-implement-missing-factor-validators.md"),
    ],
)
def test_a_misspelt_name_is_told_the_nearest(real: MarkdownTracker, reference: str, nearest: str) -> None:
    assert f"Nearest: issues/{nearest}" in refusal(real, reference, IssueNotFoundError)


@pytest.mark.parametrize("reference", ["", "  ", "refactor", "nowhere/12.md", "-12", "#", "x" * 5000])
def test_what_means_nothing_is_not_found(real: MarkdownTracker, reference: str) -> None:
    assert refusal(real, reference, IssueNotFoundError).startswith("no issue ")


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("a.md", b"", "issues/a.md is empty"),
        ("a.md", b"\xef\xbb\xbf \n\t", "issues/a.md is empty"),
        ("a.md", b"# T\0", "issues/a.md is no text: it has a NUL at byte 3. Save it as UTF-8."),
        ("a.md", b"# gr\xf6\xdfer", "issues/a.md is not UTF-8 at byte 4. Save it as UTF-8."),
        ("a.md", b"#" * 1_000_001, "issues/a.md is too large: 1000001 bytes; an issue has at most 1000000"),
        ("a.txt", b"# T", "issues/a.txt is no Markdown file: an issue file ends in .md"),
        ("a.md/b", b"# T", "issues/a.md is a directory: name one file in it"),
    ],
)
def test_a_bad_file_is_refused_with_its_reason(
    tracker: MarkdownTracker, name: str, data: bytes, text: str
) -> None:
    put(tracker, f"issues/{name}", data)
    assert refusal(tracker, f"issues/{name.removesuffix('/b')}", UnreadableIssueError) == text


def test_a_file_of_the_largest_size_is_read(tracker: MarkdownTracker) -> None:
    put(tracker, "issues/a.md", b"# T\n" + b"x" * 999_996)
    assert tracker.find("a").title == "T"


def test_a_pipe_does_not_make_sparky_wait(tracker: MarkdownTracker) -> None:
    (tracker.root / "issues").mkdir()
    os.mkfifo(tracker.root / "issues" / "1.md")
    text = "issues/1.md is no plain file (a pipe, a device, a broken link)"
    assert refusal(tracker, "1", UnreadableIssueError) == text


def test_a_socket_and_a_broken_link_are_no_files(tracker: MarkdownTracker) -> None:
    folder = tracker.root / "issues"
    folder.mkdir()
    (folder / "2.md").symlink_to(folder / "gone.md")
    with socket.socket(socket.AF_UNIX) as server:
        with contextlib.chdir(folder):  # a socket's whole path is limited to 107 bytes
            server.bind("1.md")
        for number in "12":
            assert "is no plain file" in refusal(tracker, number, UnreadableIssueError)


def test_a_link_out_of_the_repository_is_not_followed(tracker: MarkdownTracker, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a canary")
    (tracker.root / "issues").mkdir()
    (tracker.root / "issues" / "1.md").symlink_to(tmp_path / "secret")
    assert refusal(tracker, "1", UnreadableIssueError) == (
        f"issues/1.md is a link that leads out of the repository, to {tmp_path / 'secret'}"
    )


@pytest.fixture
def stranger() -> Iterator[Path]:
    """A directory that anybody may enter; the test runs as nobody, who cannot read what root has closed."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        root = os.geteuid() == 0
        (folder / "issues").mkdir()
        (folder / "issues" / "1.md").write_text("# T\n")
        (folder / "issues" / "1.md").chmod(0)
        (folder / "plans").mkdir(mode=0)
        if root:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if root:
                os.seteuid(0)
            (folder / "plans").chmod(0o700)


def test_a_closed_file_and_a_closed_folder_are_named(stranger: Path) -> None:
    here = MarkdownTracker(root=stranger, repository="house", cwd=stranger)
    assert refusal(here, "1", UnreadableIssueError) == "cannot read issues/1.md: Permission denied"
    plans = MarkdownTracker(root=stranger, repository="house", cwd=stranger, extra=(Path("plans"),))
    assert refusal(plans, "1", UnreadableIssueError) == "cannot list plans: Permission denied"


def test_a_file_name_that_is_no_text_does_no_harm(tracker: MarkdownTracker) -> None:
    put(tracker, "issues/1.md")
    put(tracker, os.fsdecode(b"issues/gr\xf6\xdfer.md"))
    assert [issue.path for issue in tracker.issues()] == ["issues/1.md", "issues/gr\\xf6\\xdfer.md"]
