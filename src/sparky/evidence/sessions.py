"""What the transcripts of sessions tell: what persons said in them, and whether they came to their end."""

from dataclasses import replace

from sparky.domain.attempt import Stage
from sparky.domain.run import room
from sparky.domain.state import Handoff, PipelineState
from sparky.events import SessionEnding
from sparky.ports import Ports, SessionResult


def heard(handoff: Handoff, state: PipelineState, ports: Ports) -> tuple[str, ...]:
    """What persons said in the sessions on a part so far, each thing once, the oldest session first.

    Among them is the session that is to begin: it may have been broken off with sparky.
    """
    earlier = [(a.number, a.agent) for a in state.of(Stage.EXECUTE, handoff.part)]
    names = dict.fromkeys((*earlier, (handoff.number, handoff.agent)))
    rooms = (room(state.run_id, handoff.part, *name) for name in names)
    return tuple(dict.fromkeys(said for name in rooms for said in ports.transcripts.aftermath(name).said))


def as_left(result: SessionResult, handoff: Handoff, state: PipelineState, ports: Ports) -> SessionResult:
    """The result; broken off, if it says that it is finished, and its transcript shows otherwise."""
    if result.ending is not SessionEnding.FINISHED:
        return result
    left = ports.transcripts.aftermath(room(state.run_id, handoff.part, handoff.number, handoff.agent))
    if not left.broken:
        return result
    return replace(result, ending=SessionEnding.BROKEN_OFF, claimed_success=False, detail=left.broken)
