"""Waiting for a run that another thread or process drives, with its progress on the screen."""

from collections.abc import Callable
from threading import Event, Thread

from sparky.app.read import House
from sparky.domain.run import Life, RunRow


def follow(home: House, run: str, say: Callable[[str], None], start: int = 0) -> RunRow:
    """Say the run's lines as they come, until nobody drives it any more; returns how it stands then."""
    ended = Event()
    printer = Thread(target=_print, args=(home, run, say, ended, start), daemon=True)
    printer.start()
    try:
        while (row := home.find(run)) and home.life(row) is Life.RUNNING:
            ended.wait(0.2)
    finally:
        ended.set()
        printer.join(timeout=5)
    return row


def _print(home: House, run: str, say: Callable[[str], None], ended: Event, start: int) -> None:
    for line in home.progress.follow(run, ended, start):
        say(line)
