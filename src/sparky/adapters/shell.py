"""The one door to processes: runs a command to its end and ends all that it started."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import BinaryIO

from sparky.adapters.sandbox import INTERPRETER, WAYS, Way, hidden_places, orders
from sparky.adapters.shell_pipes import ENOUGH, HALTED, OVERDUE, Talk
from sparky.domain.command import Command, Completed, Ending, Level, Policy

WARDEN = Path(__file__).with_name("warden.py")
FROM_BASE = ("PATH", "LANG", "HOME")
NOT_FOUND, REFUSED = 127, 126
GRACE_S = 10.0
TRIAL = Command(argv=(), cwd=Path("/"), timeout_s=20.0, policy=Policy())
STOPPED = "ended by sparky, since its run was stopped"
NO_SANDBOX = "no sandbox can be had on this machine (neither Landlock nor bubblewrap), so nothing was run"


class SystemShell:
    """Processes of this machine. Safe to use from several threads.

    `base_env` gives PATH, LANG and HOME to every command, and nothing else; its HOME is hidden from confined
    commands, with the homes of others, the shared temporary directories, `/run`, `scratch` and `hidden`.
    Confined commands get an empty HOME and a TMPDIR of their own, below `scratch`, removed afterwards.
    `ways` are tried in order; the first that works on this machine is used from then on.

    Without a policy a child that leaves the process group outlives the command, unless it is `supervised`.
    """

    def __init__(
        self,
        base_env: Mapping[str, str],
        *,
        ways: Sequence[Way] = WAYS,
        hidden: Sequence[Path] = (),
        scratch: Path | None = None,
    ) -> None:
        self._env = {"PATH": os.defpath} | {name: base_env[name] for name in FROM_BASE if name in base_env}
        self._scratch = scratch or Path(tempfile.gettempdir())
        self._closed = (*hidden, self._scratch)
        self._bwrap = shutil.which("bwrap", path=self._env["PATH"])
        self._ways = [way for way in ways if self._bwrap or not way.bubblewrap]
        self._chosen: list[Way | None] = []
        self._choosing = threading.Lock()
        self._warden = _Warden()
        self._stopped = threading.Event()
        self._halted = os.pipe()
        weakref.finalize(self, _close, self._halted)

    def run(self, command: Command) -> Completed:
        """Run it to its end and end all that it started. Never raises for what the process does.

        REFUSED, with the reason on stderr: it could not be confined as its policy asks, and was not run.
        """
        if self._stopped.is_set() and (command.policy is not None or command.supervised):
            return _failed(command, Ending.KILLED, -signal.SIGKILL, STOPPED)
        if command.policy is not None:
            way = self.way()
            if way is None:
                return _failed(command, Ending.REFUSED, REFUSED, NO_SANDBOX)
            return self._confined(command, way)
        if command.supervised and sys.platform == "linux":
            return self._launched(command, {**self._env, **command.env}, None, Path("/"))
        return self._plain(command)

    def halt(self) -> None:
        """End all confined and supervised commands, now and from now on; others run to their end."""
        self._stopped.set()
        os.write(self._halted[1], b".")

    def halted(self) -> bool:
        """Whether `halt` was called."""
        return self._stopped.is_set()

    def level(self) -> Level:
        """The confinement that a command with a policy gets on this machine."""
        way = self.way()
        return Level.OFF if way is None else way.level

    def way(self) -> Way | None:
        """How commands with a policy are confined; None if no way works here. Tried at the first call."""
        with self._choosing:
            if not self._chosen:
                works = (way for way in self._ways if self._confined(TRIAL, way).ok)
                self._chosen.append(next(works, None))
            return self._chosen[0]

    def _plain(self, command: Command) -> Completed:
        self._warden.ready()  # before the command: what starts while a warden does would outlive a kill
        started = time.monotonic()
        try:
            process = Popen(
                command.argv,
                cwd=command.cwd,
                env={**self._env, **command.env},
                stdin=_input(command),
                stdout=PIPE,
                stderr=PIPE,
                start_new_session=True,
            )
        except OSError as error:
            what = f"start {command.argv[0]}" if command.cwd.is_dir() else f"work in {command.cwd}"
            return _failed(command, Ending.NOT_FOUND, NOT_FOUND, f"cannot {what}: {error.strerror}")

        def stop() -> None:
            _kill_group(process)
            self._warden.tell(f"-{process.pid}\n")
            process.wait()

        self._warden.tell(f"+{process.pid}\n")
        talk, why = _attend(process, command, started, stop)
        return _completed(command, talk, started, why or f"code {process.returncode}")

    def _confined(self, command: Command, way: Way) -> Completed:
        with _private_directory(self._scratch) as private:
            own = {"HOME": str(private / "home"), "TMPDIR": str(private / "tmp")}
            completed = self._launched(command, {**self._env, **own, **command.env}, way, private)
        return completed if completed.ending is Ending.REFUSED else replace(completed, level=way.level)

    def _launched(
        self, command: Command, env: Mapping[str, str], way: Way | None, private: Path
    ) -> Completed:
        hidden = hidden_places(self._env.get("HOME"), self._closed)
        spec = orders(command, env, way=way, hidden=hidden, private=private, bwrap=self._bwrap or "")
        started = time.monotonic()
        with ExitStack() as stack:
            control, hold = _pipe(stack)
            status, report = _pipe(stack)
            given = [file.fileno() for file in (_memory(spec, stack), control, report)]
            process = Popen(
                (*INTERPRETER, "launch", *map(str, given)),
                cwd="/",
                env=self._env,
                stdin=_input(command),
                stdout=PIPE,
                stderr=PIPE,
                start_new_session=True,
                pass_fds=given,
            )

            def stop() -> None:
                hold.close()
                try:
                    process.wait(GRACE_S)
                except subprocess.TimeoutExpired:
                    _kill_group(process)
                    process.wait()

            talk, why = _attend(process, command, started, stop, self._halted[0])
            return _completed(command, talk, started, why or _first_line(status))


class _Warden:
    """A process that ends the groups told to it when this one dies; started with the first command."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._process: Popen[bytes] | None = None

    def ready(self) -> Popen[bytes]:
        with self._starting:
            self._process = self._process or self._start()
            return self._process

    def tell(self, line: str) -> None:
        process = self.ready()
        # A warden that was killed is no reason to stop: it is needed only if this process is killed, too.
        if process.stdin is not None:
            with suppress(BrokenPipeError):
                os.write(process.stdin.fileno(), line.encode())

    def _start(self) -> Popen[bytes]:
        argv = (sys.executable, "-I", "-S", str(WARDEN))
        process = Popen(
            argv, cwd="/", env={}, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True
        )
        weakref.finalize(self, process.communicate)
        return process


