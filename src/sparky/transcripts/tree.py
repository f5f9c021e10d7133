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
    crowd = _Crowd(
        by_name={leaf.head.agent: leaf for leaf in known if leaf.head.agent},
        by_session={(leaf.head.session, leaf.head.agent): leaf for leaf in known if leaf.head.agent},
        starters={
            (leaf.head.session, link.agent): leaf.head.agent or leaf.head.session
            for leaf in reversed(known)
            for link in links.get(leaf.path, ())
            if link.call and link.agent != leaf.head.agent
        },
    )
    return {leaf.path: _place(leaf, crowd) for leaf in known}


@dataclass(frozen=True, kw_only=True)
class _Crowd:
    """All agents. Ids are short and sessions are copied: one of the same session goes first."""

    by_name: Mapping[str, Leaf]
    by_session: Mapping[tuple[str, str], Leaf]
    starters: Mapping[tuple[str, str], str]

    def find(self, name: str, session: str) -> Leaf | None:
        """The agent of that id that an agent of the session means; None if it is no agent."""
        return self.by_session.get((session, name)) or self.by_name.get(name)

    def starter(self, name: str) -> str:
        """Who started an agent of that id in any session, the oldest that tells so; "" if nobody does."""
        found = [above for (_, agent), above in self.starters.items() if agent == name]
        return found[-1] if found else ""


def _place(leaf: Leaf, crowd: _Crowd) -> Place:
    if not leaf.head.agent:
        return Place(session=leaf.head.session)
    way = [leaf.head.agent]
    below, above = leaf, _above(leaf, crowd)
    while (found := crowd.find(above, below.head.session)) is not None:
        way.insert(0, above)
        below, above = found, _above(found, crowd)
    return Place(session=above, agents=tuple(way))


def _above(leaf: Leaf, crowd: _Crowd) -> str:
    """The agent or session that a sub-agent works for; "" if none is known. In a circle no agent is."""
    session = leaf.head.session
    above = _told(leaf, crowd)
    seen = {above}
    while above != leaf.head.agent and (found := crowd.find(above, session)) is not None:
        above = _told(found, crowd)
        if above in seen:  # a circle further up
            break
        seen.add(above)
    if above == leaf.head.agent:
        return "" if crowd.find(session, session) else session
    return _told(leaf, crowd)


def _told(leaf: Leaf, crowd: _Crowd) -> str:
    """The agent or session that is told to be above."""
    head = leaf.head
    for name in (head.parent, crowd.starters.get((head.session, head.agent), "")):
        if (head.session, name) in crowd.by_session:
            return name
    # An empty transcript claims nothing: whoever tells of having started an agent of that id has it.
    return head.session or crowd.starter(head.agent)


def settle(end: End, written: float, told: str, now: float) -> End:
    """How a transcript ended: by itself, by what others tell of it (`told`, "" for nothing), by the clock."""
    ended = _ENDED.get(told)
    if ended and (end.open or (end.state is EndState.FINISHED and ended is not EndState.FINISHED)):
        return End(state=ended, why=f"who started it was told: {told}")
    if not end.open:
        return end
    if now - written < FRESH_S:
        return replace(end, state=EndState.RUNNING, why=f"{end.why}, and it was written to just now")
    return replace(end, state=EndState.KILLED)


def forest(leaves: Iterable[Leaf], links: Mapping[str, Iterable[Link]], now: float) -> tuple[Node, ...]:
    """The sessions, newest first, each with its agents; those without a session stand below ""."""
    known = list(leaves)
    where = places(known, links)
    told = {
        (leaf.head.session, link.agent): link.status
        for leaf in known
        for link in links.get(leaf.path, ())
        if link.status
    }
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
        end = MISSING
        if leaf:
            end = settle(leaf.end, leaf.written, told.get((leaf.head.session, leaf.head.agent), ""), now)
        return Node(
            name=name,
            leaf=leaf,
            end=end,
            title=leaf.head.title if leaf else "",
            children=tuple(node(one.head.agent, one, (*way, one.head.agent)) for one in children),
        )

    return tuple(node(name, mains.get(name), (name,)) for name in newest)


MISSING = End(state=EndState.EMPTY, why="its transcript is not there")
