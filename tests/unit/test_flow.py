"""The handoff table of DESIGN §3, row by row: from this run so far to that stage, or that end."""

from dataclasses import replace

import pytest

from sparky.domain.attempt import (
    Attempt,
    Budget,
    GateResult,
    Responsibility,
    Spent,
    Stage,
    Strategy,
    Trait,
    Verdict,
)
from sparky.domain.conditions import FAULT
from sparky.domain.escalation import Answer, Choice, Escalation, Option
from sparky.domain.flow import TABLE, decide, row_for
from sparky.domain.issue import Issue, Severity, Source
from sparky.domain.moves import CRITERIA, pause_s
from sparky.domain.plan import Child
from sparky.domain.state import Earlier, End, Handoff, MergePolicy, Outcome, PipelineState, Preferences
from tests.builders import (
    BASE,
    ISSUE,
    RUN,
    changed,
    executed,
    refusal,
    routed,
    sha,
    state_of,
    visited,
)

REVIEW, TEST, VERIFY, MERGE = Stage.REVIEW, Stage.TEST, Stage.VERIFY, Stage.MERGE
PASS, REVISE, ESCALATE, SKIP = Verdict
DIRECT, MECHANICAL, SIMPLER, MINIMAL = Strategy
ASK, AUTO, APPROVED = MergePolicy
Rows = dict[str, tuple[PipelineState, Handoff | End]]
ONE, TWO, NEW_BASE = sha("1"), sha("2"), sha("d")


def to(
    stage: Stage,
    reason: str,
    *,
    at: str,
    number: int = 1,
    part: int = 0,
    items: tuple[str, ...] = (),
    words: str = "",
) -> Handoff:
    return Handoff(
        stage=stage,
        reason=reason,
        success_criteria=CRITERIA[stage],
        action_items=items,
        words=words,
        rollback=f"sparky undo {RUN}",
        rollback_sha=at,
        part=part,
        number=number,
    )


def execute(
    agent: str,
    reason: str,
    *,
    at: str,
    strategy: Strategy = DIRECT,
    part: int = 0,
    items: tuple[str, ...] = (),
    errors: tuple[str, ...] = (),
    avoided: tuple[str, ...] = (),
    number: int = 0,
    words: str = "",
) -> Handoff:
    number = number or list(Strategy).index(strategy) + 1
    asked = to(Stage.EXECUTE, reason, at=at, number=number, part=part, items=items, words=words)
    return replace(asked, agent=agent, strategy=strategy, previous_errors=errors, avoided=avoided)


def of_findings(state: PipelineState) -> PipelineState:
    return replace(state, issue=replace(state.issue, source=Source.FINDINGS))


def blocked(reason: str, *steps: str) -> End:
    return End(outcome=Outcome.BLOCKED, reason=reason, manual_steps=steps)


STOP = Option(choice=Choice.STOP, says="end the run; what it did stays on its branch")
WHOSE = (
    Option(choice=Choice.CODER, says="the coder mends the implementation"),
    Option(choice=Choice.TESTER, says="the tester mends the test"),
)


def asked(
    question: str,
    reason: str,
    *steps: str,
    options: tuple[Option, ...],
    at: str,
    evidence: tuple[str, ...] = (),
    whose: Responsibility = Responsibility.PERSON,
) -> End:
    then = f"then: sparky answer {RUN} {options[0].choice.value}"
    return End(
        outcome=Outcome.BLOCKED,
        reason=reason,
        responsibility=whose,
        manual_steps=(*steps, then),
        question=Escalation(
            question=question,
            reason=reason,
            options=(*options, STOP),
            default=options[0].choice,
            evidence=evidence,
            about=at,
        ),
    )


def refused_twice(reason: str, *, at: str) -> End:
    return asked(
        "What is to become of a change that review refuses?",
        f"manual intervention: review refused twice: {reason}",
        "look at the branch and the findings of the review",
        options=(
            Option(choice=Choice.CODER, says="the agent once more, with your words (--text)"),
            Option(choice=Choice.ACCEPT, says="take the change as it is, in spite of the findings"),
        ),
        at=at,
    )


def answered(state: PipelineState, choice: Choice, text: str = "") -> PipelineState:
    """The next segment of a run that asked and was answered."""
    ended = state.ended(End(outcome=Outcome.BLOCKED, reason="the end"))
    return ended.answered(Answer(choice=choice, about=state.head, text=text))


def ready(reason: str) -> End:
    steps = (f"look at it: sparky diff {RUN}", f"then: sparky merge {RUN}")
    return End(outcome=Outcome.READY, reason=reason, manual_steps=steps)


def all_failed(*reasons: str, outcome: Outcome = Outcome.FAILED) -> End:
    return End(
        outcome=outcome,
        reason=f"All agents failed for DEAD_CODE: {'; '.join(reasons)}",
        manual_steps=(f"read `sparky show {RUN}` and mend it by hand, or say more in the issue",),
    )


def unreviewed(reason: str) -> End:
    return End(
        outcome=Outcome.FAILED,
        reason=f"what is on the branch did not pass the review: {reason}",
        manual_steps=("look at the branch and the findings of the review",),
    )


def faulty(attempt: Attempt, whose: Responsibility) -> Attempt:
    return replace(attempt, error_type=FAULT, responsibility=whose, items=("report it",))


PASSED = GateResult(gate="parses", verdict=PASS, reason="it does", severity=Severity.HIGH)


def refused(severity: Severity, number: int = 1, items: tuple[str, ...] = ()) -> Attempt:
    said = visited(REVIEW, REVISE, number=number, items=items)
    return replace(said, gates=(PASSED, refusal(severity)))


def failed(agent: str, *traits: Trait, number: int = 1, part: int = 0, to: str | None = None) -> Attempt:
    return executed(agent, REVISE, *traits, number=number, part=part, to=to)


def again(state: PipelineState, outcome: Outcome, merge: MergePolicy) -> PipelineState:
    """The next segment of a run whose segment ended so."""
    ended = state.ended(End(outcome=outcome, reason="the end", manual_steps=("do it",)))
    return ended.next_segment(replace(state.preferences, merge=merge))


def red(whose: Responsibility, number: int = 1) -> Attempt:
    """Tests that are worse than at base."""
    said = visited(TEST, REVISE, number=number, to=ONE, items=("test_a: 1 != 2",))
    return replace(said, responsibility=whose)


def handed_over(agent: str, number: int = 1, to: str | None = None) -> Attempt:
    return executed(agent, REVISE, Trait.HANDED_OVER, number=number, to=to)


