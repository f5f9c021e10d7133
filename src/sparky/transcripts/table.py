"""The readers, by the name of the tool whose transcripts they read; each is loaded when it is needed."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from sparky.transcripts import claude_walk
from sparky.transcripts.model import Reader, Source

_CLASSES = {
    "claude": "ClaudeReader",
    "codex": "CodexReader",
    "opencode": "OpenCodeReader",
    "mini_swe": "MiniSweReader",
    "atif": "AtifReader",
}
"""The class of each, in the module of its name."""


class _Readers(Mapping[str, Reader]):
    def __getitem__(self, name: str) -> Reader:
        return _reader(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)


READERS: Mapping[str, Reader] = _Readers()


@lru_cache
def _reader(name: str) -> Reader:
    reader: Reader = getattr(import_module(f"sparky.transcripts.{name}"), _CLASSES[name])()
    return reader


def discover(homes: Mapping[str, Path]) -> Iterator[Source]:
    """Every transcript of every tool that has a home."""
    for name, home in homes.items():
        if name == claude_walk.NAME:  # where nothing has changed, nothing of it is to be read
            yield from claude_walk.sources(home)
        elif home.exists():
            yield from READERS[name].discover(home)


def recognise(path: Path) -> tuple[Source, ...]:
    """The transcripts that a file holds, by the first reader that knows it, if any. Raises OSError."""
    for reader in READERS.values():
        found = tuple(reader.recognise(path))
        if found:
            return found
    return ()
