"""The index: reads what is new, loses nothing, and can be killed at any point."""

import multiprocessing
import os
import random
import signal
import sqlite3
from pathlib import Path

import pytest

from sparky.transcripts.claude import ClaudeReader
from sparky.transcripts.index import BrokenIndexError, Refreshed, TranscriptIndex
from sparky.transcripts.library import INDEX, Library, open_library
from sparky.transcripts.model import digest
from sparky.transcripts.sessions import Wanted
from sparky.transcripts.table import READERS
from tests.transcripts.lines import SESSION, Project, answer, text_of, user, words


class Shelf:
    """A project's transcripts and an index of them."""

    def __init__(self, project: Project, path: Path) -> None:
        self.home = project.history.parent.parent
        self.index = TranscriptIndex(path)
        self.index.prepare()
        self.warned: list[str] = []

    def refresh(self) -> Refreshed:
        return self.index.refresh(ClaudeReader().discover(self.home), READERS, self.warned.append)

    def said(self) -> list[str]:
        return [one.text for one in Library(self.index).feedback(Wanted())]

    def tokens(self) -> int:
        return sum(usage.output for _, usage in self.index.usage())


@pytest.fixture
def shelf(project: Project, tmp_path: Path) -> Shelf:
    return Shelf(project, tmp_path / INDEX)


def counts(library: Library) -> dict[str, dict[str, int]]:
    """What persons said by session and kind, as the list of sessions has it: the same as counted in full."""
    listed = {line.session: dict(line.said) for line in library.sessions(Wanted()) if line.said}
    full: dict[str, dict[str, int]] = {}
    for one in library.heard:
        mine = full.setdefault(one.place.session, {})
        mine[one.mark.kind.value] = mine.get(one.mark.kind.value, 0) + 1
    assert listed == full
    return listed


def add(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def test_what_has_not_changed_is_not_read_again(project: Project, shelf: Shelf) -> None:
    project.write("a.jsonl", user("one", 1))
    project.write("b.jsonl", user("two", 2))
    assert (shelf.refresh(), shelf.refresh()) == (Refreshed(read=2), Refreshed())
    assert shelf.said() == ["one", "two"]


def test_what_is_appended_is_read_from_where_it_begins(project: Project, shelf: Shelf) -> None:
    path = project.write("a.jsonl", user("one", 1), answer(words("x"), name="m1", output=3))
    shelf.refresh()
    before = path.read_bytes()
    # Were the beginning read again, its words would be gone: they are overwritten, byte for byte.
    path.write_bytes(before[:256] + before[256:].replace(b'"content":"one"', b'"content":"ONE"'))
    add(path, text_of(user("two", 2), answer(words("x"), name="m1", output=7)))
    assert shelf.refresh() == Refreshed(read=1)
    marks = [mark.digest for mark in shelf.index.marks()[str(path)]]
    assert (len(marks), shelf.tokens()) == (2, 7)


def test_a_torn_line_is_read_when_it_is_whole(project: Project, shelf: Shelf) -> None:
    line = text_of(user("two", 2))
    path = project.write("a.jsonl", user("one", 1))
    add(path, line[:60])
    shelf.refresh()
    assert shelf.said() == ["one"]
    add(path, line[60:])
    shelf.refresh()
    assert (shelf.said(), shelf.index.bad()) == (["one", "two"], [])


def test_a_last_line_without_a_newline_counts_once(project: Project, shelf: Shelf) -> None:
    path = project.write("a.jsonl")
    add(path, text_of(user("one", 1)).rstrip("\n"))
    shelf.refresh()
    assert shelf.said() == ["one"]
    add(path, "\n" + text_of(user("two", 2)))
    shelf.refresh()
    assert shelf.said() == ["one", "two"]


def test_a_transcript_that_was_cut_is_read_anew(project: Project, shelf: Shelf) -> None:
    path = project.write("a.jsonl", user("one", 1), user("two", 2))
    shelf.refresh()
    path.write_text(text_of(user("three", 3)))
    shelf.refresh()
    assert shelf.said() == ["three"]


def test_a_transcript_that_was_replaced_by_a_longer_one_is_read_anew(project: Project, shelf: Shelf) -> None:
    path = project.write("a.jsonl", user("one", 1))
    shelf.refresh()
    new = project.write("b.tmp", user("two", 2), user("three", 3))
    new.rename(path)
    shelf.refresh()
    assert shelf.said() == ["two", "three"]


def test_a_transcript_that_was_rewritten_in_place_is_read_anew(project: Project, shelf: Shelf) -> None:
    path = project.write("a.jsonl", user("one", 1))
    shelf.refresh()
    path.write_text(text_of(user("two", 2, cwd="/somewhere/else"), user("three", 3)))
    shelf.refresh()
    assert shelf.said() == ["two", "three"]


def test_a_transcript_that_is_gone_is_forgotten(project: Project, shelf: Shelf) -> None:
    path = project.write("a.jsonl", user("one", 1), answer(words("x")))
    shelf.refresh()
    path.unlink()
    assert shelf.refresh() == Refreshed(removed=1)
    assert (shelf.said(), shelf.tokens()) == ([], 0)


def test_what_can_not_be_opened_is_warned_of_and_tried_again(project: Project, shelf: Shelf) -> None:
    path = project.write("a.jsonl", user("one", 1))
    sources = list(ClaudeReader().discover(shelf.home))
    path.rename(path.with_suffix(".away"))
    assert shelf.index.refresh(sources, READERS, shelf.warned.append) == Refreshed()
    assert shelf.warned == [f"{path} is passed over: No such file or directory"]
    path.with_suffix(".away").rename(path)
    assert shelf.refresh() == Refreshed(read=1)


def test_bad_lines_and_unknown_types_are_counted_with_their_places(project: Project, shelf: Shelf) -> None:
    first = text_of(user("one", 1))
    path = project.write("a.jsonl", first.rstrip("\n"), "{broken", {"type": "novel"}, "[1]", user("two", 2))
    shelf.refresh()
    offset = len(first)
    second = offset + len("{broken\n") + len(text_of({"type": "novel"}))
    assert shelf.index.bad() == [(str(path), offset), (str(path), second)]
    assert (shelf.index.odd(), shelf.said()) == ({"novel": 1}, ["one", "two"])


def test_a_message_in_several_transcripts_costs_once_with_its_largest_snapshot(
    project: Project, shelf: Shelf
) -> None:
    project.write("a.jsonl", *(answer(words("x"), name="m", output=n) for n in (1, 9, 4)))
    project.write("b.jsonl", answer(words("x"), name="m", output=5), answer(words("y"), name="n", output=2))
    shelf.refresh()
    assert shelf.tokens() == 11


def test_a_prompt_that_was_noted_as_sparkys_is_nobodys(project: Project, shelf: Shelf) -> None:
    project.write("a.jsonl", user("fix it", 1), user("thanks", 2))
    shelf.refresh()
    (first, _) = shelf.index.marks()[str(project.history / "a.jsonl")]
    shelf.index.note_sent(first.digest)
    assert shelf.said() == ["thanks"]


def test_the_list_counts_anew_what_a_change_elsewhere_has_changed(project: Project, shelf: Shelf) -> None:
    first, second = user("one", 1), user("two", 2)
    old = project.write("old.jsonl", first, second)
    shelf.refresh()
    project.write("new.jsonl", *({**line, "sessionId": "fork"} for line in (first, second)), user("three", 3))
    project.write("agent-a1.jsonl", user("four", 4, sessionId="new", agentId="a1"))
    shelf.refresh()
    assert counts(Library(shelf.index)) == {"old": {"message": 2}, "new": {"message": 2}}
    old.unlink()
    shelf.refresh()
    assert counts(Library(shelf.index)) == {"new": {"message": 4}}
    add(project.history / "agent-a1.jsonl", text_of(user("five", 5, sessionId="new", agentId="a1")))
    shelf.index.note_sent(digest("three"))
    shelf.refresh()
    assert counts(Library(shelf.index)) == {"new": {"message": 4}}


def test_an_agent_is_listed_with_the_session_that_turns_out_to_be_its_own(
    project: Project, shelf: Shelf
) -> None:
    project.write("agent-a2.jsonl", user("deep", 1, sessionId="a1", agentId="a2"))
    shelf.refresh()
    assert counts(Library(shelf.index)) == {"a1": {"message": 1}}
    project.write("agent-a1.jsonl", user("above", 2, sessionId="top", agentId="a1"))
    shelf.refresh()
    assert counts(Library(shelf.index)) == {"top": {"message": 2}}


def test_an_index_of_another_schema_is_made_anew(project: Project, tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / INDEX)
    old.executescript("CREATE TABLE file (old); PRAGMA user_version = 99;")
    old.close()
    project.write("a.jsonl", user("one", 1))
    shelf = Shelf(project, tmp_path / INDEX)
    shelf.refresh()
    assert shelf.said() == ["one"]


def test_a_broken_index_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / INDEX).write_text("no database " * 100)
    with pytest.raises(BrokenIndexError, match=r"file is not a database; .* it can be removed"):
        TranscriptIndex(tmp_path / INDEX).prepare()
    (tmp_path / "file").touch()
    with pytest.raises(BrokenIndexError, match="cannot write in"):
        TranscriptIndex(tmp_path / "file" / INDEX).prepare()