def with_tester(route: Attempt) -> Attempt:
    """ROUTE with tess to mend tests."""
    return replace(route, route=tuple(replace(one, tester="tess") for one in route.route))


TOLD_TESTER = ("test_a: 1 != 2",)
ADA = routed(("ada",))
ADA_TESS = with_tester(ADA)
BOTH_ASKED = replace(changed("ada", ONE), traits=(Trait.CHANGED, Trait.TESTER_FOLLOWS))
TESTED_BY_TESS = (ADA_TESS, changed("ada", ONE), visited(REVIEW))
ADA_BOB = routed(("ada", "bob"))
THREE = routed(("ada",), (), ("cy",))
REVIEWED = (ADA, changed("ada", ONE), visited(REVIEW))
TESTED = (*REVIEWED, visited(TEST, to=ONE))
VERIFIED = (*TESTED, visited(VERIFY, to=ONE))
MOVED = replace(visited(MERGE, REVISE, Trait.MOVED, to=TWO), base=NEW_BASE)
READY = state_of(*VERIFIED)
MERGED_END = End(outcome=Outcome.MERGED, reason="merge said 1", responsibility=Responsibility.UNKNOWN)

CHILDREN = (
    Child(id="1", title="one", issue="d1"),
    Child(id="2", title="two", issue="d2", needs=("1",)),
)
EPIC = replace(ISSUE, children=("d1", "d2"))
PLANNED = replace(visited(Stage.DECOMPOSE), plan=CHILDREN)


def ended_child(part: int, verdict: Verdict = PASS, *, to: str | None = None, number: int = 1) -> Attempt:
    return visited(Stage.CHILD, verdict, part=part, to=to, number=number)


def handed(*attempts: Attempt) -> PipelineState:
    """A fix whose tools come first, and then a session, verified together; it may merge."""
    tools = Child(id="fix", title="the tools", issue="d1")
    plan = (tools, Child(id="left-security", title="a session", issue="d2"))
    made = (replace(PLANNED, plan=plan), *attempts, visited(TEST, to=ONE), visited(VERIFY, to=ONE))
    return state_of(*made, issue=replace(EPIC, source=Source.FINDINGS), merge=AUTO)


def epic(*attempts: Attempt, merge: MergePolicy = ASK) -> PipelineState:
    return state_of(PLANNED, *attempts, issue=EPIC, merge=merge)


def partial(reason: str) -> End:
    steps = (f"look at it: sparky diff {RUN}", f"take it as it is: sparky merge {RUN}")
    return End(outcome=Outcome.PARTIAL, reason=reason, manual_steps=steps)


def undone(outcome: Outcome, *reasons: str) -> End:
    return End(
        outcome=outcome,
        reason=f"none of 2 deliverables is done: {'; '.join(reasons)}",
        manual_steps=(f"see what each part asks for, then: sparky retry {RUN}",),
    )


def apart(reason: str) -> End:
    step = f"look at `sparky show {RUN}`, mend the branch by hand, or run it again: it starts anew"
    return blocked(f"the parts don't hold together: {reason}", step)


DONE = (ended_child(0, to=ONE), ended_child(1, to=TWO))
JOINED = (*DONE, visited(TEST, to=TWO))

PLAN_ROWS: Rows = {
    "an issue that consists of several is taken apart": (
        state_of(issue=EPIC),
        to(Stage.DECOMPOSE, "a new segment starts", at=BASE),
    ),
    "an agent says that it is several issues: it is taken apart": (
        state_of(ADA, failed("ada", Trait.COMPLEX)),
        to(Stage.DECOMPOSE, "ada said 1", at=BASE),
    ),
    "the parts wait for each other: blocked": (
        state_of(visited(Stage.DECOMPOSE, ESCALATE, items=("say what comes first",)), issue=EPIC),
        blocked("decompose said 1", "say what comes first"),
    ),
    "the first part first": (epic(), to(Stage.CHILD, "decompose said 1", at=BASE)),
    "then the next one, on top of it": (
        epic(ended_child(0, to=ONE)),
        to(Stage.CHILD, "child said 1", at=ONE, part=1),
    ),
    "a part failed: the next one all the same": (
        epic(ended_child(0, REVISE)),
        to(Stage.CHILD, "child said 1", at=BASE, part=1),
    ),
    "all parts are done: they are tested together": (epic(*DONE), to(TEST, "child said 1", at=TWO, part=1)),
    "no part is done, all failed or were skipped: failed": (
        epic(ended_child(0, REVISE), ended_child(1, SKIP)),
        undone(Outcome.FAILED, "child said 1", "child said 1"),
    ),
    "no part is done, one is blocked: blocked": (
        epic(ended_child(0, ESCALATE), ended_child(1, SKIP)),
        undone(Outcome.BLOCKED, "child said 1", "child said 1"),
    ),
    "in no part was anything to do: nothing to do": (
        epic(ended_child(0, SKIP), ended_child(1, SKIP)),
        undone(Outcome.NOTHING_TO_DO, "child said 1", "child said 1"),
    ),
    "the parts are red together: blocked": (
        epic(*DONE, visited(TEST, REVISE, to=TWO)),
        apart("test said 1"),
    ),
    "the parts are not verified together: blocked": (
        epic(*JOINED, visited(VERIFY, REVISE, to=TWO)),
        apart("verify said 1"),
    ),
    "all parts are verified together: as any run": (
        epic(*JOINED, visited(VERIFY, to=TWO), merge=AUTO),
        to(MERGE, "verify said 1", at=TWO),
    ),
    "one part is done and another is not: partial": (
        epic(ended_child(0, to=ONE), ended_child(1, REVISE), visited(TEST, to=ONE), visited(VERIFY, to=ONE)),
        partial("verify said 1; given up: two"),
    ),
    "findings that a session was given are left: what is done merges as any run": (
        handed(*DONE[:1], ended_child(1, REVISE)),
        to(MERGE, "verify said 1", at=ONE),
    ),
    "the part of the tools is given up, and the session's is done: partial": (
        handed(ended_child(0, REVISE), ended_child(1, to=ONE)),
        partial("verify said 1; given up: the tools"),
    ),
    "for the tools was nothing to do, and the session's is done: it merges as any run": (
        handed(ended_child(0, SKIP), ended_child(1, to=ONE)),
        to(MERGE, "verify said 1", at=ONE),
    ),
    "tried again: the parts that are not done": (
        answered(epic(ended_child(0, to=ONE), ended_child(1, ESCALATE)), Choice.CODER),
        to(Stage.CHILD, "a person said: coder", at=ONE, part=1, number=2),
    ),
}

