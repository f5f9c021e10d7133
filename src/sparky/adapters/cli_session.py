"""A session with an agent that is a command: a room of its own, a way out to its model only, its words heard.

What holds for every such agent is here; how one is called and what its lines mean, in a module of its own.
"""

import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from sparky.adapters.egress import Egress, Endpoint
from sparky.adapters.heard import Heard, Read
from sparky.adapters.ledgers import Ledger
from sparky.adapters.session_room import Grounds, Launch, Place, command_for, make_room, unable
from sparky.domain.command import Command, Completed
from sparky.events import SessionRequest, SessionResult
from sparky.ports import Shell


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

    def ledger(self, config: Path) -> Ledger:
        """Where it writes down what it uses."""
        ...

    def talk(self, shell: Shell, command: Command, request: SessionRequest, heard: Heard) -> Completed:
        """The session, from its process's start to its end."""
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
        if room.stream.stat().st_size:
            self._grounds.progress.say(request.run, "its session was broken off: a new one begins")
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
            ledger = self._agent.ledger(room.config)
            heard = Heard(ledger, self._grounds.progress, request, room)
            launch = self._agent.launch(request, place, self._grounds.given)
            command = command_for(self._grounds, Path(program), launch, request, egress.port)
            done = self._agent.talk(self._grounds.shell, command, request, heard)
            return heard.result(done, egress.limited_until)


def by_lines(shell: Shell, command: Command, heard: Heard, read: Read) -> Completed:
    """A session that tells its events by lines of JSON on its standard output."""

    def hear(data: bytes) -> bool:
        heard.lines(read, data)
        return heard.keep(data)

    done = shell.run(replace(command, hear=hear))
    heard.lines(read, b"\n")
    return done
