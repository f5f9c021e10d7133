"""The pipes of a running process: feeds its input, keeps the two ends of its output, sees its end."""

import os
import select
import threading
import time
from subprocess import Popen
from types import TracebackType
from typing import Self

from sparky.domain.command import Command

CHUNK = 1 << 16
PIPE_AT_MOST = 1 << 20
LONGEST_WAIT_S = 3600.0
OVERDUE, HALTED, ENOUGH = "overdue", "halted", "enough"


class Kept:
    """The first half and the last half of `limit` bytes; what lay between is counted in `dropped`."""

    def __init__(self, limit: int) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._head_limit, self._tail_limit = limit // 2, limit - limit // 2
        self.dropped = 0

    def add(self, data: bytes) -> None:
        room = self._head_limit - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._tail_limit + CHUNK:
            self._trim()

    def data(self) -> bytes:
        self._trim()
        return bytes(self._head + self._tail)

    def _trim(self) -> None:
        excess = max(0, len(self._tail) - self._tail_limit)
        del self._tail[:excess]
        self.dropped += excess


class Talk:
    """A conversation with a process until it ends. `out` and `err` are what it said."""

    def __init__(self, process: Popen[bytes], command: Command, halt: int | None = None) -> None:
        self._halt = halt
        self._hearer = command.hear
        self._spoken = process.stdout.fileno() if process.stdout is not None else -1
        self.out, self.err = Kept(command.output_limit), Kept(command.output_limit)
        self._left = memoryview(command.stdin)
        self._poll = select.poll()
        outputs = (process.stdout, self.out), (process.stderr, self.err)
        self._said = {file.fileno(): kept for file, kept in outputs if file is not None}
        self._input = process.stdin
        for descriptor in self._said:
            os.set_blocking(descriptor, False)
            self._poll.register(descriptor, select.POLLIN)
        if self._input is not None:
            os.set_blocking(self._input.fileno(), False)
            self._poll.register(self._input.fileno(), select.POLLOUT)
        self._ended = _end_of(process)
        self._poll.register(self._ended, select.POLLIN)
        if halt is not None:
            self._poll.register(halt, select.POLLIN)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._ended)

    def until_end(self, deadline: float) -> str:
        """Empty if it ended by itself before the deadline (on the monotonic clock), else why it was left.

        Reads and feeds meanwhile.
        """
        while (left := deadline - time.monotonic()) > 0:
            for descriptor, _ in self._poll.poll(min(left, LONGEST_WAIT_S) * 1000):
                if descriptor == self._ended:
                    return ""
                if descriptor == self._halt:
                    return HALTED
                if descriptor in self._said:
                    if self._hear(descriptor, CHUNK):
                        return ENOUGH
                else:
                    self._tell()
        return OVERDUE

    def rest(self) -> None:
        """Read what is in the pipes now: one read empties a pipe; whoever still writes is not waited for."""
        for descriptor in tuple(self._said):
            self._hear(descriptor, PIPE_AT_MOST)

    def _hear(self, descriptor: int, size: int) -> bool:
        try:
            data = os.read(descriptor, size)
        except BlockingIOError:
            return False
        self._said[descriptor].add(data)
        if not data:
            self._poll.unregister(descriptor)
            del self._said[descriptor]
        return descriptor == self._spoken and self._hearer is not None and self._hearer(data)

    def _tell(self) -> None:
        if self._input is None:
            return
        try:
            self._left = self._left[os.write(self._input.fileno(), self._left[:CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._left = self._left[:0]
        if not self._left:
            self._poll.unregister(self._input.fileno())
            self._input.close()
            self._input = None


def _end_of(process: Popen[bytes]) -> int:
    """A descriptor that is readable when the process has ended, without reaping it where the kernel can."""
    try:
        return os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        reader, writer = os.pipe()

    def wait() -> None:
        process.wait()
        os.close(writer)

    threading.Thread(target=wait, daemon=True).start()
    return reader
