"""The pipeline state from JSON, whatever sparky wrote it; and what comes next in it, as plain values."""

from dataclasses import dataclass
from typing import Any

import msgspec

from sparky.domain.state import SCHEMA, End, Handoff, PipelineState
from sparky.formats.values_json import UnreadableStateError, decode, dump, load


@dataclass(frozen=True, kw_only=True)
class _Stamp:
    """What can be read of a state of any version."""

    run_id: str
    schema: int = 1


def decode_state(data: bytes | str) -> PipelineState:
    """A pipeline state from JSON text; raises UnreadableStateError, also for a newer schema."""
    try:
        stamp = msgspec.json.decode(data, type=_Stamp)
    except msgspec.DecodeError:
        return decode(data, PipelineState)
    if stamp.schema > SCHEMA:
        raise UnreadableStateError(
            f"run {stamp.run_id} was written by a newer sparky (state schema {stamp.schema}, this one reads "
            f"{SCHEMA}): upgrade sparky-agents"
        )
    return decode(data, PipelineState)


def dump_next(following: Handoff | End) -> dict[str, Any]:
    """What comes next, under the key that tells a handoff from an end."""
    key = "handoff" if isinstance(following, Handoff) else "end"
    return {key: dump(following)}


def load_next(plain: dict[str, Any]) -> Handoff | End:
    """What `dump_next` was given."""
    return load(plain["handoff"], Handoff) if "handoff" in plain else load(plain["end"], End)
