"""The documenter: a session with a coding agent that may edit documents only."""

import re

from sparky.agents.example import example
from sparky.domain.agent import Agent, Role, Session
from sparky.domain.issue import Issue, Kind

_IN_CODE = re.compile(r"\b(docstrings?|comments?|type hints?|--help|help texts?)\b|\bD\d{3}\b", re.IGNORECASE)


def _bid(issue: Issue) -> tuple[float, str]:
    if _IN_CODE.search(f"{issue.title}\n{issue.body}"):
        return 0.1, "what it speaks of stands in the code, which a documenter may not edit"
    return 0.7, "writing documents is a documenter's work"


DOCUMENTER = Agent(
    name="documenter",
    role=Role.DOCUMENTER,
    kinds=(Kind.DOCUMENTATION,),
    description="Hands documents to a coding agent in a session of its own, which may edit documents only.",
    priority=150,
    works=Session(runner="scripted"),
    bid=_bid,
    takes=(example("The README names an option that is gone", Kind.DOCUMENTATION),),
    declines=(example("Add docstrings to the parser", Kind.DOCUMENTATION),),
)
