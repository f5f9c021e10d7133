"""Agents that speak the Agent Client Protocol: OpenCode, Claude Code and Codex by their bridges, Gemini CLI.

The shell starts the process and hands on what it says; the library speaks the protocol over these streams.
"""

import asyncio
import json
import os
import re
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import Any

import acp
from acp import schema

from sparky.adapters.claude import Claude, claude_env
from sparky.adapters.codex import Codex, codex_env, failure_in
from sparky.adapters.heard import Heard
from sparky.adapters.ledgers import Ledger, OpencodeLedger
from sparky.adapters.session_room import Launch, Place
from sparky.domain.command import Command, Completed
from sparky.events import Ended, Event, FileEdit, Permission, SessionRequest, Text, ToolCall
from sparky.ports import Shell

_LINE_BYTES = 1 << 26
_FLUSHES, _FLUSH_S = 10, 0.4
_BROKEN = "systemError"
_FREE_MODES = frozenset({"bypassPermissions", "agent-full-access"})
"""Modes in which an agent confines nothing itself, which it can't do where it is confined already."""


@dataclass(frozen=True, kw_only=True)
class AcpAgent:
    """One of them: its program and words, what it is told, where it writes down what it uses.

    `serves`: it asks a server of its own, on the port that `--port` names.
    """

    program: str
    words: tuple[str, ...]
    hosts: frozenset[str]
    url_name: str
    env: Callable[[SessionRequest, Place, Mapping[str, str]], Mapping[str, str]]
    ledger: Callable[[Path], Ledger]
    serves: bool = False

    def base_url(self, given: Mapping[str, str]) -> str:
        """The variable that its model's makers chose for it."""
        return given.get(self.url_name, "")

    def launch(self, request: SessionRequest, place: Place, given: Mapping[str, str]) -> Launch:
        """It is told nothing but where its model is: the prompt comes by the protocol."""
        ports = (_free_port(),) if self.serves else ()
        words = (*self.words, *(word for port in ports for word in ("--port", str(port))))
        env = self.env(request, place, given)
        return Launch(argv=words, env=env, config=place.room.config, ports=ports)

    def talk(self, shell: Shell, command: Command, request: SessionRequest, heard: Heard) -> Completed:
        """One session: begun, prompted, and ended by closing its input."""
        reader, writer = os.pipe()
        try:
            return asyncio.run(_Conversation(shell, command, request, heard).hold(reader, writer))
        finally:
            os.close(reader)


