"""The reviewer: a session with a coding agent that reads a change and writes a report on it."""

from sparky.agents.example import example
from sparky.domain.agent import Agent, Role, Session
from sparky.domain.issue import Issue, Kind


def _bid(issue: Issue) -> tuple[float, str]:
    del issue
    return 0.7, "reading a change is a reviewer's work"


REVIEWER = Agent(
    name="reviewer",
    role=Role.REVIEWER,
    kinds=(Kind.REVIEW,),
    description="Reads a change that the gates let pass, in a session of its own; edits nothing.",
    priority=150,
    works=Session(runner="scripted"),
    bid=_bid,
    takes=(example("Review the change of the parser", Kind.REVIEW),),
)
