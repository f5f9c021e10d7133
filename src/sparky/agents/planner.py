"""The planner: a session that says which pieces of work an issue consists of, and edits nothing."""

from sparky.domain.agent import Agent, Role, Session
from sparky.domain.issue import Issue


def _bid(_issue: Issue) -> tuple[float, str]:
    return 0.0, "it works on what names it"


PLANNER = Agent(
    name="planner",
    role=Role.PLANNER,
    kinds=(),
    description="Says which pieces of work an issue that names it consists of; each becomes a run.",
    works=Session(runner="scripted"),
    bid=_bid,
)
