"""What is stored about a run beside its state, and who may take it."""

from dataclasses import dataclass
from enum import Enum

from sparky.domain.issue import slug
from sparky.domain.state import Outcome


class Life(Enum):
    """Where a run stands. An interrupted run has no end, and the process that drove it is gone."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    WAITING = "waiting"
    ENDED = "ended"


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """One run as the store lists it. Times are ISO 8601 in UTC; `outcome` None: no end yet.

    `asks`: it ended with a question to a person, and keeps its claim until that is answered.
    """

    run_id: str
    pipeline_id: str
    issue_key: str
    repository: str
    repo_path: str
    issue_id: str
    title: str
    base: str
    branch: str
    executor: str
    segment: int
    outcome: Outcome | None
    reason: str
    stage: str
    created: str
    updated: str
    cancelled: bool = False
    asks: bool = False

    @property
    def is_child(self) -> bool:
        """Whether it is a part of the run `pipeline_id`, with which it is merged."""
        return self.pipeline_id != self.run_id

    def life(self, *, driven: bool) -> Life:
        """Where it stands; `driven` says whether the lock of its executor is held."""
        if self.asks or (self.outcome is Outcome.READY and not self.is_child):
            return Life.WAITING
        if self.outcome is not None:
            return Life.ENDED
        return Life.RUNNING if driven else Life.INTERRUPTED


class Take(Enum):
    """What a new request for an issue does with the run that holds its claim."""

    START = "start"
    JOIN = "join"
    ADOPT = "adopt"


def take(holder: RunRow | None, base: str, *, driven: bool) -> Take:
    """Start a run, join the one that holds the claim, or adopt it where its process is gone.

    One that is ready, or asks, is joined at its own base only: at another its change may no longer apply.
    """
    if holder is None:
        return Take.START
    match holder.life(driven=driven):
        case Life.RUNNING:
            return Take.JOIN
        case Life.INTERRUPTED:
            return Take.ADOPT
        case Life.WAITING:
            return Take.JOIN if holder.base == base else Take.START
        case Life.ENDED:
            return Take.START


def room(run: str, part: int, number: int, agent: str) -> str:
    """Where an attempt's session has a directory of its own, below that of all sessions."""
    return f"{run}/{part}-{number}-{slug(agent, 40)}"
