"""One performance of one stage: its verdict and the evidence behind it."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeVar

from sparky.domain.agent import Route
from sparky.domain.issue import Severity
from sparky.domain.plan import Child

TRACEBACK = "traceback"
"""The blob of an attempt that a fault of sparky's own ended: where it came from."""


class Stage(Enum):
    """A named phase of a run."""

    ROUTE = "route"
    DECOMPOSE = "decompose"
    CHILD = "child"
    EXECUTE = "execute"
    REVIEW = "review"
    TEST = "test"
    VERIFY = "verify"
    MERGE = "merge"


class Verdict(Enum):
    """What one attempt came to."""

    PASS = "PASS"
    REVISE = "REVISE"
    ESCALATE = "ESCALATE"
    SKIP = "SKIP"


class Strategy(Enum):
    """How an EXECUTE goes about it, by attempt."""

    DIRECT_FIX = "direct_fix"
    MECHANICAL_FIX = "mechanical_fix"
    SIMPLIFIED_APPROACH = "simplified_approach"
    MINIMAL_SAFE_FIX = "minimal_safe_fix"


class Responsibility(Enum):
    """Whose turn it is."""

    CODER = "coder"
    TESTER = "tester"
    REVIEWER = "reviewer"
    DOCUMENTER = "documenter"
    PERSON = "person"
    ENVIRONMENT = "environment"
    PRE_EXISTING = "pre_existing"
    ISSUE = "issue"
    SPARKY = "sparky"
    UNKNOWN = "unknown"


class Trait(Enum):
    """A fact about an attempt that the flow decides by, beyond its verdict."""

    CHANGED = "changed"
    NO_CHANGE = "no_change"
    LIE = "lie"
    BROKEN_SYNTAX = "broken_syntax"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    NO_AGENT = "no_agent"
    NOTHING_TO_DO = "nothing_to_do"
    NO_TESTS = "no_tests"
    FLAKY = "flaky"
    RISKY = "risky"
    MOVED = "moved"
    CONFLICT = "conflict"
    DIRTY = "dirty"
    MERGED = "merged"
    WITHDRAWN = "withdrawn"
    HANDED_OVER = "handed_over"
    OUT_OF_ROLE = "out_of_role"
    COMPLEX = "complex"
    RATE_LIMITED = "rate_limited"
    OUTAGE = "outage"
    OVER_BUDGET = "over_budget"
    TESTER_FOLLOWS = "tester_follows"
    UNSHOWN = "unshown"


