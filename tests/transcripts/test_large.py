"""One transcript of 300 MB: read within 150 MB of memory."""

import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from sparky.testing.corpus import Corpus
from sparky.transcripts.library import open_library
from sparky.transcripts.sessions import Wanted

LIMIT_MB = 150


def _read(pipe: Connection, state: Path, home: Path) -> None:
    found = open_library(state, {"claude": home}, print)
    (line,) = found.sessions(Wanted())
    # Not getrusage: its peak counts what the process was before it became this one.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    pipe.send((line.said["message"], peak))


@pytest.mark.soak
def test_a_transcript_of_300_mb_is_read_in_little_memory(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path / "home", 5)
    truth = corpus.fill(300_000_000, 1)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_read, args=(theirs, tmp_path / "state", tmp_path / "home"))
    process.start()
    messages, peak = ours.recv()
    process.join()
    assert messages == sum(kind == "message" for _, _, kind, _ in truth.said)
    assert peak <= LIMIT_MB
