"""Files of JSON lines: read in runs of whole lines, from the end, or at a place."""

from collections.abc import Iterator
from io import FileIO
from pathlib import Path

from sparky.transcripts.plain import Entry, parse, table

NEWLINE = b"\n"

_CHUNK = 1 << 20
_LONGEST = 1 << 25
"""A longer line is no entry: it is passed over, and counted as one that can't be read."""


def entry_at(path: Path, offset: int, length: int) -> Entry:
    """The entry at a place, empty if there is none any more. Raises OSError."""
    with path.open("rb", buffering=0) as file:
        file.seek(offset)
        try:
            return table(parse(file.read(length)))
        except ValueError:
            return table(None)


def entries(path: Path) -> Iterator[Entry]:
    """Every entry that can be read, in order. Raises OSError."""
    return (entry for _, _, entry in numbered(path))


def numbered(path: Path, bad: list[int] | None = None) -> Iterator[tuple[int, int, Entry]]:
    """Every entry that can be read, with offset and length; `bad` is filled with the offsets of others."""
    offset = 0
    with path.open("rb") as file:
        for line in file:
            try:
                found = parse(line)
            except ValueError:
                found = None
            if isinstance(found, dict):
                yield offset, len(line), found
            elif bad is not None and line.strip():
                bad.append(offset)
            offset += len(line)


def pieces(file: FileIO, start: int) -> Iterator[tuple[int, bytes]]:
    """Runs of whole lines, each with its offset; the last may lack its newline.

    An empty run stands for a line that is too long.
    """
    file.seek(start)
    rest, offset, passing = b"", start, False
    while piece := file.read(max(_CHUNK, len(rest))):
        end = piece.rfind(NEWLINE) + 1
        first = piece.find(NEWLINE) if end else len(piece)
        if len(rest) + first > _LONGEST and not passing:
            yield offset, b""
            passing = True
        if not end and passing:
            offset, rest = offset + len(rest) + len(piece), b""
        elif not end:
            rest += piece
        if not end:
            continue
        run, rest = rest + piece[:end], piece[end:]
        begin = run.find(NEWLINE) + 1 if passing else 0
        passing = False
        if begin < len(run):
            yield offset + begin, run[begin:]
        offset += len(run)
    if rest and not passing:
        yield offset, rest


def backwards(file: FileIO, upto: int) -> Iterator[Entry]:
    """The entries before an offset, newest first, as far as they can be read."""
    size, tail, begin = 1 << 14, b"", upto
    while begin and upto - begin < _LONGEST:
        start = max(0, begin - size)
        file.seek(start)
        lines = ((file.read(begin - start) or b"") + tail).split(NEWLINE)
        begin, size = start, size * 2
        tail = lines.pop(0) if start else b""
        for line in reversed(lines):
            try:
                yield table(parse(line))
            except ValueError:
                continue
