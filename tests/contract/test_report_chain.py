"""The port `Reports`, on both adapters; and the real one's chain of commits beside the code."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.adapters.git import Git
from sparky.adapters.memory import MemoryReports
from sparky.adapters.report_chain import ReportChain
from sparky.adapters.shell import SystemShell
from sparky.ports import GitError, Reports
from tests.contract.repository.house import Cut

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
    shell = SystemShell({**os.environ})
    return ReportChain(
        git=Git(shell=shell, cwd=place, git_dir=place, own=True), notes=tmp_path / "work" / "repo"
    )


@pytest.fixture(params=["real", "memory"])
def reports(request: pytest.FixtureRequest, chain: ReportChain) -> Reports:
    return MemoryReports() if request.param == "memory" else chain


def left(reports: Reports, run: str = RUN) -> list[tuple[str, str]]:
    return [(filed.id.name, text) for filed, text in reports.of(run)]


def test_reports_are_read_in_the_order_in_which_they_were_left(reports: Reports) -> None:
    assert left(reports) == []
    reports.leave(RUN, REVIEW, "a review\n", CODE)
    reports.leave(RUN, CODING, "schön\n", CODE)
    assert left(reports) == [(REVIEW, "a review\n"), (CODING, "schön\n")]
    ranks = [filed.rank for filed, _ in reports.of(RUN)]
    assert ranks == sorted(set(ranks))
    assert left(reports, "another") == []


def test_a_report_is_left_once_and_never_edited(reports: Reports) -> None:
    for text in ("a review\n", "a review\n", "another\n"):
        reports.leave(RUN, REVIEW, text, CODE)
    assert left(reports) == [(REVIEW, "a review\n")]


def test_a_report_costs_two_processes(chain: ReportChain) -> None:
    shell = Cut(chain.git.shell, 0, lambda: None)
    counted = replace(chain, git=replace(chain.git, shell=shell))
    for name in (REVIEW, CODING):
        counted.leave(RUN, name, "done\n", CODE)
    assert shell.calls == ["cat-file", "fast-import"] * 2


def test_a_report_is_left_although_a_killed_git_left_its_lock(chain: ReportChain) -> None:
    chain.leave(RUN, REVIEW, "a review\n", CODE)
    lock = chain.git.git_path(f"refs/sparky/reports/{RUN}.lock")
    lock.touch()
    os.utime(lock, (0, 0))
    chain.leave(RUN, CODING, "a change\n", CODE)
    assert (len(left(chain)), lock.exists()) == (2, False)


def test_a_drop_that_was_killed_is_finished_though_its_locks_are_there(chain: ReportChain) -> None:
    chain.leave(RUN, REVIEW, "a review\n", CODE)
    own, shared = (
        chain.git.git_path(name) for name in (f"refs/sparky/reports/{RUN}.lock", "packed-refs.lock")
    )
    for lock in (own, shared):
        lock.touch()
    with pytest.raises(GitError, match=r"packed-refs\.lock"):  # it may be of another's git
        chain.drop(RUN)
    chain.drop(RUN)
    assert (left(chain), own.exists(), shared.exists()) == ([], False, False)
    assert list(chain.notes.iterdir()) == []


def test_a_drop_that_was_killed_when_the_ref_was_gone_leaves_no_lock_either(chain: ReportChain) -> None:
    chain.notes.mkdir(parents=True)
    (chain.notes / f".{RUN}.reports-dropping").touch()
    shared = chain.git.git_path("packed-refs.lock")
    shared.touch()
    chain.drop(RUN)
    assert (shared.exists(), list(chain.notes.iterdir())) == (False, [])


def test_what_is_dropped_is_gone(reports: Reports) -> None:
    reports.leave(RUN, REVIEW, "a review\n", CODE)
    reports.leave("another", REVIEW, "a review\n", CODE)
    reports.drop(RUN)
    reports.drop(RUN)
    assert (left(reports), len(left(reports, "another"))) == ([], 1)


def test_a_report_is_a_commit_of_its_own_that_names_the_code(chain: ReportChain) -> None:
    chain.leave(RUN, REVIEW, "a review\n", CODE)
    chain.leave(RUN, CODING, "schön\n", CODE)
    (first, _), (second, _) = chain.of(RUN)
    repo = chain.git.cwd
    assert git(repo, "rev-list", f"refs/sparky/reports/{RUN}").split() == [second.commit, first.commit]
    assert (
        git(repo, "log", "-1", "--format=%an%n%B", second.commit) == f"sparky\n{CODING}\n\nSpeaks-Of: {CODE}"
    )
    assert git(repo, "for-each-ref", "--format=%(refname)") == f"refs/sparky/reports/{RUN}"


def test_of_two_that_write_at_once_none_is_lost(chain: ReportChain) -> None:
    names = [f"CodingAgent_Issue#7_Report_v{version}.md" for version in range(1, 7)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda name: chain.leave(RUN, name, name, CODE), names))
    assert {filed.id.name for filed, _ in chain.of(RUN)} == set(names)
