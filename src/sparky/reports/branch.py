"""What a role finds on a branch where others left reports: its scenario, its items, and what was answered."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sparky.domain.agent import Role
from sparky.domain.attempt import Responsibility
from sparky.domain.change import Lines
from sparky.domain.report import Filed, Reply, is_newer, role_of
from sparky.reports.mine import Turn, mine, whose
from sparky.reports.reading import Reading
from sparky.reports.settled import Settled, Settlement, Since, settle
from sparky.reports.told import Briefing, Scenario, owner_of

Diff = Callable[[str, str], Mapping[str, Lines] | None]
"""The lines that changed between two commits, by path; None if one of them is not known."""


@dataclass(frozen=True, kw_only=True)
class Left:
    """A report where it lies, and what it says."""

    filed: Filed
    reading: Reading


def brief(
    role: Role,
    reports: Iterable[Left],
    *,
    judged: Responsibility = Responsibility.UNKNOWN,
    diff: Diff = lambda _old, _new: None,
) -> Briefing:
    """The briefing of a role on one issue, from all reports on it.

    `judged`: whose turn sparky's own evidence makes it, where the reports do not say.
    """
    desk = _Desk(role=role, left=tuple(reports), judged=judged, diff=diff)
    own = desk.newest(role)
    fresh = [one for other in _LOOKS_AT[role] if (one := desk.newest(other)) and _is_unseen(one, own)]
    if role is Role.REVIEWER:
        return _reviewing(desk, own, fresh)
    for one in fresh:
        if desk.turn(one).should_act:
            return desk.told(_retry(role, _role(one.filed)), one)
    looked_at = fresh
    if role is Role.TESTER and own:
        if desk.turn(own).should_act:
            return desk.told(Scenario.RETRY_TESTS_FAILED, own)
        looked_at = [*fresh, own]
    asked = [one for one in looked_at if whose(one.reading).responsibility is not None]
    if asked:
        return desk.told(Scenario.NOT_MY_RESPONSIBILITY, asked[0])
    if own is None:
        start = Scenario.FRESH_TEST_CREATION if role is Role.TESTER else Scenario.FRESH_START
        return desk.start(start, f"no report of a {role.value} yet, and nothing is asked")
    return desk.start(Scenario.NOT_MY_RESPONSIBILITY, "nothing is asked since your own newest report", own)


_LOOKS_AT: Mapping[Role, tuple[Role, ...]] = {
    Role.CODER: (Role.REVIEWER, Role.TESTER),
    Role.TESTER: (Role.REVIEWER,),
    Role.REVIEWER: (Role.CODER, Role.TESTER, Role.DOCUMENTER),
    Role.DOCUMENTER: (Role.REVIEWER,),
    Role.VALIDATOR: (Role.REVIEWER, Role.TESTER),
    Role.PLANNER: (),
}
"""Whose reports a role looks at, the first first: a review comes before everything."""


@dataclass(frozen=True, kw_only=True)
class _Desk:
    """All that lies before a role."""

    role: Role
    left: Sequence[Left]
    judged: Responsibility
    diff: Diff

    def newest(self, role: Role) -> Left | None:
        """The newest report of any agent of a role: of one agent by version, of several by commit."""
        found: Left | None = None
        for one in self.left:
            if _role(one.filed) is role and (found is None or is_newer(one.filed, found.filed)):
                found = one
        return found

    def replies(self, to: Left) -> dict[str, Reply]:
        """The answers that newer reports give to a report, by item, the newest last."""
        later = [one for one in self.left if is_newer(one.filed, to.filed) and one.reading.replies]
        later.sort(key=lambda one: (one.filed.rank, one.filed.id.version))
        return {reply.item: reply for one in later for reply in one.reading.replies}

    def turn(self, one: Left) -> Turn:
        """What a report means for the role; where it does not say, the evidence does."""
        turn = mine(one.reading, self.role, self.replies(one).values())
        if turn.responsibility is not Responsibility.UNKNOWN or self.judged is Responsibility.UNKNOWN:
            return turn
        acts = self.judged is owner_of(self.role)
        reason = f"by the evidence it is the {self.judged.value}'s turn; the report: {turn.reason}"
        return replace(
            turn, should_act=acts, responsibility=self.judged, reason=reason, confidence=_BY_EVIDENCE
        )

    def settled(self, one: Left) -> tuple[Settlement, ...]:
        """What is known of each item of a report that somebody worked on since."""
        later = [other for other in self.left if is_newer(other.filed, one.filed)]
        last = max(later, key=lambda other: other.filed.rank, default=None)
        diff = self.diff(_code(one), _code(last)) if last else None
        since = Since(diff=diff, told=" ".join(other.reading.words for other in later))
        replies = self.replies(one)
        found = (settle(item, replies.get(item.id), since) for item in one.reading.items)
        return tuple(each for each in found if each.item in replies or each.settled is not Settled.UNKNOWN)

    def told(self, scenario: Scenario, one: Left) -> Briefing:
        """The briefing by a report that decides."""
        turn = self.turn(one)
        coder = self.newest(Role.CODER)
        acts = scenario is not Scenario.NOT_MY_RESPONSIBILITY
        waits = (
            self.role is Role.TESTER
            and acts
            and bool(one.reading.open_for(Responsibility.CODER))
            and not (coder and is_newer(coder.filed, one.filed))
        )
        follows = self.role is Role.CODER and acts and bool(one.reading.open_for(Responsibility.TESTER))
        return Briefing(
            role=self.role,
            scenario=scenario,
            responsibility=turn.responsibility,
            reason=turn.reason,
            confidence=turn.confidence,
            chosen=one.filed,
            passed_over=self.passed_over(one),
            items=tuple(item for item in turn.items if item.answer is None) if turn.should_act else (),
            settled=self.settled(one),
            wait_for=Responsibility.CODER if waits else None,
            follows=Responsibility.TESTER if follows else None,
        )

    def start(self, scenario: Scenario, reason: str, one: Left | None = None) -> Briefing:
        """The briefing where no report asks anything."""
        idle = scenario is Scenario.NOT_MY_RESPONSIBILITY
        return Briefing(
            role=self.role,
            scenario=scenario,
            responsibility=Responsibility.UNKNOWN if idle else owner_of(self.role),
            reason=reason,
            confidence=1.0,
            chosen=one.filed if one else None,
            passed_over=self.passed_over(one),
        )

    def passed_over(self, chosen: Left | None) -> tuple[tuple[str, str], ...]:
        """The other reports, and why it is not them that decide."""
        reasons = []
        for one in self.left:
            if chosen is not None and one.filed.path == chosen.filed.path:
                continue
            newest = self.newest(_role(one.filed))
            old = newest is not None and newest.filed.path != one.filed.path
            said = (
                f"{newest.filed.id.name} is newer" if old and newest else "it does not decide for this role"
            )
            reasons.append((one.filed.path, said))
        return tuple(reasons)


_BY_EVIDENCE = 0.8
"""How sure a turn is that the evidence decides and no report does."""


def _reviewing(desk: _Desk, own: Left | None, fresh: Sequence[Left]) -> Briefing:
    if own is None:
        return desk.start(Scenario.FRESH_REVIEW, "no review yet")
    if fresh:
        reason = f"{fresh[0].filed.id.name} is newer than the review"
        return replace(desk.start(Scenario.REVIEW_AGAIN, reason, own), settled=desk.settled(own))
    return desk.start(Scenario.NOT_MY_RESPONSIBILITY, "nothing was done since the last review", own)


def _retry(role: Role, by: Role) -> Scenario:
    if role is Role.TESTER:
        return Scenario.RETRY_AFTER_REVIEW_BLOCK
    return Scenario.RETRY_AFTER_TESTING if by is Role.TESTER else Scenario.RETRY_AFTER_REVIEW


def _role(filed: Filed) -> Role:
    """The role that a report speaks for. Specialists (formatting, imports, …) change code."""
    return role_of(filed.id.agent) or Role.CODER


def _code(one: Left) -> str:
    """The commit of the code that a report speaks of; where it names none, its own."""
    return one.reading.sha or one.filed.commit


def _is_unseen(one: Left, own: Left | None) -> bool:
    """Whether the role may not have seen a report when it wrote its own; unknown counts as unseen."""
    return own is None or is_newer(own.filed, one.filed) is not True
