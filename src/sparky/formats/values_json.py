"""Values to and from JSON: whatever is kept or shown.

msgspec reads the dataclasses as they are. Fields that a newer version added take their defaults.
"""

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

import msgspec

from sparky.domain.errors import UserError

T = TypeVar("T")

_PLAIN = {int, float, bool, type(None)}


class UnreadableStateError(UserError):
    """A recorded value is not of the shape, or of the version, that this sparky reads."""


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
