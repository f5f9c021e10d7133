"""What a power failure can leave: the files as they are, and a database that lost its last commits.

The write-ahead log of a finished run is cut at a frame; the run is then gone on with, or asked for again. In
the end there is one commit on main, whatever the database forgot.
"""

import multiprocessing
import shutil
import sqlite3

import pytest

from tests.durable.driver import drive, exit_code
from tests.durable.world import World

_HEADER, _FRAME_HEADER = 32, 24
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.durable.driver"])


def finished(world: World) -> int:
    """Drive the run to its end and die there, the log not yet copied back; the number of its frames."""
    exit_code(world, "before:decide:0")
    checkpoint(world)
    exit_code(world, "after:close")
    for name in ("state", "repo"):
        shutil.copytree(world.root / name, world.root / f"{name}-then", symlinks=True)
    log = (world.state / "sparky.db-wal").read_bytes()
    return (len(log) - _HEADER) // frame_size(log)


def frame_size(log: bytes) -> int:
    """Bytes of one frame: its header and a page."""
    return int.from_bytes(log[8:12], "big") + _FRAME_HEADER


def checkpoint(world: World) -> None:
    """Copy the log back into the database, so that it starts anew."""
    connection = sqlite3.connect(world.state / "sparky.db")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.close()


def cut(world: World, frames: int) -> None:
    """Put everything back as it was in the end, with a log of that many frames and half a frame more."""
    for name in ("state", "repo"):
        shutil.rmtree(world.root / name)
        shutil.copytree(world.root / f"{name}-then", world.root / name, symlinks=True)
    path = world.state / "sparky.db-wal"
    log = path.read_bytes()
    size = frame_size(log)
    path.write_bytes(log[: _HEADER + frames * size + size // 2])
    (world.state / "sparky.db-shm").unlink(missing_ok=True)


def gone_on(world: World) -> None:
    """Ask for the issue again in a new process, as a user would after the machine is up again."""
    process = _FORKS.Process(target=drive, args=(world, set()))
    process.start()
    process.join(120)
    assert process.exitcode == 0


def assert_done_once(world: World, base: str) -> None:
    assert world.git("log", "--format=%P", "main").splitlines()[0] == base
    assert world.git("show", "main:calc.py").endswith("return x * 2")
    assert world.git("status", "--porcelain") == ""
    assert len(world.git("worktree", "list").splitlines()) == 1


def walk(world: World, cuts: int) -> None:
    """Cut at that many frames, spread evenly."""
    base = world.git("rev-parse", "HEAD")
    frames = finished(world)
    for kept in range(0, frames + 1, max(1, frames // cuts)):
        cut(world, kept)
        gone_on(world)
        assert_done_once(world, base)


@pytest.mark.soak
def test_a_log_cut_at_some_frames_leads_to_one_commit(world: World) -> None:
    walk(world, 3)
