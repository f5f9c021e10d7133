"""EXECUTE by a session with a coding agent. What the agent says is a claim; what counts is the commit."""

import time
from dataclasses import replace

from sparky.agents.prompt import Beside, render
from sparky.domain.agent import Role, Session
from sparky.domain.attempt import Attempt, Responsibility, Stage, Trait, Verdict
from sparky.domain.change import read_patch
from sparky.domain.conditions import FAULT
from sparky.domain.gates import may_edit
from sparky.domain.moves import pause_s
from sparky.domain.report import ActionItem
from sparky.domain.state import Handoff, PipelineState
from sparky.events import SessionEnding, SessionRequest, SessionResult
from sparky.evidence.briefing import briefing, laid_out, role_of
from sparky.evidence.change import diff_evidence, read_change, with_files
from sparky.evidence.sessions import as_left, heard
from sparky.formats.values_json import encode
from sparky.ports import Ports
from sparky.reports.compose import REPLIES, replies_of
from sparky.reports.inline_md import place
from sparky.reports.told import BRIEFING, Briefing

_CUT_OFF = {SessionEnding.TIMED_OUT, SessionEnding.BROKEN_OFF}

GUIDE, GUIDE_LENGTH = "AGENTS.md", 20_000
"""What a repository tells agents, and how many characters of it they are told."""


def perform(handoff: Handoff, state: PipelineState, ports: Ports, works: Session) -> Attempt:
    """One session in the run's worktree, on top of what the run has so far; none if it is another's turn.

    The attempts of a part make one commit: what one brought and the next took back, a key for instance, is in
    none.
    """
    told = briefing(role_of(ports, handoff.agent), state, ports)
    brief = {BRIEFING: ports.blobs.put(encode(told))} if told.read_any else {}
    if _is_anothers(told, handoff, state):
        attempt = handoff.begin(Verdict.REVISE, f"not its turn: {told.why}")
        return replace(attempt, traits=(Trait.HANDED_OVER,), error_type="handed_over", blobs=brief)
    result = as_left(converse(handoff, state, ports, works, told), handoff, state, ports)
    attempt = _cut_short(handoff, state, ports, result) or _outcome(handoff, state, ports, result)
    attempt = _answered(attempt, handoff, ports, told, result.summary)
    if result.ending is SessionEnding.OVER_BUDGET:
        said = f"stopped, since {result.ending.value}; {attempt.reason}"
        attempt = replace(attempt, verdict=Verdict.REVISE, reason=said, traits=(Trait.OVER_BUDGET,))
    return with_session(replace(attempt, blobs={**brief, **attempt.blobs}), ports, result)


def converse(
    handoff: Handoff, state: PipelineState, ports: Ports, works: Session, told: Briefing, *, diff: str = ""
) -> SessionResult:
    """One session at the handoff's commit, with the reports on the run beside it; nothing is judged here."""
    role = role_of(ports, handoff.agent)
    worktree = ports.repository.open(state.run_id, state.context.branch, handoff.rollback_sha)
    allowed, limit = state.allowed, state.preferences.session_timeout_s
    seconds = limit if allowed.seconds is None else min(limit, allowed.seconds)
    with laid_out(ports, state.run_id, worktree) as reports:
        result = ports.runners[handoff.runner or works.runner].run(
            SessionRequest(
                run=state.run_id,
                issue=state.issue.id,
                worktree=worktree,
                prompt=render(role, works.prompt, handoff, state, _beside(handoff, state, ports, told, diff)),
                agent=handoff.agent,
                number=handoff.number,
                timeout_s=seconds,
                script=state.preferences.script,
                model="" if handoff.runner else works.model or state.preferences.model,
                tools=works.tools,
                part=handoff.part,
                tokens=allowed.tokens,
                usd=allowed.usd,
                turns=allowed.turns,
                reports=reports,
                review=role is Role.REVIEWER,
            )
        )
    out_of_time = result.ending is SessionEnding.TIMED_OUT and seconds < limit
    return replace(result, ending=SessionEnding.OVER_BUDGET) if out_of_time else result


def with_session(attempt: Attempt, ports: Ports, result: SessionResult) -> Attempt:
    """The attempt with what its session printed and cost."""
    return replace(
        attempt,
        blobs={"session": ports.blobs.put(result.output), **attempt.blobs},
        tokens=result.tokens,
        turns=result.turns,
        cost_usd=result.cost_usd,
        level=result.level.value if result.level else "",
    )


def _is_anothers(told: Briefing, handoff: Handoff, state: PipelineState) -> bool:
    """Whether another agent that the run has must act first; what a person asked for is not handed over."""
    if told.turn_of is None or len(state.attempts) == state.segment_start:
        return False
    route = state.routes[handoff.part]
    return route.tester is not None if told.turn_of is Responsibility.TESTER else route.agent != route.tester


