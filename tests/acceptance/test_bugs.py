"""One program of `bench/bugs.py`, with every answer: the right are merged, the others refused, and why."""

import pytest
from bench.answering.answers import ANSWERS, Answer
from bench.bugs import programs, run, wrong_end

from tests.acceptance.conftest import MakeWorld

_EVERY = 4
"""One answer in so many is put to it in CI, all of them in `make soak`."""

SAMPLE = [
    pytest.param(
        answer,
        id=f"{answer.manner}: {answer.name}",
        marks=[] if index % _EVERY == 0 else pytest.mark.soak,
    )
    for index, answer in enumerate(ANSWERS)
]


@pytest.mark.parametrize("answer", SAMPLE)
def test_an_answer_to_a_one_line_bug_ends_as_it_has_to(answer: Answer, world_of: MakeWorld) -> None:
    program = next(programs())
    world = world_of(program.files)
    assert wrong_end(world, program, answer, run(world, program, answer)) == ""
