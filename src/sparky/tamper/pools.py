"""Which claims of the base are still made at head, wherever they moved to and whatever was renamed."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from sparky.tamper.claims import RUNS, Claim
from sparky.tamper.expressions import identifiers, parsed, shape
from sparky.tamper.suite import Item
from sparky.tamper.walk import strong


@dataclass(kw_only=True)
class Pair:
    """A function at base, the one at head that has its place (None: there is none), and what does not cancel.

    `lost`: claims of the base that nobody makes at head; `new`: claims at head that nobody made at base.
    """

    base: Item
    head: Item | None
    lost: list[Claim]
    new: list[Claim] = field(default_factory=list)


def live(item: Item) -> list[Claim]:
    """The claims of an item that are judged when it runs."""
    return list(strong([c for c in item.claims if not c.dead]))


def pair_up(base: Sequence[Item], head: Sequence[Item]) -> list[Pair]:
    """Every function of the base with its counterpart, equal claims cancelled."""
    mine = {id(item): live(item) for item in head}
    pairs = [Pair(base=item, head=_counterpart(item, head), lost=live(item)) for item in base]
    tests = [claims for item in head if item.counts for claims in [mine[id(item)]]]
    for key in (_exact, _renamed):
        for pair in pairs:
            if pair.head is not None and (pair.head.counts or not pair.base.is_test):
                _cancel(pair.lost, [mine[id(pair.head)]], key)
        for pair in pairs:
            if pair.base.is_test:
                _cancel(pair.lost, tests, key)
    for pair in pairs:
        pair.new = mine.get(id(pair.head), []) if pair.head is not None else []
    return pairs


def renamed(pair: Pair, old: AbstractSet[str], head: Sequence[Item]) -> Pair:
    """The pair with a new test in the place of one that is gone, if that judges most of the same.

    `old`: the names at base, of which none is new.
    """
    if pair.head is not None or not pair.lost or not pair.base.counts:
        return pair
    subjects = {shape(claim.subject) for claim in pair.lost}
    for item in head:
        if item.counts and item.name not in old:
            claims = live(item)
            judged = subjects & {shape(claim.subject) for claim in claims}
            named = {claim.subject for claim in pair.lost} & {claim.subject for claim in claims}
            if named and 2 * len(judged) >= len(subjects):
                return Pair(base=pair.base, head=item, lost=pair.lost, new=claims)
    return pair


def _cancel(lost: list[Claim], pools: list[list[Claim]], key: Callable[[Claim], Hashable]) -> None:
    if not lost:
        return
    wanted = Counter(key(claim) for claim in lost)
    for pool in pools:
        for claim in list(pool):
            mark = key(claim)
            if wanted[mark] > 0:
                match = next((c for c in lost if key(c) == mark and _same_thing(c, claim)), None)
                if match is not None:
                    wanted[mark] -= 1
                    pool.remove(claim)
                    lost.remove(match)


def _exact(claim: Claim) -> Hashable:
    return claim.key


def _renamed(claim: Claim) -> Hashable:
    return (claim.op, shape(claim.subject), shape(claim.expected), shape(claim.detail), len(claim.guards))


def _same_thing(one: Claim, other: Claim) -> bool:
    """Whether a claim may stand for another: equal, or with names in common where names were changed."""
    if one.key == other.key:
        return True
    if one.rank == RUNS:
        return False
    mine, theirs = (_names(claim) for claim in (one, other))
    return bool(mine & theirs) or len(mine) == len(theirs)


def _names(claim: Claim) -> frozenset[str]:
    tree = parsed(f"{claim.subject}\n{claim.expected}")
    return identifiers(tree) if tree is not None else frozenset()


def _counterpart(item: Item, head: Sequence[Item]) -> Item | None:
    """The function of the same place and name, else the only one of that name; collected ones come first."""
    same = [h for h in head if (h.path, h.name) == (item.path, item.name)]
    same = same or [h for h in head if h.name == item.name and h.is_test == item.is_test]
    if not same and item.is_test:
        named = [h for h in head if h.last == item.last]
        same = named if len(named) == 1 else []
    return max(same, key=lambda h: (h.counts, h.line), default=None)
