"""Coder, tester and reviewer in one run, by what they report: after a review the right one acts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sparky.adapters.scripted import ScriptedSession, Step
from sparky.agents.table import AGENTS
from sparky.domain.attempt import Attempt, Responsibility, Stage, Trait, Verdict
from sparky.domain.escalation import Answer, Choice
from sparky.domain.flow import decide
from sparky.domain.issue import Kind
from sparky.domain.report import Answer as Answered
from sparky.domain.state import End, Handoff, MergePolicy, Outcome, PipelineState, Preferences
from sparky.domain.testing import TestCase, TestOutcome
from sparky.events import SessionRequest, SessionResult
from sparky.evidence.briefing import leave
from sparky.formats.values_json import decode
from sparky.pipeline import drive
from sparky.ports import Ports, Runner
from sparky.reports.metrics import Told, measure
from sparky.reports.report_md import parse
from sparky.reports.told import BRIEFING, Briefing
from sparky.stages.table import perform
from sparky.testing.house import MemoryHouse, memory_house
from tests.builders import CONTEXT, ISSUE, REVIEWER, RUN
from tests.stages.stand import ruff

CODE, TEST, API = "src/names.py", "tests/test_names.py", "tests/test_api.py"
BOTH = f"CODING_AGENT: name it (File: {CODE})\nTESTING_AGENT: assert it (File: {TEST})\nBlocked.\n"
TEMPLATE = f"""## Resolution Required
CODING_AGENT: name it (File: {CODE})

```
TESTING_AGENT: [what the tester has to do]
```

