"""A whole `fix` on a stand: from what is found to its end."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sparky.domain.attempt import Stage
from sparky.domain.finding import findings_issue
from sparky.domain.flow import decide
from sparky.domain.issue import Kind
from sparky.domain.state import End, Handoff, PipelineState
from sparky.evidence.detect import detect, exported
from sparky.formats.values_json import encode
from sparky.ports import Ports
from sparky.stages.table import perform
from tests.builders import CONTEXT
from tests.stages.stand import Stand

KINDS = (Kind.DEAD_CODE, Kind.IMPORT_ERROR, Kind.FORMATTING)


def fixed(
    stand: Stand, files: Mapping[str, bytes], ports: Ports | None = None, kinds: Sequence[Kind] = KINDS
) -> PipelineState:
    """A `fix` of these files, to its end."""
    base = stand.commit(files)
    ports = ports or stand.house.ports
    with exported(ports, base) as root:
        found = detect(ports, root, base, kinds).findings
    issue = findings_issue(found, kinds, CONTEXT.git_dir, (), always=KINDS)
    stand.issue = replace(issue, findings=ports.blobs.put(encode(found)))
    state = stand.state(base)
    branch = f"sparky/{base[:8]}"
    state = replace(state, run_id=f"fix-{base[:8]}-1", context=replace(state.context, branch=branch))
    while isinstance(following := decide(state), Handoff):
        state = state.record(perform(following, state, ports))
    return state.ended(following)


def end(state: PipelineState) -> End:
    return state.ends[-1]


def text(stand: Stand, state: PipelineState, path: str = "a.py") -> bytes | None:
    """A file as the run left it."""
    return stand.house.repository.read(state.head, path)


def refused(stand: Stand) -> list[str]:
    return sorted(stand.house.refusals.refusals(CONTEXT.git_dir).values())


def left(state: PipelineState) -> tuple[str, ...]:
    """What VERIFY says stays."""
    verify = state.last(Stage.VERIFY)
    return verify.items if verify else ()
