"""Receipts: what a stage did, kept apart from the database."""

from pathlib import Path

import pytest

from sparky.adapters.receipts import FileReceipts
from sparky.domain.attempt import Stage
from tests.builders import changed, sha, visited

DONE = changed("ada", sha("1"))


@pytest.fixture
def receipts(tmp_path: Path) -> FileReceipts:
    return FileReceipts(tmp_path / "receipts")


def test_an_attempt_is_found_by_its_run_and_ordinal_and_nowhere_else(receipts: FileReceipts) -> None:
    receipts.put("run-1", 3, DONE)
    places = [("run-1", 3), ("run-1", 2), ("run-1", 33), ("run-2", 3), ("run-11", 3)]
    assert [receipts.find(*place) for place in places] == [DONE, None, None, None, None]


def test_an_attempt_that_was_made_again_is_found_as_it_was_last(receipts: FileReceipts) -> None:
    receipts.put("run-1", 0, visited(Stage.MERGE))
    receipts.put("run-1", 0, DONE)
    assert receipts.find("run-1", 0) == DONE


@pytest.mark.parametrize("content", [b"", b"{", b'{"stage": "execute"}', b"\xff\xfe"])
def test_what_is_no_whole_receipt_counts_as_none(tmp_path: Path, content: bytes) -> None:
    receipts = FileReceipts(tmp_path)
    receipts.put("run-1", 0, DONE)
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    file.write_bytes(content)
    assert receipts.find("run-1", 0) is None


def test_the_receipts_of_a_run_are_dropped_and_no_others(receipts: FileReceipts) -> None:
    for run in ("run-1", "run-11"):
        receipts.put(run, 0, DONE)
    receipts.drop("run-1")
    receipts.drop("run-2")
    assert (receipts.find("run-1", 0), receipts.find("run-11", 0)) == (None, DONE)
