"""How a segment ends: the outcome, whose turn it is then, and what is asked of a person."""

from dataclasses import replace

from sparky.domain.attempt import Attempt, Responsibility, Stage, Trait, Verdict
from sparky.domain.escalation import Choice, Escalation, Option
from sparky.domain.state import End, Outcome, PipelineState

TOLD = 20
"""How many errors a person or an agent is told."""

AGAIN = {
    Stage.ROUTE: Choice.ROUTE,
    Stage.DECOMPOSE: Choice.ROUTE,
    Stage.CHILD: Choice.CODER,
    Stage.EXECUTE: Choice.CODER,
    Stage.REVIEW: Choice.REVIEW,
    Stage.TEST: Choice.TEST,
    Stage.VERIFY: Choice.VERIFY,
    Stage.MERGE: Choice.VERIFY,
}
"""What a person answers to have a stage performed once more."""

_STOP = Option(choice=Choice.STOP, says="end the run; what it did stays on its branch")


def stopped(state: PipelineState) -> End:
    """A person said so."""
    return End(outcome=Outcome.CANCELLED, reason=why(state))


def still(state: PipelineState) -> End:
    """As the segment before ended."""
    return state.ends[-1]


def fault(state: PipelineState) -> End:
    """sparky's own fault."""
    last = state.newest
    return _end(Outcome.FAILED, last.reason, last.items, whose=last.responsibility)


def nothing_to_do(state: PipelineState) -> End:
    """Nothing is to be done."""
    return End(outcome=Outcome.NOTHING_TO_DO, reason=state.newest.reason)


def withdrawn(state: PipelineState) -> End:
    """Nothing of a fix holds."""
    return End(outcome=Outcome.FAILED, reason=state.newest.reason)


def ready(state: PipelineState) -> End:
    """Verified; a person merges."""
    run = state.run_id
    return _end(
        Outcome.READY, state.newest.reason, (f"look at it: sparky diff {run}", f"then: sparky merge {run}")
    )


def partial(state: PipelineState) -> End:
    """Some kinds are mended and verified, as a commit; others were given up, so nothing merges by itself."""
    steps = (f"look at it: sparky diff {state.run_id}", f"take it as it is: sparky merge {state.run_id}")
    return _end(Outcome.PARTIAL, f"{state.newest.reason}; given up: {', '.join(state.given_up)}", steps)


def merged(state: PipelineState) -> End:
    """Merged: nobody's turn."""
    return _end(Outcome.MERGED, state.newest.reason, (), whose=Responsibility.UNKNOWN)


def conflict(state: PipelineState) -> End:
    """A person resolves the conflict."""
    return _end(Outcome.BLOCKED, state.newest.reason, state.newest.items)


def waits(state: PipelineState) -> End:
    """Verified; the target is not to be moved now."""
    steps = (*state.newest.items, f"then: sparky merge {state.run_id}")
    return _end(Outcome.READY, state.newest.reason, steps)


def no_agent(state: PipelineState) -> End:
    """Nobody bids enough."""
    step = "add an agent for the kind, or name one in the issue"
    return _end(Outcome.BLOCKED, state.newest.reason, (step,))


def unplanned(state: PipelineState) -> End:
    """The deliverables can't be put in an order."""
    return _end(Outcome.BLOCKED, state.newest.reason, state.newest.items)


def apart(state: PipelineState) -> End:
    """Every deliverable holds alone, and all together don't."""
    said = f"the parts don't hold together: {state.newest.reason}"
    step = f"look at `sparky show {state.run_id}`, mend the branch by hand, or run it again: it starts anew"
    return _end(Outcome.BLOCKED, said, (step,))


def undone(state: PipelineState) -> End:
    """Not one deliverable is done."""
    tried = state.of(Stage.CHILD)
    if any(attempt.verdict is Verdict.ESCALATE for attempt in tried):
        outcome = Outcome.BLOCKED
    elif all(attempt.verdict is Verdict.SKIP for attempt in tried):
        outcome = Outcome.NOTHING_TO_DO
    else:
        outcome = Outcome.FAILED
    said = "; ".join(attempt.reason for attempt in tried)
    steps = (f"see what each part asks for, then: sparky retry {state.run_id}",)
    return _end(outcome, f"none of {len(state.plan)} deliverables is done: {said}", steps)