def _fill(project: Project, files: int) -> list[str]:
    expected = []
    for number in range(files):
        texts = [f"word {number} {line}" for line in range(30)]
        body = "x" * 20_000
        lines = [row for n, t in enumerate(texts) for row in (user(t, n), answer(words(body), name=f"{t}"))]
        project.write(f"{SESSION[:-4]}{number:04}.jsonl", *lines)
        expected += texts
    return sorted(expected)


def _refresh_once(state: Path, home: Path) -> None:
    open_library(state, {"claude": home}, print)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(one, marks=pytest.mark.soak) for one in range(2, 9))])
def test_an_indexer_that_is_killed_loses_nothing(project: Project, tmp_path: Path, seed: int) -> None:
    expected = _fill(project, 60)
    home = project.history.parent.parent
    pause = random.Random(seed)  # noqa: S311 - a place to kill at, no secret
    for _ in range(3):
        process = multiprocessing.get_context("fork").Process(
            target=_refresh_once, args=(tmp_path / "state", home)
        )
        process.start()
        process.join(pause.uniform(0.005, 0.15))
        if process.pid and process.is_alive():
            os.kill(process.pid, signal.SIGKILL)
        process.join()
    found = open_library(tmp_path / "state", {"claude": home}, pytest.fail)
    assert sorted(one.text for one in found.feedback(Wanted())) == expected
    assert sum(usage.output for _, usage in found.index.usage()) == len(expected)
    assert sum(number for said in counts(found).values() for number in said.values()) == len(expected)


def test_two_indexers_at_once_write_the_same_as_one(project: Project, tmp_path: Path) -> None:
    expected = _fill(project, 60)
    home, state = project.history.parent.parent, tmp_path / "state"
    TranscriptIndex(state / INDEX).prepare()
    context = multiprocessing.get_context("fork")
    both = [context.Process(target=_refresh_once, args=(state, home)) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    found = open_library(state, {"claude": home}, pytest.fail)
    assert sorted(one.text for one in found.feedback(Wanted())) == expected
    assert len(list(found.index.usage())) == len(expected)
