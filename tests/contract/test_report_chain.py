"""sparky's own reports: a chain of commits beside the code, never edited, never lost to another writer."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sparky.adapters.git import Git
from sparky.adapters.report_chain import ReportChain
from sparky.adapters.reports import ReportsError
from sparky.adapters.shell import SystemShell
from sparky.domain.report import in_order

RUN, CODE = "7-0a1b2c3d-1", "c" * 40
REVIEW, CODING = "ReviewAgent_Issue#7_Report_v1.md", "CodingAgent_Issue#7_Report_v1.md"


def git(repo: Path, *words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=repo, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def chain(tmp_path: Path) -> ReportChain:
    git(tmp_path, "init", "-q", "-b", "main", "repo")
    place = tmp_path / "repo" / ".git"
    return ReportChain(git=Git(shell=SystemShell({**os.environ}), cwd=place, git_dir=place, own=True))


def test_before_the_first_report_there_is_none(chain: ReportChain) -> None:
    assert chain.shelf(RUN).filed == ()


def test_reports_are_read_in_the_order_in_which_they_were_left(chain: ReportChain) -> None:
    first = chain.leave(RUN, REVIEW, "a review\n", CODE)
    second = chain.leave(RUN, CODING, "schön\n", CODE)
    shelf = chain.shelf(RUN)
    assert [(one.id.name, one.commit) for one in in_order(shelf.filed)] == [(REVIEW, first), (CODING, second)]
    assert [shelf.read(one.path) for one in in_order(shelf.filed)] == ["a review\n", "schön\n"]
    assert chain.shelf("another").filed == ()
    repo = chain.git.cwd
    assert git(repo, "log", "-1", "--format=%an%n%B", second) == f"sparky\n{CODING}\n\nSpeaks-Of: {CODE}"
    assert git(repo, "for-each-ref", "--format=%(refname)") == f"refs/sparky/reports/{RUN}"


def test_the_same_report_again_changes_nothing_and_none_is_edited(chain: ReportChain) -> None:
    first = chain.leave(RUN, REVIEW, "a review\n", CODE)
    assert chain.leave(RUN, REVIEW, "a review\n", CODE) == first
    with pytest.raises(ReportsError, match="was left on 7-0a1b2c3d-1 already, with another text"):
        chain.leave(RUN, REVIEW, "another\n", CODE)


def test_of_two_that_write_at_once_none_is_lost(chain: ReportChain) -> None:
    names = [f"CodingAgent_Issue#7_Report_v{version}.md" for version in range(1, 7)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda name: chain.leave(RUN, name, name, CODE), names))
    assert {one.id.name for one in chain.shelf(RUN).filed} == set(names)
