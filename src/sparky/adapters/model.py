"""A model in process: sparky holds the conversation itself, by pydantic-ai, with any provider that it knows.

An optional extra (`sparky-agents[model]`). What the model has done is done by commands in the sandbox.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx2
from pydantic_ai import direct, exceptions, messages
from pydantic_ai.models import Model, ModelRequestParameters, infer_model
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from sparky.adapters.egress import Egress, Endpoint
from sparky.adapters.heard import Heard
from sparky.adapters.ledgers import ModelLedger
from sparky.adapters.model_tools import TOOLS, Hands, call_of, schema, told_of
from sparky.adapters.session_room import Grounds, make_room, readable_beside, unable
from sparky.domain.command import Completed, Ending, Level
from sparky.events import Ended, Failure, SessionRequest, SessionResult, Text

GIVEN = {"anthropic": "ANTHROPIC", "openai": "OPENAI", "openai-chat": "OPENAI", "openai-responses": "OPENAI"}
"""Providers whose key and base URL are those that other agents are handed; by the start of the variables."""

_LOOK_S, _PAUSE_S = 0.2, 1.0
_STREAM_BYTES = 4_000_000
_SETTINGS = ModelSettings(max_retries=0)
_CUT = frozenset({"length", "content_filter", "error"})
"""Why an answer can end before the model has said what it meant to."""

_FAILURES: tuple[tuple[type[exceptions.ModelAPIError], Failure], ...] = (
    (exceptions.ModelRateLimitError, Failure.RATE_LIMIT),
    (exceptions.ModelQuotaExceededError, Failure.LOGIN),
    (exceptions.ModelAuthenticationError, Failure.LOGIN),
    (exceptions.ModelNotFoundError, Failure.LOGIN),
    (exceptions.ModelRequestRejectedError, Failure.OTHER),
)
"""What a refusal means, the first that fits; any other is an outage."""


class _ToProxy(httpx2.AsyncHTTPTransport):
    """Sends all requests to sparky's proxy, which passes on to the model's endpoint alone."""

    port = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=self.port)
        return await super().handle_async_request(request)


class ModelRunner:
    """Sessions with a model."""

    def __init__(self, grounds: Grounds) -> None:
        self._grounds = grounds

    def run(self, request: SessionRequest) -> SessionResult:
        """One session, to its end."""
        if self._grounds.sandbox and self._grounds.shell.level() is Level.OFF:
            return unable("no sandbox can be had: see `sparky doctor`")
        if ":" not in request.model:
            return unable(f'its model is {request.model!r}: set model = "PROVIDER:NAME", docs/runners.md')
        return asyncio.run(self._session(request))

    async def _session(self, request: SessionRequest) -> SessionResult:
        way = _ToProxy()
        async with httpx2.AsyncClient(transport=way, timeout=httpx2.Timeout(600.0, connect=30.0)) as client:
            try:
                provider = _provider(request.model.partition(":")[0], self._grounds.given, client)
                model = infer_model(request.model, lambda _: provider)
                endpoint = Endpoint.of(provider.base_url)
            except (exceptions.UserError, ImportError, TypeError, ValueError) as error:
                return unable(str(error))
            room = make_room(self._grounds.sessions, request)
            if room.stream.stat().st_size:
                self._grounds.progress.say(request.run, "its session was broken off: a new one begins")
            heard = Heard(ModelLedger(room.root), self._grounds.progress, request, room)
            with Egress(endpoint, frozenset(), room.egress).open() as egress:
                way.port = egress.port
                conversation = _Conversation(
                    grounds=self._grounds, request=request, model=model, heard=heard, stream=room.stream
                )
                return heard.result(await conversation.hold(), egress.limited_until)


@dataclass(frozen=True, kw_only=True)
class _Conversation:
    """One session: the model is asked, what it calls for is done, until it calls for nothing more."""

    grounds: Grounds
    request: SessionRequest
    model: Model
    heard: Heard
    stream: Path

    async def hold(self) -> Completed:
        """The whole of it; what it came to, as that of a process."""
        started = time.monotonic()
        until = started + self.request.timeout_s
        talking = asyncio.ensure_future(self._talk(until))
        while not talking.done() and not self.grounds.shell.halted() and time.monotonic() < until:
            await asyncio.wait((talking,), timeout=min(_LOOK_S, max(until - time.monotonic(), 0)))
        ending = Ending.EXITED if talking.done() else Ending.TIMED_OUT
        talking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            self.heard.take(await talking)
        if self.grounds.shell.halted():
            ending = Ending.KILLED
        return Completed(
            argv=(self.request.model,),
            ending=ending,
            code=0,
            stdout=self.stream.read_bytes()[-_STREAM_BYTES:],
            stderr=b"",
            seconds=time.monotonic() - started,
            level=self.grounds.shell.level() if self.grounds.sandbox else Level.OFF,
        )

    async def _talk(self, until: float) -> Ended:
        hands = Hands(
            shell=self.grounds.shell,
            worktree=self.request.worktree,
            until=until,
            confined=self.grounds.sandbox,
            readable=readable_beside(self.grounds, self.request),
        )
        told = f"Your working directory: {self.request.worktree}\n\n{self.request.prompt}"
        history: list[messages.ModelMessage] = [messages.ModelRequest.user_text_prompt(told)]
        try:
            while isinstance(answer := await self._ask(history), messages.ModelResponse):
                parts = [await self._done(hands, call) for call in answer.tool_calls]
                history += [answer, messages.ModelRequest(parts=parts)]
        except exceptions.ModelAPIError as error:
            return Ended(text=str(error), failure=_meaning(error))
        except exceptions.UserError as error:  # what the library can't ask this model for
            return Ended(text=str(error), failure=Failure.OTHER)
        except (exceptions.UnexpectedModelBehavior, httpx2.HTTPError, ValueError) as error:
            return Ended(text=f"its answer can't be read: {error}", failure=Failure.OUTAGE)
        return answer

    async def _ask(self, history: list[messages.ModelMessage]) -> messages.ModelResponse | Ended:
        """The model's answer, or the end, if it calls for nothing or may not go on."""
        try:
            answer = await self._answer(history)
        except exceptions.ModelAPIError as error:
            pause_s = _pause_s(error)
            if pause_s is None:
                raise
            await asyncio.sleep(pause_s)
            answer = await self._answer(history)
        lines = (messages.ModelMessagesTypeAdapter.dump_json([one])[1:-1] for one in (history[-1], answer))
        over = self.heard.keep(b"".join(line + b"\n" for line in lines))
        text = answer.text or ""
        self.heard.take(Text(text=text))
        if not over and not answer.tool_calls and answer.finish_reason in _CUT:
            return Ended(text=f"its answer was cut off: {answer.finish_reason}", failure=Failure.OTHER)
        if over or not answer.tool_calls:
            return Ended(text=text)
        if self.request.turns is not None and self.heard.used().turns >= self.request.turns:
            return Ended(text=text, failure=Failure.BUDGET)
        return answer

    async def _answer(self, history: list[messages.ModelMessage]) -> messages.ModelResponse:
        known = {word.lower() for word in self.request.tools}
        tools = [
            ToolDefinition(name=name, description=tool.__doc__, parameters_json_schema=schema(tool))
            for name, tool in TOOLS.items()
            if not known or name in known
        ]
        asked = ModelRequestParameters(function_tools=tools)
        async with direct.model_request_stream(
            self.model, history, model_settings=_SETTINGS, model_request_parameters=asked
        ) as stream:
            async for _ in stream:
                pass
        return stream.get()

    async def _done(self, hands: Hands, call: messages.ToolCallPart) -> messages.ToolReturnPart:
        try:
            meant = call_of(call.tool_name, call.args_as_json_str())
            self.heard.take(told_of(meant))
            said = await hands.do(meant)
        except ValueError as error:
            said = f"error: {error}"
        return messages.ToolReturnPart(tool_name=call.tool_name, content=said, tool_call_id=call.tool_call_id)


def _meaning(error: exceptions.ModelAPIError) -> Failure:
    return next((what for kind, what in _FAILURES if isinstance(error, kind)), Failure.OUTAGE)


def _pause_s(error: exceptions.ModelAPIError) -> float | None:
    """Seconds after which the model is asked once more; None: it is not. The proxy says of no long limit."""
    match _meaning(error):
        case Failure.OUTAGE:
            return _PAUSE_S
        case Failure.RATE_LIMIT:
            return error.retry_after
        case Failure.LOGIN | Failure.BUDGET | Failure.OTHER:
            return None


def _provider(name: str, given: Mapping[str, str], client: httpx2.AsyncClient) -> Provider[object]:
    """Who has the model. Providers that other agents don't know read their own variables."""
    make: Callable[..., Provider[object]] = infer_provider_class(name)
    if name not in GIVEN:
        return make(http_client=client)
    start = GIVEN[name]
    key, url = given.get(f"{start}_API_KEY"), given.get(f"{start}_BASE_URL")
    return make(api_key=key, base_url=url, http_client=client)
