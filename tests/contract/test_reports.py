"""Reports where they lie: in folders and in the trees of commits, written by many at once."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sparky.adapters.git import checkout_at
from sparky.adapters.reports import ReportsError, add_report, open_folder, open_ref, read_at, read_file
from sparky.adapters.shell import SystemShell
from sparky.domain.errors import UsageError
from sparky.domain.report import OddName, in_order, is_newer

CODING, REVIEW = "CodingAgent_Issue#5_Report_v2.md", "ReviewAgent_Issue#5_Report_v1.md"


def git(repo: Path, *words: str, at: int = 0) -> str:
    date = {"GIT_AUTHOR_DATE": f"{at} +0000", "GIT_COMMITTER_DATE": f"{at} +0000"} if at else {}
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(
        ["git", *identity, *words],
        cwd=repo,
        env={**os.environ, **date},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def commit(repo: Path, at: int, **files: str) -> str:
    for name, text in files.items():
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "a report", at=at)
    return git(repo, "rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository whose commits are in one order by ancestry, and in another by their clocks."""
    top = tmp_path / "repo"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    commit(top, 2_000_000_000, **{f"docs/reports/{REVIEW}": "review"})
    commit(top, 1_000_000_000, **{f"docs/reports/{CODING}": "coding"})
    return top


def test_ancestry_orders_before_the_clock(repo: Path) -> None:
    place = checkout_at(SystemShell({**os.environ}), repo)
    for shelf in (
        open_folder(repo / "docs/reports", place),
        open_ref(place, "main"),
        open_ref(place, "main", "docs"),
    ):
        coding, review = sorted(shelf.filed, key=lambda one: one.id.agent)
        assert (coding.id.name, review.id.name) == (CODING, REVIEW)
        assert is_newer(coding, review) is True
        assert [shelf.read(one.path) for one in in_order(shelf.filed)] == ["review", "coding"]
        assert (coding.commit, review.commit) == (
            git(repo, "rev-parse", "main"),
            git(repo, "rev-parse", "main~1"),
        )


def test_the_clock_orders_what_ancestry_leaves_open(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "side", "main~1")
    commit(repo, 2_000_000_500, **{"docs/reports/Testing_Issue#5_Report_v1.md": "tests"})
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-edit", "side", at=2_000_001_000)
    shelf = open_ref(checkout_at(SystemShell({**os.environ}), repo), "HEAD")
    assert [one.id.agent for one in in_order(shelf.filed)] == ["review", "coding", "testing"]


def test_what_is_not_committed_comes_after_all(repo: Path) -> None:
    folder = repo / "docs/reports"
    (folder / REVIEW).write_text("changed")
    (folder / "Testing_Issue#5_Report_v1.md").write_text("new")
    os.utime(folder / REVIEW, (9e8, 9e8))
    shelf = open_folder(folder, checkout_at(SystemShell({**os.environ}), repo))
    assert [(one.id.agent, bool(one.commit)) for one in in_order(shelf.filed)] == [
        ("coding", True),
        ("review", False),
        ("testing", False),
    ]


def test_reports_are_found_wherever_they_lie_in_a_tree_unless_a_folder_is_named(repo: Path) -> None:
    commit(
        repo,
        2_000_001_000,
        **{"notes/a/Coding_Issue#6_Report_v1.md": "x", "notes/Coding_Issue#_Report_v1.md": "x"},
    )
    place = checkout_at(SystemShell({**os.environ}), repo)
    assert len(open_ref(place, "main").filed) == 3
    assert [one.path for one in open_ref(place, "main", "notes/a/").filed] == [
        "notes/a/Coding_Issue#6_Report_v1.md"
    ]
    odd = OddName(name="notes/Coding_Issue#_Report_v1.md", reason="has no issue number after `Issue`")
    assert open_ref(place, "main", "notes").odd == (odd,)
    assert open_ref(place, "main~2", "notes").filed == ()


def test_a_ref_or_file_that_is_not_there_is_said_so(repo: Path) -> None:
    place = checkout_at(SystemShell({**os.environ}), repo)
    with pytest.raises(UsageError, match="nope names no commit"):
        open_ref(place, "nope")
    with pytest.raises(ReportsError, match=r"a\.md is not a file at main"):
        read_at(place, "main", "a.md")
    with pytest.raises(ReportsError, match="cannot list"):
        open_folder(repo / "nowhere")
    with pytest.raises(ReportsError, match="cannot read"):
        read_file(repo / "none.md")


def test_a_folder_outside_the_checkout_and_one_without_commits_have_no_commits(
    repo: Path, tmp_path: Path
) -> None:
    (tmp_path / REVIEW).write_text("x")
    place = checkout_at(SystemShell({**os.environ}), repo)
    assert [one.commit for one in open_folder(tmp_path, place).filed] == [""]
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    git(fresh, "init", "-q")
    (fresh / REVIEW).write_text("x")
    assert [
        one.commit for one in open_folder(fresh, checkout_at(SystemShell({**os.environ}), fresh)).filed
    ] == [""]


def test_of_many_that_write_at_once_each_gets_a_version_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "reports"
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda text: add_report(folder, "coder", "5", text), map(str, range(40))))
    assert {path.name for path in paths} == {
        f"CodingAgent_Issue#5_Report_v{version}.md" for version in range(1, 41)
    }
    assert sorted(int(path.read_text()) for path in paths) == list(range(40))


def test_reports_on_an_issue_without_a_number_are_versions_of_its_mark(tmp_path: Path) -> None:
    paths = [add_report(tmp_path, "coder", "PLAN", text) for text in ("first", "second")]
    assert [(path.name, path.read_text()) for path in paths] == [
        ("CodingAgent_Issue#s-0ff154_Report_v1.md", "first"),
        ("CodingAgent_Issue#s-0ff154_Report_v2.md", "second"),
    ]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportsError, match="cannot write in"):
        add_report(tmp_path / "file", "coder", "5", "x")


def test_what_is_far_too_large_is_no_report(tmp_path: Path) -> None:
    path = tmp_path / REVIEW
    with path.open("wb") as file:
        file.truncate(20_000_001)
    with pytest.raises(ReportsError, match="20000001 bytes"):
        read_file(path)
