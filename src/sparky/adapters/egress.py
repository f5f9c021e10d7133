"""The one way out of a session: a proxy on loopback to the model's endpoint, which writes down who asks.

`CONNECT host:port` is a tunnel to a host of the allow-list. Any other request is for the endpoint itself, by
plain HTTP or TLS: agents are told that the proxy is the model. Both ends of a connection end together.
"""

import json
import re
import select
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

_HEAD_BYTES, _CHUNK = 1 << 16, 1 << 16
_PATIENCE_S = 30.0
_LIMIT = re.compile(rb"HTTP/1\.[01] 429 ")
_SOON = b"\r\nretry-after: 1\r\n"
_SHORT_S = 60
"""Seconds up to which an agent waits by itself for the end of a limit: its session goes on."""
_RETRY = re.compile(rb"\r\nretry-after: *(\d{1,7}) *\r\n", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where a model answers. `path` is what its base URL has behind the host."""

    host: str
    port: int
    tls: bool = True
    path: str = ""

    @classmethod
    def of(cls, url: str) -> "Endpoint":
        """The endpoint of a base URL; raises ValueError for one without a host."""
        parts = urlsplit(url)
        tls = parts.scheme == "https"
        if parts.hostname is None or parts.scheme not in {"http", "https"}:
            raise ValueError(f"{url!r} is no address of a model: https://HOST is one")
        return cls(host=parts.hostname, port=parts.port or (443 if tls else 80), tls=tls, path=parts.path)


class Egress:
    """The proxy of one session, at `port` while it is open."""

    def __init__(self, endpoint: Endpoint, hosts: frozenset[str], log: Path) -> None:
        self._endpoint = endpoint
        self._hosts = hosts
        self._log = log
        self._writing = threading.Lock()
        self._server = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._over = threading.Event()
        self._limited_until: float | None = None

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.getsockname()[1])

    @property
    def limited_until(self) -> float | None:
        """When the model takes requests again, as its newest refusal said, in seconds since 1970."""
        return self._limited_until

    @contextmanager
    def open(self) -> Iterator["Egress"]:
        """It serves, until the block ends; whoever is connected then is cut off."""
        thread = threading.Thread(target=self._serve, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._over.set()
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            thread.join()
            self._server.close()

    def _serve(self) -> None:
        while not self._over.is_set():
            client, _ = self._server.accept()
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            client.settimeout(_PATIENCE_S)
            head = _read_head(client)
            if not head:
                return
            method, target = (*head.split(b" ", 2), b"", b"")[:2]
            if method == b"CONNECT":
                self._tunnel(client, target.decode("latin-1"))
            else:
                self._relay(client, method, target, head)

    def _tunnel(self, client: socket.socket, target: str) -> None:
        host, _, port = target.rpartition(":")
        allowed = host in self._hosts and port == "443"
        self._note("CONNECT", target, allowed=allowed)
        if not allowed:
            client.sendall(b"HTTP/1.1 403 Forbidden by sparky\r\ncontent-length: 0\r\n\r\n")
            return
        with socket.create_connection((host, 443), _PATIENCE_S) as server:
            client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            self._pass_on(client, server)

    def _relay(self, client: socket.socket, method: bytes, target: bytes, head: bytes) -> None:
        if not target.startswith(b"/"):
            self._note(method.decode("latin-1"), target.decode("latin-1"), allowed=False)
            client.sendall(b"HTTP/1.1 403 Forbidden by sparky\r\ncontent-length: 0\r\n\r\n")
            return
        there = self._endpoint
        self._note(method.decode("latin-1"), f"{there.host}:{there.port}", allowed=True)
        with socket.create_connection((there.host, there.port), _PATIENCE_S) as plain:
            server = (
                ssl.create_default_context().wrap_socket(plain, server_hostname=there.host)
                if there.tls
                else plain
            )
            with server:
                name = there.host if there.port in {80, 443} else f"{there.host}:{there.port}"
                server.sendall(re.sub(rb"(?i)\r\nhost:[^\r]*", b"\r\nHost: " + name.encode(), head, count=1))
                self._pass_on(client, server)

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        for end in client, server:
            end.settimeout(None)
            # Pieces go on as they come: the kernel would hold a second one back until the first is confirmed.
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while not self._over.is_set():
            pending = [end for end in (server,) if isinstance(end, ssl.SSLSocket) and end.pending()]
            ready = pending or select.select([client, server], [], [], 0.5)[0]
            for end in ready:
                data = end.recv(_CHUNK)
                if not data:
                    return
                if end is server:
                    data = self._look(data)
                (client if end is server else server).sendall(data)

    def _look(self, data: bytes) -> bytes:
        """What is passed on; noted is until when the model takes no more requests, if it says that here.

        Where that is long, the agent is told to try again soon: some would wait for an hour, which is
        sparky's to do.
        """
        if not _LIMIT.match(data) or not (said := _RETRY.search(data)):
            return data
        seconds = int(said.group(1))
        self._limited_until = time.time() + seconds
        return data if seconds <= _SHORT_S else _RETRY.sub(_SOON, data, count=1)

    def _note(self, method: str, target: str, *, allowed: bool) -> None:
        line = {"time": round(time.time(), 3), "method": method, "to": target, "allowed": allowed}
        with self._writing, self._log.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(line)}\n")


def _read_head(client: socket.socket) -> bytes:
    """What was sent up to the end of the headers, and what came with it; empty if there was no such end."""
    head = b""
    while b"\r\n\r\n" not in head:
        data = client.recv(_CHUNK)
        head += data
        if not data or len(head) > _HEAD_BYTES:
            return b""
    return head