def _attend(
    process: Popen[bytes],
    command: Command,
    started: float,
    stop: Callable[[], None],
    halt: int | None = None,
) -> tuple[Talk, str]:
    """What it said, and why it was ended, "" if it ended by itself. `stop` ends and reaps it in any case."""
    with process, ExitStack() as stack:
        with ExitStack() as ending:
            ending.callback(stop)
            talk = stack.enter_context(Talk(process, command, halt))
            why = talk.until_end(started + command.timeout_s)
        talk.rest()
    return talk, why


def _completed(command: Command, talk: Talk, started: float, verdict: str) -> Completed:
    """From the verdict, as the launcher words it."""
    word, _, text = verdict.partition(" ")
    match word:
        case "code":
            code = int(text)
            ending, said = Ending.KILLED if code < 0 else Ending.EXITED, ""
        case "missing":
            ending, code, said = Ending.NOT_FOUND, NOT_FOUND, text
        case _ if verdict == OVERDUE:
            ending, code, said = Ending.TIMED_OUT, -signal.SIGKILL, ""
        case _ if verdict in {HALTED, ENOUGH}:
            ending, code = Ending.KILLED, -signal.SIGKILL
            said = STOPPED if verdict == HALTED else ""
        case _:
            ending, code, said = Ending.REFUSED, REFUSED, text or "the launcher ended without a word"
    return Completed(
        argv=command.argv,
        ending=ending,
        code=code,
        stdout=talk.out.data(),
        stderr=talk.err.data() + said.encode(),
        seconds=time.monotonic() - started,
        dropped=talk.out.dropped + talk.err.dropped,
    )


def _failed(command: Command, ending: Ending, code: int, why: str) -> Completed:
    return Completed(
        argv=command.argv, ending=ending, code=code, stdout=b"", stderr=why.encode(), seconds=0.0
    )


def _close(descriptors: tuple[int, int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _input(command: Command) -> int:
    return command.feed if command.feed is not None else PIPE if command.stdin else DEVNULL


def _kill_group(process: Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _first_line(status: BinaryIO) -> str:
    os.set_blocking(status.fileno(), False)
    return (status.read(1 << 16) or b"").decode(errors="replace").partition("\n")[0]


def _pipe(stack: ExitStack) -> tuple[BinaryIO, BinaryIO]:
    reader, writer = os.pipe()
    ends = os.fdopen(reader, "rb", 0), os.fdopen(writer, "wb", 0)
    for end in ends:
        stack.enter_context(end)
    return ends


def _memory(data: bytes, stack: ExitStack) -> BinaryIO:
    file = os.fdopen(os.memfd_create("orders"), "w+b", 0)
    stack.enter_context(file)
    file.write(data)
    return file


@contextmanager
def _private_directory(scratch: Path) -> Iterator[Path]:
    scratch.mkdir(parents=True, exist_ok=True)
    path = Path(tempfile.mkdtemp(prefix="sparky-", dir=scratch)).resolve()
    try:
        for name in "home", "tmp":
            (path / name).mkdir(0o700)
        yield path
    finally:
        _remove(path)


def _remove(path: Path) -> None:
    """Remove a tree, also one whose directories were closed by who made them."""
    shutil.rmtree(path, ignore_errors=True)
    if path.exists():
        for folder, names, _ in os.walk(path):
            for name in names:
                if not Path(folder, name).is_symlink():
                    Path(folder, name).chmod(0o700)
        shutil.rmtree(path, ignore_errors=True)