def refused_twice(state: PipelineState) -> End:
    """The review found something grave, twice."""
    options = (
        Option(choice=Choice.CODER, says="the agent once more, with your words (--text)"),
        Option(choice=Choice.ACCEPT, says="take the change as it is, in spite of the findings"),
    )
    step = "look at the branch and the findings of the review"
    reason = f"manual intervention: review refused twice: {state.newest.reason}"
    return ask(state, "What is to become of a change that review refuses?", options, (step,), reason)


def disagree(state: PipelineState) -> End:
    """Two agents each say that it is not their turn."""
    both = "; ".join(f"{a.agent}: {a.reason}" for a in state.of(Stage.EXECUTE)[-2:])
    return ask(state, "Whose turn is it?", WHOSE, ("decide who acts",), f"two agents disagree: {both}")


def ask_whose(state: PipelineState) -> End:
    """Red tests, and nothing tells whose fault that is."""
    return ask(state, "Is the implementation wrong, or the test?", WHOSE, ("look at the failing tests",))


def ask_author(state: PipelineState) -> End:
    """The issue contradicts the code, or itself."""
    options = (Option(choice=Choice.CODER, says="go on, with your words (--text) on what is wanted"),)
    return ask(state, "What does the issue want?", options, ("say what is wanted",))


def over_budget(state: PipelineState) -> End:
    """The budget is used up, and an agent would work next."""
    reached = ", ".join(state.overspent) or "that of a session"
    said = f"budget reached: {reached}; {state.newest.reason}"
    more = Option(choice=Choice.GO_ON, says="go on where it stands, with the same budget once more")
    step = f"look at what it has come to: sparky show {state.run_id}"
    return ask(state, "May it cost as much again?", (more,), (step,), said)


def stuck(state: PipelineState) -> End:
    """The environment stands in the way; no agent is asked to mend code for it."""
    last = state.newest
    again = Option(choice=AGAIN[last.stage], says=f"{last.stage.value} once more, when the cause is mended")
    asked = ask(state, "Is the cause mended?", (again,), last.items)
    return replace(asked, responsibility=last.responsibility)


WHOSE = (
    Option(choice=Choice.CODER, says="the coder mends the implementation"),
    Option(choice=Choice.TESTER, says="the tester mends the test"),
)


def ask(
    state: PipelineState,
    question: str,
    options: tuple[Option, ...],
    steps: tuple[str, ...],
    reason: str | None = None,
) -> End:
    """The run waits for a person. The first option is the recommended one; to stop is always one."""
    last = state.newest
    said = reason or last.reason
    escalation = Escalation(
        question=question,
        reason=said,
        options=(*options, _STOP),
        default=options[0].choice,
        evidence=tuple(dict.fromkeys((*last.validation_errors, *last.items)))[:TOLD],
        about=state.head,
    )
    how = f"then: sparky answer {state.run_id} {options[0].choice.value}"
    return replace(_end(Outcome.BLOCKED, said, (*steps, how)), question=escalation)


def unasked(end: End) -> End:
    """The end of a run that asks nobody: without its question, and the step that answers it."""
    return replace(end, outcome=Outcome.FAILED, question=None, manual_steps=end.manual_steps[:-1])


def unreviewed(reason: str) -> End:
    said = f"what is on the branch did not pass the review: {reason}"
    return _end(Outcome.FAILED, said, ("look at the branch and the findings of the review",))


def all_failed(state: PipelineState, last: Attempt) -> End:
    tried = state.of(Stage.EXECUTE)
    idle = all(Trait.NO_CHANGE in a.traits for a in tried)
    kind = state.routes[last.part].kind.value
    refused = (a for a in state.attempts if a.verdict is Verdict.REVISE)
    said = "; ".join(dict.fromkeys(f"{a.agent}: {a.reason}" for a in refused))
    outcome = Outcome.NOTHING_TO_DO if idle else Outcome.FAILED
    step = f"read `sparky show {state.run_id}` and mend it by hand, or say more in the issue"
    return _end(outcome, f"All agents failed for {kind}: {said}", (step,))


def why(state: PipelineState) -> str:
    """Why the next stage is visited: what the newest attempt said, or what began the segment."""
    if len(state.attempts) > state.segment_start:
        return state.newest.reason
    if state.answer is not None:
        return f"a person said: {state.answer.choice.value}"
    if state.ends and state.ends[-1].outcome in {Outcome.READY, Outcome.PARTIAL}:
        return "a person asked for the merge"
    return "a new segment starts"


def _end(
    outcome: Outcome,
    reason: str,
    steps: tuple[str, ...],
    whose: Responsibility = Responsibility.PERSON,
) -> End:
    return End(outcome=outcome, reason=reason, responsibility=whose, manual_steps=steps)
