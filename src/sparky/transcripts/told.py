"""Transcripts that are no lines: a document or a database's rows, read whole, message by message."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparky.transcripts.model import Call, End, Head, Mark, Said, Scan, Source, Turn, Usage, mark
from sparky.transcripts.plain import Entry, parse, table

SEPARATOR = "#"
"""Between a file and the name of a conversation within it."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """One message: what a person said in it, how it reads as turns, and the tokens that it cost."""

    key: str
    at: str = ""
    said: tuple[Said, ...] = ()
    turns: tuple[Turn, ...] = ()
    usage: Usage | None = None


def document(path: Path) -> Entry:
    """The object that a JSON file is, an empty one if it is none. Raises OSError."""
    try:
        return table(parse(path.read_bytes()))
    except ValueError:
        return table(None)


def file_source(reader: str, path: Path, *, inside: str = "", agent: str = "") -> Source:
    """A file, or a conversation within it, as a source that is read whole whenever it has changed."""
    info = path.stat()
    name = f"{path}{SEPARATOR}{inside}" if inside else str(path)
    return Source(reader=reader, path=name, stamp=(0, info.st_size, info.st_mtime_ns), agent=agent)


def scan_of(
    messages: Sequence[Told],
    head: Head,
    end: End,
    *,
    own_cost_usd: float | None = None,
    unknown: Mapping[str, int] | None = None,
) -> Scan:
    """What the messages say. Their number is their offset: the next scan begins at the first again."""
    marks = (
        mark(one, offset=number, length=0, ordinal=ordinal, key=message.key, at=message.at)
        for number, message in enumerate(messages)
        for ordinal, one in enumerate(message.said)
    )
    return Scan(
        offset=0,
        end=end,
        head=head,
        marks=tuple(marks),
        usage=tuple(message.usage for message in messages if message.usage),
        own_cost_usd=own_cost_usd,
        unknown=unknown or {},
    )


def words_of(messages: Sequence[Told], marks: Sequence[Mark]) -> list[tuple[str, Call | None]]:
    """The words of each mark, and the call that they are about."""
    calls = {turn.call_id: turn.call for message in messages for turn in message.turns if turn.call}
    found: list[tuple[str, Call | None]] = []
    for one in marks:
        said = messages[one.offset].said if one.offset < len(messages) else ()
        text = said[one.ordinal].text if one.ordinal < len(said) else ""
        found.append((text, calls.get(one.call)))
    return found
