"""What sparky itself reports of an attempt: verdict, findings, items with their owner, answers, evidence."""

import re
from collections.abc import Iterable, Mapping

from sparky.domain.agent import Role
from sparky.domain.attempt import Attempt, Responsibility, Stage, Trait, Verdict
from sparky.domain.change import Lines
from sparky.domain.report import ActionItem, Answer, Failure, Reply, Report, ReportId, agent_name, item_id
from sparky.reports.places import find_place
from sparky.reports.reading import Reading
from sparky.reports.settled import Settled, Since, settle
from sparky.reports.told import Briefing, owner_of

REPLIES = "replies"
"""The name of the blob of an attempt that holds its answers to the items that it was told."""

_REFUSED = re.compile(r"^\W*(REJECTED|DEFERRED)\W+([\w-]{1,40})\W*(.*)$", re.MULTILINE)


def report_of(
    attempt: Attempt,
    report: ReportId,
    sha: str,
    *,
    told: Briefing | None = None,
    replies: tuple[Reply, ...] = (),
    review: Reading | None = None,
) -> Report:
    """The report on an attempt that left the code at `sha`: values alone, so that it is always the same.

    `told` is what the attempt started from, `replies` its answers to that; `review` is what a reviewer wrote.
    """
    answers = (told.chosen.id.name,) if told and told.chosen and replies else ()
    if told and Trait.HANDED_OVER in attempt.traits:
        return skip_report(told, report, sha, attempt.reason)
    owner = _asked(attempt)
    items = tuple(_item(text, owner) for text in _texts(attempt))
    if review is not None and items and review.open_items:
        items = review.open_items
    return Report(
        id=report,
        verdict=attempt.verdict,
        sha=sha,
        summary=attempt.reason,
        answers=answers,
        replies=replies,
        findings=(*_refusals(attempt), *(review.failures if review else ())),
        items=items,
        evidence=attempt.evidence,
        next_step=f"The {owner.value} goes on." if items else "",
    )


def skip_report(told: Briefing, report: ReportId, sha: str, reason: str) -> Report:
    """The short report of a role that hands over at once, since it is not its turn."""
    turn, own = told.turn_of or told.responsibility, owner_of(told.role)
    return Report(
        id=report,
        verdict=Verdict.SKIP,
        sha=sha,
        summary=f"Not the {own.value}'s responsibility: {reason.removeprefix('not its turn: ')}",
        answers=(told.chosen.id.name,) if told.chosen else (),
        next_step="" if turn in {own, Responsibility.UNKNOWN} else f"The {turn.value} goes on.",
    )


def replies_of(
    items: Iterable[ActionItem], sha: str, diff: Mapping[str, Lines], said: str
) -> tuple[Reply, ...]:
    """The answer to each item that an agent was to work on.

    FIXED is what the diff shows, whatever the agent says. What it does not show the agent may have refused,
    in its own words: "REJECTED ID: why".
    """
    refused = {name: (Answer(word), why.strip()) for word, name, why in _REFUSED.findall(said)}
    return tuple(_reply(item, sha, diff, refused.get(item.id)) for item in items)


def author(attempt: Attempt, role: Role) -> str:
    """Whose report it is, as its name says it; `role` is that of the attempt's agent."""
    match attempt.stage:
        case Stage.EXECUTE if role in _AUTHORS:
            return _AUTHORS[role]
        case Stage.EXECUTE | Stage.ROUTE | Stage.DECOMPOSE | Stage.CHILD | Stage.MERGE:
            return agent_name(attempt.agent)
        case Stage.REVIEW | Stage.VERIFY:
            return "review"
        case Stage.TEST:
            return "testing"


_AUTHORS = {Role.TESTER: "testing", Role.REVIEWER: "review", Role.DOCUMENTER: "documentation"}
"""Roles that report under one name; who changes code does so under the agent's own."""


def _texts(attempt: Attempt) -> tuple[str, ...]:
    """What a stage asks for. The items of VERIFY are what stays, refused or not."""
    if attempt.verdict in {Verdict.PASS, Verdict.SKIP}:
        return ()
    return attempt.validation_errors if attempt.stage is Stage.VERIFY else attempt.items


def _refusals(attempt: Attempt) -> tuple[Failure, ...]:
    return tuple(
        Failure(title=gate.gate, severity=gate.severity, root_cause=gate.reason)
        for gate in attempt.gates
        if gate.verdict is not Verdict.PASS
    )


def _asked(attempt: Attempt) -> Responsibility:
    """Who has to act on what a stage refused: whom it names, else the coder, who made it."""
    known = attempt.responsibility is not Responsibility.UNKNOWN
    return attempt.responsibility if known or attempt.stage is Stage.TEST else Responsibility.CODER


def _item(text: str, owner: Responsibility) -> ActionItem:
    place = find_place(text)
    return ActionItem(
        id=item_id(owner, text, place.path if place else ""), owner=owner, text=text, location=place
    )


def _reply(
    item: ActionItem, sha: str, diff: Mapping[str, Lines], refused: tuple[Answer, str] | None
) -> Reply:
    seen = settle(item, Reply(item=item.id, answer=Answer.FIXED), Since(diff=diff))
    if diff and seen.settled in {Settled.FIXED, Settled.LIKELY} and refused is None:
        reason = seen.reason.removeprefix("FIXED: ")
        return Reply(item=item.id, answer=Answer.FIXED, commit=sha, reason=reason)
    answer, reason = refused or (Answer.DEFERRED, seen.reason.removeprefix("FIXED: "))
    return Reply(item=item.id, answer=answer, reason=reason)
