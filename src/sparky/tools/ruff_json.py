"""What `ruff … --output-format json` prints, as values. `check` and `format --check` print the same shape.

They are structs of msgspec's: of a large target there are hundreds of thousands, made in a tenth of the time.
"""

import codecs
import re
from collections.abc import Iterable

import msgspec

_NEWLINE = re.compile(r"\r\n|\n|\r")


class Place(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A place in a file; row and column (in characters, without a byte order mark) count from 1."""

    row: int
    column: int


class Edit(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`content` in place of what lies from `location` up to `end_location`."""

    content: str
    location: Place
    end_location: Place


class Remedy(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A fix that ruff offers. `applicability` is "safe", "unsafe" or "display", or as sparky judges it."""

    applicability: str
    edits: tuple[Edit, ...] = ()


class Diagnostic(msgspec.Struct, frozen=True, kw_only=True, gc=False):
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


def patched(source: bytes, edits: Iterable[Edit]) -> bytes:
    """The source with these edits, one that is given twice made once; of two that overlap, the first."""
    bom = codecs.BOM_UTF8 if source.startswith(codecs.BOM_UTF8) else b""
    text = source.removeprefix(bom).decode("utf-8", "surrogateescape")
    starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]

    def at(place: Place) -> int:
        return starts[place.row - 1] + place.column - 1

    done, pieces = 0, []
    for start, end, content in sorted({(at(e.location), at(e.end_location), e.content) for e in edits}):
        if start >= done:
            pieces += [text[done:start], content]
            done = end
    return bom + "".join((*pieces, text[done:])).encode("utf-8", "surrogateescape")
