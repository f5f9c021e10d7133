"""What a confined process cannot do, for every way of confining that this machine has."""

import contextlib
import os
import platform
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.adapters.sandbox import LANDLOCK_ALONE, WAYS, Way, interpreter_paths
from sparky.adapters.shell import SystemShell
from sparky.domain.command import Command, Completed, Ending, Level, Policy

PATH = "/usr/local/bin:/usr/bin:/bin"
PYTHON = (sys.executable, "-I", "-c")
LINUX = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])
SIGNALS_ARE_SCOPED = (6, 12)


class Place:
    """A shell that confines in one way, a directory `work` to write in, a home with canaries beside it."""

    def __init__(self, root: Path, way: Way) -> None:
        self.way = way
        self.home, self.work, self.other = root / "home", root / "work", root / "other"
        for folder in (self.home / ".ssh", self.home / "tools", self.work, self.other):
            folder.mkdir(parents=True)
        for path in (self.home / ".ssh/id", self.home / ".token", self.other / "canary"):
            path.write_text("canary")
        (self.home / "tools/tool").write_text("a tool")
        base = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": str(self.home)}
        self.shell = SystemShell(base, ways=(way,))

    def run(self, *argv: str, network: bool = False, readable: tuple[Path, ...] = ()) -> Completed:
        policy = Policy(writable=(self.work,), readable=readable, network=network)
        return self.shell.run(Command(argv=argv, cwd=self.work, policy=policy))

    def python(self, text: str, *, network: bool = False) -> Completed:
        return self.run(*PYTHON, text, network=network, readable=interpreter_paths())


@pytest.fixture(params=WAYS, ids=lambda way: way.name)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    place = Place(tmp_path, request.param)
    if place.shell.level() is Level.OFF:
        pytest.skip(f"{place.way.name} cannot be had on this machine")
    return place


@pytest.mark.parametrize("canary", [".ssh/id", ".token"])
def test_the_home_cannot_be_read(place: Place, canary: str) -> None:
    completed = place.run("cat", str(place.home / canary))

    assert (completed.code, completed.stdout) == (1, b"")


def test_the_home_cannot_be_listed(place: Place) -> None:
    assert place.run("ls", "-A", str(place.home)).stdout == b""


def test_a_home_is_closed_wherever_it_lies(place: Place) -> None:
    shell = SystemShell({"PATH": PATH, "HOME": "/usr/share"}, ways=(place.way,))
    argv = ("sh", "-c", "ls -A /usr/share; ls -d /usr/bin/env")

    completed = shell.run(Command(argv=argv, cwd=place.work, policy=Policy(writable=(place.work,))))

    assert completed.stdout == b"/usr/bin/env\n"


def test_a_null_byte_in_an_argument_gives_no_orders_to_the_launcher(place: Place) -> None:
    with pytest.raises(ValueError, match="embedded null byte"):
        place.run("true", f"x\0write\0{place.other}")


def test_a_link_in_the_worktree_leads_nowhere(place: Place) -> None:
    (place.work / "link").symlink_to(place.home / ".token")

    assert place.run("cat", "link").code == 1


def test_of_the_home_only_what_is_named_can_be_read(place: Place) -> None:
    tool = place.home / "tools/tool"

    completed = place.run("cat", str(tool), str(place.home / ".token"), readable=(tool.parent,))

    assert (completed.code, completed.stdout) == (1, b"a tool")
    assert not place.run("sh", "-c", f"echo x >{tool}", readable=(tool.parent,)).ok


def test_what_is_named_by_a_path_over_links_is_found_by_it(place: Place) -> None:
    (place.home / "current").symlink_to("tools")

    completed = place.run("cat", str(place.home / "current/tool"), readable=(place.home / "current",))

    assert completed.stdout == b"a tool"


def test_the_worktree_can_be_written(place: Place) -> None:
    script = "mkdir -p a/b; echo text >a/b/file; mv a/b/file moved; ln -s moved link; rm -r a"

    assert place.run("sh", "-c", script).text() == ""
    assert (place.work / "link").read_text() == "text\n"


