"""The loop: decide, perform, record, until the end. Nothing else goes back and forth."""

from typing import Protocol

from sparky.domain.attempt import Attempt
from sparky.domain.state import End, Handoff, PipelineState


class Steps(Protocol):
    """What the loop is made of. The durable engine records each call; a test may call straight through."""

    def decide(self, state: PipelineState) -> Handoff | End:
        """What comes next."""
        ...

    def perform(self, handoff: Handoff, state: PipelineState) -> Attempt:
        """One attempt at one stage. Bears being performed twice."""
        ...

    def close(self, state: PipelineState) -> None:
        """Leave everything as the end of the segment asks. Bears being called twice."""
        ...


def drive(state: PipelineState, steps: Steps) -> PipelineState:
    """One segment of a run, to its end; the returned state has that end."""
    while not isinstance(following := steps.decide(state), End):
        state = state.record(steps.perform(following, state))
    state = state.ended(following)
    steps.close(state)
    return state
