"""Values to and from JSON: the pipeline state, attempts, handoffs, and whatever else is kept or shown.

msgspec reads the dataclasses as they are. Fields that a newer version added take their defaults; a state of a
newer schema is refused.
"""

from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

import msgspec

from sparky.domain.errors import UserError
from sparky.domain.state import SCHEMA, End, Handoff, PipelineState

T = TypeVar("T")

_PLAIN = {int, float, bool, type(None)}


class UnreadableStateError(UserError):
    """A recorded value is not of the shape, or of the version, that this sparky reads."""


@dataclass(frozen=True, kw_only=True)
class _Stamp:
    """What can be read of a state of any version."""

    run_id: str
    schema: int = 1


def dump(value: object) -> Any:
    """The value as plain dicts, lists, strings and numbers, with every field of every dataclass.

    What no UTF-8 can hold, as the odd bytes of a file's name, is escaped: such a name is there to be read by
    a person.
    """
    # msgspec leaves out the fields that stand at their default in a dataclass that msgspec itself made.
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    kind = type(value)
    if kind in _PLAIN:
        return value
    if is_dataclass(kind):
        return {name: dump(getattr(value, name)) for name in _names(kind)}
    if isinstance(value, list | tuple):
        return [dump(item) for item in value]
    if isinstance(value, dict):
        return {dump(key): dump(item) for key, item in value.items()}
    return msgspec.to_builtins(value)


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind))


def load(plain: Any, kind: type[T]) -> T:
    """The value of type `kind` from what `dump` gave; raises UnreadableStateError."""
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise UnreadableStateError(f"not a {kind.__name__}: {error}") from error


def encode(value: object, *, indent: int = 0) -> bytes:
    """The value as JSON text; indented for people if `indent` is not 0."""
    data = msgspec.json.encode(dump(value))
    return msgspec.json.format(data, indent=indent) if indent else data


def decode(data: bytes | str, kind: type[T]) -> T:
    """The value of type `kind` from JSON text; raises UnreadableStateError."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise UnreadableStateError(f"not a {kind.__name__}: {error}") from error


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
