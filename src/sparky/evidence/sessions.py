"""What the transcripts of sessions tell: what persons said in them, and whether they came to their end."""

from dataclasses import replace
from itertools import accumulate

from sparky.domain.attempt import Stage
from sparky.domain.run import room
from sparky.domain.state import Handoff, PipelineState
from sparky.events import SessionEnding, SessionResult
from sparky.ports import Ports

_MOST = 20_000
"""Characters of what is heard, over all sessions on a part."""


def heard(handoff: Handoff, state: PipelineState, ports: Ports) -> tuple[str, ...]:
    """What persons said in the sessions on a part so far, each thing once, the oldest session first.

    Of very much, what was said in the newest sessions is kept, and the most telling of each: agents could
    write it. Among them is the session that is to begin: it may have been broken off with sparky.
    """
    earlier = [(a.number, a.agent) for a in state.of(Stage.EXECUTE, handoff.part)]
    names = dict.fromkeys((*earlier, (handoff.number, handoff.agent)))
    rooms = (room(state.run_id, handoff.part, *name) for name in names)
    left = _MOST
    kept: list[list[str]] = []
    for told in reversed([ports.transcripts.aftermath(name).said for name in rooms]):
        lengths = accumulate(len(said) for said in told)
        kept.append([said for said, length in zip(told, lengths, strict=True) if length <= left])
        left -= sum(map(len, kept[-1]))
    return tuple(dict.fromkeys(said for told in reversed(kept) for said in told))


def as_left(result: SessionResult, handoff: Handoff, state: PipelineState, ports: Ports) -> SessionResult:
    """The result; broken off, if it says that it is finished, and its transcript shows otherwise."""
    if result.ending is not SessionEnding.FINISHED:
        return result
    left = ports.transcripts.aftermath(room(state.run_id, handoff.part, handoff.number, handoff.agent))
    if not left.broken:
        return result
    return replace(result, ending=SessionEnding.BROKEN_OFF, claimed_success=False, detail=left.broken)