ROUTE_ROWS: Rows = {
    "a run starts with its route": (state_of(), to(Stage.ROUTE, "a new segment starts", at=BASE)),
    "best agent found: it executes, directly": (state_of(ADA_BOB), execute("ada", "routed", at=BASE)),
    "a part that nobody takes is passed over": (
        state_of(routed((), ("bob",))),
        execute("bob", "routed", at=BASE, part=1),
    ),
    "nobody bids enough: blocked": (
        state_of(visited(Stage.ROUTE, ESCALATE, Trait.NO_AGENT)),
        blocked("route said 1", "add an agent for the kind, or name one in the issue"),
    ),
    "nothing to route: nothing to do": (
        state_of(visited(Stage.ROUTE, PASS, Trait.NOTHING_TO_DO)),
        End(outcome=Outcome.NOTHING_TO_DO, reason="route said 1"),
    ),
}

EXECUTE_ROWS: Rows = {
    "files changed: review": (state_of(ADA, changed("ada", ONE)), to(REVIEW, "ada said 1", at=ONE)),
    "said success and changed nothing: the fallback agent": (
        state_of(ADA_BOB, failed("ada", Trait.LIE, Trait.NO_CHANGE)),
        execute("bob", "ada said 1", at=BASE, strategy=MECHANICAL, errors=("ada said 1",)),
    ),
    "all of the chain failed: the first again, with the next strategy": (
        state_of(ADA_BOB, failed("ada", Trait.CRASHED), failed("bob", Trait.TIMED_OUT, number=2)),
        execute("ada", "bob said 2", at=BASE, strategy=SIMPLER, errors=("ada said 1", "bob said 2")),
    ),
    "in a chain of three the next one is asked, in order": (
        state_of(routed(("ada", "bob", "cy")), failed("ada"), failed("bob", number=2)),
        execute("cy", "bob said 2", at=BASE, strategy=SIMPLER, errors=("ada said 1", "bob said 2")),
    ),
    "changed files don't parse: the same agent with the errors": (
        state_of(ADA_BOB, executed("ada", REVISE, Trait.BROKEN_SYNTAX, to=ONE, items=("a.py: line 1",))),
        execute(
            "ada",
            "ada said 1",
            at=ONE,
            strategy=MECHANICAL,
            items=("a.py: line 1",),
            errors=("ada said 1",),
        ),
    ),
    "the last attempt is the smallest safe fix": (
        state_of(
            ADA_BOB,
            failed("ada", Trait.CRASHED),
            failed("bob", Trait.CRASHED, number=2),
            failed("ada", Trait.TIMED_OUT, number=3),
        ),
        execute(
            "bob",
            "ada said 3",
            at=BASE,
            strategy=MINIMAL,
            errors=("ada said 1", "bob said 2", "ada said 3"),
        ),
    ),
    "attempts used up: failed, with all errors": (
        state_of(
            ADA_BOB,
            failed("ada", Trait.CRASHED),
            failed("bob", Trait.CRASHED, number=2),
            failed("ada", Trait.TIMED_OUT, number=3),
            failed("bob", Trait.TIMED_OUT, number=4),
        ),
        all_failed("ada: ada said 1", "bob: bob said 2", "ada: ada said 3", "bob: bob said 4"),
    ),
    "twice the same from the same agent: no progress, ended early": (
        state_of(ADA, failed("ada", Trait.CRASHED), failed("ada", Trait.CRASHED, number=2)),
        all_failed("ada: ada said 1", "ada: ada said 2"),
    ),
    "all tried and nobody changed anything: nothing to do": (
        state_of(ADA, failed("ada", Trait.NO_CHANGE), failed("ada", Trait.NO_CHANGE, number=2)),
        all_failed("ada: ada said 1", "ada: ada said 2", outcome=Outcome.NOTHING_TO_DO),
    ),
    "nothing of the fix was safe, and another agent bids: that one": (
        state_of(
            ADA_BOB,
            changed("ada", ONE),
            visited(TEST, REVISE),
            failed("ada", Trait.WITHDRAWN, number=2, to=BASE),
        ),
        execute(
            "bob",
            "ada said 2",
            at=BASE,
            strategy=SIMPLER,
            errors=("test said 1", "ada said 2"),
            avoided=("attempt 1 by ada changed files: test said 1",),
        ),
    ),
    "nothing of the fix was safe, all is withdrawn: failed": (
        state_of(ADA, changed("ada", ONE), visited(REVIEW, REVISE), failed("ada", Trait.WITHDRAWN, number=2)),
        End(outcome=Outcome.FAILED, reason="ada said 2"),
    ),
    "files changed, and a report asks the tester, too: it works at that commit": (
        state_of(ADA_TESS, BOTH_ASKED),
        execute("tess", "ada said 1", at=ONE, strategy=MECHANICAL, number=2),
    ),
    "files changed, a report asks the tester, and there is none: review": (
        state_of(ADA, BOTH_ASKED),
        to(REVIEW, "ada said 1", at=ONE),
    ),
    "handed over by the coder: the tester, and no attempt is spent": (
        state_of(ADA_TESS, handed_over("ada")),
        execute("tess", "ada said 1", at=BASE, number=2, errors=("ada said 1",)),
    ),
    "handed over by the tester: the coder": (
        state_of(*TESTED_BY_TESS, red(Responsibility.TESTER), handed_over("tess", 2)),
        execute(
            "ada",
            "tess said 2",
            at=ONE,
            strategy=MECHANICAL,
            number=3,
            errors=("test said 1", "tess said 2"),
            avoided=("attempt 1 by ada changed files: test said 1",),
        ),
    ),
    "handed over twice in a row: two agents disagree, a person decides": (
        state_of(ADA_TESS, handed_over("ada"), handed_over("tess", 2)),
        asked(
            "Whose turn is it?",
            "two agents disagree: ada: ada said 1; tess: tess said 2",
            "decide who acts",
            options=WHOSE,
            at=BASE,
        ),
    ),
    "nothing to mend for a tool, and another agent bids: that one": (
        state_of(ADA_BOB, executed("ada", PASS, Trait.NOTHING_TO_DO)),
        execute("bob", "ada said 1", at=BASE, strategy=MECHANICAL),
    ),
    "a tool had nothing to mend, and the next agent fails: that one again": (
        state_of(
            ADA_BOB,
            executed("ada", PASS, Trait.NOTHING_TO_DO),
            failed("bob", Trait.CRASHED, number=2),
        ),
        execute("bob", "bob said 2", at=BASE, strategy=SIMPLER, errors=("bob said 2",)),
    ),
    "nothing to mend of the findings that are the issue: nothing to do, whoever else bids": (
        of_findings(state_of(ADA_BOB, executed("ada", PASS, Trait.NOTHING_TO_DO))),
        End(outcome=Outcome.NOTHING_TO_DO, reason="ada said 1"),
    ),
    "nothing to mend for the last of the chain either: nothing to do": (
        state_of(
            ADA_BOB,
            executed("ada", PASS, Trait.NOTHING_TO_DO),
            executed("bob", PASS, Trait.NOTHING_TO_DO, number=2),
        ),
        End(outcome=Outcome.NOTHING_TO_DO, reason="ada said 1; bob said 2"),
    ),
    "nothing to mend in the only part: nothing to do": (
        state_of(ADA, executed("ada", PASS, Trait.NOTHING_TO_DO)),
        End(outcome=Outcome.NOTHING_TO_DO, reason="ada said 1"),
    ),
    "nothing to mend in this part: the next part that has an agent": (
        state_of(THREE, executed("ada", PASS, Trait.NOTHING_TO_DO)),
        execute("cy", "ada said 1", at=BASE, part=2),
    ),
    "a part is given up: the next part": (
        state_of(THREE, failed("ada", Trait.CRASHED), failed("ada", Trait.CRASHED, number=2)),
        execute("cy", "given up: ada said 2", at=BASE, part=2, items=()),
    ),
    "one part failed and the others had nothing to mend: failed": (
        state_of(
            routed(("ada",), ("cy",)),
            failed("ada", Trait.CRASHED),
            failed("ada", Trait.CRASHED, number=2),
            executed("cy", PASS, Trait.NOTHING_TO_DO, part=1),
        ),
        all_failed("ada: ada said 1", "ada: ada said 2"),
    ),
    "the last part had nothing to mend: test what the others changed": (
        state_of(
            routed(("ada",), ("cy",)),
            changed("ada", ONE),
            visited(REVIEW),
            executed("cy", PASS, Trait.NOTHING_TO_DO, part=1, to=ONE),
        ),
        to(TEST, "cy said 1", at=ONE, part=1),
    ),
    "the last part is given up: test what the others changed": (
        state_of(
            routed(("ada",), ("cy",)),
            changed("ada", ONE),
            visited(REVIEW),
            executed("cy", REVISE, Trait.CRASHED, part=1, to=ONE),
            executed("cy", REVISE, Trait.CRASHED, part=1, to=ONE, number=2),
        ),
        to(TEST, "given up: cy said 2", at=ONE, part=1),
    ),
    "what was given up is on the branch and never reviewed: failed": (
        state_of(
            routed(("ada",), ()),
            failed("ada", Trait.BROKEN_SYNTAX, to=ONE),
            failed("ada", Trait.BROKEN_SYNTAX, number=2, to=ONE),
        ),
        unreviewed("given up: ada said 2"),
    ),
}

