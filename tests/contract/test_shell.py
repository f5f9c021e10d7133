"""The contract of the port `Shell`, for every manner of running a command that this machine has."""

import gc
import os
import resource
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparky.adapters.sandbox import WAYS
from sparky.adapters.shell import SystemShell
from sparky.domain.command import Command, Completed, Ending, Level, Policy

PATH = "/usr/local/bin:/usr/bin:/bin"
PYTHON = (sys.executable, "-I", "-S", "-c")
MANNERS = ("plain", "supervised", *(way.name for way in WAYS))
PATIENCE_S = 20.0

# Holds the FIFO open from a child, too, says so, and waits to be ended.
HOLDER = """
import os, signal
fifo = os.open("fifo", os.O_WRONLY)
if os.fork() == 0:
    os.write(fifo, os.environ.get("TMPDIR", "up").encode())
signal.pause()
"""
# A daemon in a session of its own, whose father and grandfather are gone, holds the FIFO open.
DAEMON = """
import os, signal
ready, done = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        fifo = os.open("fifo", os.O_WRONLY)
        os.write(fifo, b"up")
        os.close(done)
        for number in (0, 1, 2):
            os.close(number)
        signal.pause()
    os._exit(0)
os.wait()
os.close(done)
os.read(ready, 1)
"""
# A program that uses the shell, to be killed or interrupted from outside.
PROGRAM = """
import signal
from pathlib import PosixPath
# Whoever runs the tests in the background may have told its children to ignore ^C.
signal.signal(signal.SIGINT, signal.default_int_handler)
from sparky.adapters.sandbox import WAYS
from sparky.adapters.shell import SystemShell
from sparky.domain.command import Command, Policy
try:
    SystemShell({base!r}, ways=[way for way in WAYS if way.name == {name!r}]).run({command!r})
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


class Manner:
    """A shell, and commands to be run in one manner."""

    def __init__(self, name: str, work: Path) -> None:
        self.name = name
        self.work = work
        self.base = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": str(work / "home"), "TOKEN": "canary"}
        ways = [way for way in WAYS if way.name == name]
        self.shell = SystemShell(self.base, ways=ways)
        self.level = ways[0].level if ways else Level.OFF
        self.confined = bool(ways)

    def command(self, *argv: str, **fields: Any) -> Command:
        policy = Policy(writable=(self.work,)) if self.confined else None
        command = Command(argv=argv, cwd=self.work, policy=policy, supervised=self.name == "supervised")
        return replace(command, **fields)

    def run(self, *argv: str, **fields: Any) -> Completed:
        return self.shell.run(self.command(*argv, **fields))


@pytest.fixture(params=MANNERS)
def manner(request: pytest.FixtureRequest, tmp_path: Path) -> Manner:
    manner = Manner(request.param, tmp_path)
    if manner.confined and manner.shell.level() is Level.OFF:
        pytest.skip(f"{request.param} cannot be had on this machine")
    return manner


@pytest.fixture
def fifo(tmp_path: Path) -> Iterator[int]:
    """The reading end of a FIFO that a command can write to; its end of file says that no writer lives."""
    os.mkfifo(tmp_path / "fifo")
    descriptor = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    yield descriptor
    os.close(descriptor)


def heard(fifo: int) -> bytes:
    """What comes next; b"" when the last writer is gone."""
    assert select.select([fifo], [], [], PATIENCE_S)[0], "nothing was heard"
    return os.read(fifo, 4096)


def timeless(completed: Completed) -> Completed:
    return replace(completed, seconds=0.0)


def test_it_tells_what_was_said_and_how_it_ended(manner: Manner) -> None:
    argv = ("sh", "-c", "pwd; echo trouble >&2; exit 3")

    completed = manner.run(*argv)

    assert timeless(completed) == Completed(
        argv=argv,
        ending=Ending.EXITED,
        code=3,
        stdout=f"{manner.work}\n".encode(),
        stderr=b"trouble\n",
        seconds=0.0,
        level=manner.level,
    )
    assert 0 < completed.seconds < PATIENCE_S


def test_death_by_a_signal_is_told_by_its_number(manner: Manner) -> None:
    completed = manner.run("sh", "-c", "kill -TERM $$")

    assert (completed.ending, completed.code) == (Ending.KILLED, -signal.SIGTERM)


def test_a_program_that_is_not_there_is_told(manner: Manner) -> None:
    completed = manner.run("no-such-program")

    assert timeless(completed) == Completed(
        argv=("no-such-program",),
        ending=Ending.NOT_FOUND,
        code=127,
        stdout=b"",
        stderr=b"cannot start no-such-program: No such file or directory",
        seconds=0.0,
        level=manner.level,
    )


def test_a_directory_that_is_not_there_is_told(manner: Manner) -> None:
    completed = manner.run("true", cwd=manner.work / "gone")

    assert (completed.ending, completed.code, completed.stderr) == (
        Ending.NOT_FOUND,
        127,
        f"cannot work in {manner.work / 'gone'}: No such file or directory".encode(),
    )


def test_nothing_leaks_into_the_environment(manner: Manner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORGE_TOKEN", "canary")

    completed = manner.run("/usr/bin/env", env={"WANTED": "yes = yes"})

    env = dict(line.split("=", 1) for line in completed.text().splitlines())
    own = {name: env.pop(name) for name in ("HOME", "TMPDIR") if manner.confined}
    base = {} if manner.confined else {"HOME": manner.base["HOME"]}
    assert env == {"PATH": PATH, "LANG": "C.UTF-8", "WANTED": "yes = yes"} | base
    assert manner.base["HOME"] not in own.values()


def test_input_larger_than_a_pipe_comes_back_whole(manner: Manner) -> None:
    data = bytes(range(256)) * 12_000

    assert manner.run("cat", stdin=data, output_limit=2 * len(data)).stdout == data


def test_input_that_nobody_reads_is_no_trouble(manner: Manner) -> None:
    assert manner.run("true", stdin=bytes(1_000_000)).ok


def test_without_input_there_is_none(manner: Manner) -> None:
    assert manner.run("cat").stdout == b""


def test_of_long_output_both_ends_are_kept_and_the_rest_is_counted(manner: Manner) -> None:
    said = "".join(f"{number}\n" for number in range(1, 50_001)).encode()

    completed = manner.run("sh", "-c", "seq 50000; seq 50000 >&2", output_limit=1001)

    assert completed.stdout == completed.stderr == said[:500] + said[-501:]
    assert completed.dropped == 2 * (len(said) - 1001)
    gap = f"\n({completed.dropped} bytes left out of the middle)\n".encode()
    assert completed.said() == completed.stdout + completed.stderr + gap


def test_output_of_just_the_limit_is_whole(manner: Manner) -> None:
    completed = manner.run("printf", "123456789", output_limit=9)

    assert (completed.stdout, completed.dropped) == (b"123456789", 0)


def test_what_takes_too_long_is_ended_with_all_that_it_started(manner: Manner, fifo: int) -> None:
    script = "exec 3>fifo; echo up >&3; echo before; sleep 1000 & sleep 1000"

    completed = manner.run("sh", "-c", script, timeout_s=0.5)

    assert (completed.ending, completed.code, completed.stdout) == (Ending.TIMED_OUT, -9, b"before\n")
    assert heard(fifo) == b"up\n"
    assert heard(fifo) == b""
    assert 0.5 <= completed.seconds < PATIENCE_S


def test_a_child_in_the_background_is_ended_and_not_waited_for(manner: Manner, fifo: int) -> None:
    completed = manner.run("sh", "-c", "exec 3>fifo; echo up >&3; sleep 1000 & echo over")

    assert completed.ok
    assert completed.stdout == b"over\n"
    assert heard(fifo) == b"up\n"
    assert heard(fifo) == b""


def test_a_daemon_is_ended_that_left_session_and_father(manner: Manner, fifo: int) -> None:
    if manner.name == "plain":
        pytest.skip("a plain command is not supervised")

    assert manner.run(*PYTHON, DAEMON).ok

    assert heard(fifo) == b"up"
    assert os.read(fifo, 1) == b""


def start_program(manner: Manner, *argv: str) -> subprocess.Popen[bytes]:
    text = PROGRAM.format(base=manner.base, name=manner.name, command=manner.command(*argv))
    return subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE)


def test_kill_9_of_the_shell_ends_what_it_runs(manner: Manner, fifo: int) -> None:
    program = start_program(manner, *PYTHON, HOLDER)
    temporary = heard(fifo).decode()

    program.kill()
    program.communicate()

    assert heard(fifo) == b""
    waited = threading.Event()
    for _ in range(int(PATIENCE_S / 0.01)):
        if not Path(temporary).parent.exists() or not manner.confined:
            break
        waited.wait(0.01)
    else:
        pytest.fail(f"{temporary} is left behind")


def test_an_interrupt_ends_everything_and_goes_on(manner: Manner, fifo: int) -> None:
    program = start_program(manner, *PYTHON, HOLDER)
    assert heard(fifo)

    program.send_signal(signal.SIGINT)

    assert program.communicate()[0] == b"interrupted\n"
    assert heard(fifo) == b""


def test_many_threads_may_run_commands_at_once(manner: Manner) -> None:
    with ThreadPoolExecutor(8) as threads:
        said = threads.map(lambda number: manner.run("echo", str(number)).stdout, range(16))

    assert list(said) == [f"{number}\n".encode() for number in range(16)]


def test_200_megabytes_of_output_take_no_memory(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    completed = Manner("plain", tmp_path).run("head", "-c", "200000000", "/dev/zero", output_limit=1000)

    assert (completed.stdout, completed.dropped) == (bytes(1000), 200_000_000 - 1000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_a_plain_command_cannot_ask_a_terminal(tmp_path: Path) -> None:
    completed = Manner("plain", tmp_path).run("sh", "-c", ": </dev/tty")

    assert completed.code != 0


def test_the_shell_leaves_no_descriptor_open(manner: Manner) -> None:
    manner.run("true")
    gc.disable()  # the shells of earlier tests do not let go of theirs in between
    try:
        before = sorted(Path("/proc/self/fd").iterdir())

        manner.run("true")
        manner.run("no-such-program")

        assert sorted(Path("/proc/self/fd").iterdir()) == before
    finally:
        gc.enable()
