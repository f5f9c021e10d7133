"""Files of JSON lines: read in runs of whole lines, from the end, or at a place."""

from collections.abc import Iterator
from io import FileIO
from pathlib import Path

from sparky.foreign import open_foreign
from sparky.transcripts.plain import Entry, parse, table

NEWLINE = b"\n"

_CHUNK = 1 << 19
"""What stays in a processor's own memory while it is searched several times."""
_LONGEST = 1 << 25
"""A longer line is no entry: it is passed over, and counted as one that can't be read."""


def entry_at(path: Path, offset: int, length: int) -> Entry:
    """The entry at a place, empty if there is none any more. Raises OSError."""
    with open_foreign(path) as file:
        file.seek(offset)
        try:
            return table(parse(file.read(length) or b""))
        except ValueError:
            return table(None)


def entries(path: Path) -> Iterator[Entry]:
    """Every entry that can be read, in order. Raises OSError."""
    return (entry for _, _, entry in numbered(path))


def numbered(path: Path, bad: list[int] | None = None) -> Iterator[tuple[int, int, Entry]]:
    """Every entry that can be read, with offset and length; `bad` is filled with the offsets of others."""
    with open_foreign(path) as file:
        for place, run, begin, end in pieces(file, 0):
            if not run and bad is not None:
                bad.append(place)
            offset = place + begin
            for line in run[begin:end].split(NEWLINE):
                try:
                    found = parse(line)
                except ValueError:
                    found = None
                if isinstance(found, dict):
                    yield offset, len(line), found
                elif bad is not None and line.strip():
                    bad.append(offset)
                offset += len(line) + 1


def pieces(file: FileIO, start: int) -> Iterator[tuple[int, bytes, int, int]]:
    """Runs of whole lines: the offset of some bytes, the bytes, and where in them the run begins and ends.

    The last run may lack its newline; no bytes stand for a line that is too long.
    """
    file.seek(start)
    rest, offset, passing = b"", start, False
    while piece := file.read(max(_CHUNK, len(rest))):
        first = piece.find(NEWLINE) + 1
        if len(rest) + (first or len(piece)) > _LONGEST and not passing:
            yield offset, b"", 0, 0
            passing = True
        if not first and not passing:
            rest += piece
            continue
        offset += len(rest)
        if rest and not passing:
            yield offset - len(rest), rest + piece[:first], 0, len(rest) + first
        begin = first if rest or passing else 0
        last = piece.rfind(NEWLINE) + 1
        if begin < last:
            yield offset, piece, begin, last
        passing = passing and not first
        offset, rest = (offset + len(piece), b"") if passing else (offset + last, piece[last:])
    if rest:
        yield offset, rest, 0, len(rest)


def backwards(file: FileIO, upto: int) -> Iterator[Entry]:
    """The entries before an offset, newest first, as far as they can be read."""
    size, tail, begin = 1 << 14, b"", upto
    while begin and upto - begin < _LONGEST:
        start = max(0, begin - size)
        file.seek(start)
        data = (file.read(begin - start) or b"") + tail
        begin, size, stop = start, size * 2, len(data)
        while stop >= 0 and ((cut := data.rfind(NEWLINE, 0, stop)) >= 0 or not start):
            line, stop = data[cut + 1 : stop], cut
            if line:
                try:
                    yield table(parse(line))
                except ValueError:
                    continue
        tail = data[:stop] if start else b""
