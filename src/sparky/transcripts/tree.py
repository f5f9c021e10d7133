"""Who works for whom: sessions, their sub-agents, and how each of them ended."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sparky.transcripts.model import End, EndState, Head, Link

FRESH_S = 300.0
"""A transcript that was written to less than this ago, in seconds, may still be running."""

_ENDED = {"completed": EndState.FINISHED, "failed": EndState.FAILED, "killed": EndState.KILLED}


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """One transcript as it is known: its place, its head, its end, and when it was last written (seconds)."""

    path: str
    reader: str
    head: Head
    end: End
    written: float


@dataclass(frozen=True, kw_only=True)
class Node:
    """A session or a sub-agent, with those that work for it. `leaf` is None where there is no transcript."""

    name: str
    leaf: Leaf | None
    end: End
    title: str = ""
    children: tuple["Node", ...] = ()


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a transcript stands: the session, and the agents on the way down to it, itself included."""

    session: str
    agents: tuple[str, ...] = ()


def places(leaves: Iterable[Leaf], links: Mapping[str, Iterable[Link]]) -> dict[str, Place]:
    """For each transcript, by its path, where it stands. `links` are those that each transcript tells of.

    An agent stands below the agent that its description names; else below whoever tells of having started
    it; else below what its transcript claims as its session, be that a session or an agent. A circle is cut:
    whoever would stand below itself stands below the session.
    """
    known = sorted(leaves, key=lambda leaf: (leaf.written, leaf.path))
    agents = {leaf.head.agent: leaf for leaf in known if leaf.head.agent}
    starters = {
        link.agent: leaf.head.agent or leaf.head.session
        for leaf in reversed(known)
        for link in links.get(leaf.path, ())
        if link.call and link.agent != leaf.head.agent
    }
    return {leaf.path: _place(leaf, agents, starters) for leaf in known}


def _place(leaf: Leaf, agents: Mapping[str, Leaf], starters: Mapping[str, str]) -> Place:
    if not leaf.head.agent:
        return Place(session=leaf.head.session)
    way = [leaf.head.agent]
    above = _above(leaf, agents, starters)
    while above in agents:
        way.insert(0, above)
        above = _above(agents[above], agents, starters)
    return Place(session=above, agents=tuple(way))


def _above(leaf: Leaf, agents: Mapping[str, Leaf], starters: Mapping[str, str]) -> str:
    """The agent or session that a sub-agent works for; "" if none is known. In a circle no agent is."""
    above = _told(leaf, agents, starters)
    seen = {above}
    while above in agents and above != leaf.head.agent:
        above = _told(agents[above], agents, starters)
        if above in seen:  # a circle further up
            break
        seen.add(above)
    if above == leaf.head.agent:
        return "" if leaf.head.session in agents else leaf.head.session
    return _told(leaf, agents, starters)


def _told(leaf: Leaf, agents: Mapping[str, Leaf], starters: Mapping[str, str]) -> str:
    """The agent or session that is told to be above."""
    head = leaf.head
    for name in (head.parent, starters.get(head.agent, "")):
        if name in agents and agents[name].head.session in {head.session, ""}:
            return name
    return head.session or starters.get(head.agent, "")


def settle(leaf: Leaf, told: str, now: float) -> End:
    """How a transcript ended: by itself, by what others tell of it (`told`, "" for nothing), by the clock."""
    end = leaf.end
    ended = _ENDED.get(told)
    if ended and (end.open or (end.state is EndState.FINISHED and ended is not EndState.FINISHED)):
        return End(state=ended, why=f"who started it was told: {told}")
    if not end.open:
        return end
    if now - leaf.written < FRESH_S:
        return replace(end, state=EndState.RUNNING, why=f"{end.why}, and it was written to just now")
    return replace(end, state=EndState.KILLED)


def forest(leaves: Iterable[Leaf], links: Mapping[str, Iterable[Link]], now: float) -> tuple[Node, ...]:
    """The sessions, newest first, each with its agents; those without a session stand below ""."""
    known = list(leaves)
    where = places(known, links)
    told = {link.agent: link.status for found in links.values() for link in found if link.status}
    below: dict[tuple[str, ...], list[Leaf]] = {}
    for leaf in known:
        place = where[leaf.path]
        if leaf.head.agent:
            below.setdefault((place.session, *place.agents[:-1]), []).append(leaf)
    mains = {leaf.head.session: leaf for leaf in known if not leaf.head.agent}
    names = {place.session: 0.0 for place in where.values()}
    for leaf in known:
        names[where[leaf.path].session] = max(names[where[leaf.path].session], leaf.written)
    newest = sorted(names, key=lambda name: (-names[name], name))

    def node(name: str, leaf: Leaf | None, way: tuple[str, ...]) -> Node:
        children = sorted(below.get(way, []), key=lambda one: (one.head.started, one.head.agent))
        end = settle(leaf, told.get(leaf.head.agent, ""), now) if leaf else _MISSING
        return Node(
            name=name,
            leaf=leaf,
            end=end,
            title=leaf.head.title if leaf else "",
            children=tuple(node(one.head.agent, one, (*way, one.head.agent)) for one in children),
        )

    return tuple(node(name, mains.get(name), (name,)) for name in newest)


_MISSING = End(state=EndState.EMPTY, why="its transcript is not there")