@pytest.mark.parametrize(
    "attempt",
    [
        "echo x >{other}/new",
        "echo x >{other}/canary",
        "rm {other}/canary",
        "mv {other}/canary .",
        "ln {other}/canary .",
        "mkdir {other}/folder",
        "truncate -s 0 {other}/canary",
        "mknod device b 7 0",
    ],
)
def test_nothing_else_can_be_written(place: Place, attempt: str) -> None:
    place.run("sh", "-c", attempt.format(other=place.other), readable=(place.other,))

    assert [path.name for path in place.other.iterdir()] == ["canary"]
    assert (place.other / "canary").read_text() == "canary"
    assert not any(path.is_block_device() for path in place.work.iterdir())


def test_modes_outside_cannot_be_changed(place: Place) -> None:
    if place.way == LANDLOCK_ALONE:
        pytest.skip("Landlock has no rule for modes")
    mode = place.other.stat().st_mode

    assert not place.run("chmod", "777", str(place.other), readable=(place.other,)).ok
    assert place.other.stat().st_mode == mode


def test_the_system_cannot_be_written_and_can_be_read(place: Place) -> None:
    completed = place.run("sh", "-c", "cat /etc/passwd >passwd; echo x >/etc/sparky-was-here")

    assert completed.code != 0
    assert (place.work / "passwd").read_text() == Path("/etc/passwd").read_text()
    assert not Path("/etc/sparky-was-here").exists()


def test_home_and_temporary_directory_are_private_and_removed(place: Place) -> None:
    script = 'ls -A "$HOME"; touch "$HOME/x"; mkdir -p $TMPDIR/a/b; chmod 0 $TMPDIR/a; echo $HOME $TMPDIR'

    completed = place.run("sh", "-c", script)

    home, temporary = completed.stdout.decode().split()
    assert (Path(home).name, Path(temporary).name, completed.stderr) == ("home", "tmp", b"")
    assert Path(home).parent == Path(temporary).parent != place.home.parent
    assert not Path(home).parent.exists()


def test_the_temporary_directory_of_all_is_its_own(place: Place) -> None:
    completed = place.run("sh", "-c", "echo x >/tmp/sparky-was-here")

    assert completed.ok is (place.way != LANDLOCK_ALONE)
    assert not Path("/tmp/sparky-was-here").exists()


def test_devices_of_everyday_use_work(place: Place) -> None:
    script = (
        "echo x >/dev/null; echo out >/dev/stdout; echo err >/dev/stderr; head -c 3 /dev/zero /dev/urandom"
    )

    assert place.run("sh", "-c", script + " >/dev/null").text() == "out\nerr\n"


def test_disks_cannot_be_read(place: Place) -> None:
    disks = [path for path in Path("/dev").iterdir() if path.is_block_device()]
    if not disks:
        pytest.skip("this machine shows no disk")

    assert place.run("head", "-c", "1", *map(str, disks)).stdout == b""


def test_python_runs_with_processes_of_its_own(place: Place) -> None:
    text = "import multiprocessing as m\nwith m.Pool(2) as pool: print(pool.map(abs, [-1, 2]))"

    assert place.python(text).text() == "[1, 2]\n"


def test_no_privilege_can_be_had(place: Place) -> None:
    status = place.run("cat", "/proc/self/status").stdout.decode()

    fields = dict(line.split(":\t", 1) for line in status.splitlines())
    mounts_modules_raw_handles = 1 << 21 | 1 << 16 | 1 << 2
    assert fields["NoNewPrivs"] == "1"
    assert int(fields["CapBnd"], 16) & mounts_modules_raw_handles == 0 or os.geteuid()


def test_a_process_outside_cannot_be_killed(place: Place) -> None:
    if place.way == LANDLOCK_ALONE and LINUX < SIGNALS_ARE_SCOPED:
        pytest.skip("Landlock knows signals since Linux 6.12")
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as victim:
        assert not place.run("sh", "-c", f"kill -9 {victim.pid}").ok
        assert victim.poll() is None


