"""Coder, tester and reviewer by their reports alone, on a real chain: after a review the right one acts."""

import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from sparky.adapters.git import Git
from sparky.adapters.report_chain import ReportChain
from sparky.adapters.shell import SystemShell
from sparky.domain.agent import Role
from sparky.domain.attempt import Responsibility, Stage
from sparky.domain.change import Lines
from sparky.domain.report import Filed, Report, ReportId, in_order, next_id
from sparky.reports.branch import Left, brief
from sparky.reports.compose import replies_of, report_of, skip_report
from sparky.reports.own import read_any
from sparky.reports.report_md import render
from sparky.reports.told import Briefing, Scenario
from tests.builders import RUN, changed, sha, visited

BLANK = ReportId(agent="any", issue="7", version=1)
ROLES = (Role.CODER, Role.TESTER, Role.REVIEWER)
CODER, TESTER = {Role.CODER: Scenario.RETRY_AFTER_REVIEW}, {Role.TESTER: Scenario.RETRY_AFTER_REVIEW_BLOCK}


@dataclass
class Relay:
    """One run's chain of reports, and what changed in the code since any of them."""

    chain: ReportChain
    diff: dict[str, Lines] = field(default_factory=dict)

    def filed(self) -> tuple[Filed, ...]:
        return in_order(self.chain.shelf(RUN).filed)

    def told(self, role: Role, judged: Responsibility = Responsibility.UNKNOWN) -> Briefing:
        shelf = self.chain.shelf(RUN)
        left = [Left(filed=one, reading=read_any(shelf.read(one.path))) for one in in_order(shelf.filed)]
        return brief(role, left, judged=judged, diff=lambda _old, _new: self.diff)

    def leave(self, agent: str, report: Report, text: str = "") -> None:
        report = replace(report, id=next_id(self.filed(), agent, "7"))
        self.chain.leave(RUN, report.id.name, text or render(report), report.sha)

    def acting(
        self, roles: Iterable[Role] = ROLES, judged: Responsibility = Responsibility.UNKNOWN
    ) -> dict[Role, Scenario]:
        told = {role: self.told(role, judged).scenario for role in roles}
        return {
            role: scenario
            for role, scenario in told.items()
            if scenario is not Scenario.NOT_MY_RESPONSIBILITY
        }

    def work(self, role: Role, *paths: str) -> None:
        """The role does what it is told, in these files, and leaves its report."""
        told = self.told(role)
        self.diff |= {path: Lines(added=("changed",)) for path in paths}
        attempt = changed("coder", sha("d")) if role is Role.CODER else visited(Stage.TEST, to=sha("e"))
        replies = replies_of(told.items, sha("d"), self.diff, "")
        self.leave(role.value, report_of(attempt, BLANK, sha("d"), told=told, replies=replies))


@pytest.fixture
def relay(tmp_path: Path) -> Relay:
    """A run on which the coder and the tester have done their first work."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    place = tmp_path / ".git"
    own = Git(shell=SystemShell({**os.environ}), cwd=place, git_dir=place, own=True)
    relay = Relay(ReportChain(git=own, notes=tmp_path / "work"))
    assert relay.acting((Role.CODER, Role.TESTER)) == {
        Role.CODER: Scenario.FRESH_START,
        Role.TESTER: Scenario.FRESH_TEST_CREATION,
    }
    relay.work(Role.CODER, "src/names.py")
    relay.work(Role.TESTER, "tests/test_names.py")
    assert relay.acting() == {Role.REVIEWER: Scenario.FRESH_REVIEW}
    return relay


def review(relay: Relay, text: str) -> None:
    relay.leave("review", report_of(visited(Stage.REVIEW), BLANK, sha("d")), text)


@pytest.mark.parametrize(
    ("text", "acting"),
    [
        ("CODING_AGENT: mend src/names.py\n\nMerge decision: blocked\n", CODER),
        ("TESTING_AGENT: mend tests/test_names.py\n\nMerge decision: blocked\n", TESTER),
        (
            "## Resolution\n- CODING_AGENT: a (src/names.py)\n- TESTING_AGENT: b (tests/test_names.py)\n",
            CODER | TESTER,
        ),
        ("Compilation failed in Position.java line 42\n", CODER),
        ("Test is correct. Implementation has bug in validateName()\n", CODER),
        ("The implementation is right, the test is wrong, it expects underscores.\n", TESTER),
        ("Code quality: duplicated validation\n", CODER),
        ("Test test_create_project failed - expected 201, got 400\n", {}),
        ("Merge conflict in src/main.py\n", {}),
        ("Runner system failure / job stuck / could not resolve host\n", {}),
        ("Merge decision: approved\n", {}),
    ],
)
def test_after_the_review_the_right_one_acts_and_nobody_else(
    relay: Relay, text: str, acting: dict[Role, Scenario]
) -> None:
    review(relay, text)
    assert relay.acting() == acting


def test_both_are_named_the_coder_goes_first_and_one_review_follows(relay: Relay) -> None:
    review(
        relay,
        "CODING_AGENT: a (File: src/names.py)\nTESTING_AGENT: b (File: tests/test_names.py)\nBlocked.\n",
    )
    assert relay.told(Role.TESTER).wait_for is Responsibility.CODER
    relay.work(Role.CODER, "src/names.py")
    tester = relay.told(Role.TESTER)
    assert (tester.wait_for, [one.settled.value for one in tester.settled]) == (None, ["fixed"])
    relay.work(Role.TESTER, "tests/test_names.py")
    assert relay.acting() == {Role.REVIEWER: Scenario.REVIEW_AGAIN}
    assert [one.settled.value for one in relay.told(Role.REVIEWER).settled] == ["fixed", "fixed"]
    review(relay, "Merge decision: approved\n")
    assert relay.acting() == {}


def test_where_the_report_does_not_say_the_evidence_does(relay: Relay) -> None:
    review(relay, "Test test_create_project failed - expected 201, got 400\n")
    assert relay.acting(judged=Responsibility.CODER) == CODER
    assert relay.acting(judged=Responsibility.TESTER) == TESTER
    assert relay.acting(judged=Responsibility.ENVIRONMENT) == {}


def test_who_is_not_responsible_hands_over_with_a_short_report(relay: Relay) -> None:
    review(relay, "TESTING_AGENT: mend tests/test_names.py\n\nMerge decision: blocked\n")
    told = relay.told(Role.CODER)
    assert (told.scenario, told.responsibility) == (Scenario.NOT_MY_RESPONSIBILITY, Responsibility.TESTER)
    relay.leave("coder", skip_report(told, BLANK, sha("d"), told.reason))
    assert relay.acting((Role.CODER, Role.TESTER)) == TESTER
    newest = relay.filed()[-1]
    assert (newest.id.agent, newest.id.version) == ("coding", 2)
