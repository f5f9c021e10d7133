"""The handoff table (DESIGN §3): after this stage, when that holds, this follows.

The first row that holds is the one that counts.
"""

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from sparky.domain import ends, moves
from sparky.domain.attempt import Responsibility, Stage, Trait, Verdict
from sparky.domain.conditions import (
    Condition,
    always,
    another_bids,
    answered,
    approved,
    bears,
    both,
    changed,
    composed,
    disagreed,
    doubted,
    faulty,
    gave_up,
    grave_again,
    may_merge,
    no_route,
    overspent,
    owed_by,
    own_fault,
    planned,
    ready,
    said,
    stopped,
    unanswered,
    was_stopped,
)
from sparky.domain.escalation import Choice
from sparky.domain.issue import Source
from sparky.domain.moves import Move
from sparky.domain.state import End, Handoff, Outcome, PipelineState


class Moment(Enum):
    """When rows apply that belong to no single stage."""

    START = "a segment starts"
    ANY = "any stage"
    AGENT = "before an agent works"


class Basis(Enum):
    """What a row's condition rests on, and how sure that is."""

    SEEN = "what sparky saw itself: 1.0"
    JUDGED = "judged from the evidence: the confidence and the facts recorded with it, 0.0 to 0.95"
    CLAIMED = "an agent's word, which two agents can refute: no figure"


class Row(NamedTuple):
    """One line of the table. `when` is for a person; `leads` is all that `then` can come to."""

    after: Stage | Moment
    when: str
    holds: Condition
    then: Move
    leads: tuple[Stage | Outcome, ...]
    basis: Basis = Basis.SEEN


START, ANY, AGENT = Moment
ROUTE, DECOMPOSE, CHILD, EXECUTE, REVIEW, TEST, VERIFY, MERGE = Stage
PASS, REVISE, ESCALATE, SKIP = Verdict
MERGED, READY, NOTHING_TO_DO, PARTIAL, BLOCKED, FAILED, CANCELLED = Outcome
PART = (EXECUTE, TEST, FAILED, NOTHING_TO_DO, BLOCKED)
"""Where a part leads: EXECUTE, of it or the next; after the last TEST, or an end if nothing is kept."""
AGAIN = (EXECUTE, FAILED, NOTHING_TO_DO)
"""Where a refusal leads: to EXECUTE, or an end where the attempts are used up."""

NEXT_CHILD = (CHILD, TEST, NOTHING_TO_DO, BLOCKED, FAILED)
"""Where a plan leads: to its next part; after the last as above."""
WORK = frozenset({EXECUTE, CHILD})
"""Stages in which agents work."""

_GO_ON = (Choice.ROUTE, Choice.CODER, Choice.TESTER, Choice.REVIEW, Choice.ACCEPT)


def _where_it_stood(state: PipelineState) -> Handoff | End:
    """What follows the newest attempt, as if no question had come between."""
    return _first(state, ANY, state.newest.stage).then(state)


