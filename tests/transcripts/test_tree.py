"""Discovery, places and ends, in every layout."""

from pathlib import Path
from typing import Any

import pytest

from sparky.transcripts.claude import ClaudeReader
from sparky.transcripts.claude_walk import slug
from sparky.transcripts.index import TranscriptIndex
from sparky.transcripts.library import Library
from sparky.transcripts.sessions import Wanted
from sparky.transcripts.table import READERS
from sparky.transcripts.tree import Node
from tests.transcripts.lines import SESSION, Project, agent, answer, call, entry, result, user, words

DONE = answer(words("done"), second=9)
LATER = 4e9


def library(project: Project, tmp_path: Path, now: float = LATER) -> Library:
    index = TranscriptIndex(tmp_path / "index.db")
    index.prepare()
    index.refresh(ClaudeReader().discover(project.history.parent.parent), READERS, pytest.fail)
    return Library(index, now)


def shape(node: Node) -> tuple[Any, ...]:
    return node.name, node.end.state.value, [shape(child) for child in node.children]


def meta(project: Project, name: str, text: str) -> None:
    (project.history / SESSION / "subagents" / f"agent-{name}.meta.json").write_text(text)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/dev/my.app_x y", "-home-dev-my-app-x-y"),
        ("/w/ünï/日本/😀", "-w--n-------"),
        ("/w" + "/a" * 120, "-w" + "-a" * 99 + "-8rzy37"),
    ],
)
def test_a_project_has_the_directory_that_claude_code_gives_it(path: str, expected: str) -> None:
    found = slug(path)
    assert (found[:200], len(found) > 200) == (expected[:200], len(expected) > 200)


def test_agents_stand_where_their_descriptions_say_at_any_depth(project: Project, tmp_path: Path) -> None:
    project.write(f"{SESSION}.jsonl", user("go"), DONE)
    for name, text in {
        "a1": '{"toolUseId": "t1", "description": "first", "spawnDepth": 1}',
        "a2": '{"parentAgentId": "a1"}',
        "a3": '{"parentAgentId": "a2"}',
        "a4": '{"parentAgentId": "gone"}',
        "a5": "{torn",
    }.items():
        lines = [user("prompt", **agent(name)), DONE | agent(name)]
        project.write(f"{SESSION}/subagents/agent-{name}.jsonl", *lines)
        meta(project, name, text)
    project.write(f"{SESSION}/subagents/workflows/wf_1/agent-w1.jsonl", DONE | agent("w1"))
    project.write(f"{SESSION}/subagents/workflows/wf_1/journal.jsonl", {"type": "started"})
    (node,) = library(project, tmp_path).trees(Wanted())
    done = "finished"
    inner: tuple[Any, ...] = ("a1", done, [("a2", done, [("a3", done, [])])])
    rest: list[Any] = [(name, done, []) for name in ("a4", "a5")]
    assert shape(node) == (SESSION, done, [inner, *rest, ("w1", done, [])])


def test_flat_agents_stand_below_whoever_tells_of_them(project: Project, tmp_path: Path) -> None:
    launched = {"agentId": "f2", "status": "completed"}
    project.write(f"{SESSION}.jsonl", user("go"), DONE)
    project.write(
        "agent-f1.jsonl",
        DONE | agent("f1"),
        result("t2", [words("ok")], 3, toolUseResult=launched, **agent("f1")),
        DONE | agent("f1"),
    )
    project.write("agent-f2.jsonl", DONE | agent("f2"))
    (node,) = library(project, tmp_path).trees(Wanted())
    done = "finished"
    assert shape(node) == (SESSION, done, [("f1", done, [("f2", done, [])])])


def test_an_agent_whose_session_is_an_agent_stands_below_it(project: Project, tmp_path: Path) -> None:
    project.write(f"{SESSION}.jsonl", user("go"), DONE)
    project.write("agent-f1.jsonl", DONE | agent("f1"))
    project.write("agent-f2.jsonl", DONE | agent("f2", "f1"))
    (node,) = library(project, tmp_path).trees(Wanted())
    assert shape(node)[2] == [("f1", "finished", [("f2", "finished", [])])]


def test_agents_of_the_same_id_stand_each_in_its_own_session(project: Project, tmp_path: Path) -> None:
    other = "99999999-2222-4333-8444-555555555555"
    for session in (SESSION, other):
        project.write(f"{session}.jsonl", user("go", sessionId=session), DONE | {"sessionId": session})
        for name in ("a1", "a2"):
            project.write(f"{session}/subagents/agent-{name}.jsonl", DONE | agent(name, session))
        path = project.history / session / "subagents" / "agent-a2.meta.json"
        path.write_text('{"parentAgentId": "a1"}')
    below: list[Any] = [("a1", "finished", [("a2", "finished", [])])]
    found = sorted(shape(node) for node in library(project, tmp_path).trees(Wanted()))
    assert found == [(SESSION, "finished", below), (other, "finished", below)]


def test_an_empty_flat_agent_stands_below_whoever_started_it(project: Project, tmp_path: Path) -> None:
    launched = {"agentId": "f1", "status": "async_launched"}
    project.write(
        f"{SESSION}.jsonl", user("go"), result("t1", [words("ok")], 3, toolUseResult=launched), DONE
    )
    project.write("agent-f1.jsonl")
    (node,) = library(project, tmp_path).trees(Wanted())
    assert shape(node) == (SESSION, "finished", [("f1", "empty", [])])


