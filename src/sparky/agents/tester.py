"""The tester: a session with a coding agent that may edit tests only."""

from sparky.agents.example import example
from sparky.domain.agent import Agent, Role, Session
from sparky.domain.issue import Issue, Kind


def _bid(issue: Issue) -> tuple[float, str]:
    if Kind.TEST_CREATION in issue.kinds:
        return 0.8, "writing tests is a tester's work"
    return 0.6, "tests are to be put in order"


TESTER = Agent(
    name="tester",
    role=Role.TESTER,
    kinds=(Kind.TEST_CREATION, Kind.TEST_ORGANIZATION),
    description="Hands tests to a coding agent in a session of its own, which may edit tests only.",
    priority=150,
    works=Session(runner="scripted"),
    bid=_bid,
    takes=(
        example("Write tests for the parser", Kind.TEST_CREATION),
        example("Move the fixtures of test_report.py to conftest.py", Kind.TEST_ORGANIZATION),
    ),
)