class _Conversation:
    """The client's side of one session, and the two streams to the process."""

    def __init__(self, shell: Shell, command: Command, request: SessionRequest, heard: Heard) -> None:
        self._shell, self._command, self._request, self._heard = shell, command, request, heard
        self._words: list[str] = []
        self._broken = False

    async def hold(self, reader: int, writer: int) -> Completed:
        """The whole of it; what the process came to."""
        loop = asyncio.get_running_loop()
        said = asyncio.StreamReader(limit=_LINE_BYTES)
        ended: asyncio.Future[Completed] = loop.create_future()

        def hear(data: bytes) -> bool:
            over = self._heard.keep(data)
            loop.call_soon_threadsafe(said.feed_data, data)
            return over

        def run() -> None:
            done = self._shell.run(replace(self._command, feed=reader, hear=hear))
            loop.call_soon_threadsafe(said.feed_eof)
            loop.call_soon_threadsafe(ended.set_result, done)

        transport, protocol = await loop.connect_write_pipe(
            asyncio.streams.FlowControlMixin, os.fdopen(writer, "wb", 0)
        )
        to_agent = asyncio.StreamWriter(transport, protocol, None, loop)
        thread = Thread(target=run, daemon=True)
        thread.start()
        connection = acp.connect_to_agent(self, to_agent, said)  # type: ignore[arg-type]  # it offers no files
        talking = asyncio.ensure_future(self._talk(connection))
        either: set[asyncio.Future[Any]] = {talking, ended}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        talking.cancel()
        # A process that is ended, or ends, in the middle of it closes the connection: then it said no end.
        with suppress(asyncio.CancelledError, ConnectionError):
            self._heard.take(await talking)
        with suppress(Exception):  # whatever the library makes of an end in the middle
            await connection.close()
        transport.close()
        done = await ended
        thread.join()
        return done

    async def _talk(self, connection: acp.core.ClientSideConnection) -> Ended:
        try:
            await connection.initialize(protocol_version=acp.PROTOCOL_VERSION)
            session = await connection.new_session(cwd=str(self._request.worktree), mcp_servers=[])
            modes = {mode.id for mode in session.modes.available_modes} if session.modes else set()
            for mode in modes & _FREE_MODES if self._command.policy else ():
                await connection.set_session_mode(session_id=session.session_id, mode_id=mode)
            said = await connection.prompt(
                session_id=session.session_id, prompt=[acp.text_block(self._request.prompt)]
            )
            await self._written(said.usage.total_tokens if said.usage else 0)
        except acp.RequestError as error:
            return Ended(text=str(error), failure=failure_in(f"{error} {json.dumps(error.data)}"))
        text = "".join(self._words).strip()
        return Ended(text=text, failure=failure_in(text) if self._broken else None)

    async def _written(self, tokens: int) -> None:
        """Leave it the time to write its transcripts: all that it says there is, and what sub-agents add."""
        before = -1
        for _ in range(_FLUSHES):
            seen = self._heard.used().usage.total
            if before == seen >= tokens:
                return
            before = seen
            await asyncio.sleep(_FLUSH_S)

    async def request_permission(
        self,
        session_id: str,
        tool_call: schema.ToolCallUpdate,
        options: list[schema.PermissionOption],
        **_more: object,
    ) -> acp.RequestPermissionResponse:
        """Once, for whatever it asks: what it may do is for the confinement to say."""
        del session_id
        kinds = {option.kind: option.option_id for option in options}
        chosen = next((kinds[kind] for kind in ("allow_once", "allow_always") if kind in kinds), None)
        self._heard.take(Permission(about=tool_call.title or "", given=chosen is not None))
        outcome: dict[str, str] = {"outcome": "cancelled"}
        if chosen is not None:
            outcome = {"outcome": "selected", "optionId": chosen}
        return acp.RequestPermissionResponse.model_validate({"outcome": outcome})

    async def session_update(self, session_id: str, update: Any, **_more: object) -> None:
        """What it tells while it works."""
        del session_id
        for event in self._events(update):
            self._heard.take(event)

    def on_connect(self, conn: object) -> None:
        """Nothing is to be done."""

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """An agent's own news are not heard."""

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """An agent's own questions have no answer."""
        del params
        raise acp.RequestError.method_not_found(method)

    def _events(self, update: Any) -> Iterator[Event]:
        match update:
            case schema.AgentMessageChunk(content=schema.TextContentBlock(text=text)) if text:
                self._words.append(text)
                yield Text(text=text)
            case schema.ToolCallProgress(kind="edit", locations=[place, *_], status=None | "in_progress"):
                yield FileEdit(path=place.path)
            case schema.ToolCallStart(title=title, kind=kind) if kind != "edit":
                self._words.clear()
                yield ToolCall(tool=str(kind or "tool"), about=title or "")
            case schema.ToolCallStart():
                self._words.clear()
            case schema.SessionInfoUpdate(field_meta=dict(meta)) if re.search(_BROKEN, json.dumps(meta)):
                self._broken = True
            case _:
                return


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _opencode_env(request: SessionRequest, place: Place, given: Mapping[str, str]) -> Mapping[str, str]:
    """Its settings; a title of its own would cost tokens that it does not write down."""
    config = place.room.config
    settings: dict[str, Any] = {
        "permission": "allow",
        "autoupdate": False,
        "share": "disabled",
        "agent": {"title": {"disable": True}},
    }
    if place.model_url:
        name = request.model or "default"
        options = {"baseURL": place.model_url, "apiKey": given.get("OPENAI_API_KEY", "")}
        provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {name: {"name": name}}}
        settings |= {
            "provider": {"sparky": provider},
            "model": f"sparky/{name}",
            "small_model": f"sparky/{name}",
        }
    elif request.model:
        settings |= {"model": request.model}
    known = {name: given[name] for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY") if name in given}
    places = {f"XDG_{kind}_HOME": str(config / kind.lower()) for kind in ("DATA", "CONFIG", "CACHE", "STATE")}
    proxy = {} if place.model_url else {"HTTPS_PROXY": place.proxy}
    told = {"OPENCODE_CONFIG_CONTENT": json.dumps(settings), "OPENCODE_DISABLE_MODELS_FETCH": "1"}
    return known | places | proxy | told


def _claude_env(_request: SessionRequest, place: Place, given: Mapping[str, str]) -> Mapping[str, str]:
    return claude_env(place, given)


AGENTS: Mapping[str, AcpAgent] = {
    "claude-acp": AcpAgent(
        program="claude-agent-acp",
        words=(),
        hosts=Claude.hosts,
        url_name="ANTHROPIC_BASE_URL",
        env=_claude_env,
        ledger=Claude().ledger,
    ),
    "codex-acp": AcpAgent(
        program="codex-acp",
        words=(),
        hosts=Codex.hosts,
        url_name="OPENAI_BASE_URL",
        env=codex_env,
        ledger=Codex().ledger,
    ),
    "opencode": AcpAgent(
        program="opencode",
        words=("acp",),
        hosts=frozenset({"api.openai.com", "api.anthropic.com", "opencode.ai"}),
        url_name="OPENAI_BASE_URL",
        env=_opencode_env,
        ledger=OpencodeLedger,
        serves=True,
    ),
}
"""By the names that users call them."""
