"""The tools of a model that works in process: each is a command by the shell, confined like any agent's."""

import asyncio
import os
import time
from dataclasses import dataclass
from io import StringIO
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec

from sparky.domain.command import Command, Completed, Policy
from sparky.events import Event, FileEdit, ToolCall
from sparky.ports import Shell

_OUTPUT_BYTES, _FILE_BYTES = 30_000, 2_000_000
_COMMAND_S = 600.0


@dataclass(frozen=True, kw_only=True)
class Read:
    """Read a file of the working directory, or a report: `count` lines from line `first` on."""

    path: str
    first: int = 1
    count: int = 2000


@dataclass(frozen=True, kw_only=True)
class Write:
    """Write a file of the working directory anew, with its folders."""

    path: str
    content: str


@dataclass(frozen=True, kw_only=True)
class Edit:
    """Put `new` where `old` stands in a file. `old` must stand there exactly once."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, kw_only=True)
class Bash:
    """Run a command of the shell in the working directory. It has no network."""

    command: str


Call = Read | Write | Edit | Bash
TOOLS: dict[str, type[Call]] = {"read": Read, "write": Write, "edit": Edit, "bash": Bash}
"""By the names that the model knows them by."""


def schema(tool: type[Call]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    _, parts = msgspec.json.schema_components((tool,))
    found: dict[str, Any] = parts[tool.__name__]
    return found


def call_of(name: str, arguments: str) -> Call:
    """A call as the model makes it, arguments in JSON; raises ValueError, whose text is for the model."""
    if name not in TOOLS:
        raise ValueError(f"there is no tool {name!r}; there are {', '.join(TOOLS)}")
    return msgspec.json.decode(arguments or "{}", type=TOOLS[name])


def told_of(call: Call) -> Event:
    """The call as an event of the session."""
    match call:
        case Read(path=path):
            return ToolCall(tool="read", about=path)
        case Write(path=path) | Edit(path=path):
            return FileEdit(path=path)
        case Bash(command=command):
            return ToolCall(tool="bash", about=command)


@dataclass(frozen=True, kw_only=True)
class Hands:
    """What carries calls out, in a worktree and until a moment of the monotonic clock.

    `readable`: places beside the worktree that may be read, and not written.
    """

    shell: Shell
    worktree: Path
    until: float
    confined: bool
    readable: tuple[Path, ...] = ()

    async def do(self, call: Call) -> str:
        """What the model is told of it, also of what went wrong."""
        try:
            match call:
                case Read():
                    return _window(await self._read(call.path), max(call.first, 1), call.count)
                case Write():
                    return await self._write(call.path, call.content)
                case Edit():
                    return await self._edit(call)
                case Bash():
                    return _words(await self._run("sh", "-c", call.command))
        except ValueError as error:
            return f"error: {error}"

    async def _edit(self, call: Edit) -> str:
        before = await self._read(call.path)
        if (times := before.count(call.old)) != 1:
            raise ValueError(f"the old text stands {times} times in {call.path}, and must stand there once")
        return await self._write(call.path, before.replace(call.old, call.new))

    async def _read(self, path: str) -> str:
        done = await self._run("cat", "--", self._inside(path, *self.readable), limit=2 * _FILE_BYTES)
        if not done.ok or done.dropped:
            raise ValueError(_words(done) if not done.ok else f"{path} is too large to be read whole")
        try:
            return done.stdout.decode()
        except UnicodeDecodeError as error:
            raise ValueError(f"{path} is not UTF-8") from error

    async def _write(self, path: str, text: str) -> str:
        words = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1"'
        done = await self._run("sh", "-c", words, "sh", self._inside(path), stdin=text.encode())
        if not done.ok:
            raise ValueError(_words(done))
        return f"wrote {path}"

    def _inside(self, path: str, *also: Path) -> str:
        """Its absolute path; the sandbox holds links that lead out, this holds without one, too.

        Raises ValueError for one that is neither in the worktree nor in the other places.
        """
        whole = Path(os.path.normpath(self.worktree / path))
        real = Path(os.path.realpath(whole))  # where links go in a circle `resolve` raises
        if not any(real.is_relative_to(place.resolve()) for place in (self.worktree, *also)):
            raise ValueError(f"{path} is not in the working directory {self.worktree}")
        return str(whole)

    async def _run(self, *argv: str, stdin: bytes = b"", limit: int = _OUTPUT_BYTES) -> Completed:
        """Run it as an agent's command; it ends with the session, whatever becomes of who waits for it."""
        left = max(self.until - time.monotonic(), 0.1)
        command = Command(
            argv=argv,
            cwd=self.worktree,
            stdin=stdin,
            timeout_s=min(left, _COMMAND_S),
            output_limit=limit,
            policy=Policy(writable=(self.worktree,), readable=self.readable) if self.confined else None,
            supervised=True,
        )
        return await asyncio.to_thread(self.shell.run, command)


def _window(text: str, first: int, count: int) -> str:
    """Whole lines, as many as an answer holds, and how to read on where there are more behind them."""
    lines = StringIO(text).readlines()  # the lines of other tools: a form feed ends none
    wanted = lines[first - 1 :][:count]
    fitting = sum(end <= _OUTPUT_BYTES for end in accumulate(map(len, wanted)))
    shown = wanted[: fitting or 1]
    said = "".join(shown)
    last = first - 1 + len(shown)
    cut = f", cut after {_OUTPUT_BYTES} characters" if len(said) > _OUTPUT_BYTES else ""
    on = f"; go on with first={last + 1}" if last < len(lines) else ""
    how = f"\n(lines {first}-{last} of {len(lines)}{cut}{on})" if cut or on else ""
    return f"{said[:_OUTPUT_BYTES]}{how}"


def _words(done: Completed) -> str:
    """What a command printed, and how it ended if that was not with 0."""
    cut = f"\n({done.dropped} bytes left out of the middle)" if done.dropped else ""
    how = "" if done.ok else f"\n({done.ending.value}, code {done.code})"
    return f"{done.text()}{cut}{how}".strip() or "(no output)"
