"""The general coder: a session with a coding agent. First for GENERAL, the last resort for other kinds."""

from sparky.agents.example import example
from sparky.domain.agent import Agent, Role, Session
from sparky.domain.issue import Issue, Kind

# A review's deliverable is a report, not a change.
_KINDS = tuple(kind for kind in Kind if kind is not Kind.REVIEW)


def _bid(issue: Issue) -> tuple[float, str]:
    if Kind.GENERAL in issue.kinds:
        return 0.7, "bugs and features are a coding agent's work"
    return 0.5, "a coding agent can try what no specialist takes"


CODER = Agent(
    name="coder",
    role=Role.CODER,
    kinds=_KINDS,
    description="Hands the issue to a coding agent in a session of its own.",
    priority=200,
    works=Session(runner="scripted"),
    bid=_bid,
    takes=(
        example("Add a --json flag to the list command", Kind.GENERAL),
        example("Circular import between models and views", Kind.IMPORT_ERROR),
    ),
)
