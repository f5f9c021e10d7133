"""What sparky itself reports of an attempt: verdict, findings, items with their owner, answers, evidence."""

from collections.abc import Iterable, Mapping

from sparky.domain.agent import Role
from sparky.domain.attempt import Attempt, Responsibility, Stage, Verdict
from sparky.domain.change import Lines
from sparky.domain.report import ActionItem, Answer, Failure, Filed, Reply, Report, item_id, next_id
from sparky.domain.state import PipelineState
from sparky.reports.branch import Briefing
from sparky.reports.mine import owner_of
from sparky.reports.places import find_place
from sparky.reports.settled import Settled, Since, settle


def report_of(
    state: PipelineState,
    attempt: Attempt,
    filed: Iterable[Filed],
    briefing: Briefing | None = None,
    diff: Mapping[str, Lines] | None = None,
) -> Report:
    """The report on an attempt, under the next version of its agent; `filed`: the reports there are.

    `briefing` is what the attempt was told, `diff` what it changed: each item that it was to work on is
    answered by what the diff shows, whatever the agent says.
    """
    owner = _asked(attempt)
    items = tuple(_item(text, owner) for text in attempt.items) if attempt.verdict is Verdict.REVISE else ()
    asked = briefing.items if briefing else ()
    return Report(
        id=next_id(filed, _author(attempt), state.issue.id),
        verdict=attempt.verdict,
        sha=attempt.sha or state.head,
        summary=attempt.reason,
        answers=(briefing.chosen.id.name,) if briefing and briefing.chosen and asked else (),
        replies=tuple(_reply(item, attempt, diff) for item in asked),
        findings=tuple(
            Failure(title=gate.gate, severity=gate.severity, root_cause=gate.reason)
            for gate in attempt.gates
            if gate.verdict is not Verdict.PASS
        ),
        items=items,
        evidence=attempt.evidence,
        next_step=f"The {owner.value} goes on." if items else "",
    )


def skip_report(role: Role, briefing: Briefing, filed: Iterable[Filed], issue: str, sha: str) -> Report:
    """The short report of a role that hands over at once, since it is not its turn."""
    turn = briefing.responsibility
    after = "" if turn is Responsibility.UNKNOWN else f"The {turn.value} goes on."
    return Report(
        id=next_id(filed, _AUTHORS[role], issue),
        verdict=Verdict.SKIP,
        sha=sha,
        summary=f"Not the {owner_of(role).value}'s responsibility: {briefing.reason}",
        answers=(briefing.chosen.id.name,) if briefing.chosen else (),
        next_step=after,
    )


_AUTHORS = {
    Role.CODER: "coding",
    Role.TESTER: "testing",
    Role.REVIEWER: "review",
    Role.DOCUMENTER: "documentation",
    Role.VALIDATOR: "validator",
    Role.PLANNER: "planner",
}


def _author(attempt: Attempt) -> str:
    match attempt.stage:
        case Stage.EXECUTE | Stage.ROUTE | Stage.DECOMPOSE | Stage.CHILD | Stage.MERGE:
            return attempt.agent
        case Stage.REVIEW | Stage.VERIFY:
            return "review"
        case Stage.TEST:
            return "testing"


def _asked(attempt: Attempt) -> Responsibility:
    """Who has to act on what a stage refused: whom it names, else the coder, who made it."""
    known = attempt.responsibility is not Responsibility.UNKNOWN
    return attempt.responsibility if known or attempt.stage is Stage.TEST else Responsibility.CODER


def _item(text: str, owner: Responsibility) -> ActionItem:
    place = find_place(text)
    return ActionItem(
        id=item_id(owner, text, place.path if place else ""), owner=owner, text=text, location=place
    )


def _reply(item: ActionItem, attempt: Attempt, diff: Mapping[str, Lines] | None) -> Reply:
    seen = settle(item, Reply(item=item.id, answer=Answer.FIXED), Since(diff=diff))
    reason = seen.reason.removeprefix("FIXED: ")
    if diff and seen.settled in {Settled.FIXED, Settled.LIKELY}:
        return Reply(item=item.id, answer=Answer.FIXED, commit=attempt.sha or "", reason=reason)
    return Reply(item=item.id, answer=Answer.DEFERRED, reason=reason)
