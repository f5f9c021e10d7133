"""The agents, and what must hold of their declarations. Who owns a kind is derived from them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations

from sparky.agents.coder import CODER
from sparky.agents.complexity import COMPLEXITY
from sparky.agents.dead_code import DEAD_CODE
from sparky.agents.dependency import DEPENDENCY
from sparky.agents.documentation import DOCUMENTATION
from sparky.agents.documenter import DOCUMENTER
from sparky.agents.dry import DRY
from sparky.agents.formatting import FORMATTING
from sparky.agents.imports import IMPORTS
from sparky.agents.performance import PERFORMANCE
from sparky.agents.planner import PLANNER
from sparky.agents.security import SECURITY
from sparky.agents.test_failure import TEST_FAILURE
from sparky.agents.test_organization import TEST_ORGANIZATION
from sparky.agents.tester import TESTER
from sparky.agents.types import TYPES
from sparky.domain.agent import ROUTED, USUAL, Agent, Session, ToolFix, gather
from sparky.domain.issue import Kind

AGENTS: tuple[Agent, ...] = (
    FORMATTING,
    IMPORTS,
    DEAD_CODE,
    SECURITY,
    PERFORMANCE,
    COMPLEXITY,
    DRY,
    DOCUMENTATION,
    DEPENDENCY,
    TEST_ORGANIZATION,
    TEST_FAILURE,
    TYPES,
    TESTER,
    DOCUMENTER,
    PLANNER,
    CODER,
)

# A reviewer reviews the changes of others; an issue that asks for a review alone ends blocked, and says so.
SERVED: tuple[Kind, ...] = tuple(kind for kind in Kind if kind is not Kind.REVIEW)


def owner(kind: Kind, agents: Iterable[Agent] = AGENTS) -> Agent | None:
    """The agent of the lowest priority number that declares the kind; None if none does."""
    return min(
        (a for a in agents if kind in a.kinds and a.role in ROUTED),
        key=lambda agent: agent.priority,
        default=None,
    )


def check(
    agents: Sequence[Agent],
    tools: Collection[str],
    runners: Collection[str],
    *,
    kinds: Iterable[Kind] = SERVED,
) -> list[str]:
    """What is wrong with the declarations, each naming agent and kind, for a person; empty if nothing is.

    `tools` and `runners` are the names there are; `kinds` are those that need an owner.
    """
    if unknown := [problem for agent in agents for problem in _unknown(agent)]:
        return unknown
    return [
        *(f"{kind.value}: no agent owns this kind" for kind in kinds if owner(kind, agents) is None),
        *_ties(agents),
        *(problem for agent in agents for problem in _works(agent, tools, runners)),
        *(problem for agent in agents for problem in _examples(agent)),
    ]


def overlaps(agents: Sequence[Agent]) -> list[str]:
    """Kinds that two agents claim who work alike, each naming who owns it, for a person: a warning.

    The later one is asked only where the owner bids too little, or fails. Whoever takes every kind does so
    for that, and is not named.
    """
    special = [agent for agent in agents if not {*SERVED} <= {*agent.kinds}]
    return [
        f"{kind.value}: {_where(one)} and {_where(other)} both claim it; {owned.name} owns it"
        for one, other in combinations(special, 2)
        for kind in one.kinds
        if kind in other.kinds and one.role is other.role and type(one.works) is type(other.works)
        if (owned := owner(kind, agents)) is not None
    ]


def _where(agent: Agent) -> str:
    """The agent, and the module that declares it; one of a file is told with its place (`_at`)."""
    return agent.name if agent.places else f"{agent.name} ({agent.bid.__module__.replace('.', '/')}.py)"


def _unknown(agent: Agent) -> Iterator[str]:
    known = ", ".join(kind.value for kind in Kind)
    for kind in agent.kinds:
        if not isinstance(kind, Kind):
            yield f"{_where(agent)}: unknown kind {kind}; known: {known}"


def _ties(agents: Sequence[Agent]) -> Iterator[str]:
    for one, other in combinations(agents, 2):
        if one.name == other.name:
            yield f"{_at(other, 'name')}{one.name}: two agents have this name"
        if one.priority == other.priority and {one.role, other.role} <= ROUTED:
            shared = f"{_where(one)} and {_where(other)} share the priority {one.priority}"
            for kind in one.kinds:
                if kind in other.kinds:
                    yield f"{_at(other, 'priority')}{kind.value}: {shared}"


def _at(agent: Agent, key: str) -> str:
    """Where the agent's file says so, as the beginning of a sentence; "" if no file declares it."""
    return f"{agent.places[key]}: " if key in agent.places else ""


def _works(agent: Agent, tools: Collection[str], runners: Collection[str]) -> Iterator[str]:
    kinds = ", ".join(kind.value for kind in agent.kinds)
    match agent.works:
        case ToolFix(tools=mine, rules=rules, unsafe=unsafe):
            for tool in (tool for tool in mine if tool not in tools):
                yield f"{agent.name} ({kinds}): unknown tool {tool}; known: {', '.join(sorted(tools))}"
            for rule in unsafe:
                if rule not in rules:
                    yield f"{agent.name} ({kinds}): {rule} is allowed unsafe, but not among its rules"
        case Session(runner=runner):
            if runner not in runners:
                known = ", ".join(sorted(runners))
                yield f"{_at(agent, 'runner')}{agent.name} ({kinds}): unknown runner {runner}; known: {known}"


def _examples(agent: Agent) -> Iterator[str]:
    for issue, takes in (*((i, True) for i in agent.takes), *((i, False) for i in agent.declines)):
        kind = ", ".join(kind.value for kind in issue.kinds)
        bids, left_out = gather([agent], issue)
        if not bids and not left_out:
            yield f'{_where(agent)}: its example "{issue.title}" is of no kind that it supports ({kind})'
        yield from (f"{kind}: {_where(agent)}: {reason}" for reason in left_out)
        for bid in bids:
            if takes is not (bid.confidence >= USUAL.fallback):
                said = "takes" if takes else "declines"
                yield f'{_where(agent)}, {kind}, bids {bid.confidence} on "{issue.title}", which it {said}'
