"""What agents have used, to the token, however they end: from the transcripts in a session's own directory.

An agent that is killed prints no total, and totals differ in whether sub-agents are in them; transcripts have
every message of every agent.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import genai_prices

from sparky.events import Usage
from sparky.foreign import is_database, open_foreign

_AT_ONCE = 1 << 25
"""Bytes of a file that are read at once; a longer line is no message."""


@dataclass(kw_only=True)
class _Tail:
    """The whole lines of a growing file that were not read before."""

    path: Path
    place: int = 0

    def lines(self) -> Iterator[dict[str, Any]]:
        try:
            with open_foreign(self.path) as file:
                file.seek(self.place)
                data = file.read(_AT_ONCE) or b""
        except OSError:  # it is gone, or no file: whoever writes it could put anything in its place
            return
        whole = data if len(data) == _AT_ONCE and b"\n" not in data else data[: data.rfind(b"\n") + 1]
        self.place += len(whole)
        for line in whole.splitlines():
            try:
                plain = json.loads(line)
            except ValueError:
                continue
            if isinstance(plain, dict):
                yield plain


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Tokens of one message or one agent, with the model's name; `turns`: of how many answers."""

    usage: Usage
    model: str
    turns: int = 1


class Ledger(Protocol):
    """What was used, from the files below a directory."""

    def read(self) -> tuple[Entry, ...]:
        """All so far."""
        ...


@dataclass(kw_only=True)
class _Files:
    root: Path
    pattern: str
    tails: dict[Path, _Tail] = field(default_factory=dict)

    def fresh(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """What was written since the last call, by file."""
        for path in sorted(self.root.glob(self.pattern)):
            tail = self.tails.setdefault(path, _Tail(path=path))
            yield from ((path, line) for line in tail.lines())


class ClaudeLedger:
    """Transcripts of Claude Code: a message stands on several lines, the last has its figures."""

    def __init__(self, config: Path) -> None:
        self._files = _Files(root=config, pattern="projects/**/*.jsonl")
        self._messages: dict[str, Entry] = {}

    def read(self) -> tuple[Entry, ...]:
        """One entry per message of the model."""
        for _, line in self._files.fresh():
            message = line.get("message")
            if line.get("type") == "assistant" and isinstance(message, dict):
                self._take(message)
        return tuple(self._messages.values())

    def _take(self, message: dict[str, Any]) -> None:
        said = message.get("usage") or {}
        usage = Usage(
            fresh=_count(said, "input_tokens"),
            cached=_count(said, "cache_read_input_tokens"),
            written=_count(said, "cache_creation_input_tokens"),
            output=_count(said, "output_tokens"),
        )
        if usage.total:
            model = str(message.get("model", ""))
            self._messages[str(message.get("id"))] = Entry(usage=usage, model=model)


class CodexLedger:
    """Rollouts of Codex: one file for each thread, sub-agents have their own; totals grow within a file."""

    def __init__(self, config: Path) -> None:
        self._files = _Files(root=config, pattern="sessions/**/*.jsonl")
        self._models: dict[Path, str] = {}
        self._threads: dict[Path, Entry] = {}

    def read(self) -> tuple[Entry, ...]:
        """One entry per thread."""
        for path, line in self._files.fresh():
            payload = line.get("payload")
            if not isinstance(payload, dict):
                continue
            if line.get("type") == "turn_context":
                self._models[path] = str(payload.get("model", ""))
            total = (payload.get("info") or {}).get("total_token_usage")
            if payload.get("type") == "token_count" and isinstance(total, dict):
                self._take(path, _openai(total))
        return tuple(self._threads.values())

    def _take(self, path: Path, usage: Usage) -> None:
        """A total that has not grown tells of no further answer."""
        before = self._threads.get(path, Entry(usage=Usage(), model="", turns=0))
        turns = before.turns + (usage.total > before.usage.total)
        self._threads[path] = Entry(usage=usage, model=self._models.get(path, ""), turns=turns)


class OpencodeLedger:
    """OpenCode's database: a message of the model each, of every session."""

    def __init__(self, config: Path) -> None:
        self._file = config / "data" / "opencode" / "opencode.db"

    def read(self) -> tuple[Entry, ...]:
        """One entry per message of the model."""
        if not is_database(self._file):
            return ()
        try:
            where = f"file:{self._file}?mode=ro"
            with closing(sqlite3.connect(where, uri=True, timeout=5.0)) as database:
                rows = database.execute("SELECT data FROM message").fetchall()
        except sqlite3.Error:
            return ()
        messages = (json.loads(data) for (data,) in rows)
        return tuple(_opencode(message) for message in messages if message.get("role") == "assistant")


class ModelLedger:
    """A session in process: what sparky itself wrote down of it, a message a line."""

    def __init__(self, room: Path) -> None:
        self._files = _Files(root=room, pattern="stream.jsonl")
        self._answers: list[Entry] = []

    def read(self) -> tuple[Entry, ...]:
        """One entry per answer of the model."""
        self._answers += [_answer(line) for _, line in self._files.fresh() if line.get("kind") == "response"]
        return tuple(self._answers)


def _answer(line: dict[str, Any]) -> Entry:
    """Cached tokens are among the input tokens there, whoever the provider is."""
    said = line.get("usage") or {}
    cached, written = _count(said, "cache_read_tokens"), _count(said, "cache_write_tokens")
    usage = Usage(
        fresh=max(_count(said, "input_tokens") - cached - written, 0),
        cached=cached,
        written=written,
        output=_count(said, "output_tokens"),
    )
    return Entry(usage=usage, model=str(line.get("model_name", "")))


def _opencode(message: dict[str, Any]) -> Entry:
    said = message.get("tokens") or {}
    cache = said.get("cache") or {}
    usage = Usage(
        fresh=_count(said, "input"),
        cached=_count(cache, "read"),
        written=_count(cache, "write"),
        output=_count(said, "output") + _count(said, "reasoning"),
    )
    return Entry(usage=usage, model=str(message.get("modelID", "")))


def _openai(total: dict[str, Any]) -> Usage:
    """Cached tokens are among the input tokens there."""
    cached, written = _count(total, "cached_input_tokens"), _count(total, "cache_write_input_tokens")
    fresh = max(_count(total, "input_tokens") - cached - written, 0)
    return Usage(fresh=fresh, cached=cached, written=written, output=_count(total, "output_tokens"))


def _count(said: dict[str, Any], name: str) -> int:
    value = said.get(name)
    return value if isinstance(value, int) else 0


def total(entries: tuple[Entry, ...]) -> Usage:
    """All entries together."""
    return sum((entry.usage for entry in entries), Usage())


def price(entries: tuple[Entry, ...]) -> float | None:
    """What they cost in USD, by the list of genai-prices; None if a model has no price there."""
    costs = [_price(entry) for entry in entries]
    return None if None in costs else round(sum(cost or 0.0 for cost in costs), 6)


def _price(entry: Entry) -> float | None:
    usage = entry.usage
    tokens = genai_prices.Usage(
        input_tokens=usage.fresh + usage.cached + usage.written,
        output_tokens=usage.output,
        cache_read_tokens=usage.cached,
        cache_write_tokens=usage.written,
    )
    try:
        return float(genai_prices.calc_price(tokens, entry.model).total_price)
    except (LookupError, ValueError):
        return None
