"""OpenCode (1.2 and later): one SQLite database for all sessions, opened read-only."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from sparky.foreign import is_database
from sparky.transcripts.model import (
    Call,
    End,
    EndState,
    FeedbackKind,
    Head,
    Mark,
    Said,
    Scan,
    Source,
    Turn,
    Usage,
)
from sparky.transcripts.plain import Entry, count, parse, table, word
from sparky.transcripts.target import call_of
from sparky.transcripts.told import SEPARATOR, Told, scan_of, words_of

NAME = "opencode"
DATABASE = "opencode.db"
_REFUSED = "The user rejected permission to use this specific tool call"
_WHY = " with the following feedback: "


class OpenCodeReader:
    """OpenCode's sessions; a sub-agent is a session with a parent."""

    name = NAME

    def discover(self, home: Path) -> Iterable[Source]:
        """Every session in the database."""
        return self.recognise(home / DATABASE)

    def recognise(self, path: Path) -> Iterable[Source]:
        """Every session that a database holds, if it is one of OpenCode's."""
        if path.suffix != ".db" or not is_database(path):
            return
        query = (
            "SELECT id, parent_id, max(time_updated, coalesce((SELECT max(time_updated) FROM message m "
            "WHERE m.session_id = s.id), 0), coalesce((SELECT max(time_updated) FROM part p "
            "WHERE p.session_id = s.id), 0)) FROM session s"
        )
        for session, parent, updated in _query(path, query):
            stamp = (0, 0, count(updated) * 1_000_000)
            agent = str(session) if parent else ""
            yield Source(reader=NAME, path=f"{path}{SEPARATOR}{session}", stamp=stamp, agent=agent)

    def scan(self, source: Source, start: int) -> Scan:
        """What the session says; always the whole."""
        del start
        file, name = _open(source.path)
        rows = list(
            _query(file, "SELECT parent_id, directory, title, time_created FROM session WHERE id = ?", name)
        )
        parent, directory, title, created = rows[0] if rows else ("", "", "", 0)
        messages = _messages(file, name)
        head = Head(
            session=word(parent) or name,
            agent=source.agent,
            cwd=word(directory),
            title=word(title) if parent else "",
            started=_time(created),
        )
        own = sum(_cost(data) for _, data, _ in messages)
        return scan_of(_told(messages, inner=bool(parent)), head, _end(messages), own_cost_usd=own or None)

    def words(self, path: str, marks: Sequence[Mark]) -> Sequence[tuple[str, Call | None]]:
        """The words of each mark."""
        return words_of(_told(_messages(*_open(path)), inner=False), marks)

    def turns(self, path: str) -> Iterator[Turn]:
        """The whole conversation."""
        for message in _told(_messages(*_open(path)), inner=False):
            yield from message.turns


Message = tuple[str, Entry, list[Entry]]


def _open(path: str) -> tuple[Path, str]:
    file, _, name = path.rpartition(SEPARATOR)
    return Path(file), name


def _query(path: Path, query: str, *values: str) -> list[tuple[object, ...]]:
    """The rows of a query. Raises OSError, as a file that can't be read does."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=10)) as db:
            return db.execute(query, values).fetchall()
    except sqlite3.Error as error:
        raise OSError(f"{path}: {error}") from error


def _messages(path: Path, session: str) -> list[Message]:
    parts: dict[str, list[Entry]] = {}
    of_session = "WHERE session_id = ? ORDER BY time_created, id"
    told = _query(path, f"SELECT message_id, data FROM part {of_session}", session)  # noqa: S608 - our words
    for message, data in told:
        parts.setdefault(str(message), []).append(_data(data))
    found = _query(path, f"SELECT id, data FROM message {of_session}", session)  # noqa: S608 - our words
    return [(str(name), _data(data), parts.get(str(name), [])) for name, data in found]


def _data(text: object) -> Entry:
    try:
        return table(parse(str(text).encode()))
    except ValueError:
        return table(None)


def _told(messages: Sequence[Message], *, inner: bool) -> list[Told]:
    """The messages; in a sub-agent's (`inner`) the prompts are those of the agent above."""
    return [_one(name, data, parts, inner=inner) for name, data, parts in messages]


def _one(name: str, data: Entry, parts: list[Entry], *, inner: bool) -> Told:
    at = _time(table(data.get("time")).get("created"))
    texts = [word(p.get("text")) for p in parts if p.get("type") == "text" and not p.get("synthetic")]
    text = "\n".join(one for one in texts if one.strip())
    if data.get("role") == "user":
        if not text or inner:
            return Told(key=name, at=at, turns=(Turn(by="parent", at=at, text=text),))
        kind = FeedbackKind.MESSAGE
        turn = Turn(by="person", at=at, text=text, kind=kind)
        return Told(key=name, at=at, said=(Said(kind=kind, text=text),), turns=(turn,))
    usage = _usage(name, data)
    tools = [part for part in parts if part.get("type") == "tool"]
    said = tuple(one for part in tools if (one := _refused(part)))
    spoken = (
        (Turn(by="agent", at=at, text=text, model=word(data.get("modelID")), usage=usage),) if text else ()
    )
    return Told(
        key=name, at=at, said=said, usage=usage, turns=(*spoken, *(t for p in tools for t in _tool(p, at)))
    )


def _tool(part: Entry, at: str) -> Iterator[Turn]:
    state, name = table(part.get("state")), word(part.get("callID"))
    given = state.get("input")
    yield Turn(by="agent", at=at, call_id=name, call=call_of(word(part.get("tool")), given), input=given)
    refused = _refused(part)
    if refused:
        yield Turn(by="person", at=at, text=refused.text, kind=FeedbackKind.REJECTION, call_id=name)
    else:
        yield Turn(by="tool", at=at, call_id=name, text=word(state.get("output")) or word(state.get("error")))


def _refused(part: Entry) -> Said | None:
    error = word(table(part.get("state")).get("error"))
    if not error.startswith(_REFUSED):
        return None
    why = error.partition(_WHY)[2].strip()
    return Said(kind=FeedbackKind.REJECTION, text=why, call=word(part.get("callID")))


def _usage(name: str, data: Entry) -> Usage | None:
    spent = table(data.get("tokens"))
    if not spent:
        return None
    cache = table(spent.get("cache"))
    return Usage(
        message=name,
        model=word(data.get("modelID")),
        input=count(spent.get("input")),
        output=count(spent.get("output")) + count(spent.get("reasoning")),
        cache_write=count(cache.get("write")),
        cache_read=count(cache.get("read")),
    )


def _cost(data: Entry) -> float:
    cost = data.get("cost")
    return float(cost) if isinstance(cost, int | float) else 0.0


def _end(messages: Sequence[Message]) -> End:
    if not messages:
        return End(state=EndState.EMPTY, why="no message")
    data = messages[-1][1]
    error = word(table(data.get("error")).get("name"))
    if error == "MessageAbortedError":
        return End(state=EndState.INTERRUPTED, why="a person stopped it")
    if error:
        return End(state=EndState.FAILED, why=error)
    if data.get("role") == "assistant" and table(data.get("time")).get("completed"):
        return End(
            state=EndState.FINISHED, why=f"the last answer ended ({word(data.get('finish')) or 'done'})"
        )
    return End(state=EndState.KILLED, why="the last message was not answered", open=True)


def _time(milliseconds: object) -> str:
    number = count(milliseconds) / 1000
    return (
        datetime.fromtimestamp(number, UTC).isoformat(timespec="milliseconds") if 0 < number < 1 << 36 else ""
    )
