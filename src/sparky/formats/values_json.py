"""Values to and from JSON: whatever is kept or shown.

msgspec reads the dataclasses as they are. Fields that a newer version added take their defaults.
"""

from collections.abc import Callable
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
    kind: type = type(value)
    return _way(kind)(value)


@cache
def _way(kind: type) -> Callable[[Any], Any]:
    """How values of a type become plain; looked up once, since there may be hundreds of thousands."""
    if kind in _PLAIN:
        return lambda value: value
    if issubclass(kind, str):
        return _text
    # msgspec leaves out the fields that stand at their default in a dataclass that msgspec itself made.
    if is_dataclass(kind):
        names = tuple(field.name for field in fields(kind))
        return lambda value: {name: dump(getattr(value, name)) for name in names}
    if issubclass(kind, list | tuple):
        return lambda value: [dump(item) for item in value]
    if issubclass(kind, dict):
        return lambda value: {dump(key): dump(item) for key, item in value.items()}
    return msgspec.to_builtins


def _text(value: str) -> str:
    return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()


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