TABLE = (
    Row(START, "a person asks for the merge of what is verified", approved, moves.visit(MERGE), (MERGE,)),
    Row(START, "a person says: end it", answered(Choice.STOP), ends.stopped, (CANCELLED,)),
    Row(
        START,
        "a person says: it may cost more, and a session was stopped",
        both(answered(Choice.GO_ON), was_stopped),
        moves.same_agent,
        PART,
    ),
    Row(START, "a person says: it may cost more", answered(Choice.GO_ON), _where_it_stood, (EXECUTE, CHILD)),
    Row(
        START,
        "a person says: go on, and there is a plan",
        both(planned, answered(*_GO_ON)),
        moves.next_child,
        NEXT_CHILD,
    ),
    Row(START, "a person says: find an agent", answered(Choice.ROUTE), moves.visit(ROUTE), (ROUTE,)),
    Row(
        START,
        "a person says: work on it, and no agent was found so far",
        both(no_route, answered(Choice.CODER, Choice.TESTER)),
        moves.visit(ROUTE),
        (ROUTE,),
    ),
    Row(START, "a person says: the coder", answered(Choice.CODER), moves.coder, (EXECUTE,)),
    Row(START, "a person says: the tester", answered(Choice.TESTER), moves.tester, PART),
    Row(START, "a person says: review it again", answered(Choice.REVIEW), moves.visit(REVIEW), (REVIEW,)),
    Row(START, "a person says: test it again", answered(Choice.TEST), moves.visit(TEST), (TEST,)),
    Row(START, "a person says: verify it again", answered(Choice.VERIFY), moves.visit(VERIFY), (VERIFY,)),
    Row(START, "a person accepts what the review refused", answered(Choice.ACCEPT), moves.next_part, PART),
    Row(START, "it was ready, and nobody asks for more", ready, ends.still, (READY,)),
    Row(START, "the issue consists of several", composed, moves.visit(DECOMPOSE), (DECOMPOSE,)),
    Row(START, "in all other cases", always, moves.visit(ROUTE), (ROUTE,)),
    Row(AGENT, "a budget is used up", overspent, ends.over_budget, (BLOCKED,)),
    Row(ANY, "the stage failed by sparky's own fault", own_fault, ends.fault, (FAILED,)),
    Row(ANY, "the stage could not be performed", faulty, ends.stuck, (BLOCKED,)),
    Row(DECOMPOSE, "there is an order", said(PASS), moves.next_child, NEXT_CHILD),
    Row(DECOMPOSE, "there is none", always, ends.unplanned, (BLOCKED,)),
    Row(CHILD, "however it ended", always, moves.next_child, NEXT_CHILD),
    Row(ROUTE, "nothing is to be done", bears(Trait.NOTHING_TO_DO), ends.nothing_to_do, (NOTHING_TO_DO,)),
    Row(ROUTE, "an agent was found", said(PASS), moves.first_part, PART),
    Row(ROUTE, "nobody bids enough", always, ends.no_agent, (BLOCKED,)),
    Row(EXECUTE, "stopped: the budget is used up", stopped, ends.over_budget, (BLOCKED,)),
    Row(EXECUTE, "the model takes no requests", unanswered, moves.wait, (EXECUTE, BLOCKED)),
    Row(
        EXECUTE,
        "files changed, and a report asks the tester, too",
        both(changed, bears(Trait.TESTER_FOLLOWS)),
        moves.tester_too,
        (EXECUTE, REVIEW, BLOCKED),
    ),
    Row(EXECUTE, "files changed", changed, moves.visit(REVIEW), (REVIEW, BLOCKED)),
    Row(
        EXECUTE,
        "a tool mends nothing, and another agent bids",
        both(bears(Trait.NOTHING_TO_DO), another_bids),
        moves.next_agent,
        PART,
    ),
    Row(EXECUTE, "nothing was there to mend", said(PASS), moves.next_part, PART),
    Row(
        EXECUTE,
        "it is several issues",
        bears(Trait.COMPLEX),
        moves.visit(DECOMPOSE),
        (DECOMPOSE, BLOCKED),
        Basis.CLAIMED,
    ),
    Row(
        EXECUTE,
        "nothing of the fix is safe, and another agent bids",
        both(bears(Trait.WITHDRAWN), another_bids),
        moves.next_agent,
        PART,
    ),
    Row(EXECUTE, "nothing of the fix is safe", bears(Trait.WITHDRAWN), ends.withdrawn, (FAILED,)),
    Row(
        EXECUTE,
        "handed over, for the second time in a row",
        disagreed,
        ends.disagree,
        (BLOCKED,),
        Basis.CLAIMED,
    ),
    Row(
        EXECUTE,
        "handed over: not my turn",
        bears(Trait.HANDED_OVER),
        moves.other,
        PART,
        Basis.CLAIMED,
    ),
    Row(EXECUTE, "changed files don't parse", bears(Trait.BROKEN_SYNTAX), moves.validator, PART),
    Row(EXECUTE, "failed, crashed, changed nothing, or lied", always, moves.next_agent, PART),
    Row(REVIEW, "passed", said(PASS), moves.next_part, PART),
    Row(REVIEW, "grave findings, for the second time", grave_again, ends.refused_twice, (BLOCKED,)),
    Row(REVIEW, "it takes a person, or the environment is to blame", said(ESCALATE), ends.stuck, (BLOCKED,)),
    Row(
        REVIEW, "refused, and the tests tell whose turn it is", said(SKIP), moves.visit(TEST), (TEST, BLOCKED)
    ),
    Row(REVIEW, "findings", always, moves.same_agent, AGAIN),
    Row(
        TEST,
        "no worse than base, which does not bear the review out",
        both(doubted, said(PASS, SKIP)),
        moves.visit(REVIEW),
        (REVIEW, BLOCKED),
    ),
    Row(TEST, "no worse than base, or no tests", said(PASS, SKIP), moves.visit(VERIFY), (VERIFY, BLOCKED)),
    Row(TEST, "the parts don't hold together", both(planned, said(REVISE)), ends.apart, (BLOCKED,)),
    Row(
        TEST,
        "there is no test that passes, and tools mended what only tests could judge",
        both(bears(Trait.NO_TESTS), said(REVISE)),
        moves.same_agent,
        AGAIN,
    ),
    Row(
        TEST,
        "new failures, the test at fault",
        owed_by(Responsibility.TESTER),
        moves.tester,
        (*AGAIN, BLOCKED),
        Basis.JUDGED,
    ),
    Row(
        TEST,
        "the review was wrong",
        owed_by(Responsibility.REVIEWER),
        moves.visit(REVIEW),
        (REVIEW, BLOCKED),
        Basis.JUDGED,
    ),
    Row(
        TEST,
        "the issue contradicts the code",
        owed_by(Responsibility.ISSUE),
        ends.ask_author,
        (BLOCKED,),
        Basis.JUDGED,
    ),
    Row(
        TEST,
        "nobody knows whose fault",
        owed_by(Responsibility.UNKNOWN),
        ends.ask_whose,
        (BLOCKED,),
        Basis.JUDGED,
    ),
    Row(
        TEST, "new failures, the implementation at fault", said(REVISE), moves.same_agent, AGAIN, Basis.JUDGED
    ),
    Row(TEST, "the environment gives no verdict", always, ends.stuck, (BLOCKED,)),
    Row(VERIFY, "the parts don't hold together", both(planned, said(REVISE)), ends.apart, (BLOCKED,)),
    Row(VERIFY, "not verified", said(REVISE), moves.same_agent, AGAIN),
    Row(VERIFY, "verified, and a part was given up", gave_up, ends.partial, (PARTIAL,)),
    Row(VERIFY, "verified, and nobody has to be asked", may_merge, moves.visit(MERGE), (MERGE, BLOCKED)),
    Row(VERIFY, "verified, or only a risk is left", always, ends.ready, (READY,)),
    Row(MERGE, "done", said(PASS), ends.merged, (MERGED,)),
    Row(MERGE, "the target moved", bears(Trait.MOVED), moves.visit(TEST), (TEST, BLOCKED)),
    Row(MERGE, "a conflict", bears(Trait.CONFLICT), ends.conflict, (BLOCKED,)),
    Row(MERGE, "the target can't be moved now", always, ends.waits, (READY,)),
)


def decide(state: PipelineState, *, cancelled: bool = False) -> Handoff | End:
    """The next stage and what it is told, or the end of this segment and why.

    A person's wish to cancel comes too late for what is merged. What findings were handed to asks nobody: it
    would wait, and hold them, when all that it is a part of is merged.
    """
    if cancelled and not state.has(Trait.MERGED):
        return End(outcome=Outcome.CANCELLED, reason="a person cancelled the run")
    following = row_for(state).then(state)
    if isinstance(following, End) and following.asks and state.issue.source is Source.LEFTOVERS:
        return ends.unasked(following)
    return following


def row_for(state: PipelineState) -> Row:
    """The row of the table that applies to a run as it stands."""
    if len(state.attempts) == state.segment_start:
        row = _first(state, START)
    else:
        row = _first(state, ANY, state.newest.stage)
    following = row.then(state)
    works = isinstance(following, Handoff) and following.stage in WORK
    return next((guard for guard in _holding(state, AGENT) if works), row)


def _first(state: PipelineState, *moments: Stage | Moment) -> Row:
    return next(_holding(state, *moments))


def _holding(state: PipelineState, *moments: Stage | Moment) -> Iterator[Row]:
    return (row for row in TABLE if row.after in moments and row.holds(state))
