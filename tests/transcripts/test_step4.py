"""The thirteen cases of the old design's fourth step, through the old functions; and circles."""

import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparky.api import extract_feedback_recursively, find_related_agent_files, get_project_history_dir
from tests.transcripts.lines import Project, answer, at, user, words

NOBODY = 65534


def plain(text: str, second: float, session: str, name: str | None = None) -> dict[str, object]:
    """A user's line as the old cases have it: in an agent's file, too, without `isSidechain`."""
    return user(text, second, sessionId=session, agentId=name, isSidechain=None)


def said(project: Project, session: str = "main-1") -> list[tuple[str, str, str | None]]:
    found = extract_feedback_recursively(session, project.path)
    return [(item.timestamp, item.content, item.agent_id) for item in found]


def test_an_empty_directory_has_no_agents(project: Project) -> None:
    assert find_related_agent_files("main-1", project.path) == []


def test_agents_of_other_sessions_are_not_related(project: Project) -> None:
    project.write("agent-a1.jsonl", plain("hello", 1, "other-1", "a1"))
    assert find_related_agent_files("main-1", project.path) == []


def test_one_agent_is_found_by_its_session(project: Project) -> None:
    path = project.write("agent-a1.jsonl", plain("hello", 1, "main-1", "a1"))
    assert find_related_agent_files("main-1", project.path) == [path]


def test_of_three_agents_the_two_of_the_session_are_found(project: Project) -> None:
    first = project.write("agent-a1.jsonl", plain("one", 1, "main-1", "a1"))
    project.write("agent-a2.jsonl", plain("two", 2, "main-2", "a2"))
    third = project.write("agent-a3.jsonl", plain("three", 3, "main-1", "a3"))
    assert find_related_agent_files("main-1", project.path) == [first, third]


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A project that this process reads as a user to whom mode 000 means something."""
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(root / "claude"))
    found = Project(path=root / "shop")
    found.history.mkdir(parents=True)
    yield found
    if os.geteuid() != os.getuid():
        os.seteuid(os.getuid())
    shutil.rmtree(root)


def test_empty_and_unreadable_agents_are_passed_over_with_a_warning(
    closed: Project, caplog: pytest.LogCaptureFixture
) -> None:
    good = closed.write("agent-a1.jsonl", plain("one", 1, "main-1", "a1"))
    empty = closed.write("agent-a2.jsonl")
    shut = closed.write("agent-a3.jsonl", plain("three", 3, "main-1", "a3"))
    shut.chmod(0o000)
    if os.getuid() == 0:
        os.seteuid(NOBODY)
    with caplog.at_level(logging.WARNING):
        assert find_related_agent_files("main-1", closed.path) == [good]
    assert sorted(caplog.messages) == [
        f"{empty} is passed over: no entry names a session",
        f"{shut} is passed over: Permission denied",
    ]


def test_malformed_lines_are_passed_over_with_a_warning(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    project.write("main-1.jsonl", "{not json", plain("still heard", 1, "main-1"))
    with caplog.at_level(logging.WARNING):
        assert said(project) == [(at(1), "still heard", None)]
    path = project.history / "main-1.jsonl"
    assert caplog.messages == [f"{path}: the line at byte 0 can't be read, and is passed over"]


def test_an_agent_that_names_no_session_is_passed_over(project: Project) -> None:
    project.write("agent-a1.jsonl", user("hello", sessionId=None, agentId="a1"))
    assert find_related_agent_files("main-1", project.path) == []


def test_a_project_without_transcripts_is_an_error_that_names_the_directory(project: Project) -> None:
    elsewhere = project.path / "elsewhere"
    for old in (find_related_agent_files, extract_feedback_recursively):
        with pytest.raises(FileNotFoundError, match=str(get_project_history_dir(elsewhere))):
            old("main-1", elsewhere)


def test_a_session_in_which_only_the_agent_speaks_has_no_feedback(project: Project) -> None:
    project.write("main-1.jsonl", answer(words("I did it."), sessionId="main-1"))
    assert said(project) == []


def test_two_messages_are_heard_in_order(project: Project) -> None:
    project.write("main-1.jsonl", plain("second", 2, "main-1"), plain("first", 1, "main-1"))
    assert said(project) == [(at(1), "first", None), (at(2), "second", None)]


def test_what_was_said_to_an_agent_is_heard(project: Project) -> None:
    project.write("main-1.jsonl", plain("to the session", 1, "main-1"))
    project.write("agent-a1.jsonl", plain("to the agent", 2, "main-1", "a1"))
    assert said(project) == [(at(1), "to the session", None), (at(2), "to the agent", "a1")]


def test_what_was_said_to_two_agents_is_heard_by_time(project: Project) -> None:
    project.write("main-1.jsonl", plain("second", 2, "main-1"))
    project.write("agent-a1.jsonl", plain("third", 3, "main-1", "a1"))
    project.write("agent-a2.jsonl", plain("first", 1, "main-1", "a2"))
    assert said(project) == [(at(1), "first", "a2"), (at(2), "second", None), (at(3), "third", "a1")]


def test_what_was_said_to_an_agent_of_an_agent_is_heard(project: Project) -> None:
    project.write("main-1.jsonl", plain("top", 1, "main-1"))
    project.write("agent-a1.jsonl", plain("middle", 2, "main-1", "a1"))
    project.write("agent-a2.jsonl", plain("bottom", 3, "a1", "a2"))
    assert said(project) == [(at(1), "top", None), (at(2), "middle", "a1"), (at(3), "bottom", "a2")]


def test_an_agent_that_names_itself_or_one_above_it_ends(project: Project) -> None:
    project.write("main-1.jsonl", plain("top", 1, "main-1"))
    project.write("agent-a1.jsonl", plain("one", 2, "main-1", "a1"))
    project.write("agent-a2.jsonl", plain("two", 3, "a2", "a2"))
    project.write("agent-a3.jsonl", plain("three", 4, "a4", "a3"))
    project.write("agent-a4.jsonl", plain("four", 5, "a3", "a4"))
    project.write("agent-main-1.jsonl", plain("five", 6, "a1", "main-1"))
    assert [text for _, text, _ in said(project)] == ["top", "one", "five"]
    assert [text for _, text, _ in said(project, "a3")] == ["three", "four"]
