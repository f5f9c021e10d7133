"""ROUTE: an agent for each kind of the issue."""

from dataclasses import replace

from sparky.domain.agent import FALLBACK, Agent, Role, Route, Session, choose, gather
from sparky.domain.attempt import Attempt, Trait, Verdict
from sparky.domain.issue import Issue, Kind
from sparky.domain.state import Handoff, PipelineState
from sparky.issues.kind import kind_of
from sparky.ports import Ports

SCRIPTED = "scripted"
"""The runner that plays a script; without a script it can do nothing."""


def perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """One route for each kind, every bid shown."""
    routes = find_routes(state.issue, ports.agents, state.preferences.script)
    open_kinds = [route.kind.value for route in routes if route.agent is None]
    if len(open_kinds) == len(routes):
        reason = f"no agent bids enough for {', '.join(open_kinds)}: {_bids(routes)}"
        attempt = replace(handoff.begin(Verdict.ESCALATE, reason), traits=(Trait.NO_AGENT,))
    else:
        chosen = ", ".join(f"{r.kind.value}: {r.agent}" for r in routes if r.agent)
        attempt = handoff.begin(Verdict.PASS, chosen)
    return replace(attempt, route=routes, items=tuple(f"no agent for {kind}" for kind in open_kinds))


def find_routes(issue: Issue, agents: tuple[Agent, ...], script: str | None) -> tuple[Route, ...]:
    """One route per kind, in the issue's order; the kind is read from the text where the issue names none."""
    guess = kind_of(issue, agents)
    able = available(agents, script)
    tester, reviewer = _best(issue, able, Role.TESTER), _best(issue, able, Role.REVIEWER)
    workers = tuple(agent for agent in able if agent.role is not Role.REVIEWER)
    routes = []
    for kind in issue.kinds or (guess.kind,):
        bids, left_out = gather(workers, replace(issue, kinds=(kind,)))
        route = _named(issue.agent, choose(kind, bids, left_out=left_out))
        route = replace(route, tester=tester, reviewer=reviewer)
        if route.agent is None:
            idle = (agent.name for agent in agents if kind in agent.kinds and agent not in able)
            said = (f"{name}: it plays a script, and none is given (--script FILE)" for name in idle)
            route = replace(route, left_out=(*route.left_out, *said))
        routes.append(replace(route, kind_confidence=guess.confidence, kind_reasons=guess.reasons))
    return tuple(routes)


_WORK = {Role.TESTER: Kind.TEST_CREATION, Role.REVIEWER: Kind.REVIEW}


def _best(issue: Issue, able: tuple[Agent, ...], role: Role) -> str | None:
    """Who mends tests that are at fault, or reviews: the best bid of a role; None where there is none."""
    those = tuple(agent for agent in able if agent.role is role)
    bids, _ = gather(those, replace(issue, kinds=(_WORK[role],)))
    return choose(_WORK[role], bids).agent


def _named(agent: str | None, route: Route) -> Route:
    """The route with the agent that the issue names, whatever it bids; nobody's if it does not bid at all."""
    if agent is None or agent == route.agent:
        return route
    others = tuple(bid.agent for bid in route.bids if bid.agent != agent and bid.confidence >= FALLBACK)
    if all(bid.agent != agent for bid in route.bids):
        why = f"{agent}: the issue names it, and no agent of that name takes {route.kind.value}"
        return replace(route, agent=None, fallbacks=(), left_out=(*route.left_out, why))
    return replace(route, agent=agent, fallbacks=others)


def available(agents: tuple[Agent, ...], script: str | None) -> tuple[Agent, ...]:
    """The agents that can work here: one that plays a script needs a script."""
    return tuple(
        agent
        for agent in agents
        if script or not (isinstance(agent.works, Session) and agent.works.runner == SCRIPTED)
    )


def _bids(routes: tuple[Route, ...]) -> str:
    said = [f"{bid.agent} {bid.confidence:.2f}: {bid.reason}" for route in routes for bid in route.bids]
    said += [why for route in routes for why in route.left_out]
    return "; ".join(said) or "nobody bids"