PERSON, ENVIRONMENT = Responsibility.PERSON, Responsibility.ENVIRONMENT
REVIEW_AGAIN = Option(choice=Choice.REVIEW, says="review once more, when the cause is mended")

REVIEW_ROWS: Rows = {
    "the reviewer names what takes a person: asked, and reviewed again": (
        state_of(*REVIEWED[:2], replace(visited(REVIEW, ESCALATE, items=("a",)), responsibility=PERSON)),
        asked("Is the cause mended?", "review said 1", "a", options=(REVIEW_AGAIN,), evidence=("a",), at=ONE),
    ),
    "the reviewer names the environment: nobody is asked to mend code for it": (
        state_of(*REVIEWED[:2], replace(visited(REVIEW, ESCALATE), responsibility=ENVIRONMENT)),
        asked("Is the cause mended?", "review said 1", options=(REVIEW_AGAIN,), at=ONE, whose=ENVIRONMENT),
    ),
    "the tests don't bear out what the review left to them: review again, with the evidence": (
        state_of(*REVIEWED[:2], visited(REVIEW, SKIP), visited(TEST, to=ONE)),
        to(REVIEW, "test said 1", at=ONE, number=2),
    ),
    "refused, and nobody knows whose turn it is: the tests tell": (
        state_of(*REVIEWED[:2], visited(REVIEW, SKIP)),
        to(TEST, "review said 1", at=ONE),
    ),
    "review passed, last part: test": (state_of(*REVIEWED), to(TEST, "review said 1", at=ONE)),
    "review passed: the next part that has an agent": (
        state_of(THREE, changed("ada", ONE), visited(REVIEW)),
        execute("cy", "review said 1", at=ONE, part=2),
    ),
    "review refused: the same agent with the findings": (
        state_of(*REVIEWED[:2], refused(Severity.LOW, items=("scope: too far",))),
        execute(
            "ada",
            "review said 1",
            at=ONE,
            strategy=MECHANICAL,
            items=("scope: too far",),
            errors=("review said 1",),
            avoided=("attempt 1 by ada changed files: review said 1",),
        ),
    ),
    "major findings twice: manual intervention": (
        state_of(
            ADA,
            changed("ada", ONE),
            refused(Severity.HIGH),
            changed("ada", TWO, 2),
            refused(Severity.CRITICAL, 2),
        ),
        refused_twice("review said 2", at=TWO),
    ),
    "major findings twice, with tests that were red in between: manual intervention": (
        state_of(
            ADA,
            changed("ada", ONE),
            refused(Severity.HIGH),
            changed("ada", TWO, 2),
            visited(REVIEW, number=2),
            visited(TEST, REVISE),
            changed("ada", sha("3"), 3),
            refused(Severity.HIGH, 3),
        ),
        refused_twice("review said 3", at=sha("3")),
    ),
    "major, then minor: the agent once more": (
        state_of(
            ADA,
            changed("ada", ONE),
            refused(Severity.HIGH),
            changed("ada", TWO, 2),
            refused(Severity.MEDIUM, 2),
        ),
        execute(
            "ada",
            "review said 2",
            at=TWO,
            strategy=SIMPLER,
            errors=("review said 1", "review said 2"),
            avoided=(
                "attempt 1 by ada changed files: review said 1",
                "attempt 2 by ada changed files: review said 2",
            ),
        ),
    ),
    "refused after the fourth attempt: failed": (
        state_of(
            ADA,
            *(
                step
                for n in (1, 2, 3, 4)
                for step in (changed("ada", sha(str(n)), n), refused(Severity.LOW, n))
            ),
        ),
        all_failed(*(f"sparky: review said {n}" for n in (1, 2, 3, 4))),
    ),
    "refused after the fourth attempt, with a part to come: failed all the same": (
        state_of(
            routed(("ada",), ("cy",)),
            *(
                step
                for n in (1, 2, 3, 4)
                for step in (changed("ada", sha(str(n)), n), refused(Severity.LOW, n))
            ),
        ),
        all_failed(*(f"sparky: review said {n}" for n in (1, 2, 3, 4))),
    ),
    "the review refused and the agent left it so: failed, never tested": (
        state_of(
            ADA,
            changed("ada", ONE),
            refused(Severity.HIGH),
            executed("ada", PASS, Trait.NOTHING_TO_DO, number=2),
        ),
        unreviewed("ada said 2"),
    ),
}