def _answered(attempt: Attempt, handoff: Handoff, ports: Ports, told: Briefing, said: str) -> Attempt:
    """The attempt with its answers to what it was told to do, and whether the tester is to follow."""
    sha = attempt.sha
    if Trait.CHANGED not in attempt.traits or sha is None:
        return attempt
    if told.follows is Responsibility.TESTER:
        attempt = replace(attempt, traits=(*attempt.traits, Trait.TESTER_FOLLOWS))
    patch = ports.repository.patch(handoff.rollback_sha, sha)
    replies = replies_of(told.items, sha, read_patch(patch.decode("utf-8", "replace")), said)
    return replace(attempt, blobs={REPLIES: ports.blobs.put(encode(replies)), **attempt.blobs})


def _cut_short(handoff: Handoff, state: PipelineState, ports: Ports, result: SessionResult) -> Attempt | None:
    """What a session comes to that could not do its work, for no fault of the agent's; else None.

    What it left half done is taken back: it begins anew.
    """
    match result.ending:
        case SessionEnding.RATE_LIMITED:
            trait = Trait.RATE_LIMITED
        case SessionEnding.OUTAGE:
            trait = Trait.OUTAGE
        case SessionEnding.UNABLE:
            attempt = handoff.begin(Verdict.ESCALATE, f"{result.ending.value}: {result.detail}")
            step = "mend what it says: `sparky doctor` and docs/runners.md say how"
            whose = Responsibility.ENVIRONMENT
            return replace(
                attempt, sha=handoff.rollback_sha, responsibility=whose, error_type=FAULT, items=(step,)
            )
        case (
            SessionEnding.FINISHED
            | SessionEnding.TIMED_OUT
            | SessionEnding.BROKEN_OFF
            | SessionEnding.OVER_BUDGET
        ):
            return None
    ports.repository.reset(state.run_id, handoff.rollback_sha)
    attempt = handoff.begin(Verdict.REVISE, f"{result.ending.value}: {result.detail}")
    now = time.time()
    # A limit that is over, or that was over before an outage, says nothing of when it can be asked again.
    told = result.retry_at if result.ending is SessionEnding.RATE_LIMITED else None
    retry_at = told if told and told > now else now + pause_s(state, handoff.part)
    return replace(
        attempt,
        sha=handoff.rollback_sha,
        traits=(trait,),
        error_type=trait.value,
        retry_at=round(retry_at, 3),
    )


def _beside(handoff: Handoff, state: PipelineState, ports: Ports, told: Briefing, diff: str) -> Beside:
    """What an agent is told beside its handoff; AGENTS.md is that of the base, whatever the run did to it."""
    guide = ports.repository.read(state.base, GUIDE) or b""
    answers = tuple(answer.text for answer in state.answers if answer.text and answer != state.answer)
    return Beside(
        reports=_briefed(told),
        folder=f"../{state.run_id}.reports" if told.read_any else "",
        feedback=answers,
        heard=heard(handoff, state, ports),
        guide=guide.decode("utf-8", "replace")[:GUIDE_LENGTH],
        diff=diff,
    )


def _briefed(told: Briefing) -> tuple[str, ...]:
    """The scenario, items with ids, and what is answered; () if there is no report."""
    if not told.read_any:
        return ()
    by = f", by {told.chosen.id.name}" if told.chosen else ""
    return (
        f"{told.scenario.value}{by}: {told.reason}",
        *(f"item {item.id}: {_item(item)}" for item in told.items),
        *(f"item {one.item} is {one.settled.value}: {one.reason}" for one in told.settled),
    )


def _item(item: ActionItem) -> str:
    where = f" ({place(item.location)})" if item.location else ""
    return f"{item.text}{where}" + (f"; done when {item.done_when}" if item.done_when else "")


def _outcome(handoff: Handoff, state: PipelineState, ports: Ports, result: SessionResult) -> Attempt:
    """What the session left in the worktree, as one commit, and the verdict on it."""
    start, origin = handoff.rollback_sha, _origin(handoff, state)
    message = _message(state, handoff, result)
    sha = ports.repository.commit(state.run_id, message) or start
    if origin != start != sha:
        sha = _joined(ports, state.run_id, origin, sha, message)
    if sha in {start, origin}:
        return replace(_judge(handoff, state, result), sha=sha)
    if strange := _strange(handoff, ports, sha):
        ports.repository.reset(state.run_id, start)
        return replace(_out_of_role(handoff, strange), sha=start)
    return replace(_changed(handoff, ports, sha, result), sha=sha)


def _origin(handoff: Handoff, state: PipelineState) -> str:
    """Where the sessions on this part started; after a rebase, where this one does."""
    mine = (Stage.EXECUTE, handoff.part)
    first = next((i for i, a in enumerate(state.attempts) if (a.stage, a.part) == mine), None)
    if first is None or any(a.base is not None for a in state.attempts[first:]):
        return handoff.rollback_sha
    return replace(state, attempts=state.attempts[:first]).head


