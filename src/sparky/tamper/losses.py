"""What became of the claims of a test that nobody makes any more."""

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from itertools import chain

from sparky.domain.change import Sort, Suspicion
from sparky.tamper.claims import RUNS, Claim
from sparky.tamper.expressions import called, constants, identifiers, parsed
from sparky.tamper.pools import Pair
from sparky.tamper.suite import Item

_LOSSY = re.compile(
    r"\b(len|bool|type|set|any|all|callable|hash|id|frozenset)\(|\.(lower|strip|upper|casefold|split)\("
)
_MANY = 3


def said_of(sort: Sort, item: Item, line: int, why: str) -> Suspicion:
    """A suspicion of a test."""
    return Suspicion(sort=sort, path=item.path, line=line, what=f"{item.name} ({sort.value})", why=why)


def losses(pair: Pair, now: Item) -> Iterator[Suspicion]:
    """What a test of the base that still runs has lost; `now` is what has its place."""
    lost = list(pair.lost)
    if not lost:
        return
    if lost[0].rank == RUNS and lost[0].op == "runs":
        if (now.empty or not _still_runs(lost, now)) and not any(
            c.rank > RUNS and not c.dead for c in now.claims
        ):
            yield said_of(
                Sort.HOLLOW,
                now,
                now.line,
                _dead(lost[0], now) or "it no longer calls anything that it called",
            )
        return
    seen = 0
    for claim in lost:
        verdict = _loss(claim, pair, now)
        if verdict is not None and seen < _MANY:
            seen += 1
            yield said_of(verdict[0], now, verdict[1], verdict[2])


def _still_runs(lost: Sequence[Claim], now: Item) -> bool:
    before = {name for claim in lost for name in called_in(claim.subject)}
    return any(before & called_in(claim.subject) for claim in now.claims if not claim.dead)


def called_in(source: str) -> frozenset[str]:
    """What the source of a claim calls."""
    tree = parsed(source)
    return called(tree) if tree is not None else frozenset()


def _dead(claim: Claim, now: Item) -> str:
    """Why a claim that is still written there does not count."""
    alike = (
        c for c in now.claims if c.dead and (c.subject == claim.subject or c.expected == claim.expected != "")
    )
    return next((c.dead for c in alike), "")


Loss = tuple[Sort, int, str]


def _loss(claim: Claim, pair: Pair, now: Item) -> Loss | None:
    """What became of a claim that is no longer made; None if what is claimed instead says as much."""
    if dead := _dead(claim, now):
        return Sort.HOLLOW, now.line, f"`{claim.said}` does not count: {dead}"
    core = (claim.op, claim.subject, claim.expected, claim.detail)
    for other in pair.new:
        if (other.op, other.subject, other.expected, other.detail) == core:
            pair.new.remove(other)
            return _guarded(claim, other)
    same = next((c for c in pair.new if c.subject == claim.subject), None)
    same = same or next(
        (c for c in pair.new if c.op == claim.op == "raises" and c.detail == claim.detail), None
    )
    if same is not None:
        pair.new.remove(same)
        return _compared(claim, same)
    return _exchanged(claim, pair, now)


def _guarded(claim: Claim, other: Claim) -> Loss | None:
    fresh = [guard for guard in other.guards if guard not in claim.guards]
    if not fresh:
        return None
    if len(other.guards) > len(claim.guards):
        return Sort.HOLLOW, other.line, f"`{claim.said}` only counts under a condition: {fresh[0]}"
    return Sort.CHANGED, other.line, f"`{claim.said}` counts under another condition: {fresh[0]}"


def _compared(claim: Claim, other: Claim) -> Loss | None:
    """One claim against another of the same subject."""
    was = f"`{claim.said}` became `{other.said}`"
    if other.rank < claim.rank or _looser(claim, other):
        return Sort.LOOSENED, other.line, was
    if other.rank > claim.rank or (other.expected == claim.expected and other.op == claim.op):
        return None if other.guards == claim.guards else _guarded(claim, other)
    return Sort.CHANGED, other.line, f"{was}, and no source changed with it"


def _looser(claim: Claim, other: Claim) -> bool:
    if claim.op == other.op == "raises":
        return _wider(claim.expected, other.expected) or (
            other.expected == claim.expected and _lost_detail(claim, other)
        )
    if claim.op == other.op == "about":
        return other.expected == claim.expected and _tolerance(other.detail) > _tolerance(claim.detail)
    return claim.op == other.op == "in" and _constants(claim) < _constants(other)


def _lost_detail(claim: Claim, other: Claim) -> bool:
    return bool(claim.detail) and (not other.detail or other.detail[:-1] in claim.detail)


def _tolerance(detail: str) -> float:
    """How far off a value may be, for comparison only; of decimal places, fewer are more."""
    numbers = [float(n) for n in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", detail)]
    if not numbers:
        return 1e-6
    return 10.0 ** -numbers[0] if "places" in detail else max(numbers)


def _wider(before: str, after: str) -> bool:
    """Whether an exception, or a tuple of them, catches more than another."""
    was, now = ({word.rpartition(".")[2] for word in re.findall(r"[\w.]+", said)} for said in (before, after))
    if was < now or now & {"Exception", "BaseException"} - was:
        return True
    return any(_is_parent(one, other) for one in now - was for other in was)


def _is_parent(one: str, other: str) -> bool:
    parent, child = getattr(builtins, one, None), getattr(builtins, other, None)
    if isinstance(parent, type) and isinstance(child, type):
        return parent is not child and issubclass(child, parent)
    return False


def _constants(claim: Claim) -> frozenset[str]:
    tree = _tree(claim)
    return frozenset(constants(tree)) if tree is not None else frozenset()


def _identifiers(claim: Claim) -> frozenset[str]:
    tree = _tree(claim)
    return identifiers(tree) if tree is not None else frozenset()


def _tree(claim: Claim) -> ast.Module | None:
    return parsed(f"{claim.subject}\n{claim.expected}\n{claim.detail}")


def _exchanged(claim: Claim, pair: Pair, now: Item) -> Loss | None:
    """A claim whose subject is no longer judged in this test, against all that is judged there instead."""
    line = now.line
    worth = [c for c in pair.new if c.rank >= claim.rank]
    wanted = _constants(claim)
    had = frozenset(chain.from_iterable(_constants(c) for c in worth))
    lossy = [
        c
        for c in pair.new
        if claim.subject in (said := f"{c.subject} {c.expected}")
        and _LOSSY.search(said.replace(claim.subject, ""))
    ]
    whole = frozenset(chain.from_iterable(_constants(c) for c in worth if c not in lossy))
    if lossy and not (wanted and wanted <= whole):
        pair.new.remove(lossy[0])
        return Sort.LOOSENED, lossy[0].line, f"`{claim.said}` became `{lossy[0].said}`"
    if wanted and wanted <= had:
        return None
    if not wanted and any(_identifiers(claim) <= _identifiers(c) for c in worth):
        return None
    near = next((c for c in worth if called_in(claim.subject) & called_in(c.subject)), None) or next(
        iter(worth), None
    )
    if near is not None:
        pair.new.remove(near)
        return Sort.CHANGED, near.line, f"`{claim.said}` became `{near.said}`, and no source changed with it"
    weaker = next(iter(pair.new), None)
    if weaker is not None:
        pair.new.remove(weaker)
        return Sort.LOOSENED, weaker.line, f"`{claim.said}` became `{weaker.said}`"
    return Sort.LOOSENED, line, f"`{claim.said}` is no longer claimed"
