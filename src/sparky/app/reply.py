"""What a person says to a run that stands still: an answer to its question, or that it be tried again."""

from datetime import UTC, datetime, timedelta

from sparky.domain.ends import AGAIN
from sparky.domain.errors import NeedsPersonError, UsageError
from sparky.domain.escalation import EXPIRES_DAYS, Answer, Choice, Escalation
from sparky.domain.run import RunRow
from sparky.domain.state import Outcome, PipelineState
from sparky.ports import Repository


def question_of(row: RunRow, state: PipelineState) -> Escalation:
    """The question that a run ended with; raises UsageError if it asks none."""
    question = state.ends[-1].question if row.outcome is not None and state.ends else None
    if question is None:
        raise UsageError(f"{row.run_id} asks nothing: see `sparky show {row.run_id}`")
    return question


def answer(
    row: RunRow, state: PipelineState, choice: Choice, text: str, repository: Repository
) -> PipelineState:
    """The run as it goes on with an answer.

    Raises UsageError for what is no option, NeedsPersonError where the question is too old, or the branch is
    no longer at the commit that was asked about.
    """
    question = question_of(row, state)
    options = [option.choice for option in question.options]
    if choice not in options:
        said = ", ".join(option.value for option in options)
        raise UsageError(f"{choice.value} is no answer here; these are: {said}")
    asked, now = datetime.fromisoformat(row.updated), datetime.now(UTC)
    if now - asked > timedelta(days=EXPIRES_DAYS):
        raise NeedsPersonError(
            f"the question of {asked:%Y-%m-%d} has expired after {EXPIRES_DAYS} days: "
            f"`sparky retry {row.run_id}` starts from what there is now"
        )
    _require_unmoved(state, question.about, repository)
    return state.answered(_said(choice, state, text, now))


def retry(row: RunRow, state: PipelineState, choice: Choice | None, text: str) -> PipelineState:
    """The run as it goes on from a stage; None: from the one where it stopped.

    Raises UsageError for a run that has no end yet, is merged, or never came so far.
    """
    if row.outcome in {None, Outcome.MERGED}:
        said = "merged: there is nothing to try again" if row.outcome else "not at its end yet"
        raise UsageError(f"{row.run_id} is {said}")
    if choice not in {None, Choice.ROUTE} and not state.routes and not state.plan:
        raise UsageError(f"{row.run_id} found no agent: retry it from `route`")
    if choice in {Choice.REVIEW, Choice.TEST, Choice.VERIFY} and state.head == state.base:
        raise UsageError(f"{row.run_id} has changed nothing: retry it from `route` or `execute`")
    return state.answered(_said(choice or _where(state), state, text, datetime.now(UTC)))


def _where(state: PipelineState) -> Choice:
    """Where a run goes on by itself: as its question recommends, else with the coder, else with the route."""
    question = state.ends[-1].question if state.ends else None
    if question is not None:
        return question.default
    if state.plan:
        return Choice.CODER
    if not state.routes:
        return Choice.ROUTE
    return Choice.CODER if state.head == state.base else AGAIN[state.newest.stage]


def _said(choice: Choice, state: PipelineState, text: str, now: datetime) -> Answer:
    return Answer(choice=choice, about=state.head, text=text, at=now.isoformat(timespec="seconds"))


def _require_unmoved(state: PipelineState, about: str, repository: Repository) -> None:
    branch = state.context.branch
    there = repository.resolve(f"refs/heads/{branch}")
    if there not in {None, about}:
        raise NeedsPersonError(
            f"{branch} is at {str(there)[:10]}, and the question was about {about[:10]}: "
            f"put it back, or `sparky retry {state.run_id}`"
        )