UNCOUNTED = frozenset({Trait.HANDED_OVER, Trait.RATE_LIMITED, Trait.OUTAGE})
"""Traits of an attempt that was none: the limits do not count it."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What sparky itself saw: a command, its exit code, the digest of its output, the sha it ran at."""

    command: tuple[str, ...]
    code: int
    output: str
    sha: str
    seconds: float
    note: str = ""
    sandbox: str = "off"


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """What one gate said; `reason` is for a person."""

    gate: str
    verdict: Verdict
    reason: str
    severity: Severity = Severity.MEDIUM


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Counts of findings by what became of them; `rest` names each that stayed: "path:line RULE why"."""

    before: int = 0
    fixed: int = 0
    refused: int = 0
    rest: int = 0


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One performance of one stage by one agent.

    `number` counts attempts of this stage on this part from 1; `part` is the index of the kind worked on, in
    the issue's order. `sha` is the commit the attempt ended at (None: it does not touch commits);
    `confidence` (0..1) is how sure the responsibility is, None: nobody judged it; `because` are the facts.
    `plan` is what DECOMPOSE came to, `child` the run of a CHILD, `calls` how often who worked in that.
    `runner` stood in for the agent's own, "": nobody did; `retry_at` is when its model can be asked again, in
    seconds since 1970.
    `blobs` maps a name ("diff", "base_tests", …) to the digest of what was too large to record.
    """

    stage: Stage
    number: int
    verdict: Verdict
    reason: str
    agent: str = "sparky"
    part: int = 0
    strategy: Strategy | None = None
    traits: tuple[Trait, ...] = ()
    responsibility: Responsibility = Responsibility.UNKNOWN
    confidence: float | None = None
    because: tuple[str, ...] = ()
    gates: tuple[GateResult, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    route: tuple[Route, ...] = ()
    plan: tuple[Child, ...] = ()
    child: str | None = None
    calls: Mapping[str, int] = field(default_factory=dict)
    sha: str | None = None
    base: str | None = None
    blobs: Mapping[str, str] = field(default_factory=dict)
    files_modified: tuple[str, ...] = ()
    files_created: tuple[str, ...] = ()
    files_deleted: tuple[str, ...] = ()
    lines_changed: int = 0
    tally: Tally = field(default_factory=Tally)
    items: tuple[str, ...] = ()
    validation_errors: tuple[str, ...] = ()
    avoided_patterns: tuple[str, ...] = ()
    quality: int | None = None
    error_type: str | None = None
    can_retry: bool = True
    started: str = ""
    seconds: float = 0.0
    tokens: int = 0
    turns: int = 0
    cost_usd: float = 0.0
    level: str = ""
    runner: str = ""
    retry_at: float | None = None

    @property
    def is_earnest(self) -> bool:
        """Whether the limits count it."""
        return UNCOUNTED.isdisjoint(self.traits)


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What sessions and stages have cost."""

    usd: float = 0.0
    tokens: int = 0
    seconds: float = 0.0
    turns: int = 0


def cost_of(attempts: Iterable[Attempt]) -> Spent:
    """What attempts have cost together."""
    here = tuple(attempts)
    return Spent(
        usd=round(sum(a.cost_usd for a in here), 6),
        tokens=sum(a.tokens for a in here),
        seconds=round(sum(a.seconds for a in here), 3),
        turns=sum(a.turns for a in here),
    )


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What an attempt, a segment of a run, or a day may cost; None means no limit."""

    usd: float | None = None
    tokens: int | None = None
    seconds: float | None = None
    turns: int | None = None

    def reached(self, spent: Spent) -> tuple[str, ...]:
        """The limits that are reached, each in words: what was spent, of how much."""
        minutes, allowed = spent.seconds / 60, (self.seconds or 0) / 60
        said = (
            (spent.usd, self.usd, f"{spent.usd:.2f} of {self.usd or 0:.2f} USD"),
            (spent.tokens, self.tokens, f"{spent.tokens} of {self.tokens} tokens"),
            (spent.seconds, self.seconds, f"{minutes:.1f} of {allowed:.1f} minutes"),
            (spent.turns, self.turns, f"{spent.turns} of {self.turns} turns"),
        )
        return tuple(words for cost, limit, words in said if limit is not None and cost >= limit)

    def less(self, spent: Spent) -> "Budget":
        """What is left of it."""
        return Budget(
            usd=None if self.usd is None else max(self.usd - spent.usd, 0.0),
            tokens=None if self.tokens is None else max(self.tokens - spent.tokens, 0),
            seconds=None if self.seconds is None else max(self.seconds - spent.seconds, 0.0),
            turns=None if self.turns is None else max(self.turns - spent.turns, 0),
        )

    def within(self, other: "Budget") -> "Budget":
        """The lower of two limits, each."""
        return Budget(
            usd=_lower(self.usd, other.usd),
            tokens=_lower(self.tokens, other.tokens),
            seconds=_lower(self.seconds, other.seconds),
            turns=_lower(self.turns, other.turns),
        )


Limit = TypeVar("Limit", int, float)


def _lower(one: Limit | None, other: Limit | None) -> Limit | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)


WHOLE = "whole"
"""The blob of an attempt that was cut short to be recorded: the attempt as it was."""

_ENTRIES, _ITEM, _NAME, _REASON = 20, 800, 200, 2000


def short(attempt: Attempt) -> Attempt:
    """The attempt with the first entries of its lists, and with no long text; each cut says so.

    What was cut differently stays different, so that a run without progress is told from one with it.
    """
    return replace(
        attempt,
        reason=_text(attempt.reason, _REASON),
        gates=tuple(replace(gate, reason=_text(gate.reason, _ITEM)) for gate in attempt.gates),
        evidence=tuple(replace(one, command=_list(one.command, _NAME)) for one in attempt.evidence),
        files_modified=_list(attempt.files_modified, _NAME),
        files_created=_list(attempt.files_created, _NAME),
        files_deleted=_list(attempt.files_deleted, _NAME),
        items=_list(attempt.items, _ITEM),
        validation_errors=_list(attempt.validation_errors, _NAME),
        avoided_patterns=_list(attempt.avoided_patterns, _NAME),
    )


def _list(entries: tuple[str, ...], limit: int) -> tuple[str, ...]:
    first, rest = entries[:_ENTRIES], entries[_ENTRIES:]
    more = (f"… and {len(rest)} more ({_mark(chr(0).join(rest))})",) if rest else ()
    return (*(_text(entry, limit) for entry in first), *more)


def _text(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({_mark(text)})"


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