def test_a_circle_of_parents_ends(project: Project, tmp_path: Path) -> None:
    project.write(f"{SESSION}.jsonl", user("go"), DONE)
    for name, above in (("a1", "a2"), ("a2", "a1"), ("a3", "a3")):
        project.write(f"{SESSION}/subagents/agent-{name}.jsonl", DONE | agent(name))
        meta(project, name, f'{{"parentAgentId": "{above}"}}')
    (node,) = library(project, tmp_path).trees(Wanted())
    assert sorted(_names(node)) == [SESSION, "a1", "a2", "a3"]


def _names(node: Node) -> list[str]:
    return [node.name, *(name for child in node.children for name in _names(child))]


def test_links_are_not_followed(project: Project, tmp_path: Path) -> None:
    real = project.write(f"{SESSION}.jsonl", user("go"), DONE)
    (project.history / "other.jsonl").symlink_to(real)
    (project.history / "loop").symlink_to(project.history)
    assert [node.name for node in library(project, tmp_path).trees(Wanted())] == [SESSION]


def test_a_session_that_moved_is_found_by_either_directory(project: Project, tmp_path: Path) -> None:
    project.write(f"{SESSION}.jsonl", user("go", cwd="/elsewhere/tree"), DONE)
    found = library(project, tmp_path)
    for directory in (project.path, Path("/elsewhere"), Path("/elsewhere/tree")):
        assert [node.name for node in found.trees(Wanted(project=directory))] == [SESSION]
    assert found.trees(Wanted(project=Path("/else"))) == ()


ENDS = {
    "finished": ([user("go"), DONE], "", ("finished", "the last answer ended (end_turn)")),
    "after a command": (
        [user("go"), DONE, user("<command-name>/exit</command-name>"), entry("system")],
        "",
        ("finished", "the last answer ended (end_turn)"),
    ),
    "stopped": (
        [user("go"), user("[Request interrupted by user]")],
        "",
        ("interrupted", "a person stopped it"),
    ),
    "no model": (
        [user("go"), answer(words("API Error: 529"), isApiErrorMessage=True, error="x")],
        "",
        ("failed", "the model could not be asked: API Error: 529"),
    ),
    "silent": (
        [user("go"), answer(words("No response requested."), error="x")],
        "",
        ("finished", "the last answer ended (end_turn)"),
    ),
    "torn": ([user("go"), DONE], '{"type":"us', ("killed", "the last line was not written to its end")),
    "a call waits": ([user("go"), answer(call("t9"))], "", ("killed", "t9 has no result")),
    "a result waits": (
        [user("go"), answer(call("t9")), result("t9", "ok")],
        "",
        ("killed", "a tool's result was not answered"),
    ),
    "a prompt waits": ([user("go")], "", ("killed", "a prompt was not answered")),
    "thinking": (
        [
            answer({"type": "thinking"})
            | {"message": {"content": [{"type": "thinking"}], "stop_reason": None}}
        ],
        "",
        ("killed", "the answer ends within its thinking"),
    ),
    "nothing": ([], "", ("empty", "no entry was written")),
    "only metadata": ([entry("summary")], "", ("empty", "no entry was written")),
}


@pytest.mark.parametrize("name", ENDS)
def test_how_a_session_ended_and_what_shows_it(project: Project, tmp_path: Path, name: str) -> None:
    lines, rest, expected = ENDS[name]
    path = project.write(f"{SESSION}.jsonl", *lines)
    path.write_text(path.read_text() + rest)
    (node,) = library(project, tmp_path).trees(Wanted())
    assert (node.end.state.value, node.end.why) == expected


def test_what_was_written_just_now_is_running(project: Project, tmp_path: Path) -> None:
    path = project.write(f"{SESSION}.jsonl", user("go"))
    (node,) = library(project, tmp_path, now=path.stat().st_mtime + 10).trees(Wanted())
    why = "a prompt was not answered, and it was written to just now"
    assert (node.end.state.value, node.end.why) == ("running", why)


@pytest.mark.parametrize(
    ("told", "expected"), [("completed", "finished"), ("failed", "failed"), ("killed", "killed")]
)
def test_what_the_session_was_told_of_an_agent_counts_where_its_own_end_is_open(
    project: Project, tmp_path: Path, told: str, expected: str
) -> None:
    note = f"<task-notification><task-id>a1</task-id><status>{told}</status></task-notification>"
    project.write(f"{SESSION}.jsonl", user("go"), DONE, user(note), DONE)
    project.write(f"{SESSION}/subagents/agent-a1.jsonl", user("prompt", **agent("a1")))
    (node,) = library(project, tmp_path).trees(Wanted())
    assert shape(node)[2] == [("a1", expected, [])]


def test_agents_of_the_programmes_own_say_nothing_a_second_time(project: Project, tmp_path: Path) -> None:
    project.write(f"{SESSION}.jsonl", user("go", 1), DONE)
    project.write(f"{SESSION}/subagents/agent-acompact-1.jsonl", user("go", 1), DONE)
    found = library(project, tmp_path)
    assert [one.path for one in found.feedback(Wanted())] == [str(project.history / f"{SESSION}.jsonl")]