TEST_ROWS: Rows = {
    "no worse than base: verify": (state_of(*TESTED), to(VERIFY, "test said 1", at=ONE)),
    "no test command: verify": (
        state_of(*REVIEWED, visited(TEST, SKIP, Trait.NO_TESTS, to=ONE)),
        to(VERIFY, "test said 1", at=ONE),
    ),
    "no test judges what a tool mended: the tool again, with what needs none": (
        state_of(*REVIEWED, visited(TEST, REVISE, Trait.NO_TESTS, to=ONE)),
        execute(
            "ada",
            "test said 1",
            at=ONE,
            strategy=MECHANICAL,
            errors=("test said 1",),
            avoided=("attempt 1 by ada changed files: test said 1",),
        ),
    ),
    "new failures: the coder, with the output": (
        state_of(*REVIEWED, red(Responsibility.CODER)),
        execute(
            "ada",
            "test said 1",
            at=ONE,
            strategy=MECHANICAL,
            items=("test_a: 1 != 2",),
            errors=("test said 1",),
            avoided=("attempt 1 by ada changed files: test said 1",),
        ),
    ),
    "red three times, and changed after each: tested a fourth time": (
        state_of(
            ADA,
            *(
                step
                for n in (1, 2, 3)
                for step in (
                    changed("ada", sha(str(n)), n),
                    visited(REVIEW),
                    red(Responsibility.CODER, number=n),
                )
            ),
            changed("ada", sha("4"), 4),
            visited(REVIEW, number=4),
        ),
        to(TEST, "review said 4", at=sha("4"), number=4),
    ),
    "new failures, the test at fault: the tester, with the output": (
        state_of(*TESTED_BY_TESS, red(Responsibility.TESTER)),
        execute(
            "tess",
            "test said 1",
            at=ONE,
            strategy=MECHANICAL,
            items=TOLD_TESTER,
            errors=("test said 1",),
            avoided=("attempt 1 by ada changed files: test said 1",),
        ),
    ),
    "the test is at fault, and there is no tester: a person is asked": (
        state_of(*REVIEWED, red(Responsibility.TESTER)),
        asked(
            "Who mends the test?",
            "test said 1",
            "mend the test yourself, or add a tester",
            options=(WHOSE[0],),
            at=ONE,
            evidence=TOLD_TESTER,
        ),
    ),
    "a tester has mended its tests three times: failed": (
        state_of(
            *TESTED_BY_TESS[:1],
            *(
                step
                for n in (1, 2, 3)
                for step in (changed("tess", sha(str(n)), n), visited(REVIEW), red(Responsibility.TESTER, n))
            ),
        ),
        all_failed(*(f"sparky: test said {n}" for n in (1, 2, 3))),
    ),
    "the review was wrong: review again": (
        state_of(*REVIEWED, red(Responsibility.REVIEWER)),
        to(REVIEW, "test said 1", at=ONE, number=2, items=TOLD_TESTER),
    ),
    "the issue contradicts the code: its author is asked": (
        state_of(*REVIEWED, red(Responsibility.ISSUE)),
        asked(
            "What does the issue want?",
            "test said 1",
            "say what is wanted",
            options=(Option(choice=Choice.CODER, says="go on, with your words (--text) on what is wanted"),),
            at=ONE,
            evidence=TOLD_TESTER,
        ),
    ),
    "nobody knows whose fault: a person is asked": (
        state_of(*REVIEWED, red(Responsibility.UNKNOWN)),
        asked(
            "Is the implementation wrong, or the test?",
            "test said 1",
            "look at the failing tests",
            options=WHOSE,
            at=ONE,
            evidence=TOLD_TESTER,
        ),
    ),
    "the environment: blocked, no agent is asked to mend code for it": (
        state_of(
            *REVIEWED,
            replace(
                visited(TEST, ESCALATE, to=ONE, items=("mend the cause",)),
                responsibility=Responsibility.ENVIRONMENT,
            ),
        ),
        asked(
            "Is the cause mended?",
            "test said 1",
            "mend the cause",
            options=(Option(choice=Choice.TEST, says="test once more, when the cause is mended"),),
            at=ONE,
            evidence=("mend the cause",),
            whose=Responsibility.ENVIRONMENT,
        ),
    ),
}

HALF = (
    routed(("ada",), ("cy",)),
    changed("ada", ONE),
    visited(REVIEW),
    executed("cy", REVISE, Trait.CRASHED, part=1, to=ONE),
    executed("cy", REVISE, Trait.CRASHED, part=1, to=ONE, number=2),
)