def test_the_environment_of_a_process_outside_cannot_be_read(place: Place) -> None:
    assert place.run("cat", f"/proc/{os.getpid()}/environ").stdout == b""


SEND = """
import socket
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"canary", ("127.0.0.1", {udp}))
    socket.create_connection(("127.0.0.1", {tcp})).sendall(b"canary")
except OSError as error:
    print("not sent:", error)
"""


@pytest.mark.parametrize("network", [False, True])
def test_the_network_is_reached_only_if_allowed(place: Place, *, network: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        for listener in tcp, udp:
            listener.settimeout(0)
        ports = {"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1]}

        said = place.python(SEND.format(**ports), network=network).stdout

        assert said.startswith(b"not sent:") is not network
        if network:
            assert udp.recv(6) == b"canary"
            tcp.accept()[0].close()
        else:
            with pytest.raises(BlockingIOError):
                udp.recv(6)
            with pytest.raises(BlockingIOError):
                tcp.accept()


def test_without_network_a_server_of_its_own_can_be_reached(place: Place) -> None:
    if place.way == LANDLOCK_ALONE:
        pytest.skip("without namespaces there is no loopback of its own")
    text = (
        "import socket\n"
        "with socket.create_server(('127.0.0.1', 0)) as server:\n"
        "    socket.create_connection(server.getsockname()).sendall(b'hello')\n"
        "    print(server.accept()[0].recv(5))"
    )

    assert place.python(text).text() == "b'hello'\n"


def test_a_socket_of_another_program_cannot_be_reached(place: Place) -> None:
    if place.way == LANDLOCK_ALONE:
        pytest.skip("Landlock has no rule for UNIX sockets with a path")
    with socket.socket(socket.AF_UNIX) as listener:
        with contextlib.chdir(place.other):  # a socket's whole path is limited to 107 bytes
            listener.bind("socket")
        listener.listen()
        reach = f"os.chdir({str(place.other)!r}); socket.socket(socket.AF_UNIX).connect('socket')"

        said = place.python(f"import os, socket; {reach}", network=True)

        assert b"No such file or directory" in said.stderr


def test_the_repository_behind_a_worktree_is_read_only(place: Place) -> None:
    main = place.other / "main"

    def git(*args: str) -> bytes:
        argv = ("git", "-C", str(main), "-c", "user.name=n", "-c", "user.email=e", *args)
        return subprocess.run(argv, check=True, capture_output=True).stdout

    main.mkdir()
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "first")
    git("worktree", "add", "-q", "-b", "topic", str(place.work / "tree"))
    (place.work / "tree/file").write_text("text")
    before = {path: path.stat().st_mtime_ns for path in main.rglob("*")}

    def confined(*args: str) -> Completed:
        argv = ("git", "-c", f"safe.directory={place.work}/tree", "-C", "tree", *args)
        return place.run(*argv, readable=(main,))

    assert confined("status", "--short").stdout == b"?? file\n"
    assert not confined("add", "file").ok
    assert not confined("update-ref", "refs/heads/topic", "HEAD^{tree}").ok
    assert not confined("config", "core.fsmonitor", "evil").ok
    assert {path: path.stat().st_mtime_ns for path in main.rglob("*")} == before


def test_what_cannot_be_confined_as_asked_is_refused_and_not_run(place: Place) -> None:
    policy = Policy(writable=(place.work, place.work / "missing"))
    command = Command(argv=("touch", str(place.work / "ran")), cwd=place.work, policy=policy)

    completed = place.shell.run(command)

    assert replace(completed, seconds=0.0, stderr=b"") == Completed(
        argv=command.argv, ending=Ending.REFUSED, code=126, stdout=b"", stderr=b"", seconds=0.0
    )
    assert b"missing" in completed.stderr
    assert list(place.work.iterdir()) == []