def _joined(ports: Ports, run: str, origin: str, sha: str, message: str) -> str:
    """All since `origin` as one commit, the run's new head; `origin` itself if nothing is left of it."""
    repository = ports.repository
    alone = origin
    if repository.tree(sha) != repository.tree(origin):
        # Taking the way from there to `origin` back, on top of `origin`, leads there in one step.
        alone = repository.revert(sha, origin, origin, message)[0] or sha
    repository.reset(run, alone)
    return alone


def _strange(handoff: Handoff, ports: Ports, sha: str) -> tuple[str, ...]:
    """The paths of a change that its agent's role has no business with."""
    role = role_of(ports, handoff.agent)
    paths = [file.path for file in ports.repository.changes(handoff.rollback_sha, sha)]
    return tuple(path for path in paths if not may_edit(role, path))


def _out_of_role(handoff: Handoff, strange: tuple[str, ...]) -> Attempt:
    said = f"taken back: {handoff.agent} may not edit {', '.join(strange[:5])}"
    return replace(
        handoff.begin(Verdict.REVISE, said),
        traits=(Trait.OUT_OF_ROLE,),
        error_type=Trait.OUT_OF_ROLE.value,
        validation_errors=strange,
        items=(said,),
    )


def _changed(handoff: Handoff, ports: Ports, sha: str, result: SessionResult) -> Attempt:
    change = read_change(ports.repository, handoff.rollback_sha, sha)
    evidence = (diff_evidence(ports.repository, ports.blobs, handoff.rollback_sha, sha),)
    how = result.detail or result.ending.value
    cut_off = f"; the session was cut off: {how}" if result.ending in _CUT_OFF else ""
    if change.broken:
        errors = tuple(f"{path}: {why}" for path, why in sorted(change.broken.items()))
        attempt = handoff.begin(Verdict.REVISE, f"changed files don't parse: {'; '.join(errors)}{cut_off}")
        attempt = replace(attempt, traits=(Trait.BROKEN_SYNTAX,), validation_errors=errors, items=errors)
    else:
        said = f"{len(change.files)} file(s) changed, {change.size} line(s){cut_off}"
        attempt = replace(handoff.begin(Verdict.PASS, said), traits=(Trait.CHANGED,))
    return with_files(replace(attempt, evidence=evidence), change)


def _judge(handoff: Handoff, state: PipelineState, result: SessionResult) -> Attempt:
    """What a session that left no change comes to."""
    match result.ending:
        case SessionEnding.FINISHED:
            return _idle(handoff, state, result)
        case SessionEnding.TIMED_OUT | SessionEnding.OVER_BUDGET:
            trait = Trait.TIMED_OUT
        case (
            SessionEnding.BROKEN_OFF
            | SessionEnding.RATE_LIMITED
            | SessionEnding.OUTAGE
            | SessionEnding.UNABLE
        ):
            trait = Trait.CRASHED
    said = result.detail or result.ending.value
    attempt = handoff.begin(Verdict.REVISE, f"the session ended without a change: {said}")
    return replace(attempt, traits=(trait,), error_type=trait.value)


def _idle(handoff: Handoff, state: PipelineState, result: SessionResult) -> Attempt:
    """A session that came to its end, and changed nothing."""
    if len(result.plan) > 1 and not state.is_child:
        attempt = handoff.begin(Verdict.REVISE, f"it is {len(result.plan)} issues: {'; '.join(result.plan)}")
        return replace(attempt, traits=(Trait.COMPLEX,), items=result.plan, error_type=Trait.COMPLEX.value)
    if result.handover:
        attempt = handoff.begin(Verdict.REVISE, f"not its turn: {result.handover}")
        return replace(attempt, traits=(Trait.HANDED_OVER,), error_type="handed_over")
    if result.claimed_success:
        attempt = handoff.begin(Verdict.REVISE, "claim refuted: it reported success and changed nothing")
        return replace(attempt, traits=(Trait.LIE, Trait.NO_CHANGE), error_type="false_claim")
    attempt = handoff.begin(Verdict.REVISE, f"no files matched: nothing was changed ({result.summary})")
    return replace(attempt, traits=(Trait.NO_CHANGE,), error_type="no_change")


def _message(state: PipelineState, handoff: Handoff, result: SessionResult) -> str:
    claim = " ".join(result.summary.split())[:200]
    return (
        f"{state.issue.title[:72]}\n\n"
        f"Issue {state.issue.id}, attempt {handoff.number} by {handoff.agent}.\n"
        f"The agent's own words (a claim, not evidence): {claim or 'none'}\n\n"
        f"Sparky-Run: {state.run_id}\n"
    )
