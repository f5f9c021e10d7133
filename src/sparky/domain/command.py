"""A command to run, what it may touch, and what came of it."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path


class Level(Enum):
    """How a process was confined. Shown on every result."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    OFF = "off"


class Ending(Enum):
    """How a process ended, as sparky saw it."""

    EXITED = "exited"
    KILLED = "killed"
    TIMED_OUT = "timed out"
    NOT_FOUND = "command not found"
    REFUSED = "refused by the sandbox"


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What a confined process may touch.

    `writable` are the only trees it may write (with its private temporary directory); all that is not the
    home directory may be read, and of the home directory only what `readable` names. `network` False means
    no connection to anywhere but its own loopback where a namespace can be had, else no TCP at all; with
    `ports`, TCP to just these (filtered by number, not by host), and no UDP.
    """

    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    network: bool = False
    ports: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Command:
    """A process to start. `env` is its environment but for PATH, LANG and HOME; `policy` None: unconfined.

    Output beyond `output_limit` bytes per stream is thrown away and counted: the first half and the last
    half of the limit are kept. `supervised`: without a policy, too, children that left the process group are
    ended with it; costs an interpreter's start. `feed`: an open descriptor that it reads, not `stdin`.
    `hear` gets its standard output as it comes, and ends it by True.
    """

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    feed: int | None = None
    hear: Callable[[bytes], bool] | None = None
    timeout_s: float = 600.0
    output_limit: int = 1_000_000
    policy: Policy | None = None
    supervised: bool = False


@dataclass(frozen=True, kw_only=True)
class Completed:
    """What came of a command. `code`: exit code, or minus the signal; `dropped` counts bytes not kept."""

    argv: tuple[str, ...]
    ending: Ending
    code: int
    stdout: bytes
    stderr: bytes
    seconds: float
    level: Level = Level.OFF
    dropped: int = 0

    @property
    def ok(self) -> bool:
        """Whether it exited by itself with 0."""
        return self.ending is Ending.EXITED and self.code == 0

    def said(self) -> bytes:
        """Standard output, then standard error, and how much of them was not kept."""
        cut = f"\n({self.dropped} bytes left out of the middle)\n" if self.dropped else ""
        return self.stdout + self.stderr + cut.encode()

    def text(self) -> str:
        """Standard output, then standard error, as text; undecodable bytes are escaped."""
        return (self.stdout + self.stderr).decode("utf-8", "backslashreplace")


def digest(data: bytes) -> str:
    """The name of a blob: its SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()
