"""The room of a session: its own directory, what it may read, write and connect to, and how it is started."""

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sparky.domain.command import Command, Policy
from sparky.domain.run import room
from sparky.events import Aftermath, SessionEnding, SessionRequest, SessionResult
from sparky.ports import Progress, Shell

_SECRET = re.compile(rb"://[^/\s@]+@|extraheader|^\s*helper\s*=", re.IGNORECASE | re.MULTILINE)
_STREAM_BYTES = 4_000_000


@dataclass(frozen=True, kw_only=True)
class Room:
    """A session's own directory, which stays: `config` is the agent's, the rest is written down by sparky."""

    root: Path

    @property
    def config(self) -> Path:
        """Where the agent keeps its settings, its transcripts, and what it stores."""
        return self.root / "config"

    @property
    def stream(self) -> Path:
        """All that it printed."""
        return self.root / "stream.jsonl"

    @property
    def prompts(self) -> Path:
        """What sparky told it, a line of JSON for each session: no person said that."""
        return self.root / "prompts.jsonl"

    @property
    def egress(self) -> Path:
        """Whom it asked for a connection, a line each."""
        return self.root / "egress.jsonl"


@dataclass(frozen=True, kw_only=True)
class Launch:
    """How a program is started: its words, its variables, the directory of its own, and what it reads.

    `ports` are those of servers that it starts, and asks itself.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    config: Path
    stdin: bytes = b""
    ports: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where an agent works: `model_url` is where it finds its model, "" at the endpoint's own address."""

    room: Room
    proxy: str
    model_url: str
    confined: bool


@dataclass(frozen=True, kw_only=True)
class Grounds:
    """What sessions stand on. `sessions`: where rooms are made; `given`: variables that agents may know.

    `path` is where programs are looked for; `git_dir` the repository's, which agents may read if it holds no
    credentials.
    """

    shell: Shell
    progress: Progress
    sessions: Path
    given: Mapping[str, str]
    path: str
    git_dir: Path
    sandbox: bool


def make_room(sessions: Path, request: SessionRequest) -> Room:
    """The room of an attempt; one that was broken off with sparky finds what it left there."""
    made = Room(root=sessions / room(request.run, request.part, request.number, request.agent))
    made.config.mkdir(parents=True, exist_ok=True)
    made.stream.touch()
    made.egress.touch()
    with made.prompts.open("ab", buffering=0) as file:  # in one piece, so that a kill tears none
        file.write(f"{json.dumps(request.prompt)}\n".encode())
    return made


class Rooms:
    """The rooms of sessions that have ended. `read` is given an agent's directory, and sparky's prompts."""

    def __init__(self, sessions: Path, read: Callable[[Path, tuple[str, ...]], Aftermath]) -> None:
        self._sessions = sessions
        self._read = read

    def aftermath(self, room: str) -> Aftermath:
        """What the transcripts in a room tell; nothing where there is none."""
        found = Room(root=self._sessions / room)
        if not found.prompts.exists():
            return Aftermath()
        return self._read(found.config, tuple(_prompts(found.prompts.read_bytes())))


def _prompts(lines: bytes) -> Iterator[str]:
    for line in lines.splitlines():
        try:
            yield str(json.loads(line))
        except ValueError:  # a full disk or a failing machine can tear it all the same
            continue


def command_for(
    grounds: Grounds, program: Path, launch: Launch, request: SessionRequest, port: int
) -> Command:
    """The command of a session, confined if sessions are: it writes its worktree and its room's config.

    `port` is the proxy's.
    """
    readable = (*program_paths(program, grounds.path), *readable_beside(grounds, request))
    policy = Policy(
        writable=(request.worktree, launch.config), readable=readable, ports=(port, *launch.ports)
    )
    return Command(
        argv=(str(program.resolve()), *launch.argv),
        cwd=request.worktree,
        env=launch.env,
        stdin=launch.stdin,
        timeout_s=request.timeout_s,
        output_limit=_STREAM_BYTES,
        policy=policy if grounds.sandbox else None,
        supervised=True,
    )


def program_paths(program: Path, path: str) -> tuple[Path, ...]:
    """What must be read to run a program: its package with what that needs, and Node where it is at home."""
    real = program.resolve()
    packages = [parent for parent in real.parents if parent.name == "node_modules"]
    node = shutil.which("node", path=path)
    own = (packages[-1] if packages else real,)
    prefix = Path(node).resolve().parent.parent if node else None
    return (*own, *(prefix / part for part in ("bin", "lib") if prefix))


def readable_beside(grounds: Grounds, request: SessionRequest) -> tuple[Path, ...]:
    """What every agent may read beside its worktree: the repository, and what others left on its run."""
    reports = (request.reports,) if request.reports else ()
    return (*readable_git(grounds.git_dir), *reports)


def readable_git(git_dir: Path) -> tuple[Path, ...]:
    """The repository's git directory, unless its settings hold a credential or name who gives one."""
    try:
        settings = (git_dir / "config").read_bytes()
    except OSError:
        return ()
    return () if _SECRET.search(settings) else (git_dir,)


def unable(why: str) -> SessionResult:
    """A session that could not begin."""
    return SessionResult(claimed_success=False, summary="", ending=SessionEnding.UNABLE, detail=why)
