"""Whose turn it is after a report, and what of it is a role's to do."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sparky.domain.agent import Role
from sparky.domain.attempt import Responsibility
from sparky.domain.report import ActionItem, Reply, item_id
from sparky.reports.causes import Cause, find_cause
from sparky.reports.reading import REFUSED, MergeDecision, Reading
from sparky.reports.told import owner_of
from sparky.reports.weigh import reserves, weigh

_FIRST = (
    Responsibility.CODER,
    Responsibility.TESTER,
    Responsibility.DOCUMENTER,
    Responsibility.REVIEWER,
    Responsibility.ENVIRONMENT,
    Responsibility.PERSON,
)
"""Who goes first where items are addressed to several."""


_STATED = 0.8
"""How sure a cause is that the text states in so many words."""


@dataclass(frozen=True, kw_only=True)
class Whose:
    """Whose turn it is; None: nobody's, nothing is asked. `confidence` is in 0..1."""

    responsibility: Responsibility | None
    confidence: float
    reason: str


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What a report means for one role. `items` are all of the role's, answered ones among them."""

    should_act: bool
    responsibility: Responsibility
    items: tuple[ActionItem, ...]
    reason: str
    confidence: float


def whose(reading: Reading) -> Whose:
    """Whose turn it is: by the items and their owners, then the decision, then the cause that is given."""
    named = [item for item in reading.open_items if item.id not in reading.assumed]
    approved = reading.merge_decision is MergeDecision.APPROVED
    if named:
        first = _first(named)
        return Whose(
            responsibility=first,
            confidence=0.8 if approved else 0.95,
            reason=f"{_count(named, first)} for the {first.value}: {named_text(named, first)}",
        )
    if approved and not reserves(reading.judged):
        sure = 0.8 if reading.open_items else 0.95
        return Whose(responsibility=None, confidence=sure, reason="approved, and nothing is asked of anybody")
    cause = find_cause(reading)
    if reading.open_items:
        return _by_assumed(reading.open_items, cause)
    refused = reading.merge_decision in REFUSED
    weighed = weigh(reading.judged, refused=refused)
    content = weighed is not None and weighed.responsibility is None and not refused
    if reading.items and not content and (cause is None or cause.confidence < _STATED):
        said = "every item is answered: a new review follows"
        return Whose(responsibility=Responsibility.REVIEWER, confidence=0.7, reason=said)
    if cause is not None:
        return Whose(
            responsibility=cause.responsibility, confidence=cause.confidence, reason=f"it says: {cause.words}"
        )
    if weighed is not None and content:
        said = f"nothing is asked: {weighed.words}"
        return Whose(responsibility=None, confidence=weighed.confidence, reason=said)
    if approved:
        said = "approved, though with a reservation that names nobody"
        return Whose(responsibility=None, confidence=0.6, reason=said)
    return Whose(responsibility=Responsibility.UNKNOWN, confidence=0.0, reason=_unclear(reading))


def mine(reading: Reading, role: Role, answers: Iterable[Reply] = ()) -> Turn:
    """What the report means for a role, given the answers that newer reports gave to its items."""
    told = {reply.item: reply for reply in answers}
    items = tuple(_answered(item, told) for item in reading.items)
    rest = replace(reading, items=items)
    owner = owner_of(role)
    own = tuple(item for item in items if item.owner is owner)
    left = rest.open_for(owner)
    turn = whose(rest)
    who = turn.responsibility
    if left and who is not None and (who is not Responsibility.UNKNOWN):
        first = "" if who is owner else f"; the {who.value} goes first: work at its commit"
        reason = f"{_count(left, owner)} for the {owner.value}{first}"
        return Turn(
            should_act=True, responsibility=owner, items=own, reason=reason, confidence=turn.confidence
        )
    if who is owner:
        made = own or (_made(owner, turn.reason),)
        return Turn(
            should_act=True, responsibility=owner, items=made, reason=turn.reason, confidence=turn.confidence
        )
    reason = (
        turn.reason
        if who in {None, Responsibility.UNKNOWN} or who is None
        else f"not the {owner.value}'s turn: {turn.reason}"
    )
    done = f"; all {len(own)} of the {owner.value}'s items are answered" if own and not left else ""
    return Turn(
        should_act=False,
        responsibility=who or Responsibility.UNKNOWN,
        items=own,
        reason=reason + done,
        confidence=turn.confidence,
    )


def named_text(items: Iterable[ActionItem], owner: Responsibility) -> str:
    """The first item of an owner, short."""
    return next(item.text for item in items if item.owner is owner)[:120]


def _first(items: Iterable[ActionItem]) -> Responsibility:
    owners = {item.owner for item in items}
    return next((owner for owner in _FIRST if owner in owners), Responsibility.UNKNOWN)


def _count(items: Iterable[ActionItem], owner: Responsibility) -> str:
    number = sum(item.owner is owner for item in items)
    return f"{number} item{'s' if number != 1 else ''}"


def _by_assumed(items: tuple[ActionItem, ...], cause: Cause | None) -> Whose:
    """Items whose owner is assumed from the file they name; a cause that is given confirms or decides."""
    first = _first(items)
    located = [item for item in items if item.location]
    sure = 0.8 if located else 0.65
    if cause and cause.confidence >= sure and cause.responsibility not in {item.owner for item in items}:
        return Whose(
            responsibility=cause.responsibility,
            confidence=cause.confidence - 0.1,
            reason=f"it says: {cause.words}",
        )
    reason = f"{_count(items, first)} in the {first.value}'s files: {named_text(items, first)}"
    return Whose(responsibility=first, confidence=sure, reason=reason)


def _answered(item: ActionItem, told: dict[str, Reply]) -> ActionItem:
    reply = told.get(item.id)
    if reply is None:
        return item
    return replace(item, answer=reply.answer, commit=reply.commit, why=reply.reason)


def _made(owner: Responsibility, text: str) -> ActionItem:
    said = text.removeprefix("it says: ")
    return ActionItem(id=item_id(owner, said), owner=owner, text=said)


def _unclear(reading: Reading) -> str:
    if reading.failures:
        title = reading.failures[0].title or "a failure"
        return f"unclear between coder and tester: no cause is given for {title}; a run of the tests can tell"
    return "unclear: it names nobody, and gives no cause"
