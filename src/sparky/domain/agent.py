"""Agents: the declarations of specialists, their bids, and the choice among these.

Levels by priority, lowest first; within a level the highest bid.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from sparky.domain.issue import Issue, Kind


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """The least confidence of a bid that is chosen, and of one that is a fallback."""

    chosen: float = 0.5
    fallback: float = 0.3


USUAL = Thresholds()


class Role(Enum):
    """What an agent does in a run."""

    CODER = "coder"
    TESTER = "tester"
    REVIEWER = "reviewer"
    DOCUMENTER = "documenter"
    VALIDATOR = "validator"
    PLANNER = "planner"


ROUTED = frozenset({Role.CODER, Role.TESTER, Role.DOCUMENTER, Role.PLANNER})
"""Roles whose agents issues go to; the others are asked along the way."""


@dataclass(frozen=True, kw_only=True)
class ToolFix:
    """How a deterministic agent works: its tools, the rules they mend, those whose unsafe fix it may use."""

    tools: tuple[str, ...]
    rules: tuple[str, ...]
    unsafe: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Session:
    """How an agent with a runner works: the runner's name and the agent's own part of the prompt.

    `model` "": the runner's own choice; `tools` empty: all that the runner has.
    """

    runner: str
    prompt: str = ""
    model: str = ""
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Bid:
    """An agent's offer for one issue. `confidence` is in 0..1; `reason` is for a person."""

    agent: str
    confidence: float
    reason: str
    priority: int = 100


@dataclass(frozen=True, kw_only=True)
class Agent:
    """The declaration of a specialist: the single source of truth for the kinds it supports.

    `bid` gives confidence and reason for an issue; `takes` and `declines` are examples of issues, checked at
    start-up: a bid of at least 0.3 on each that it takes, under 0.3 on each that it declines. One without
    kinds takes what names it. `places` is where its file says what, as "path:line" by key; `more` is what
    else that file says.
    """

    name: str
    role: Role
    kinds: tuple[Kind, ...]
    works: ToolFix | Session
    bid: Callable[[Issue], tuple[float, str]]
    description: str
    priority: int = 100
    takes: tuple[Issue, ...] = ()
    declines: tuple[Issue, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Route:
    """The agent chosen for a kind, the fallbacks in order, and every bid. `agent` None: nobody bid enough.

    `tester` is who mends tests that are at fault, `reviewer` who reads what the gates let pass, None:
    nobody does; `validator` who mends what does not parse, None: whoever made it.
    """

    kind: Kind
    agent: str | None
    fallbacks: tuple[str, ...]
    bids: tuple[Bid, ...]
    kind_confidence: float = 1.0
    kind_reasons: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    tester: str | None = None
    validator: str | None = None
    reviewer: str | None = None


def gather(agents: Iterable[Agent], issue: Issue) -> tuple[tuple[Bid, ...], tuple[str, ...]]:
    """The bids of the agents that support the issue's kind, and those left out, with the reason for a person.

    The issue has exactly one kind here: of an issue with several, each is routed by itself.
    """
    answers = [_bid(agent, issue) for agent in agents if not set(issue.kinds).isdisjoint(agent.kinds)]
    bids = tuple(answer for answer in answers if isinstance(answer, Bid))
    return bids, tuple(answer for answer in answers if isinstance(answer, str))


def choose(
    kind: Kind,
    bids: Iterable[Bid],
    thresholds: Thresholds = USUAL,
    *,
    left_out: Iterable[str] = (),
) -> Route:
    """The route: the first level's best bid that is enough to be chosen, then all that are for a fallback.

    Where nobody bids enough the route has no agent, and no fallbacks either. Every bid is in it, ranked.
    """
    ranked = tuple(sorted(bids, key=lambda bid: (bid.priority, -bid.confidence, bid.agent)))
    # Within a level the best bid stands first, so the first that is enough is the best of its level.
    taken = next((bid for bid in ranked if bid.confidence >= thresholds.chosen), None)
    others = (bid.agent for bid in ranked if bid is not taken and bid.confidence >= thresholds.fallback)
    return Route(
        kind=kind,
        agent=taken.agent if taken is not None else None,
        fallbacks=tuple(others) if taken is not None else (),
        bids=ranked,
        left_out=tuple(left_out),
    )


def _bid(agent: Agent, issue: Issue) -> Bid | str:
    try:
        confidence, reason = agent.bid(issue)
        sane = 0.0 <= confidence <= 1.0
    except Exception as error:  # noqa: BLE001 - whatever a foreign bid raises, the others still bid
        return f"{agent.name}: its bid raised {type(error).__name__}: {error}"
    if not sane:
        return f"{agent.name}: its confidence {confidence} is not within 0 and 1"
    return Bid(agent=agent.name, confidence=confidence, reason=reason, priority=agent.priority)
