"""A session with an agent that is a command: a room of its own, a way out to its model only, its words heard.

What holds for every such agent is here; how one is called and what its lines mean, in a module of its own.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from sparky.adapters.egress import Egress, Endpoint
from sparky.adapters.ledgers import Entry, Ledger, price, total
from sparky.adapters.session_room import Grounds, Launch, Place, Room, command_for, make_room
from sparky.domain.command import Completed, Ending
from sparky.events import Ended, Event, Failure, Limited, Text, Used, told
from sparky.ports import Progress, SessionEnding, SessionRequest, SessionResult

_SERVER_ERROR = 500


class Agent(Protocol):
    """One coding agent that is a command. `program` is what is looked for on the PATH."""

    @property
    def program(self) -> str: ...

    @property
    def hosts(self) -> frozenset[str]:
        """Hosts that it may have tunnels to, where no base URL is given."""
        ...

    def base_url(self, given: Mapping[str, str]) -> str:
        """The base URL of its model that the user gives in the environment, "" if there is none."""
        ...

    def launch(self, request: SessionRequest, place: Place, given: Mapping[str, str]) -> Launch:
        """How it is started; writes its settings into the room. `given`: variables that it may be handed."""
        ...

    def events(self, line: dict[str, Any]) -> Iterator[Event]:
        """What one line of its output says."""
        ...

    def ledger(self, config: Path) -> Ledger:
        """Where it writes down what it uses."""
        ...


class CliRunner:
    """Sessions with one agent."""

    def __init__(self, grounds: Grounds, agent: Agent) -> None:
        self._grounds = grounds
        self._agent = agent

    def run(self, request: SessionRequest) -> SessionResult:
        """One session, to its end."""
        program = shutil.which(self._agent.program, path=self._grounds.path)
        if program is None:
            return unable(f"{self._agent.program} is not installed: see `sparky doctor`")
        try:
            given = self._agent.base_url(self._grounds.given)
            endpoint = Endpoint.of(given or f"https://{min(self._agent.hosts)}")
        except ValueError as error:
            return unable(str(error))
        room = make_room(self._grounds.sessions, request)
        hosts = frozenset() if given else self._agent.hosts
        with ExitStack() as stack:
            egress = stack.enter_context(Egress(endpoint, hosts, room.egress).open())
            proxy = f"http://127.0.0.1:{egress.port}"
            place = Place(
                room=room,
                proxy=proxy,
                model_url=f"{proxy}{endpoint.path}" if given else "",
                confined=self._grounds.sandbox,
            )
            heard = Heard(self._agent, self._grounds.progress, request, room)
            launch = self._agent.launch(request, place, self._grounds.given)
            command = command_for(self._grounds, Path(program), launch, request, egress.port)
            done = self._grounds.shell.run(command, heard.hear)
            return heard.result(done, egress.limited_until)


class Heard:
    """What a session has said so far: each line is kept and told as it comes, and its cost watched."""

    def __init__(self, agent: Agent, progress: Progress, request: SessionRequest, room: Room) -> None:
        self._agent = agent
        self._progress = progress
        self._request = request
        self._stream = room.stream
        self._ledger = agent.ledger(room.config)
        self._rest = b""
        self._ended: Ended | None = None
        self._limited: Limited | None = None
        self._last = ""
        self._over = False

    def hear(self, data: bytes) -> bool:
        """Take what it says; True as soon as it has used up what it may."""
        with self._stream.open("ab") as file:
            file.write(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._line(line)
        return bool(lines) and self._is_over()

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
        self._line(self._rest)
        spent = self._used()
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
            output=done.stdout + done.stderr,
            tokens=spent.usage.total,
            cost_usd=spent.cost_usd or 0.0,
            level=done.level,
            retry_at=limited_until if until is None else until,
        )

    def _line(self, line: bytes) -> None:
        try:
            plain = json.loads(line)
        except ValueError:
            return
        if isinstance(plain, dict):
            for event in self._agent.events(plain):
                self.take(event)

    def _is_over(self) -> bool:
        request = self._request
        if request.tokens is None and request.usd is None:
            return False
        spent = self._used()
        over_tokens = request.tokens is not None and spent.usage.total >= request.tokens
        over_usd = request.usd is not None and (spent.cost_usd or 0.0) >= request.usd
        self._over = over_tokens or over_usd
        return self._over

    def _used(self) -> Used:
        entries: tuple[Entry, ...] = self._ledger.read()
        return Used(usage=total(entries), cost_usd=price(entries))

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


def unable(why: str) -> SessionResult:
    """A session that could not begin."""
    return SessionResult(claimed_success=False, summary="", ending=SessionEnding.UNABLE, detail=why)
