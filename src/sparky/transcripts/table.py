"""The readers, by the name of the tool whose transcripts they read."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from sparky.transcripts.atif import AtifReader
from sparky.transcripts.claude import ClaudeReader
from sparky.transcripts.codex import CodexReader
from sparky.transcripts.mini_swe import MiniSweReader
from sparky.transcripts.model import Reader, Source
from sparky.transcripts.opencode import OpenCodeReader

_ALL: tuple[Reader, ...] = (ClaudeReader(), CodexReader(), OpenCodeReader(), MiniSweReader(), AtifReader())

READERS: Mapping[str, Reader] = {reader.name: reader for reader in _ALL}


def discover(homes: Mapping[str, Path]) -> Iterator[Source]:
    """Every transcript of every tool that has a home."""
    for name, home in homes.items():
        yield from READERS[name].discover(home)


def recognise(path: Path) -> tuple[Source, ...]:
    """The transcripts that a file holds, by the first reader that knows it, if any. Raises OSError."""
    for reader in _ALL:
        found = tuple(reader.recognise(path))
        if found:
            return found
    return ()
