"""The ports that keep things: Blobs, Receipts, Refusals, Progress, Lock. Each test runs on every adapter."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from sparky.adapters.blobs import FileBlobs
from sparky.adapters.locks import FileLocks
from sparky.adapters.memory import MemoryBlobs, MemoryLock, MemoryProgress, MemoryReceipts, MemoryRefusals
from sparky.adapters.progress import FileProgress
from sparky.adapters.receipts import FileReceipts
from sparky.adapters.store import SqliteStore
from sparky.domain.attempt import Attempt, Stage, Tally, Trait, Verdict
from sparky.domain.command import digest
from sparky.ports import Blobs, Lock, Progress, Receipts, Refusals

both = pytest.mark.parametrize("memory", [False, True], ids=["real", "memory"])

ATTEMPT = Attempt(
    stage=Stage.EXECUTE,
    number=2,
    verdict=Verdict.PASS,
    reason="ünder way",
    traits=(Trait.CHANGED,),
    blobs={"diff": "d"},
    tally=Tally(before=3, fixed=2),
    seconds=1.5,
)


class Shown(Progress, Protocol):
    """Progress that can be read again, as both adapters offer it."""

    def lines(self, run: str) -> list[str]: ...


@both
class TestBlobs:
    @staticmethod
    def make(root: Path, *, memory: bool) -> Blobs:
        return MemoryBlobs() if memory else FileBlobs(root / "blobs")

    @pytest.mark.parametrize("data", [b"", b"text\n", bytes(range(256)) * 1000])
    def test_what_is_put_is_got_by_its_digest(self, data: bytes, tmp_path: Path, *, memory: bool) -> None:
        blobs = self.make(tmp_path, memory=memory)
        name = blobs.put(data)
        assert (name, blobs.get(name), blobs.put(data)) == (digest(data), data, name)

    def test_what_was_never_put_is_a_key_error(self, tmp_path: Path, *, memory: bool) -> None:
        with pytest.raises(KeyError):
            self.make(tmp_path, memory=memory).get(digest(b"never"))


@both
class TestReceipts:
    @staticmethod
    def make(root: Path, *, memory: bool) -> Receipts:
        return MemoryReceipts() if memory else FileReceipts(root / "receipts")

    def test_an_attempt_is_found_as_it_was_put(self, tmp_path: Path, *, memory: bool) -> None:
        receipts = self.make(tmp_path, memory=memory)
        receipts.put("run-1", 3, ATTEMPT)
        assert receipts.find("run-1", 3) == ATTEMPT
        assert [receipts.find("run-1", 4), receipts.find("run-2", 3)] == [None, None]

    def test_the_newest_of_an_ordinal_counts(self, tmp_path: Path, *, memory: bool) -> None:
        receipts = self.make(tmp_path, memory=memory)
        newer = replace(ATTEMPT, reason="newer")
        receipts.put("run-1", 0, ATTEMPT)
        receipts.put("run-1", 0, newer)
        assert receipts.find("run-1", 0) == newer


@both
class TestRefusals:
    @staticmethod
    def make(root: Path, *, memory: bool) -> Refusals:
        if memory:
            return MemoryRefusals()
        store = SqliteStore(root / "sparky.db")
        store.prepare()
        return store

    def test_reasons_are_remembered_by_repository_and_the_newest_counts(
        self, tmp_path: Path, *, memory: bool
    ) -> None:
        refusals = self.make(tmp_path, memory=memory)
        assert dict(refusals.refusals("/a")) == {}
        refusals.refuse("/a", {"f1": "breaks x", "f2": "breaks y"})
        refusals.refuse("/a", {"f2": "breaks z", "f3": "new"})
        refusals.refuse("/b", {"f1": "other"})
        refusals.refuse("/b", {})
        assert dict(refusals.refusals("/a")) == {"f1": "breaks x", "f2": "breaks z", "f3": "new"}
        assert dict(refusals.refusals("/b")) == {"f1": "other"}


@both
class TestProgress:
    @staticmethod
    def make(root: Path, *, memory: bool) -> Shown:
        return MemoryProgress() if memory else FileProgress(root / "progress")

    @staticmethod
    def texts(progress: Shown, run: str, *, memory: bool) -> list[str]:
        """The lines without the time that a file has before each."""
        return [line if memory else line.partition(" ")[2] for line in progress.lines(run)]

    def test_lines_come_back_in_order_each_run_by_itself(self, tmp_path: Path, *, memory: bool) -> None:
        progress = self.make(tmp_path, memory=memory)
        for run, text in (("run-1", "one"), ("run-2", "other"), ("run-1", "zwei …")):
            progress.say(run, text)
        assert self.texts(progress, "run-1", memory=memory) == ["one", "zwei …"]
        assert progress.lines("run-3") == []

    def test_a_line_stays_one_and_moves_no_cursor(self, tmp_path: Path, *, memory: bool) -> None:
        progress = self.make(tmp_path, memory=memory)
        progress.say("run-1", "a\nb\r\n\tc \x1b[2J\x07\u202ed")
        assert self.texts(progress, "run-1", memory=memory) == ["a b c \ufffd[2J\ufffd\ufffdd"]


@both
class TestLock:
    @staticmethod
    def make(root: Path, *, memory: bool) -> Lock:
        return MemoryLock() if memory else FileLocks(root / "locks")

    def test_the_second_waits_for_the_first_and_other_names_do_not(
        self, tmp_path: Path, *, memory: bool
    ) -> None:
        lock, order, waiting = self.make(tmp_path, memory=memory), [], threading.Event()

        def second() -> None:
            waiting.set()
            with lock.hold("merge"):
                order.append("second")

        thread = threading.Thread(target=second)
        with lock.hold("merge"):
            thread.start()
            waiting.wait(10)
            with lock.hold("other"):
                order.append("first")
        thread.join(10)
        assert order == ["first", "second"]

    def test_it_is_free_again_after_an_error(self, tmp_path: Path, *, memory: bool) -> None:
        lock = self.make(tmp_path, memory=memory)
        with pytest.raises(ValueError, match="inside"), lock.hold("merge"):
            raise ValueError("inside")
        with lock.hold("merge"):
            pass