VERIFY_ROWS: Rows = {
    "not verified: the coder with the evidence": (
        state_of(*TESTED, visited(VERIFY, REVISE, to=ONE, items=("nothing new: E501",)), merge=AUTO),
        execute(
            "ada",
            "verify said 1",
            at=ONE,
            strategy=MECHANICAL,
            items=("nothing new: E501",),
            errors=("verify said 1",),
            avoided=("attempt 1 by ada changed files: verify said 1",),
        ),
    ),
    "verified, policy ask: ready": (state_of(*VERIFIED, merge=ASK), ready("verify said 1")),
    "verified, policy auto: merge": (state_of(*VERIFIED, merge=AUTO), to(MERGE, "verify said 1", at=ONE)),
    "too risky to merge by itself: ready": (
        state_of(*TESTED, visited(VERIFY, ESCALATE, Trait.RISKY, to=ONE), merge=AUTO),
        ready("verify said 1"),
    ),
    "unverified by tests: ready, never merged by itself": (
        state_of(*REVIEWED, visited(TEST, SKIP, Trait.NO_TESTS, to=ONE), visited(VERIFY, to=ONE), merge=AUTO),
        ready("verify said 1"),
    ),
    "accepted by a person in spite of the review, policy auto: ready": (
        answered(state_of(ADA, changed("ada", ONE), refused(Severity.HIGH), merge=AUTO), Choice.ACCEPT)
        .record(visited(TEST, to=ONE))
        .record(visited(VERIFY, to=ONE)),
        ready("verify said 1"),
    ),
    "one kind is mended and verified, another was given up: partial, whatever the policy": (
        state_of(*HALF, visited(TEST, to=ONE), visited(VERIFY, to=ONE), merge=AUTO),
        partial("verify said 1; given up: IMPORT_ERROR"),
    ),
    "the same with a risk: partial": (
        state_of(*HALF, visited(TEST, to=ONE), visited(VERIFY, ESCALATE, Trait.RISKY, to=ONE)),
        partial("verify said 1; given up: IMPORT_ERROR"),
    ),
    "rebased and tested again, approved by a person: merge, risks seen": (
        again(READY, Outcome.READY, APPROVED)
        .record(MOVED)
        .record(visited(TEST, number=2, to=TWO))
        .record(visited(VERIFY, ESCALATE, number=2, to=TWO)),
        to(MERGE, "verify said 2", at=TWO, number=2),
    ),
    "changed again after a person approved: ready again": (
        again(READY, Outcome.READY, APPROVED)
        .record(MOVED)
        .record(visited(TEST, REVISE, number=2, to=TWO))
        .record(changed("ada", sha("3"), 2))
        .record(visited(REVIEW, number=2))
        .record(visited(TEST, number=3, to=sha("3")))
        .record(visited(VERIFY, ESCALATE, number=2, to=sha("3"))),
        ready("verify said 2"),
    ),
}

MERGE_ROWS: Rows = {
    "done: merged": (state_of(*VERIFIED, visited(MERGE, PASS, Trait.MERGED, to=ONE), merge=AUTO), MERGED_END),
    "target moved: test again at the new commit": (
        state_of(*VERIFIED, MOVED, merge=AUTO),
        to(TEST, "merge said 1", at=TWO, number=2),
    ),
    "conflict: blocked, the files named": (
        state_of(
            *VERIFIED,
            visited(MERGE, ESCALATE, Trait.CONFLICT, items=("resolve conflict in a.py",)),
            merge=AUTO,
        ),
        blocked("merge said 1", "resolve conflict in a.py"),
    ),
    "the target is checked out and dirty: ready": (
        state_of(
            *VERIFIED, visited(MERGE, ESCALATE, Trait.DIRTY, items=("commit your changes",)), merge=AUTO
        ),
        End(
            outcome=Outcome.READY,
            reason="merge said 1",
            manual_steps=("commit your changes", f"then: sparky merge {RUN}"),
        ),
    ),
    "the target moved three times: blocked": (
        state_of(
            *VERIFIED,
            MOVED,
            *(step for n in (2, 3) for step in (visited(TEST, number=n), visited(VERIFY, number=n), MOVED)),
            merge=AUTO,
        ),
        asked(
            "Is it quiet now?",
            "test was visited 3 times without getting further: merge said 1",
            "wait until it is quiet",
            options=(Option(choice=Choice.TEST, says="test once more"),),
            at=TWO,
        ),
    ),
}

SEGMENT_ROWS: Rows = {
    "a person approved what is ready: merge": (
        again(READY, Outcome.READY, APPROVED),
        to(MERGE, "a person asked for the merge", at=ONE),
    ),
    "a person approved what is partial: merge": (
        again(READY, Outcome.PARTIAL, APPROVED),
        to(MERGE, "a person asked for the merge", at=ONE),
    ),
    "what is ready and not approved stays ready": (
        again(READY, Outcome.READY, ASK),
        End(outcome=Outcome.READY, reason="the end", manual_steps=("do it",)),
    ),
    "after blocked a new segment routes anew": (
        again(state_of(*REVIEWED), Outcome.BLOCKED, ASK),
        to(Stage.ROUTE, "a new segment starts", at=ONE, number=2),
    ),
    "a person said more: the attempts are counted anew": (
        answered(
            state_of(ADA, *(failed("ada", Trait.CRASHED, number=n) for n in (1, 2, 3, 4))),
            Choice.CODER,
            "look at report.py",
        ),
        execute(
            "ada",
            "a person said: coder",
            at=BASE,
            number=5,
            errors=("ada said 1", "ada said 2", "ada said 3", "ada said 4"),
            words="look at report.py",
        ),
    ),
    "a person says: end it": (
        answered(state_of(*REVIEWED), Choice.STOP),
        End(outcome=Outcome.CANCELLED, reason="a person said: stop"),
    ),
    "a person says: find an agent": (
        answered(state_of(ADA), Choice.ROUTE),
        to(Stage.ROUTE, "a person said: route", at=BASE, number=2),
    ),
    "a person says coder, and there is no agent: route": (
        answered(state_of(visited(Stage.ROUTE, ESCALATE, Trait.NO_AGENT)), Choice.CODER),
        to(Stage.ROUTE, "a person said: coder", at=BASE, number=2),
    ),
    "a person says: the coder, after the tester": (
        answered(state_of(*TESTED_BY_TESS, executed("tess", REVISE, number=2)), Choice.CODER),
        execute("ada", "a person said: coder", at=ONE, number=3, errors=("tess said 2",)),
    ),
    "a person says: the tester": (
        answered(state_of(*TESTED_BY_TESS, red(Responsibility.UNKNOWN)), Choice.TESTER),
        execute(
            "tess",
            "a person said: tester",
            at=ONE,
            number=2,
            items=TOLD_TESTER,
            errors=("test said 1",),
            avoided=("attempt 1 by ada changed files: test said 1",),
        ),
    ),
    "a person says: review it again": (
        answered(state_of(*REVIEWED), Choice.REVIEW),
        to(REVIEW, "a person said: review", at=ONE, number=2),
    ),
    "a person says: test it again": (
        answered(state_of(*TESTED), Choice.TEST),
        to(TEST, "a person said: test", at=ONE, number=2),
    ),
    "a person says: verify it again": (
        answered(state_of(*VERIFIED), Choice.VERIFY),
        to(VERIFY, "a person said: verify", at=ONE, number=2),
    ),
    "a person accepts what the review refused: test": (
        answered(state_of(ADA, changed("ada", ONE), refused(Severity.HIGH)), Choice.ACCEPT),
        to(TEST, "a person said: accept", at=ONE),
    ),
}

