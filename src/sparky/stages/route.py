"""ROUTE: an agent for each kind of the issue."""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from threading import Thread

from sparky.domain.agent import ROUTED, USUAL, Agent, Role, Route, Session, Thresholds, choose, gather
from sparky.domain.attempt import Attempt, Trait, Verdict
from sparky.domain.gates import may_edit
from sparky.domain.issue import Issue, Kind, Source
from sparky.domain.state import Handoff, PipelineState
from sparky.evidence.change import base_findings
from sparky.issues.kind import kind_of
from sparky.ports import Ports

SCRIPTED = "scripted"
"""The runner of agents that name none: plays a script, or is the coding agent that the user chose."""

BID_TIMEOUT_S = 5.0
"""How long an agent may think about its bid: one that takes longer is left out, and named."""


def perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """One route for each kind, every bid shown."""
    sessions = bool(state.preferences.script or state.preferences.runner)
    found = base_findings(state, ports) if state.issue.source is Source.LEFTOVERS else None
    paths = frozenset(finding.location.path for finding in found or ())
    wanted = state.preferences.thresholds
    routes = find_routes(state.issue, ports.agents, wanted, sessions=sessions, paths=paths)
    open_kinds = [route.kind.value for route in routes if route.agent is None]
    if len(open_kinds) == len(routes):
        reason = f"no agent bids enough for {', '.join(open_kinds)}: {_bids(routes)}"
        attempt = replace(handoff.begin(Verdict.ESCALATE, reason), traits=(Trait.NO_AGENT,))
    else:
        chosen = ", ".join(f"{r.kind.value}: {r.agent}" for r in routes if r.agent)
        attempt = handoff.begin(Verdict.PASS, chosen)
    return replace(attempt, route=routes, items=tuple(f"no agent for {kind}" for kind in open_kinds))


def find_routes(
    issue: Issue,
    agents: tuple[Agent, ...],
    thresholds: Thresholds = USUAL,
    *,
    sessions: bool,
    paths: Collection[str] = (),
) -> tuple[Route, ...]:
    """One route per kind, in the issue's order; the kind is read from the text where the issue names none.

    Whoever works on it must be able to edit all `paths`.
    """
    guess = kind_of(issue, agents)
    able = available(agents, sessions=sessions)
    tester, validator = _tester(issue, able), _first(able, Role.VALIDATOR)
    workers = tuple(
        agent for agent in able if agent.role in ROUTED and all(may_edit(agent.role, path) for path in paths)
    )
    if issue.source is Source.LEFTOVERS:  # of the agents that work by rules
        workers = tuple(agent for agent in workers if isinstance(agent.works, Session))
    free = {agent.name for agent in workers if not agent.kinds}
    routes = []
    for kind in issue.kinds or (guess.kind,):
        bids, left_out = gather(map(in_time, workers), replace(issue, kinds=(kind,)))
        route = choose(kind, bids, thresholds, left_out=left_out)
        route = _named(issue.agent, route, free, thresholds)
        reviewer = _first(able, Role.REVIEWER, kind)
        route = replace(route, tester=tester, validator=validator, reviewer=reviewer)
        if route.agent is None:
            idle = (agent.name for agent in agents if kind in agent.kinds and agent not in able)
            said = (
                f"{name}: it needs a coding agent (--runner NAME) or a script (--script FILE)"
                for name in idle
            )
            route = replace(route, left_out=(*route.left_out, *said))
        routes.append(replace(route, kind_confidence=guess.confidence, kind_reasons=guess.reasons))
    return tuple(routes)


def in_time(agent: Agent, timeout_s: float = BID_TIMEOUT_S) -> Agent:
    """The agent, whose bid raises TimeoutError where it takes too long."""
    return replace(agent, bid=partial(_ask, agent.bid, timeout_s))


def _ask(bid: Callable[[Issue], tuple[float, str]], timeout_s: float, issue: Issue) -> tuple[float, str]:
    """What the bid says or raises, in time. One that never ends is left to itself: it can't be stopped."""
    said: list[tuple[float, str] | Exception] = []

    def think() -> None:
        try:
            said.append(bid(issue))
        except Exception as error:  # noqa: BLE001 - it is raised again below, where it is waited for
            said.append(error)

    thread = Thread(target=think, daemon=True)
    thread.start()
    thread.join(timeout_s)
    if not said:
        raise TimeoutError(f"no answer within {timeout_s:g} s")
    if isinstance(said[0], Exception):
        raise said[0]
    return said[0]


def _tester(issue: Issue, able: tuple[Agent, ...]) -> str | None:
    """Who mends tests that are at fault: the best bid of the testers; None where there is none."""
    testers = tuple(agent for agent in able if agent.role is Role.TESTER)
    bids, _ = gather(testers, replace(issue, kinds=(Kind.TEST_CREATION,)))
    return choose(Kind.TEST_CREATION, bids).agent


def _first(able: tuple[Agent, ...], role: Role, kind: Kind | None = None) -> str | None:
    """Whom of a role to ask first: for a kind, or any who names none; None: there is nobody."""
    those = [a for a in able if a.role is role and (kind is None or not a.kinds or kind in a.kinds)]
    return min(those, key=lambda agent: agent.priority).name if those else None


def _named(agent: str | None, route: Route, free: Collection[str], thresholds: Thresholds) -> Route:
    """The route with the agent that the issue names, whatever it bids; nobody's if it does not bid at all.

    `free` are the agents that take whatever names them.
    """
    if agent is None or agent == route.agent:
        return route
    enough = (bid.agent for bid in route.bids if bid.confidence >= thresholds.fallback)
    others = tuple(other for other in enough if other != agent)
    if agent not in free and all(bid.agent != agent for bid in route.bids):
        why = f"{agent}: the issue names it, and no agent of that name takes {route.kind.value}"
        return replace(route, agent=None, fallbacks=(), left_out=(*route.left_out, why))
    return replace(route, agent=agent, fallbacks=others)


def available(agents: tuple[Agent, ...], *, sessions: bool) -> tuple[Agent, ...]:
    """The agents that can work here: one without a runner of its own needs that the user gives one."""
    return tuple(
        agent
        for agent in agents
        if sessions or not (isinstance(agent.works, Session) and agent.works.runner == SCRIPTED)
    )


def _bids(routes: tuple[Route, ...]) -> str:
    said = [f"{bid.agent} {bid.confidence:.2f}: {bid.reason}" for route in routes for bid in route.bids]
    said += [why for route in routes for why in route.left_out]
    return "; ".join(said) or "nobody bids"
