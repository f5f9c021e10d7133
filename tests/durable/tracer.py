"""Sees each change that a process and all that it starts make outside themselves, at the moment before it.

Linux on x86-64 only: a filter (seccomp) stops the calls that can change a file or start a program, and the
tracer (ptrace) looks at what they are about to do. Whoever is stopped there can be killed there.
"""

import ctypes
import os
import re
import signal
import stat
import struct
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from tests.durable.calls import CALLS, LIBC, Call, Kind, stop_at_calls

_CONT, _SYSCALL, _SEIZE, _LISTEN, _INFO = 7, 24, 0x4206, 0x4208, 0x420E
_GOOD, _FORK, _VFORK, _CLONE, _EXEC, _SECCOMP, _EXIT_KILL = 1, 2, 4, 8, 0x10, 0x80, 0x100000
_EVENT_EXEC, _EVENT_SECCOMP, _EVENT_STOP = 4, 7, 128
_ALL = 0x40000000
_AT_CWD = 0xFFFFFF9C


@dataclass(frozen=True, kw_only=True, order=True)
class Boundary:
    """The moment before a change: the `number`th of those that look the same, counted from 1."""

    kind: str
    what: str
    number: int


_REFS = re.compile(r"/\.git/(worktrees/[^/]+/)?(HEAD|packed-refs|refs/.*)$")
_VARYING = (
    (re.compile(r"(tmp_(?:obj|pack|idx)_|sparky-|tree-|files-|pid\d+\.|/\.?tmp|/\.)\w{6,8}(?=/|$)"), r"\1#"),
    (re.compile(r"[0-9a-f]{8,}"), "#"),
    (re.compile(r"objects/[0-9a-f]{2}\b"), "objects/#"),
    (re.compile(r"blobs/[0-9a-f]{2}\b"), "blobs/#"),
    (re.compile(r"\d{2,}"), "#"),
)
"""What of a name differs from one run to the next."""


class Tracer:
    """Follows one process, and tells `reached` of every boundary; True from it: kill the process there.

    One change is made at a time: nothing changes while `reached` looks.
    """

    def __init__(self, root: Path, reached: Callable[[Boundary], bool]) -> None:
        self._root = f"{root}/"
        self._reached = reached
        self._seen = Counter[tuple[str, str]]()
        self._known: set[int] = set()
        self._pending: dict[int, Boundary] = {}
        self._waiting: deque[tuple[int, Boundary]] = deque()
        self._committing: set[int] = set()
        self.passed: list[Boundary] = []
        """The boundaries whose change was made, in order."""

    def follow(self, work: Callable[[], None]) -> int:
        """Fork, do the work there, and follow it until all is over; its exit code, negative for a signal.

        Raises TimeoutError if anything that it started lives on for ten seconds after it.
        """
        main = os.fork()
        if main == 0:
            play(lambda: _stopped(work))
        os.waitpid(main, os.WUNTRACED)
        options = _GOOD | _FORK | _VFORK | _CLONE | _EXEC | _SECCOMP | _EXIT_KILL
        _ptrace(_SEIZE, main, options)
        os.kill(main, signal.SIGCONT)
        self._known.add(main)
        return self._until_end(main)

    def _until_end(self, main: int) -> int:
        code, held, over = 0, set[int](), float("inf")
        while self._known:
            if (dying := self._next()) is not None:
                os.kill(main, signal.SIGKILL)
                held.add(dying)
            is_over = over != float("inf")
            pid, status = _wait(time.monotonic() + _QUIET_S if held and is_over else over)
            if pid == 0 and not held:
                raise TimeoutError(f"processes outlive their killed parent: {_named(self._known)}")
            if pid == 0:  # what was stopped goes on without its parent
                _go_on(held.pop())
                over = time.monotonic() + _PATIENCE_S
                continue
            self._known.add(pid)
            if os.WIFEXITED(status) or os.WIFSIGNALED(status):
                self._known.discard(pid)
                self._pending.pop(pid, None)
                held.discard(pid)
                if pid == main:
                    code, over = os.waitstatus_to_exitcode(status), time.monotonic() + _PATIENCE_S
            else:
                self._hear(pid, status)
        return code

    def _next(self) -> int | None:
        """Let the next change be made, if none is; the process before whose change all has to end, if so."""
        while self._waiting and not self._pending:
            pid, boundary = self._waiting.popleft()
            if pid in self._known:
                if self._reached(boundary):
                    return pid
                self._pending[pid] = boundary
                _go_on(pid, _SYSCALL)
        return None

    def _hear(self, pid: int, status: int) -> None:
        """Let the process go on, unless it is about to change something: that waits for its turn."""
        number, event = os.WSTOPSIG(status), status >> 16
        if event == _EVENT_SECCOMP:
            boundary = self._boundary(pid)
            if boundary is None:
                _go_on(pid)
            else:
                self._waiting.append((pid, boundary))
        elif event == _EVENT_EXEC or number == signal.SIGTRAP | 0x80:
            boundary = self._pending.pop(pid, None)
            if boundary is not None and (event == _EVENT_EXEC or _result(pid) >= 0):
                self.passed.append(boundary)
            _go_on(pid)
        elif event == _EVENT_STOP and number != signal.SIGTRAP:
            _go_on(pid, _LISTEN)
        else:
            _go_on(pid, _CONT, 0 if event or number == signal.SIGTRAP else number)

    def _boundary(self, pid: int) -> Boundary | None:
        """What the stopped call is about to change; None if that is no file, and starts nothing."""
        number, args = _asked(pid)
        call = CALLS[number]
        path = _path(pid, call, args)
        if path is None or path.endswith("-shm"):
            return None
        kind = call.kind
        if path.endswith("-wal") and number == 18:
            kind, path = Kind.COMMIT, "the write-ahead log"
            if not self._ends_transaction(pid, args):
                return None
        if kind is Kind.START:
            path = _command(pid, args[1])
        elif _REFS.search(path.removesuffix(".lock")) and kind in {Kind.RENAME, Kind.REMOVAL}:
            kind = Kind.REF
        what = path.removeprefix(self._root).replace(self._root, "/")
        for pattern, word in _VARYING:
            what = pattern.sub(word, what)
        self._seen[kind.value, what] += 1
        return Boundary(kind=kind.value, what=what, number=self._seen[kind.value, what])

    def _ends_transaction(self, pid: int, args: tuple[int, ...]) -> bool:
        """Whether the page is written that makes a transaction count: the header before it says so."""
        if args[2] == 24:
            head = _memory(pid, args[1], 8)
            if head[4:] != bytes(4):
                self._committing.add(pid)
            return False
        ends = pid in self._committing
        self._committing.discard(pid)
        return ends


