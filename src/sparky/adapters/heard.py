"""What a session has said so far, and what it came to."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from sparky.adapters.ledgers import Entry, Ledger, price, total
from sparky.adapters.session_room import Room
from sparky.domain.command import Completed, Ending
from sparky.events import (
    Ended,
    Event,
    Failure,
    Limited,
    SessionEnding,
    SessionRequest,
    SessionResult,
    Text,
    Used,
    told,
)
from sparky.ports import Progress

Read = Callable[[dict[str, Any]], Iterator[Event]]
"""What one line of an agent's output says."""

_SERVER_ERROR = 500


class Heard:
    """What a session has said so far: each line is kept and told as it comes, and its cost watched."""

    def __init__(self, ledger: Ledger, progress: Progress, request: SessionRequest, room: Room) -> None:
        self._progress = progress
        self._request = request
        self._stream = room.stream
        self._ledger = ledger
        self._rest = b""
        self._ended: Ended | None = None
        self._limited: Limited | None = None
        self._last = ""
        self._over = False

    def keep(self, data: bytes) -> bool:
        """Write down what it says; True as soon as it has used up what it may."""
        with self._stream.open("ab") as file:
            file.write(data)
        return b"\n" in data and self._is_over()

    def lines(self, read: Read, data: bytes) -> None:
        """Take each whole line of JSON as events."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            try:
                plain = json.loads(line)
            except ValueError:
                continue
            if isinstance(plain, dict):
                for event in read(plain):
                    self.take(event)

    def take(self, event: Event) -> None:
        """Tell one event, and remember what the result needs of it."""
        if isinstance(event, Ended):
            self._ended = event
        if isinstance(event, Limited):
            self._limited = event
        if isinstance(event, Text) and not event.by:
            self._last = event.text
        if line := told(event):
            self._progress.say(self._request.run, f"{self._request.agent} {line}")

    def result(self, done: Completed, limited_until: float | None) -> SessionResult:
        """What the session came to, now that its process has ended."""
        spent = self.used()
        ended = self._ended
        ending = self._ending(done)
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        words = (ended.text if ended else "") or self._last
        seen = f"{done.ending.value} (code {done.code}) {' '.join(said[-1:])}"
        detail = words if ended and ended.failure else seen
        until = self._limited.until if self._limited else None
        return SessionResult(
            claimed_success=ending is SessionEnding.FINISHED,
            summary=words,
            ending=ending,
            detail="" if ending is SessionEnding.FINISHED else detail.strip(),
            output=done.said(),
            tokens=spent.usage.total,
            turns=spent.turns,
            cost_usd=spent.cost_usd or 0.0,
            level=done.level,
            retry_at=limited_until if until is None else until,
        )

    def _is_over(self) -> bool:
        request = self._request
        if request.tokens is None and request.usd is None and request.turns is None:
            return False
        spent = self.used()
        over_tokens = request.tokens is not None and spent.usage.total >= request.tokens
        over_usd = request.usd is not None and (spent.cost_usd or 0.0) >= request.usd
        # Not at the last turn that it may have: with that it may have ended its work.
        over_turns = request.turns is not None and spent.turns > request.turns
        self._over = over_tokens or over_usd or over_turns
        return self._over

    def used(self) -> Used:
        """All that was used so far, as far as it is written down."""
        entries: tuple[Entry, ...] = self._ledger.read()
        turns = sum(entry.turns for entry in entries)
        return Used(usage=total(entries), cost_usd=price(entries), turns=turns)

    def _ending(self, done: Completed) -> SessionEnding:
        """Judged by what was seen, never by the exit code: agents end with 0 on errors, with 1 on success."""
        if self._over:
            return SessionEnding.OVER_BUDGET
        match done.ending:
            case Ending.TIMED_OUT:
                return SessionEnding.TIMED_OUT
            case Ending.NOT_FOUND | Ending.REFUSED:
                return SessionEnding.UNABLE
            case Ending.KILLED:
                return SessionEnding.BROKEN_OFF
            case Ending.EXITED:
                return _as_said(self._ended)


def _as_said(ended: Ended | None) -> SessionEnding:
    if ended is None:
        return SessionEnding.BROKEN_OFF
    match ended.failure:
        case None:
            return SessionEnding.FINISHED
        case Failure.RATE_LIMIT:
            return SessionEnding.RATE_LIMITED
        case Failure.OUTAGE:
            return SessionEnding.OUTAGE
        case Failure.LOGIN:
            return SessionEnding.UNABLE
        case Failure.BUDGET:
            return SessionEnding.OVER_BUDGET
        case Failure.OTHER:
            return SessionEnding.BROKEN_OFF


def failure_of(status: int | None) -> Failure:
    """What an answer of HTTP means; None: there was none, or none that could be read."""
    match status:
        case 429:
            return Failure.RATE_LIMIT
        case 401 | 403:
            return Failure.LOGIN
        case None:
            return Failure.OUTAGE
        case _:
            return Failure.OUTAGE if status >= _SERVER_ERROR else Failure.OTHER
