"""What the handoff table asks of a run: facts of its newest attempt, and of the answer it starts with."""

from collections.abc import Callable

from sparky.domain.attempt import Attempt, Responsibility, Stage, Trait, Verdict
from sparky.domain.escalation import Choice
from sparky.domain.finding import leftovers_of
from sparky.domain.issue import Kind, Severity, Source
from sparky.domain.state import MergePolicy, Outcome, PipelineState

FAULT = "fault"
"""The error type of an attempt whose stage could not be performed at all."""

_LEFTOVERS = frozenset(map(leftovers_of, Kind))

Condition = Callable[[PipelineState], bool]


def said(*verdicts: Verdict) -> Condition:
    """The newest attempt came to one of these."""
    return lambda state: state.newest.verdict in verdicts


def bears(trait: Trait) -> Condition:
    """The newest attempt bears the trait."""
    return lambda state: trait in state.newest.traits


def owed_by(whose: Responsibility) -> Condition:
    """The newest attempt was refused, and it is their turn."""
    return lambda state: state.newest.verdict is Verdict.REVISE and state.newest.responsibility is whose


def answered(*choices: Choice) -> Condition:
    """A person's answer starts the segment, and is one of these."""
    return lambda state: state.answer is not None and state.answer.choice in choices


def faulty(state: PipelineState) -> bool:
    """The stage could not be performed."""
    return state.newest.error_type == FAULT


def own_fault(state: PipelineState) -> bool:
    """The stage could not be performed, and that is sparky's fault."""
    return faulty(state) and state.newest.responsibility is Responsibility.SPARKY


def overspent(state: PipelineState) -> bool:
    """A budget is used up: the segment's, the day's, or that of the session before."""
    return bool(state.overspent)


def was_stopped(state: PipelineState) -> bool:
    """The newest attempt is a session that was stopped in the middle, as it might cost no more."""
    return state.newest.stage is Stage.EXECUTE and Trait.OVER_BUDGET in state.newest.traits


def stopped(state: PipelineState) -> bool:
    """A session of this segment was stopped, and nobody has said yet that it may cost more."""
    return was_stopped(state) and len(state.attempts) > state.segment_start


def unanswered(state: PipelineState) -> bool:
    """The newest attempt's model took no requests."""
    return not {Trait.RATE_LIMITED, Trait.OUTAGE}.isdisjoint(state.newest.traits)


def always(_state: PipelineState) -> bool:
    """In all other cases."""
    return True


def changed(state: PipelineState) -> bool:
    """EXECUTE passed with a change."""
    return state.newest.verdict is Verdict.PASS and Trait.CHANGED in state.newest.traits


def another_bids(state: PipelineState) -> bool:
    """Somebody follows the newest attempt's agent in the chain, and a person asks for more than findings."""
    route = state.routes[state.newest.part]
    follows = state.newest.agent in (route.agent, *route.fallbacks)[:-1]
    return follows and state.issue.source is not Source.FINDINGS


def ready(state: PipelineState) -> bool:
    """The last segment ended ready."""
    return bool(state.ends) and state.ends[-1].outcome is Outcome.READY


def approved(state: PipelineState) -> bool:
    """The run was verified, in whole or in part, and a person asks for the merge."""
    verified = bool(state.ends) and state.ends[-1].outcome in {Outcome.READY, Outcome.PARTIAL}
    return verified and state.preferences.merge is MergePolicy.APPROVED


def gave_up(state: PipelineState) -> bool:
    """A part was given up, and no person has approved of the rest; findings left are no such part."""
    if state.preferences.merge is MergePolicy.APPROVED:
        return False
    if state.plan and state.issue.source is Source.FINDINGS:
        newest = {state.plan[a.part].id: a.verdict for a in state.of(Stage.CHILD)}
        return any(
            verdict in {Verdict.REVISE, Verdict.ESCALATE} and name not in _LEFTOVERS
            for name, verdict in newest.items()
        )
    return bool(state.given_up)


def composed(state: PipelineState) -> bool:
    """The issue consists of others, and there is no plan for them yet."""
    return bool(state.issue.children) and not state.plan


def planned(state: PipelineState) -> bool:
    """The issue was taken apart."""
    return bool(state.plan)


def both(one: Condition, other: Condition) -> Condition:
    """One condition and another."""
    return lambda state: one(state) and other(state)


def no_route(state: PipelineState) -> bool:
    """No agent was found so far."""
    return all(route.agent is None for route in state.routes)


def disagreed(state: PipelineState) -> bool:
    """The two newest EXECUTEs each said that it is not their turn."""
    newest = state.of(Stage.EXECUTE)[-2:]
    return len(newest) > 1 and all(Trait.HANDED_OVER in attempt.traits for attempt in newest)


def grave_again(state: PipelineState) -> bool:
    """This review, and the one that refused before it, found something grave."""
    refusals = [a for a in state.here(Stage.REVIEW, state.newest.part) if a.verdict is not Verdict.PASS]
    return len(refusals) > 1 and _is_grave(refusals[-1]) and _is_grave(refusals[-2])


def doubted(state: PipelineState) -> bool:
    """The newest review refused, and left it to the tests whose turn that makes it; no plan came after."""
    review = state.last(Stage.REVIEW)
    return review is not None and review.verdict is Verdict.SKIP and not state.plan


def may_merge(state: PipelineState) -> bool:
    """A person approved of just this change; or TEST and VERIFY passed and the policy asks nobody.

    What a person accepted against the gates is for a person to merge.
    """
    match state.preferences.merge:
        case MergePolicy.APPROVED:
            return all(a.stage is not Stage.EXECUTE for a in state.attempts[state.segment_start :])
        case MergePolicy.AUTO if state.accepted:
            return False
        case MergePolicy.AUTO:
            test = state.last(Stage.TEST)
            return state.newest.verdict is Verdict.PASS and test is not None and test.verdict is Verdict.PASS
        case MergePolicy.ASK:
            return False


def _is_grave(attempt: Attempt) -> bool:
    grave = {Severity.HIGH, Severity.CRITICAL}
    return any(g.verdict is not Verdict.PASS and g.severity in grave for g in attempt.gates)
