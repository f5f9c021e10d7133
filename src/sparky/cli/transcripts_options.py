"""What the verbs about transcripts have in common: which sessions, and how words are shown."""

import re
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from sparky.adapters.locks import FileLocks
from sparky.cli.output import say
from sparky.environment import read_environment
from sparky.transcripts.library import INDEX, Library, open_library
from sparky.transcripts.sessions import Wanted

Function = TypeVar("Function", bound=Callable[..., Any])

_UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}


class SinceType(click.ParamType[float]):
    """A time: 30m, 12h, 7d, 2w ago, or a date or time in ISO 8601; as seconds since 1970."""

    name = "since"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The time that the words name."""
        if isinstance(value, float):
            return value
        ago = re.fullmatch(r"(\d{1,6})([mhdw])", str(value))
        if ago:
            return time.time() - int(ago[1]) * _UNITS[ago[2]]
        try:
            return datetime.fromisoformat(str(value)).astimezone().timestamp()
        except (ValueError, OverflowError):
            raise click.BadParameter(f"{value!r} is no time; say 7d, 12h or 2026-03-01", ctx, param) from None


_OPTIONS = (
    click.option(
        "--project",
        type=click.Path(path_type=Path),
        help="Only sessions that worked in this directory; default: all.",
    ),
    click.option("--session", metavar="PREFIX", default="", help="Only the session whose id starts so."),
    click.option(
        "--since",
        type=SinceType(),
        default=0.0,
        metavar="WHEN",
        help="Only what is newer: 7d, 12h, 2026-03-01.",
    ),
)


def which(function: Function) -> Function:
    """The options that say which sessions are asked for."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


raw = click.option("--raw", is_flag=True, help="Show secrets and e-mail addresses, too.")


def wanted(project: Path | None, session: str, since: float) -> Wanted:
    """What the options ask for."""
    whole = Path.cwd() / project if project else None
    return Wanted(project=whole.resolve() if whole else None, session=session, since=since)


def library() -> Library:
    """The transcripts of every tool, with the index brought up to date."""
    environment = read_environment()
    with FileLocks(environment.state / "locks").hold(INDEX):
        return open_library(environment.state, environment.agents, say)


def note_oddities(found: Library) -> None:
    """Say what could not be understood: formats change, and that should be noticed."""
    odd = found.oddities()
    if odd.unknown:
        listed = ", ".join(f"{what} ({number})" for what, number in odd.unknown.items())
        say(f"entries of types that sparky does not know: {listed}")
    if odd.bad:
        number = sum(map(len, odd.bad.values()))
        path, offsets = next(iter(odd.bad.items()))
        say(f"{number} line(s) can't be read, the first in {path} at byte {offsets[0]}")
