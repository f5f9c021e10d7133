"""The loop: decide, perform, record, until the end; then close, once, with the end in the state."""

from sparky.domain.attempt import Attempt, Stage, Verdict
from sparky.domain.state import End, Handoff, Outcome, PipelineState
from sparky.pipeline import drive
from tests.builders import state_of, visited

DONE = End(outcome=Outcome.MERGED, reason="done")


class Script:
    """Steps that ask for the stages in order, and write down every call with the length of the state."""

    def __init__(self, *stages: Stage) -> None:
        self._stages = stages
        self.calls: list[tuple[str, int, int]] = []

    def decide(self, state: PipelineState) -> Handoff | End:
        self._note("decide", state)
        done = len(state.attempts)
        return Handoff(stage=self._stages[done], reason="why") if done < len(self._stages) else DONE

    def perform(self, handoff: Handoff, state: PipelineState) -> Attempt:
        self._note("perform", state)
        return handoff.begin(Verdict.PASS, f"{handoff.stage.value} said 1")

    def close(self, state: PipelineState) -> None:
        self._note("close", state)

    def _note(self, call: str, state: PipelineState) -> None:
        self.calls.append((call, len(state.attempts), len(state.ends)))


def test_a_segment_goes_from_stage_to_stage_until_its_end() -> None:
    steps = Script(Stage.ROUTE, Stage.TEST)
    assert drive(state_of(), steps) == state_of(visited(Stage.ROUTE), visited(Stage.TEST)).ended(DONE)
    assert steps.calls == [
        ("decide", 0, 0),
        ("perform", 0, 0),
        ("decide", 1, 0),
        ("perform", 1, 0),
        ("decide", 2, 0),
        ("close", 2, 1),
    ]


def test_a_segment_that_is_over_before_it_starts_is_closed_all_the_same() -> None:
    steps = Script()
    assert drive(state_of(), steps) == state_of().ended(DONE)
    assert steps.calls == [("decide", 0, 0), ("close", 0, 1)]