## \U0001f6ab Merge Decision: REJECTED
"""
EMOJI = f"""## \U0001f6e0\ufe0f Fixes
**Resolution:**
1. Coding Agent: name it (File: {CODE}, Fix: name, Item: #2)
"""
TABLE = f"| Owner | Task | File |\n|---|---|---|\n| tEsTeR | assert it | {TEST} |\n\nBlocked.\n"
APPROVED = "Merge decision: APPROVED\n"


def write(path: str, text: str) -> tuple[Step, ...]:
    return (Step(do="write", path=path, text=text),)


def play(review: str, *, code: str = "name = 2\n") -> tuple[ScriptedSession, ...]:
    """The coder brings a test that can't run, the tester mends it, the reviewer blocks; then who is asked."""
    first = (*write(CODE, code), *write(TEST, "def test_name(client): ...\n"))
    return (
        ScriptedSession(agent="coder", number=1, steps=first),
        ScriptedSession(agent="tester", number=2, steps=write(TEST, "def test_name(): ...\n")),
        ScriptedSession(agent="coder", steps=write(CODE, "name = 3  # validateName()\n")),
        ScriptedSession(agent="tester", steps=write(TEST, "def test_name(): assert True\n")),
        ScriptedSession(agent="reviewer", number=2, report=review),
        ScriptedSession(agent="reviewer", report=APPROVED),
    )


def results(files: Mapping[str, bytes]) -> tuple[TestCase, ...]:
    """The old name is wrong; a test that wants what is not there hides all others; 400 is no 201."""
    code, test = files[CODE].decode(), files.get(TEST, b"").decode()
    red: dict[str, tuple[str, str]] = {}
    if "client" in test:
        red["tests/test_names.py::test_name"] = ("fixture 'client' not found", TEST)
    elif "400" in code:
        red[f"{API}::test_create_project"] = ("AssertionError: assert 201 == 400", CODE)
    if "name = 1" in code:
        red[f"{API}::test_bug"] = ("AssertionError: 1", API)
    ids = (f"{API}::test_bug", f"{API}::test_create_project", *([f"{TEST}::test_name"] if test else ()))
    return tuple(
        TestCase(
            id=name,
            outcome=TestOutcome.FAILED if name in red else TestOutcome.PASSED,
            message=red.get(name, ("", ""))[0],
            where=red.get(name, ("", ""))[1],
        )
        for name in ids
    )


@dataclass(frozen=True)
class Relay:
    """The loop over a house in memory."""

    house: MemoryHouse
    ports: Ports

    def decide(self, state: PipelineState) -> Handoff | End:
        return decide(state)

    def perform(self, handoff: Handoff, state: PipelineState) -> Attempt:
        return perform(handoff, state, self.ports)

    def close(self, state: PipelineState) -> None:
        leave(state, self.ports)

    def run(self) -> PipelineState:
        """A new run of an issue, to its end."""
        return drive(self.start(), self)

    def start(self) -> PipelineState:
        """A new run of an issue."""
        base = self.house.repository.write({CODE: b"name = 1\n", API: b"def test_bug(): ...\n"})
        return PipelineState(
            run_id=RUN,
            pipeline_id=RUN,
            issue=replace(ISSUE, kinds=(Kind.GENERAL,)),
            context=replace(CONTEXT, base=base),
            preferences=Preferences(merge=MergePolicy.AUTO, script="played"),
        )

    def prompts(self, agent: str) -> list[str]:
        return [request.prompt for request in self.house.runner.asked if request.agent == agent]

    def reports(self) -> dict[str, str]:
        return {filed.id.name: text for filed, text in self.house.reports.of(RUN)}


def relay(root: Path, review: str, **more: str) -> Relay:
    return relay_of(root, play(review, **more))


def relay_of(root: Path, sessions: tuple[ScriptedSession, ...]) -> Relay:
    house = memory_house(
        root, results, sessions=sessions, programs={"ruff": ruff}, agents=(*AGENTS, REVIEWER)
    )
    return Relay(house, house.ports)


def told(state: PipelineState) -> list[str]:
    """What was done after the reviewer's refusal: agents that worked, and that handed over."""
    second = [a for a in state.attempts if a.stage is Stage.REVIEW][1]
    after = state.attempts[state.attempts.index(second) + 1 :]
    return [
        f"{a.agent} hands over"
        if Trait.HANDED_OVER in a.traits
        else a.agent
        if a.stage is Stage.EXECUTE
        else a.stage.value
        for a in after
    ]


END = ["review", "test", "verify", "merge"]
CODER_ACTS = ["tester hands over", "coder", *END]


@pytest.mark.parametrize(
    ("review", "then"),
    [
        ("Compilation failed in Position.java line 42\n", CODER_ACTS),
        ("Test is correct. Implementation has bug in validateName()\n", CODER_ACTS),
        ("Code quality: duplicated validation\n", CODER_ACTS),
        (f"CODING_AGENT: name it (File: {CODE})\n\nMerge decision: BLOCKED\n", CODER_ACTS),
        (TEMPLATE, CODER_ACTS),
        (EMOJI, CODER_ACTS),
        (TABLE, ["tester", *END]),
        ("The implementation is right, the test is wrong, it expects underscores.\n", ["tester", *END]),
        (BOTH, ["tester hands over", "coder", "tester", *END]),
        ("Test test_create_project failed - expected 201, got 400\n", ["test", *END]),
    ],
)
def test_the_right_one_acts_and_it_is_merged(tmp_path: Path, review: str, then: list[str]) -> None:
    state = relay(tmp_path, review).run()
    assert (told(state), state.ends[-1].outcome) == (then, Outcome.MERGED)


def test_what_a_review_leaves_open_the_tests_decide(tmp_path: Path) -> None:
    played = relay(tmp_path, "Test test_create_project failed - expected 201, got 400\n", code="name = 400\n")
    state = played.run()
    assert (told(state), state.ends[-1].outcome) == (["test", *CODER_ACTS], Outcome.MERGED)
    test = state.of(Stage.TEST)[1]
    assert (test.verdict, test.responsibility) == (Verdict.REVISE, Responsibility.CODER)


def test_a_reviewer_that_refuses_for_no_reason_again_and_again_is_asked_about(tmp_path: Path) -> None:
    sessions = play("Merge decision: BLOCKED\n")
    state = relay_of(tmp_path, (*sessions[:4], replace(sessions[4], number=None))).run()
    assert [a.verdict for a in state.of(Stage.REVIEW)] == [Verdict.SKIP, Verdict.SKIP]
    assert (state.ends[-1].outcome, state.ends[-1].asks) == (Outcome.BLOCKED, True)


def test_a_merge_conflict_is_for_a_person_and_then_it_goes_on(tmp_path: Path) -> None:
    played = relay(tmp_path, "Merge conflict in src/main.py\n")
    state = played.run()
    end = state.ends[-1]
    assert (told(state), end.outcome, end.asks) == ([], Outcome.BLOCKED, True)
    state = drive(state.answered(Answer(choice=Choice.REVIEW, about=state.head)), played)
    assert (told(state), state.ends[-1].outcome) == (END, Outcome.MERGED)


def test_nobody_is_asked_to_mend_code_for_a_runner_that_fails(tmp_path: Path) -> None:
    state = relay(tmp_path, "Runner system failure: job stuck, could not resolve host\n").run()
    end = state.ends[-1]
    assert (told(state), end.outcome, end.asks) == ([], Outcome.BLOCKED, False)
    assert end.responsibility is Responsibility.ENVIRONMENT


def test_a_reviewer_that_says_nothing_leaves_it_to_a_person(tmp_path: Path) -> None:
    end = relay_of(tmp_path, play("")[:4]).run().ends[-1]
    assert (end.outcome, "review by reviewer: it has not reviewed" in end.reason) == (Outcome.READY, True)


def test_every_attempt_leaves_one_report(tmp_path: Path) -> None:
    played = relay(tmp_path, BOTH)
    state = played.run()
    reports = {
        name.replace("Agent_Issue#7_Report", "").removesuffix(".md"): parse(text)
        for name, text in played.reports().items()
    }
    assert [
        (name, report.verdict.value, report.answers and report.answers[0][:-3])
        for name, report in reports.items()
    ] == [
        ("Coding_v1", "PASS", ()),
        ("Review_v1", "PASS", ()),
        ("Testing_v1", "REVISE", ()),
        ("Testing_v2", "PASS", "TestingAgent_Issue#7_Report_v1"),
        ("Review_v2", "REVISE", ()),
        ("Testing_v3", "SKIP", "ReviewAgent_Issue#7_Report_v2"),
        ("Coding_v2", "PASS", "ReviewAgent_Issue#7_Report_v2"),
        ("Testing_v4", "PASS", "ReviewAgent_Issue#7_Report_v2"),
        ("Review_v3", "PASS", ()),
        ("Testing_v5", "PASS", ()),
        ("Review_v4", "PASS", ()),
    ]
    assert reports["Testing_v3"].summary == (
        "Not the tester's responsibility: 1 item for the tester; the coder goes first: work at its commit"
    )
    (fixed,) = reports["Coding_v2"].replies
    assert (fixed.answer, fixed.commit, fixed.reason) == (
        Answered.FIXED,
        reports["Coding_v2"].sha,
        f"the diff touches {CODE}",
    )
    assert reports["Review_v4"].sha == state.head
    leave(state, played.house.ports)
    assert len(played.reports()) == len(reports)


def test_an_agent_starts_from_its_scenario_its_items_and_what_was_answered(tmp_path: Path) -> None:
    played = relay(tmp_path, BOTH)
    played.run()
    assert "The reports of others" not in played.prompts("coder")[0]
    coder, tester, reviewer = (
        played.prompts("coder")[1],
        played.prompts("tester")[1],
        played.prompts("reviewer")[2],
    )
    assert "- retry_after_review, by ReviewAgent_Issue#7_Report_v2.md: 1 item for the coder\n" in coder
    assert f": name it (`{CODE}`)\n" in coder
    assert "assert it (" not in coder
    assert (
        "- retry_after_review_block, by ReviewAgent_Issue#7_Report_v2.md: 1 item for the tester\n" in tester
    )
    assert f" is fixed: FIXED in {sha_of(played)}: the diff touches {CODE}\n" in tester
    assert "- review_again, by ReviewAgent_Issue#7_Report_v2.md" in reviewer
    assert reviewer.count(" is fixed: ") == 2


def test_a_word_that_the_item_shares_with_the_diff_makes_nothing_fixed(tmp_path: Path) -> None:
    both = BOTH.replace("name it", "repair the validation")
    sessions = list(play(both))
    sessions[2] = replace(sessions[2], steps=write("src/validation.py", "def validation(): ...\n"))
    played = relay_of(tmp_path, tuple(sessions))
    played.run()
    (asked,) = [said for said in played.prompts("tester") if "retry_after_review_block" in said]
    assert " is fixed" not in asked


def sha_of(played: Relay) -> str:
    return parse(played.reports()["CodingAgent_Issue#7_Report_v2.md"]).sha[:10]


def test_the_reports_lie_beside_the_worktree_to_be_read(tmp_path: Path) -> None:
    played = relay(tmp_path, BOTH)
    seen: list[tuple[list[str], bool]] = []

    @dataclass(frozen=True)
    class Looking:
        """A runner that looks at what it was given."""

        runner: Runner

        def run(self, request: SessionRequest) -> SessionResult:
            there = sorted((request.reports or Path()).iterdir())
            seen.append(([path.name for path in there], any(path.stat().st_mode & 0o222 for path in there)))
            assert request.reports == request.worktree.with_name(f"{RUN}.reports")
            return self.runner.run(request)

    ports = replace(played.house.ports, runners={"scripted": Looking(played.house.runner)})
    state = drive(played.start(), replace(played, ports=ports))
    names = list(played.reports())
    assert [(len(there), there == sorted(names[: len(there)]), edited) for there, edited in seen] == [
        (0, True, False),
        (1, True, False),
        (3, True, False),
        (4, True, False),
        (6, True, False),
        (7, True, False),
        (8, True, False),
    ]
    assert state.ends[-1].outcome is Outcome.MERGED
    assert not list(tmp_path.rglob("*.reports"))


def test_the_figures_are_counted_from_such_a_run(tmp_path: Path) -> None:
    played = relay(tmp_path, BOTH)
    state = played.run()
    blobs = ((place, attempt.blobs.get(BRIEFING)) for place, attempt in enumerate(state.attempts))
    briefings = {place: decode(played.house.blobs.get(one), Briefing) for place, one in blobs if one}
    figures = {
        one.name: (one.numerator, one.denominator)
        for one in measure([Told(state=state, briefings=briefings)])
    }
    assert figures == {
        "newest_version": (6, 6),
        "responsibility": (1, 1),
        "wasted_retries": (0, 2),
        "review_awareness": (1, 1),
        "coordination": (1, 1),
    }
