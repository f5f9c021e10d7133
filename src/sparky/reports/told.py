"""What a role is told at its start, as it is kept with the attempt."""

from dataclasses import dataclass
from enum import Enum

from sparky.domain.agent import Role
from sparky.domain.attempt import Responsibility
from sparky.domain.report import ActionItem, Filed
from sparky.domain.state import PipelineState
from sparky.formats.values_json import decode
from sparky.ports import Blobs
from sparky.reports.settled import Settlement

BRIEFING = "briefing"
"""The name of the blob of an attempt that holds its Briefing."""


class Scenario(Enum):
    """What a role starts from."""

    FRESH_START = "fresh_start"
    RETRY_AFTER_REVIEW = "retry_after_review"
    RETRY_AFTER_TESTING = "retry_after_testing"
    FRESH_TEST_CREATION = "fresh_test_creation"
    RETRY_TESTS_FAILED = "retry_tests_failed"
    RETRY_AFTER_REVIEW_BLOCK = "retry_after_review_block"
    FRESH_REVIEW = "fresh_review"
    REVIEW_AGAIN = "review_again"
    NOT_MY_RESPONSIBILITY = "not_my_responsibility"


@dataclass(frozen=True, kw_only=True)
class Briefing:
    """What a role is told at its start.

    `chosen` is the report that decides (None: there is none), `passed_over` the others with the reason;
    `items` are those to work on. `settled` says of the items of the chosen report that were answered, or that
    the diff speaks for, how sure their fix is. `wait_for` goes first, and the role works at its commit;
    `follows` acts after it, on items of its own.
    """

    role: Role
    scenario: Scenario
    responsibility: Responsibility
    reason: str
    confidence: float = 0.0
    chosen: Filed | None = None
    passed_over: tuple[tuple[str, str], ...] = ()
    items: tuple[ActionItem, ...] = ()
    settled: tuple[Settlement, ...] = ()
    wait_for: Responsibility | None = None
    follows: Responsibility | None = None

    @property
    def why(self) -> str:
        """The reason, without saying once more whose turn it is not."""
        return self.reason.removeprefix(f"not the {owner_of(self.role).value}'s turn: ")

    @property
    def read_any(self) -> bool:
        """Whether there was a report to read."""
        return self.chosen is not None or bool(self.passed_over)

    @property
    def turn_of(self) -> Responsibility | None:
        """Who else has to act before the role does; None if nobody, or nobody knows."""
        if self.wait_for is not None:
            return self.wait_for
        others = {Responsibility.CODER, Responsibility.TESTER} - {owner_of(self.role)}
        idle = self.scenario is Scenario.NOT_MY_RESPONSIBILITY
        return self.responsibility if idle and self.responsibility in others else None


def briefings(state: PipelineState, blobs: Blobs) -> dict[int, Briefing]:
    """What attempts were told by reports, by their place in the run; not all were."""
    told = enumerate(attempt.blobs.get(BRIEFING) for attempt in state.attempts)
    return {place: decode(blobs.get(digest), Briefing) for place, digest in told if digest}


def owner_of(role: Role) -> Responsibility:
    """The responsibility that a role bears; what a validator or a planner has to do is the coder's."""
    match role:
        case Role.CODER | Role.VALIDATOR | Role.PLANNER:
            return Responsibility.CODER
        case Role.TESTER:
            return Responsibility.TESTER
        case Role.REVIEWER:
            return Responsibility.REVIEWER
        case Role.DOCUMENTER:
            return Responsibility.DOCUMENTER
