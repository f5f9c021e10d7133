"""The proxy of a session: who is let through, who is not, and what is written down of it."""

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from sparky.adapters.egress import Egress, Endpoint
from sparky.adapters.sandbox import WAYS
from sparky.adapters.shell import SystemShell
from sparky.domain.command import Command, Ending, Level, Policy

PATH = "/usr/local/bin:/usr/bin:/bin"
TRIES = """
import socket, sys
for port in sys.argv[1:]:
    try:
        socket.create_connection(("127.0.0.1", int(port)), 5)
        print("reached")
    except OSError as error:
        print(error.strerror)
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    print("UDP")
except OSError as error:
    print(error.strerror)
"""


@contextmanager
def model(answer: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """A server that gives one answer to whatever it is asked; its port, and what it was asked."""
    asked: list[bytes] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def serve() -> None:
            client, _ = server.accept()
            with client:
                asked.append(client.recv(65536))
                client.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1], asked
        thread.join(10)


def ask(port: int, request: bytes) -> bytes:
    """All that is answered, up to the end of the connection."""
    with socket.create_connection(("127.0.0.1", port), 10) as client:
        client.sendall(request)
        parts = []
        while data := client.recv(65536):
            parts.append(data)
    return b"".join(parts)


def written(log: Path) -> list[tuple[str, str, bool]]:
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return [(line["method"], line["to"], line["allowed"]) for line in lines]


def test_what_is_asked_of_it_is_asked_of_the_model_under_the_models_name(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with model(b"HTTP/1.1 200 OK\r\n\r\nyes") as (port, asked):
        endpoint = Endpoint.of(f"http://127.0.0.1:{port}/v1")
        with Egress(endpoint, frozenset(), log).open() as egress:
            said = ask(egress.port, b"GET /v1/models HTTP/1.1\r\nHost: proxy\r\nX: y\r\n\r\n")
        assert said == b"HTTP/1.1 200 OK\r\n\r\nyes"
        assert egress.limited_until is None
        assert asked == [f"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX: y\r\n\r\n".encode()]
    assert written(log) == [("GET", f"127.0.0.1:{port}", True)]


def test_nobody_else_is_asked(tmp_path: Path) -> None:
    log = tmp_path / "log"
    endpoint = Endpoint.of("https://model.example")
    with Egress(endpoint, frozenset({"model.example"}), log).open() as egress:
        for request in (
            b"CONNECT forge.example:443 HTTP/1.1\r\n\r\n",
            b"CONNECT model.example:22 HTTP/1.1\r\n\r\n",
            b"GET http://forge.example/ HTTP/1.1\r\n\r\n",
        ):
            assert ask(egress.port, request).startswith(b"HTTP/1.1 403 ")
    assert written(log)[:3] == [
        ("CONNECT", "forge.example:443", False),
        ("CONNECT", "model.example:22", False),
        ("GET", "http://forge.example/", False),
    ]


def test_the_end_of_a_limit_is_read_from_the_refusal_and_the_agent_does_not_wait_for_it(
    tmp_path: Path,
) -> None:
    refusal = b"HTTP/1.1 429 Too Many\r\nRetry-After: 90\r\n\r\n"
    before = time.time()
    with model(refusal) as (port, _):
        egress = Egress(Endpoint.of(f"http://127.0.0.1:{port}"), frozenset(), tmp_path / "log")
        with egress.open():
            said = ask(egress.port, b"GET / HTTP/1.1\r\n\r\n")
    assert said == refusal.replace(b"Retry-After: 90", b"retry-after: 1")
    assert egress.limited_until is not None
    assert before + 90 <= egress.limited_until <= time.time() + 90


def test_an_agent_waits_by_itself_for_the_end_of_a_short_limit(tmp_path: Path) -> None:
    refusal = b"HTTP/1.1 429 Too Many\r\nRetry-After: 20\r\n\r\n"
    with model(refusal) as (port, _):
        egress = Egress(Endpoint.of(f"http://127.0.0.1:{port}"), frozenset(), tmp_path / "log")
        with egress.open():
            assert ask(egress.port, b"GET / HTTP/1.1\r\n\r\n") == refusal


@pytest.mark.parametrize("url", ["model.example", "ftp://model.example", "https://"])
def test_what_is_no_address_is_no_endpoint(url: str) -> None:
    with pytest.raises(ValueError, match="is no address of a model"):
        Endpoint.of(url)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_a_process_reaches_the_ports_that_are_named_and_is_heard_meanwhile(
    way: object, tmp_path: Path
) -> None:
    shell = SystemShell({"PATH": PATH}, ways=[one for one in WAYS if one is way], scratch=tmp_path)
    if shell.level() is Level.OFF:
        pytest.skip("it cannot be had on this machine")
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    ports = [server.getsockname()[1] for server in servers]
    said: list[bytes] = []

    def hear(data: bytes) -> bool:
        said.append(data)
        return False

    done = shell.run(
        Command(
            argv=(sys.executable, "-I", "-S", "-c", TRIES, *map(str, ports)),
            cwd=tmp_path,
            policy=Policy(writable=(tmp_path,), ports=(ports[0],)),
            hear=hear,
        )
    )
    for server in servers:
        server.close()
    assert done.stdout == b"reached\nPermission denied\nPermission denied\n", done
    assert b"".join(said) == done.stdout


def test_who_has_heard_enough_ends_it(tmp_path: Path) -> None:
    shell = SystemShell({"PATH": PATH}, scratch=tmp_path)
    argv = ("sh", "-c", "echo enough; sleep 300")
    done = shell.run(Command(argv=argv, cwd=tmp_path, supervised=True, hear=lambda data: b"enough" in data))
    assert (done.ending, done.stdout, done.stderr) == (Ending.KILLED, b"enough\n", b"")
    assert done.seconds < 60
