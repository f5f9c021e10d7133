"""Questions to a person, and the answers. A question ends a segment of a run; an answer starts the next."""

from dataclasses import dataclass
from enum import Enum

EXPIRES_DAYS = 30
"""How long a question stays open. Later the repository has moved on: the run is to be tried anew."""


class Choice(Enum):
    """Where a run goes on after a question, or after `sparky retry`."""

    ROUTE = "route"
    CODER = "coder"
    TESTER = "tester"
    REVIEW = "review"
    TEST = "test"
    VERIFY = "verify"
    ACCEPT = "accept"
    GO_ON = "continue"
    STOP = "stop"


@dataclass(frozen=True, kw_only=True)
class Option:
    """One way to go on; `says` tells a person what comes of it."""

    choice: Choice
    says: str


@dataclass(frozen=True, kw_only=True)
class Escalation:
    """A question to a person: what, why, the options, the recommended one, and what it rests on.

    `about` is the commit that is asked about: an answer holds for no other.
    """

    question: str
    reason: str
    options: tuple[Option, ...]
    default: Choice
    evidence: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a person said. It starts `segment` and holds for the commit `about`; `at` is ISO 8601, UTC."""

    choice: Choice
    about: str
    text: str = ""
    by: str = ""
    at: str = ""
    segment: int = 0
