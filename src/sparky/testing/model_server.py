"""A model that plays scripts, on loopback: Anthropic Messages, OpenAI responses, OpenAI chat completions.

It counts what it hands out, so that a test can compare figures to the token. Which conversation a request
belongs to is read from its text (`SCRIPT:name`); the turn, from how often the model has spoken since then.
"""

import itertools
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sparky.testing.script import MARK, Answered, Fault, Say, Scripts, Tokens, Turn, call_for
from sparky.testing.wire import FORMATS, Asked, Format

_CWD = re.compile(r"(?:[Ww]orking [Dd]irectory|<cwd>|Workspace root folder)[^/\n]{0,20}(/[^\s\"\\<`]+)")
_LONGEST_HANG_S = 600.0
_CHANCE = Say(text="ok")


@dataclass(frozen=True, kw_only=True)
class _Reply:
    """What is answered to one request."""

    turn: Turn
    entry: Answered


class ModelServer:
    """A scripted model, listening at `url`. Safe to use from several threads."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts
        self._lock = threading.Lock()
        self._begun: Counter[str] = Counter()
        self._moved: set[str] = set()
        self._faults: Counter[tuple[str, int, int]] = Counter()
        self._asked: threading.Condition = threading.Condition(self._lock)
        self.over = threading.Event()
        self.answers: list[Answered] = []
        self.numbers = itertools.count(1)
        self._server = _Http(self)

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def tokens(self) -> Tokens:
        """All that was handed out."""
        given = [answer.tokens for answer in self.answers]
        return Tokens(
            fresh=sum(one.fresh for one in given),
            cached=sum(one.cached for one in given),
            output=sum(one.output for one in given),
        )

    def await_step(self, script: str, step: int, timeout_s: float = 60.0) -> bool:
        """Wait until a turn of a script has been asked for; False if it was not in that time."""
        with self._asked:
            return self._asked.wait_for(
                lambda: any(a.script == script and a.step >= step for a in self.answers), timeout_s
            )

    @contextmanager
    def running(self) -> Iterator["ModelServer"]:
        """It listens, until the block ends."""
        thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.over.set()
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def reply(self, asked: Asked, headers: dict[str, str]) -> _Reply:
        """What comes now, noted as handed out."""
        name, step = _place(asked)
        with self._asked:
            turn, fault = self._turn(name, step) if asked.tools else (Turn(does=_CHANCE), None)
            size = 1000 + 10 * len(self.answers)
            given = Tokens() if fault else Tokens(fresh=size, cached=500, output=40 + step)
            entry = Answered(
                model=asked.model, script=name, step=step, tokens=given, fault=fault, headers=headers
            )
            self.answers.append(entry)
            self._asked.notify_all()
        return _Reply(turn=turn, entry=entry)

    def _turn(self, name: str, step: int) -> tuple[Turn, Fault | None]:
        """The turn that a request asks for, and what goes wrong with it this time."""
        if step == 0 and (not self._begun[name] or name in self._moved):
            self._begun[name] += 1
            self._moved.discard(name)
        conversations = self._scripts.get(name, ((_CHANCE,),))
        number = min(self._begun[name], len(conversations)) - 1
        turns = conversations[number]
        action = turns[min(step, len(turns) - 1)]
        turn = action if isinstance(action, Turn) else Turn(does=action)
        place = (name, number, step)
        self._faults[place] += 1
        if turn.fault is not None and self._faults[place] <= turn.times:
            return turn, turn.fault
        self._moved.add(name)
        return turn, None


def _place(asked: Asked) -> tuple[str, int]:
    """The script that a request names, and how often the model has spoken since."""
    name, step, before = "", 0, ""
    for who, text in asked.history:
        if who == "user" and (named := re.findall(MARK, text)):
            name, step = named[-1], 0
        elif who == "model" and before != "model":
            step += 1
        before = who
    return name, step


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, model: ModelServer) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Nothing: tests look at `answers`."""

    def do_GET(self) -> None:
        models = {"object": "list", "data": [{"id": "scripted", "object": "model", "type": "model"}]}
        self._json(models | {"models": []})

    def do_HEAD(self) -> None:
        self._json({})

    def do_POST(self) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):
            self._post()

    def _post(self) -> None:
        body = json.loads(self._body() or b"{}")
        path = self.path.partition("?")[0]
        wire = next((one for end, one in FORMATS.items() if path.endswith(end)), None)
        if wire is None:
            self._json({"input_tokens": 100})
            return
        asked = wire.read(body)
        reply = self.server.model.reply(asked, {key.lower(): value for key, value in self.headers.items()})
        if reply.entry.fault is not None:
            self._fail(reply.entry.fault, reply.turn, wire)
            return
        cwd = found.group(1) if (found := _CWD.search(asked.seen)) else "."
        call = call_for(reply.turn.does, asked.tools, cwd, asked.seen)
        says = reply.turn.does if isinstance(reply.turn.does, Say) else Say(text="no such tool")
        data = wire.answer(body, next(self.server.model.numbers), call or says.text, reply.entry.tokens)
        if says.cut:
            data = wire.cut_off(data)
        if body.get("stream"):
            self._events(data)
        else:
            self._json(data[-1])

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _fail(self, fault: Fault, turn: Turn, wire: Format) -> None:
        match fault:
            case Fault.ERROR:
                self._json(wire.error("api_error", "scripted outage"), 500)
            case Fault.LIMIT:
                error = wire.error("rate_limit_error", "scripted rate limit")
                self._json(error, 429, {"retry-after": str(turn.retry_after_s)})
            case Fault.HANG:
                self.server.model.over.wait(_LONGEST_HANG_S)
                self.close_connection = True
            case Fault.GARBAGE:
                self._stream()
                self.wfile.write(b"event: message_start\ndata: {]\n\nnonsense\n\n")
            case Fault.CUT:
                self._stream()
                self.wfile.write(wire.beginning)
                self.wfile.flush()
                time.sleep(0.01)  # so that what was begun arrives before the end does

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def _events(self, events: list[dict[str, Any]]) -> None:
        self._stream()
        for event in events[:-1]:
            named = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{named}data: {json.dumps(event)}\n\n".encode())
        if "choices" in events[0]:
            self.wfile.write(b"data: [DONE]\n\n")

    def _json(self, plain: object, status: int = 200, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(plain).encode()
        self.send_response(status)
        for key, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(key, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