_PATIENCE_S = 10.0
_QUIET_S = 0.1
"""How long nothing may have happened after the kill before the process that was stopped goes on."""


def play(work: Callable[[], None]) -> NoReturn:
    """Do the work, and end this process, which is a fork, with 0 or 1."""
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def _stopped(work: Callable[[], None]) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)
    stop_at_calls()
    work()


def _ptrace(request: int, pid: int, data: int = 0, address: int = 0) -> int:
    done: int = LIBC.ptrace(request, pid, address, data)
    if done < 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x}")
    return done


def _go_on(pid: int, how: int = _CONT, number: int = 0) -> None:
    with suppress(ProcessLookupError):  # killed while it was stopped
        _ptrace(how, pid, number)


def _wait(until: float) -> tuple[int, int]:
    """The next process that stopped or ended, with its status; (0, 0) when the time is over."""
    while until != float("inf"):
        pid, status = os.waitpid(-1, _ALL | os.WNOHANG)
        if pid or time.monotonic() > until:
            return pid, status
        time.sleep(0.002)
    return os.waitpid(-1, _ALL)


def _asked(pid: int) -> tuple[int, tuple[int, ...]]:
    """Number and arguments of the call that a process is stopped at."""
    place = ctypes.create_string_buffer(88)
    _ptrace(_INFO, pid, ctypes.addressof(place), 88)
    number, *args = struct.unpack_from("<7Q", place.raw, 24)
    return number, tuple(args)


def _result(pid: int) -> int:
    place = ctypes.create_string_buffer(88)
    _ptrace(_INFO, pid, ctypes.addressof(place), 88)
    said: int = struct.unpack_from("<q", place.raw, 24)[0]
    return said


def _memory(pid: int, address: int, size: int) -> bytes:
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        memory.seek(address)
        return memory.read(size)


def _text(pid: int, address: int) -> str:
    said = b""
    while b"\0" not in said:
        said += _memory(pid, address + len(said), 4096 - (address + len(said)) % 4096)
    return os.fsdecode(said.partition(b"\0")[0])


def _path(pid: int, call: Call, args: tuple[int, ...]) -> str | None:
    """The path of the file that is about to be changed; None for pipes, devices and files without a name."""
    if call.descriptor is not None:
        place = Path(f"/proc/{pid}/fd/{args[call.descriptor]}")
        with suppress(OSError):
            path = str(place.readlink())
            regular = path.startswith("/") and stat.S_ISREG(place.stat().st_mode)
            return path if regular and not path.startswith("/memfd:") else None
        return None
    if call.kind is Kind.DIRECTORY and _mounts(pid) != _mounts(os.getpid()):  # what a sandbox mounts upon
        return None
    folder = "cwd"
    if call.folder is not None and args[call.folder] & 0xFFFFFFFF != _AT_CWD:
        folder = f"fd/{args[call.folder]}"
    said = _text(pid, args[call.path or 0])
    path = os.path.normpath(Path(f"/proc/{pid}/{folder}").readlink() / said)
    return None if path.startswith(("/dev/", "/proc/", "/sys/")) else path


def _mounts(pid: int) -> str:
    return str(Path(f"/proc/{pid}/ns/mnt").readlink())


def _command(pid: int, address: int) -> str:
    """The first words of the arguments of a program that is about to be started."""
    words = (word for word in _words(pid, address) if not word.startswith("--"))
    return " ".join(Path(word).name for _, word in zip(range(4), words, strict=False))


def _words(pid: int, address: int) -> Iterator[str]:
    while place := struct.unpack("<Q", _memory(pid, address, 8))[0]:
        yield _text(pid, place)
        address += 8


def _named(pids: set[int]) -> str:
    lines = (Path(f"/proc/{pid}/cmdline") for pid in pids)
    return ", ".join(line.read_bytes().replace(b"\0", b" ").decode()[:120] for line in lines if line.exists())
