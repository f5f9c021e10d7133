"""What `ruff … --output-format json` prints, as values. `check` and `format --check` print the same shape."""

from dataclasses import dataclass

import msgspec


@dataclass(frozen=True, kw_only=True)
class Place:
    """A place in a file; row and column count from 1."""

    row: int
    column: int


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """A fix that ruff offers. `applicability` is "safe", "unsafe" or "display"."""

    applicability: str


@dataclass(frozen=True, kw_only=True)
class Diagnostic:
    """One line of ruff's answer. `filename` is absolute; `code` None or "invalid-syntax": no parse."""

    code: str | None
    filename: str
    message: str
    location: Place | None = None
    fix: Remedy | None = None


def parse(data: bytes) -> tuple[Diagnostic, ...]:
    """The diagnostics, in ruff's order; raises ValueError if this is not ruff's JSON."""
    try:
        return tuple(msgspec.json.decode(data, type=list[Diagnostic]))
    except msgspec.DecodeError as error:
        raise ValueError(f"not ruff's JSON: {error}") from error
