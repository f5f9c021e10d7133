"""What can go: blobs that nothing refers to, environments that nothing has used for long."""

import os
import time
from pathlib import Path

from sparky.adapters.blobs import FileBlobs
from sparky.adapters.unused import UNUSED_DAYS, Unused, find_unused

DAY_S = 86400.0


def aged(path: Path, seconds: float) -> Path:
    """The file, as if it was last touched so long ago."""
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


def blob_of(root: Path, digest: str) -> Path:
    return root / digest[:2] / digest[2:]


def test_blobs_that_nothing_refers_to_go_unless_they_are_young(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path)
    orphan, young, again, inner = (blobs.put(text) for text in (b"orphan", b"young", b"again", b"inner"))
    needed = blobs.put(f'{{"output":"{inner}"}}'.encode())
    for digest in (orphan, needed, inner, again):
        aged(blob_of(tmp_path, digest), DAY_S)
    assert blobs.put(b"again") == again
    found = find_unused(tmp_path, tmp_path / "none", [b'{"blobs":{"diff":"' + needed.encode() + b'"}}'])
    assert found == Unused(blobs=(blob_of(tmp_path, orphan),))
    assert found.bytes == len(b"orphan")
    found.remove()
    left = {path.parent.name + path.name for path in tmp_path.glob("??/*")}
    assert left == {needed, inner, young, again}


def test_environments_go_with_what_is_installed_for_them_when_nothing_used_them_for_long(
    tmp_path: Path,
) -> None:
    for name in ("old", "new"):
        for part in (f"envs/{name}-x1/bin/python", f"installs/{name}-x1/tree/lib/a.py", f"envs/{name}.json"):
            path = tmp_path / part
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"0123456789")
    aged(tmp_path / "envs" / "new.json", (UNUSED_DAYS - 1) * DAY_S)
    aged(tmp_path / "envs" / "old.json", (UNUSED_DAYS + 1) * DAY_S)
    found = find_unused(tmp_path / "none", tmp_path, [])
    assert (len(found.environments), found.bytes) == (1, 30)
    found.remove()
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"envs/new-x1/bin/python", "installs/new-x1/tree/lib/a.py", "envs/new.json"}
    assert find_unused(tmp_path / "none", tmp_path, []) == Unused()


def test_results_of_tests_what_programs_said_and_locks_go_when_they_are_old(tmp_path: Path) -> None:
    places = ("tests/{}.json", "traces/{}.json", "rewritten/{}.json", "kept/stubs/{}.zip", "locks/{}.lock")
    old, new = ([tmp_path / place.format(name) for place in places] for name in ("old", "new"))
    for path in (*old, *new):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"1")
    for path in old:
        aged(path, (UNUSED_DAYS + 1) * DAY_S)
    found = find_unused(tmp_path / "none", tmp_path, [])
    assert (found, found.bytes) == (Unused(small=tuple(old)), 5)
    found.remove()
    assert [path.exists() for path in (*old, *new)] == [False] * 5 + [True] * 5
