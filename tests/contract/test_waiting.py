"""What a person is told who waits for tools."""

import io
from queue import SimpleQueue
from threading import Event

from rich.console import Console

from sparky.adapters.waiting import line, told
from sparky.cli.waiting import live


def test_what_takes_long_is_said_again_and_again_and_only_while_it_is_waited_for() -> None:
    said: SimpleQueue[str] = SimpleQueue()
    names = ["mypy", "ruff"]
    with told(said.put, long_s=0.01)(lambda: names):
        assert said.get(timeout=10) == "waiting for mypy, ruff"
        names.pop()
        lines = (said.get(timeout=10) for _ in range(5))
        assert "waiting for mypy" in lines
    with told(said.put)(lambda: ["typos"]):
        pass
    assert not any("typos" in said.get() for _ in range(said.qsize()))
    assert line(["mypy"], 75.4) == "waiting for mypy (75 s)"


def test_on_a_terminal_it_is_one_line_that_goes_again() -> None:
    screen, asked = io.StringIO(), Event()

    def pending() -> tuple[str, ...]:
        asked.set()
        return ("mypy", "pyrefly")

    with live(Console(file=screen, force_terminal=True, width=60))(pending):
        assert asked.wait(10)
    before, shown, after = screen.getvalue().rpartition("waiting for mypy, pyrefly")
    assert (bool(shown), before.count("\n")) == (True, 0)
    assert after.endswith("\x1b[2K")
