"""sparky's own directories when a verb starts: what can't be used is named, with the way on."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.world import Said, World

ALONE = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
FULL = 'mount -t tmpfs -o size=4k none "$0" && head -c 4096 /dev/zero > "$0/filler" && exec "$@"'
UNUSED = {"a.py": "import os\n"}
MEND = (
    "; look at its permissions and the disk's free space, then `sparky resume`. "
    "A corrupt file can be moved away: branches and worktrees stay.\n"
)


def can_mount() -> bool:
    """Whether this machine lets us have file systems of our own."""
    if shutil.which("unshare") is None:
        return False
    return (
        subprocess.run([*ALONE, "mount -t tmpfs none /mnt"], capture_output=True, check=False).returncode == 0
    )


mounts = pytest.mark.skipif(not can_mount(), reason="this machine allows no mounts")


def on(world: World, how: str, place: Path, *words: str) -> Said:
    """sparky, with a directory of its own mounted in this way."""
    place.mkdir(exist_ok=True)
    argv = [*ALONE, how, str(place), sys.executable, "-m", "sparky", *words]
    env = {**world.env, "SPARKY_CACHE_DIR": str(world.root / "cache")}
    done = subprocess.run(argv, cwd=world.repo, env=env, capture_output=True, text=True, check=False)
    return Said(code=done.returncode, out=done.stdout, err=done.stderr)


@mounts
@pytest.mark.parametrize(
    ("how", "why"), [(READ_ONLY, "Read-only file system"), (FULL, "No space left on device")]
)
def test_a_cache_that_takes_nothing_is_named_with_the_way_on(how: str, why: str, world_of: MakeWorld) -> None:
    world = world_of(UNUSED)
    place = world.root / "cache"
    remedy = "make it writable and make room there, or set SPARKY_CACHE_DIR"
    err = f"error: cannot write in {place}: {why}; {remedy}\n"
    assert on(world, how, place, "fix") == Said(code=1, out="", err=err)
    assert on(world, how, place, "status", "--json") == Said(code=0, out="[]\n", err="")


@mounts
def test_a_state_that_is_read_only_is_named(world_of: MakeWorld) -> None:
    world = world_of(UNUSED)
    place = world.root / "state"
    remedy = "make it writable, or set SPARKY_STATE_DIR"
    err = f"error: cannot write in {place}: Read-only file system; {remedy}\n"
    assert on(world, READ_ONLY, place, "fix") == Said(code=1, out="", err=err)


@mounts
def test_a_state_without_room_is_named(world_of: MakeWorld) -> None:
    world = world_of(UNUSED)
    place = world.root / "state"
    said = on(world, FULL, place, "fix")
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith(f"error: {place}"), said.err


def test_a_damaged_database_is_named_and_no_work_is_lost_by_moving_it_away(world_of: MakeWorld) -> None:
    world = world_of(UNUSED)
    database = world.root / "state" / "sparky.db"
    assert world.sparky("fix", "-k", "import_error", "--json").code == 0
    branches = world.git("branch", "--list", "sparky/*")
    sane = database.read_bytes()
    database.write_bytes(sane[:4096] + b"\xff" * (len(sane) - 4096))
    for log in database.parent.glob("sparky.db-*"):
        log.unlink()
    err = f"error: {database}: database disk image is malformed{MEND}"
    assert [world.sparky(verb) for verb in ("scan", "fix", "status")] == [Said(code=1, out="", err=err)] * 3
    database.unlink()
    assert (world.sparky("status", "--json").code, world.git("branch", "--list", "sparky/*")) == (0, branches)


@pytest.mark.soak
def test_a_database_that_is_locked_for_a_moment_is_waited_for(world_of: MakeWorld) -> None:
    world = world_of(UNUSED)
    assert world.runs() == []
    other = sqlite3.connect(world.root / "state" / "sparky.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    argv = [sys.executable, "-m", "sparky", "fix", "-k", "IMPORT_ERROR", "--json"]
    with subprocess.Popen(argv, cwd=world.repo, env=world.env, stdout=subprocess.PIPE) as process:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        started = other.execute("SELECT count(*) FROM runs").fetchone()
        other.execute("ROLLBACK")
        other.close()
        out, _ = process.communicate(timeout=60)
    assert (started, process.returncode, out[:1]) == ((0,), 0, b"{")
