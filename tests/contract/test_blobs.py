"""Bytes by digest: whole or not there, for any number of writers."""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sparky.adapters.blobs import FileBlobs, write_whole
from sparky.ports import Blobs


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return FileBlobs(tmp_path / "blobs")


def files(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


@pytest.mark.parametrize("data", [b"", b"text\n", bytes(range(256)), b"x" * 3_000_000])
def test_what_was_put_is_got_under_its_digest(blobs: Blobs, data: bytes) -> None:
    name = blobs.put(data)
    assert name == hashlib.sha256(data).hexdigest()
    assert blobs.get(name) == data


def test_the_same_bytes_are_kept_once_and_not_written_again(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path)
    name = blobs.put(b"once")
    file = tmp_path / name[:2] / name[2:]
    os.utime(file, (0, 0))
    before = file.stat()
    assert blobs.put(b"once") == name
    after = file.stat()
    assert after.st_ino == before.st_ino
    assert after.st_mtime > before.st_mtime, "what is asked for again is in use"
    assert files(tmp_path) == [f"{name[:2]}/{name[2:]}"]


@pytest.mark.parametrize("digest", ["f" * 64, "ab", ""])
def test_a_blob_that_is_not_there_is_a_key_error(tmp_path: Path, digest: str) -> None:
    blobs = FileBlobs(tmp_path / "blobs")
    (tmp_path / "blobs" / "ab").mkdir(parents=True)
    with pytest.raises(KeyError) as error:
        blobs.get(digest)
    assert error.value.args == (digest,)


def test_many_writers_of_the_same_bytes_leave_one_whole_blob(tmp_path: Path) -> None:
    data = b"y" * 200_000
    with ThreadPoolExecutor(8) as pool:
        names = set(pool.map(lambda _: FileBlobs(tmp_path).put(data), range(32)))
    (name,) = names
    assert FileBlobs(tmp_path).get(name) == data
    assert files(tmp_path) == [f"{name[:2]}/{name[2:]}"]


def test_a_file_is_replaced_as_a_whole_and_a_reader_keeps_what_it_opened(tmp_path: Path) -> None:
    path = tmp_path / "made" / "here.json"
    write_whole(path, b"old")
    with path.open("rb") as reader:
        write_whole(path, b"new, and longer")
        assert reader.read() == b"old"
    assert path.read_bytes() == b"new, and longer"
    assert files(tmp_path) == ["made/here.json"]
