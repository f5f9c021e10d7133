"""What an agent puts in the place of its files is never waited for, and never read without measure."""

import contextlib
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from sparky.adapters.ledgers import ClaudeLedger, CodexLedger, OpencodeLedger
from sparky.events import Aftermath
from sparky.foreign import open_foreign
from sparky.transcripts.aftermath import aftermath
from tests.transcripts.lines import Project, answer, text_of, user, words

ROLLOUT, TALK = "sessions/rollout-1.jsonl", "projects/p/a.jsonl"
DATABASE, LOG = "data/opencode/opencode.db", "data/opencode/opencode.db-wal"


def bind(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server, contextlib.chdir(path.parent):
        server.bind(path.name)  # a socket's whole path is limited to 107 bytes


PUT: dict[str, Callable[[Path], None]] = {
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a directory": Path.mkdir,
    "a socket": bind,
}


@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("name", [ROLLOUT, TALK, DATABASE, LOG])
def test_what_is_no_file_tells_nothing_and_costs_nothing(name: str, put: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    if name == LOG:
        path.with_name("opencode.db").write_bytes(b"")
    PUT[put](path)
    assert aftermath(tmp_path, ()) == Aftermath()
    for ledger in (ClaudeLedger(tmp_path), CodexLedger(tmp_path), OpencodeLedger(tmp_path)):
        assert ledger.read() == ()


def test_a_description_that_is_a_pipe_is_none(project: Project) -> None:
    project.write("s.jsonl", user("mend the total", 1), answer(words("I do."), second=2))
    agents = project.history / "s" / "subagents"
    agents.mkdir(parents=True)
    (agents / "agent-a1.jsonl").write_text(text_of(user("look", 1)))
    os.mkfifo(agents / "agent-a1.meta.json")
    assert aftermath(project.history.parent.parent, ()) == Aftermath(
        said=("The person said: mend the total",)
    )


def test_a_file_is_opened_and_no_link_to_it(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_bytes(b"one\n")
    link.symlink_to(file)
    with open_foreign(file) as opened:
        assert opened.read() == b"one\n"
    with pytest.raises(OSError, match="link"):
        open_foreign(link)


def test_a_ledger_passes_over_a_hole_in_a_file_and_reads_what_comes_after_it(tmp_path: Path) -> None:
    path = tmp_path / TALK
    path.parent.mkdir(parents=True)
    path.touch()
    os.truncate(path, 40_000_000)
    message = {"id": "m1", "model": "m", "usage": {"output_tokens": 7}}
    with path.open("a") as file:
        file.write(f"\n{json.dumps({'type': 'assistant', 'message': message})}\n")
    ledger = ClaudeLedger(tmp_path)
    assert ledger.read() == ()
    assert [entry.usage.output for entry in ledger.read()] == [7]
