"""What was understood of a report, and what was not."""

from dataclasses import dataclass
from enum import Enum

from sparky.domain.attempt import Responsibility
from sparky.domain.report import ActionItem, Failure, Reply


class MergeDecision(Enum):
    """What a report says about merging; `unclear` where it says nothing, or two things."""

    APPROVED = "approved"
    BLOCKED = "blocked"
    REJECTED = "rejected"
    UNCLEAR = "unclear"


JUDGED = 30_000
"""Characters of prose that causes are looked for in, half of them from the end: a book is no report."""

REFUSED = frozenset({MergeDecision.BLOCKED, MergeDecision.REJECTED})


@dataclass(frozen=True, kw_only=True)
class Unread:
    """A line, counted from 1, that should say something and could not be understood."""

    line: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A report as far as it was understood.

    `pipeline_status` is failed, success, running or unknown. `items` are in the order of the text, those that
    are done among them, with their answer; `assumed` holds the ids of those whose owner the text does not
    name. `lines` is the line of each item by id. `words` is what the report says in prose, `code` the
    beginning of its code blocks: logs, mostly. `sha` is the commit it speaks of, "" if it names none.
    """

    pipeline_status: str = "unknown"
    failed_jobs: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    items: tuple[ActionItem, ...] = ()
    assumed: frozenset[str] = frozenset()
    lines: tuple[tuple[str, int], ...] = ()
    merge_decision: MergeDecision = MergeDecision.UNCLEAR
    unread: tuple[Unread, ...] = ()
    answers: tuple[str, ...] = ()
    replies: tuple[Reply, ...] = ()
    words: str = ""
    code: str = ""
    sha: str = ""

    @property
    def judged(self) -> str:
        """The prose that causes are looked for in: all of it, or its beginning and its end."""
        half = JUDGED // 2
        return self.words if len(self.words) <= JUDGED else f"{self.words[:half]}\n{self.words[-half:]}"

    @property
    def open_items(self) -> tuple[ActionItem, ...]:
        """The items that nobody has answered."""
        return tuple(item for item in self.items if item.answer is None)

    def open_for(self, owner: Responsibility) -> tuple[ActionItem, ...]:
        """The open items of one owner."""
        return tuple(item for item in self.open_items if item.owner is owner)
