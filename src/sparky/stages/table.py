"""The stages by name, and what every performance has in common."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from sparky.domain.agent import Session, ToolFix
from sparky.domain.attempt import WHOLE, Attempt, Stage, Strategy, short
from sparky.domain.state import Handoff, PipelineState
from sparky.evidence.briefing import leave
from sparky.fixing import narrow, toolfix
from sparky.formats.values_json import encode
from sparky.ports import Blobs, Ports
from sparky.stages import decompose, merge, review, route, session, test, verify


def execute(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """A session, a tool's fix, or, when a tool's fix was refused, the largest part of it that is safe."""
    works = next(agent.works for agent in ports.agents if agent.name == handoff.agent)
    match works:
        case Session():
            return session.perform(handoff, state, ports, works)
        case ToolFix() if handoff.strategy is Strategy.DIRECT_FIX:
            return toolfix.perform(handoff, state, ports, works)
        case ToolFix():
            return narrow.perform(handoff, state, ports)


STAGES: Mapping[Stage, Callable[[Handoff, PipelineState, Ports], Attempt]] = {
    Stage.ROUTE: route.perform,
    Stage.DECOMPOSE: decompose.perform,
    Stage.EXECUTE: execute,
    Stage.REVIEW: review.perform,
    Stage.TEST: test.perform,
    Stage.VERIFY: verify.perform,
    Stage.MERGE: merge.perform,
}

LASTING = frozenset({Stage.EXECUTE, Stage.REVIEW, Stage.MERGE})
"""Stages whose effects lie outside the database, or that pay for a session, and so leave a receipt."""

RECORDED_BYTES = 40_000
"""What an attempt may take as it is; a longer one is cut short, and kept whole as a blob."""


def perform(handoff: Handoff, state: PipelineState, ports: Ports) -> Attempt:
    """One attempt at one stage, timed; one whose receipt is there is not made twice."""
    run, ordinal = state.run_id, len(state.attempts)
    leave(state, ports)
    done = ports.receipts.find(run, ordinal) if handoff.stage in LASTING else None
    if done is not None and done.stage is handoff.stage:
        return done
    began, started = time.monotonic(), datetime.now(UTC)
    ports.progress.say(run, f"{_title(handoff)}{_what(handoff, state, ports)} …")
    attempt = STAGES[handoff.stage](handoff, state, ports)
    seconds = round(time.monotonic() - began, 3)
    attempt = replace(attempt, started=started.isoformat(timespec="seconds"), seconds=seconds)
    attempt = recordable(attempt, ports.blobs)
    if handoff.stage in LASTING:
        ports.receipts.put(run, ordinal, attempt)
    ports.progress.say(run, f"{_title(handoff)}: {attempt.verdict.value}, {attempt.reason}")
    return attempt


def recordable(attempt: Attempt, blobs: Blobs) -> Attempt:
    """The attempt as it is recorded: every step of the engine and every row of the store holds one."""
    data = encode(attempt)
    if len(data) <= RECORDED_BYTES:
        return attempt
    return replace(short(attempt), blobs={**attempt.blobs, WHOLE: blobs.put(data)})


def _what(handoff: Handoff, state: PipelineState, ports: Ports) -> str:
    """What a deterministic agent mends, and with which tools; nothing of others."""
    works = next((agent.works for agent in ports.agents if agent.name == handoff.agent), None)
    if not isinstance(works, ToolFix) or handoff.strategy is not Strategy.DIRECT_FIX:
        return ""
    return f": {state.routes[handoff.part].kind.value} with {', '.join(works.tools)}"


def _title(handoff: Handoff) -> str:
    by = f" by {handoff.agent}" if handoff.agent != "sparky" else ""
    return f"{handoff.stage.value} {handoff.number}{by}"