FAULT_ROWS: Rows = {
    "sparky's own fault: failed": (
        state_of(ADA, faulty(visited(REVIEW, ESCALATE), Responsibility.SPARKY)),
        End(
            outcome=Outcome.FAILED,
            reason="review said 1",
            responsibility=Responsibility.SPARKY,
            manual_steps=("report it",),
        ),
    ),
    "a stage that the environment did not let be performed: blocked": (
        state_of(ADA, faulty(visited(TEST, ESCALATE), Responsibility.ENVIRONMENT)),
        asked(
            "Is the cause mended?",
            "test said 1",
            "report it",
            options=(Option(choice=Choice.TEST, says="test once more, when the cause is mended"),),
            at=BASE,
            evidence=("report it",),
            whose=Responsibility.ENVIRONMENT,
        ),
    ),
}

SMALL = Budget(usd=0.5, tokens=1000, seconds=60.0)


def limited(*attempts: Attempt, budget: Budget = SMALL, issue: Issue = ISSUE) -> PipelineState:
    return replace(state_of(*attempts, issue=issue), budget=budget)


def costing(attempt: Attempt, *, usd: float = 0.0, tokens: int = 0, seconds: float = 0.0) -> Attempt:
    return replace(attempt, cost_usd=usd, tokens=tokens, seconds=seconds)


def validated(attempt: Attempt) -> Attempt:
    """The route with a validator."""
    return replace(attempt, route=tuple(replace(one, validator="val") for one in attempt.route))


def over(spent: str, *, at: str = BASE) -> End:
    """The budget is asked about."""
    reason = f"budget reached: {spent}"
    more = Option(choice=Choice.GO_ON, says="go on where it stands, with the same budget once more")
    return asked(
        "May it cost as much again?",
        reason,
        f"look at what it has come to: sparky show {RUN}",
        options=(more,),
        at=at,
    )


DEAR = (ADA_BOB, costing(failed("ada", Trait.CRASHED), tokens=1000))
DEAR_PART = (THREE, costing(changed("ada", ONE), usd=0.6), visited(REVIEW))

EARLIER = Earlier(
    run_id="7-0-1",
    outcome=Outcome.FAILED,
    reason="All agents failed",
    refused=("attempt 1 by ada changed a.py: test_a is red",),
    errors=("test_a: 1 != 2",),
)

EARLIER_ROWS: Rows = {
    "an earlier run came to nothing: the agent is told, and has all its attempts": (
        replace(state_of(ADA), earlier=(EARLIER,)),
        execute(
            "ada",
            "routed",
            at=BASE,
            errors=("run 7-0-1: test_a: 1 != 2",),
            avoided=("run 7-0-1: attempt 1 by ada changed a.py: test_a is red",),
        ),
    ),
    "what this run has tried is told after that": (
        replace(state_of(ADA_BOB, failed("ada")), earlier=(EARLIER,)),
        execute(
            "bob",
            "ada said 1",
            at=BASE,
            strategy=MECHANICAL,
            errors=("run 7-0-1: test_a: 1 != 2", "ada said 1"),
            avoided=("run 7-0-1: attempt 1 by ada changed a.py: test_a is red",),
        ),
    ),
}

BUDGET_ROWS: Rows = {
    "the budget is reached before the next agent works: a person is asked": (
        limited(*DEAR),
        over("1000 of 1000 tokens; ada said 1"),
    ),
    "the day's budget is reached: a person is asked": (
        replace(
            state_of(ADA_BOB, failed("ada")),
            preferences=Preferences(day_budget=Budget(usd=2.0, turns=10)),
            today=Spent(usd=2.5, turns=9),
        ),
        over("2.50 of 2.00 USD today; ada said 1"),
    ),
    "what does not parse goes to the validator": (
        state_of(validated(ADA_BOB), failed("ada", Trait.BROKEN_SYNTAX)),
        execute("val", "ada said 1", at=BASE, strategy=MECHANICAL, errors=("ada said 1",)),
    ),
    "a change that was made to parse is refused: who made it, not the validator": (
        state_of(
            validated(ADA_BOB),
            failed("ada", Trait.BROKEN_SYNTAX),
            changed("val", ONE, number=2),
            visited(REVIEW, REVISE),
        ),
        execute(
            "ada",
            "review said 1",
            at=ONE,
            strategy=Strategy.SIMPLIFIED_APPROACH,
            errors=("ada said 1", "review said 1"),
            avoided=("attempt 2 by val changed files: review said 1",),
            number=3,
        ),
    ),
    "a session was stopped for what it cost: a person is asked, with its work kept": (
        state_of(ADA_BOB, failed("ada", Trait.OVER_BUDGET, to=ONE)),
        over("that of a session; ada said 1", at=ONE),
    ),
    "it may cost more: the agent whose session was stopped goes on": (
        answered(state_of(ADA_BOB, failed("ada", Trait.OVER_BUDGET, to=ONE)), Choice.GO_ON),
        execute("ada", "a person said: continue", at=ONE, errors=("ada said 1",), number=2),
    ),
    "a session cost more than one may, and an agent would work next: a person is asked": (
        replace(
            state_of(ADA_BOB, costing(failed("ada"), tokens=700)),
            preferences=Preferences(attempt_budget=Budget(tokens=600)),
        ),
        over("700 of 600 tokens in one session; ada said 1"),
    ),
    "a session cost more than one may, and nobody has to work any more: review": (
        replace(
            state_of(ADA_BOB, costing(changed("ada", ONE), tokens=700)),
            preferences=Preferences(attempt_budget=Budget(tokens=600)),
        ),
        to(REVIEW, "ada said 1", at=ONE),
    ),
    "every limit that is reached is named": (
        limited(ADA_BOB, costing(failed("ada"), usd=0.75, tokens=2000, seconds=90.0)),
        over("0.75 of 0.50 USD, 2000 of 1000 tokens, 1.5 of 1.0 minutes; ada said 1"),
    ),
    "a little of the budget is left: the next agent": (
        limited(ADA_BOB, costing(failed("ada"), usd=0.49, tokens=999, seconds=59.9)),
        execute("bob", "ada said 1", at=BASE, strategy=MECHANICAL, errors=("ada said 1",)),
    ),
    "the budget is used up, and no agent has to work any more: review": (
        limited(ADA, costing(changed("ada", ONE), tokens=5000)),
        to(REVIEW, "ada said 1", at=ONE),
    ),
    "the budget is reached between two deliverables: a person is asked": (
        limited(PLANNED, costing(ended_child(0, to=ONE), seconds=61.0), issue=EPIC),
        over("1.0 of 1.0 minutes; child said 1", at=ONE),
    ),
    "a person says that it may cost more: the agent that was to work": (
        answered(limited(*DEAR), Choice.GO_ON),
        execute("bob", "a person said: continue", at=BASE, errors=("ada said 1",), number=2),
    ),
    "it may cost more: the part that was to come, not the one before": (
        answered(limited(*DEAR_PART), Choice.GO_ON),
        execute("cy", "a person said: continue", at=ONE, part=2),
    ),
    "it may cost more: the deliverable that was to come": (
        answered(limited(PLANNED, costing(ended_child(0, to=ONE), usd=1.0), issue=EPIC), Choice.GO_ON),
        to(Stage.CHILD, "a person said: continue", at=ONE, part=1),
    ),
    "what earlier segments have cost does not count": (
        replace(
            answered(limited(*DEAR), Choice.GO_ON),
            attempts=(*DEAR, costing(failed("bob", number=2), tokens=999)),
        ),
        execute(
            "ada",
            "bob said 2",
            at=BASE,
            strategy=MECHANICAL,
            errors=("ada said 1", "bob said 2"),
            number=3,
        ),
    ),
}


def unanswered(number: int, trait: Trait = Trait.RATE_LIMITED, *, until: float, runner: str = "") -> Attempt:
    """A session of ada's whose model took no requests."""
    blank = executed("ada", REVISE, trait)
    return replace(blank, number=number, reason=f"limit {number}", retry_at=until, runner=runner)


def standing_in(*attempts: Attempt) -> PipelineState:
    """A run in which codex stands in."""
    state = state_of(ADA, *attempts)
    return replace(state, preferences=replace(state.preferences, fallback_runner="codex"))


STOPPED = costing(
    replace(executed("ada", REVISE, Trait.OVER_BUDGET, to=ONE), files_modified=("a.py",)), tokens=1000
)
ALWAYS_OUT = tuple(unanswered(number, Trait.OUTAGE, until=float(number)) for number in range(1, 14))

MODEL_ROWS: Rows = {
    "the model's rate limit is reached: the same agent with the same strategy, when it ends": (
        state_of(ADA_BOB, unanswered(1, until=100.0)),
        replace(execute("ada", "limit 1", at=BASE, number=2), not_before=100.0),
    ),
    "the model does not answer: the same, after a pause": (
        state_of(ADA, unanswered(1, Trait.OUTAGE, until=5.0)),
        replace(execute("ada", "limit 1", at=BASE, number=2), not_before=5.0),
    ),
    "somebody can stand in: at once": (
        standing_in(unanswered(1, until=100.0)),
        replace(execute("ada", "limit 1", at=BASE, number=2), runner="codex"),
    ),
    "who stands in is limited, too: whoever is free first, the one": (
        standing_in(unanswered(1, until=100.0), unanswered(2, until=200.0, runner="codex")),
        replace(execute("ada", "limit 2", at=BASE, number=3), not_before=100.0),
    ),
    "who stands in is limited, too: whoever is free first, the other": (
        standing_in(unanswered(1, until=300.0), unanswered(2, until=200.0, runner="codex")),
        replace(execute("ada", "limit 2", at=BASE, number=3), not_before=200.0, runner="codex"),
    ),
    "the model never answers: a person is asked": (
        state_of(ADA, *ALWAYS_OUT),
        asked(
            "Does the model answer again?",
            "limit 13",
            "see why the model does not answer, or name another with fallback_runner",
            options=(Option(choice=Choice.CODER, says="the agent once more"),),
            at=BASE,
        ),
    ),
    "a session was stopped, as it used the budget up: a person is asked, its work is kept": (
        limited(ADA, STOPPED),
        over("1000 of 1000 tokens; ada said 1", at=ONE),
    ),
    "it may cost more, and a session was stopped: the same agent, on top of its work": (
        answered(limited(ADA_BOB, STOPPED), Choice.GO_ON),
        execute("ada", "a person said: continue", at=ONE, errors=("ada said 1",), number=2),
    ),
}

ROWS: Rows = {
    **MODEL_ROWS,
    **BUDGET_ROWS,
    **EARLIER_ROWS,
    **PLAN_ROWS,
    **ROUTE_ROWS,
    **EXECUTE_ROWS,
    **REVIEW_ROWS,
    **TEST_ROWS,
    **VERIFY_ROWS,
    **MERGE_ROWS,
    **SEGMENT_ROWS,
    **FAULT_ROWS,
}


@pytest.mark.parametrize("row", ROWS)
def test_flow(row: str) -> None:
    state, expected = ROWS[row]
    assert decide(state) == expected


def test_every_line_of_the_table_is_a_row_here_and_leads_where_it_says() -> None:
    seen = {row_for(state) for state, _ in ROWS.values()}
    assert [line.when for line in TABLE if line not in seen] == []
    for state, expected in ROWS.values():
        to = expected.stage if isinstance(expected, Handoff) else expected.outcome
        assert to in row_for(state).leads, row_for(state).when


@pytest.mark.parametrize("row", ROWS)
def test_a_person_who_cancels_ends_the_run_wherever_it_stands_unless_it_is_merged(row: str) -> None:
    state, expected = ROWS[row]
    cancelled = End(outcome=Outcome.CANCELLED, reason="a person cancelled the run")
    assert decide(state, cancelled=True) == (expected if state.has(Trait.MERGED) else cancelled)


def test_what_findings_were_handed_to_ends_where_any_other_run_asks_somebody() -> None:
    asking = [(state, end) for state, end in ROWS.values() if isinstance(end, End) and end.asks]
    assert asking
    for state, end in asking:
        handed_on = replace(state, issue=replace(state.issue, source=Source.LEFTOVERS))
        steps = end.manual_steps[:-1]
        assert decide(handed_on) == replace(end, outcome=Outcome.FAILED, question=None, manual_steps=steps)


def test_a_model_is_left_alone_for_twice_as_long_each_time_up_to_a_quarter_of_an_hour() -> None:
    pauses = [pause_s(state_of(ADA, *ALWAYS_OUT[:count]), 0) for count in range(9)]
    assert pauses == [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 900.0]


def test_a_handoff_says_everything_that_the_next_stage_has_to_know() -> None:
    assert decide(state_of(ADA_BOB, failed("ada", Trait.LIE))) == Handoff(
        stage=Stage.EXECUTE,
        reason="ada said 1",
        success_criteria=("files are changed", "changed files parse"),
        action_items=(),
        rollback="sparky undo 7-0a1b2c3d-1",
        rollback_sha=BASE,
        agent="bob",
        part=0,
        number=2,
        strategy=MECHANICAL,
        previous_errors=("ada said 1",),
    )
