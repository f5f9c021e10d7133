"""The other readers: Codex, OpenCode, mini-swe-agent, ATIF."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from sparky.domain.errors import UsageError
from sparky.transcripts.library import Library, open_files, open_library, turns
from sparky.transcripts.sessions import Wanted
from sparky.transcripts.table import READERS
from sparky.transcripts.tree import Node
from tests.transcripts.lines import at, text_of

THREAD, CHILD, FORK = "0199aaaa-0000-7000-8000-000000000001", "0199bbbb", "0199cccc"


def shape(node: Node) -> tuple[str, str, list[object]]:
    return node.name, node.end.state.value, [shape(child) for child in node.children]


def said(found: Library) -> list[tuple[str, str, str, tuple[str, ...], str]]:
    return [
        (one.kind.value, one.text, one.session, one.agents, one.call.target if one.call else "")
        for one in found.feedback(Wanted())
    ]


def tokens(found: Library) -> dict[tuple[str, tuple[str, ...]], list[tuple[Any, ...]]]:
    return {who: [tuple(one)[1:] for one in mine] for who, mine in found.spent(Wanted()).items()}


def codex(second: float, kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": at(second), "type": kind, "payload": payload}


def spent(second: float, put: int, cached: int, got: int) -> dict[str, Any]:
    total = {"input_tokens": put, "cached_input_tokens": cached, "output_tokens": got}
    return codex(second, "event_msg", type="token_count", info={"total_token_usage": total})


def turn(second: float, name: str) -> dict[str, Any]:
    return codex(second, "turn_context", turn_id=name, model="gpt-5-codex")


PARENT: list[dict[str, Any]] = [
    codex(0, "session_meta", id=THREAD, cwd="/work/shop", timestamp=at(0)),
    codex(
        1,
        "response_item",
        type="message",
        role="user",
        content=[{"type": "input_text", "text": "# AGENTS.md"}],
    ),
    turn(2, "turn-1"),
    codex(3, "event_msg", type="user_message", message="mend the total"),
    codex(
        4,
        "response_item",
        type="function_call",
        name="shell",
        call_id="c1",
        arguments='{"command":["rm","x"]}',
    ),
    codex(
        5, "response_item", type="function_call_output", call_id="c1", output="exec command rejected by user"
    ),
    spent(6, 100, 40, 9),
    codex(7, "event_msg", type="turn_aborted", reason="interrupted"),
]


@pytest.fixture
def threads(home: Path) -> Path:
    folder = home / "codex" / "sessions" / "2026" / "03" / "01"
    folder.mkdir(parents=True)
    (folder / f"rollout-2026-03-01T10-00-00-{THREAD}.jsonl").write_text(text_of(*PARENT, "{torn"))
    spawn = {
        "subagent": {"thread_spawn": {"parent_thread_id": THREAD, "depth": 1, "agent_path": "/root/scout"}}
    }
    replayed = [{**line, "timestamp": at(20)} for line in PARENT[1:]]
    child = [
        codex(20, "session_meta", id=CHILD, source=spawn, cwd="/work/shop", timestamp=at(20)),
        *replayed,
        turn(21, "turn-2"),
        codex(22, "event_msg", type="user_message", message="You are a scout."),
        codex(23, "response_item", type="message", role="assistant", content=[{"text": "found"}]),
        spent(24, 150, 40, 20),
        codex(25, "event_msg", type="task_complete"),
        codex(26, "novelty"),
    ]
    (folder / f"rollout-2026-03-01T10-00-20-{CHILD}.jsonl").write_text(text_of(*child))
    fork = [
        codex(30, "session_meta", id=FORK, forked_from_id=THREAD, timestamp=at(30)),
        *replayed,
        turn(31, "turn-3"),
        codex(32, "event_msg", type="user_message", message="try it otherwise"),
        codex(33, "event_msg", type="error", message="no quota"),
    ]
    archive = home / "codex" / "archived_sessions"
    archive.mkdir()
    (archive / f"rollout-2026-03-01T10-00-30-{FORK}.jsonl").write_text(text_of(*fork))
    return home / "codex"


def test_codex_threads_are_read_without_what_they_replay(threads: Path, tmp_path: Path) -> None:
    found = open_library(tmp_path, {"codex": threads}, pytest.fail)
    assert said(found) == [
        ("message", "mend the total", THREAD, (), ""),
        ("rejection", "", THREAD, (), "rm x"),
        ("stop", "", THREAD, (), ""),
        ("message", "try it otherwise", FORK, (), ""),
    ]
    assert tokens(found) == {
        (THREAD, ()): [("gpt-5-codex", 60, 9, 0, 0, 40)],
        (THREAD, (CHILD,)): [("gpt-5-codex", 50, 11, 0, 0, 0)],
    }
    assert sorted(shape(node) for node in found.trees(Wanted())) == [
        (THREAD, "interrupted", [(CHILD, "finished", [])]),
        (FORK, "failed", []),
    ]
    odd = found.oddities()
    assert (odd.unknown, [len(offsets) for offsets in odd.bad.values()]) == ({"novelty": 1}, [1])


def test_a_codex_thread_reads_as_a_conversation(threads: Path, tmp_path: Path) -> None:
    found = open_library(tmp_path, {"codex": threads}, pytest.fail)
    (child,) = found.one(Wanted(session=THREAD)).children
    assert child.leaf
    told = [(one.by, one.text, one.call) for one in turns(child.leaf, str)]
    assert told == [("parent", "You are a scout.", None), ("agent", "found", None)]


def opencode(path: Path) -> None:
    path.parent.mkdir(parents=True)
    db = sqlite3.connect(path)
    db.executescript(
        "CREATE TABLE session (id, parent_id, directory, title, time_created, time_updated);"
        "CREATE TABLE message (id, session_id, time_created, time_updated, data);"
        "CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data);"
        "INSERT INTO session VALUES ('s1', NULL, '/work/shop', 'x', 1772359200000, 1772359200000);"
        "INSERT INTO session VALUES ('s2', 's1', '/work/shop', 'explore', 1772359201000, 1772359201000);"
    )
    refused = (
        "The user rejected permission to use this specific tool call with the following feedback: use uv"
    )
    put(
        db,
        "s1",
        "m1",
        1,
        {"role": "user"},
        {"type": "text", "text": "go"},
        {"type": "text", "text": "x", "synthetic": 1},
    )
    done = {
        "role": "assistant",
        "modelID": "claude-haiku-4-5",
        "cost": 0.5,
        "time": {"created": 1, "completed": 2},
    }
    usage = {"input": 5, "output": 2, "reasoning": 1, "cache": {"read": 3, "write": 4}}
    state = {"status": "error", "error": refused, "input": {"command": "pip install x"}}
    put(
        db,
        "s1",
        "m2",
        2,
        {**done, "tokens": usage},
        {"type": "tool", "tool": "bash", "callID": "c1", "state": state},
    )
    put(db, "s2", "m3", 3, {"role": "user"}, {"type": "text", "text": "explore this"})
    put(
        db,
        "s2",
        "m4",
        4,
        {"role": "assistant", "error": {"name": "MessageAbortedError"}},
        {"type": "text", "text": "so"},
    )
    db.commit()
    db.close()


def put(
    db: sqlite3.Connection, session: str, name: str, when: int, data: dict[str, Any], *parts: dict[str, Any]
) -> None:
    second = 1_772_359_200_000 + when * 1000
    data = {"time": {"created": second}, **data}
    db.execute(
        "INSERT INTO message VALUES (?, ?, ?, ?, ?)", (name, session, second, second, json.dumps(data))
    )
    for number, part in enumerate(parts):
        row = (f"{name}.{number}", name, session, second, second, json.dumps(part))
        db.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)


def test_opencodes_database_is_read(home: Path, tmp_path: Path) -> None:
    data = home / "data" / "opencode"
    opencode(data / "opencode.db")
    found = open_library(tmp_path, {"opencode": data}, pytest.fail)
    assert sorted(said(found)) == [
        ("message", "go", "s1", (), ""),
        ("rejection", "use uv", "s1", (), "pip install x"),
    ]
    assert tokens(found) == {("s1", ()): [("claude-haiku-4-5", 5, 3, 4, 0, 3)]}
    (node,) = found.trees(Wanted())
    assert shape(node) == ("s1", "finished", [("s2", "interrupted", [])])
    assert found.own_costs() == {"s1": 0.5}
    assert node.leaf
    assert [(one.by, one.text) for one in turns(node.leaf, str)] == [
        ("person", "go"),
        ("agent", ""),
        ("person", "use uv"),
    ]


def test_what_is_new_in_opencodes_database_is_read_again(home: Path, tmp_path: Path) -> None:
    data = home / "data" / "opencode"
    opencode(data / "opencode.db")
    open_library(tmp_path, {"opencode": data}, pytest.fail)
    db = sqlite3.connect(data / "opencode.db")
    put(db, "s1", "m9", 9, {"role": "user"}, {"type": "text", "text": "again"})
    db.commit()
    db.close()
    found = open_library(tmp_path, {"opencode": data}, pytest.fail)
    assert sorted(text for _, text, *_ in said(found)) == ["again", "go", "use uv"]


MINI: dict[str, Any] = {
    "trajectory_format": "mini-swe-agent-1.1",
    "info": {"model_stats": {"instance_cost": 0.25, "api_calls": 1}, "exit_status": "Submitted"},
    "messages": [
        {"role": "system", "content": "You can run commands."},
        {"role": "user", "content": "the task"},
        {
            "role": "assistant",
            "content": "I look.",
            "extra": {
                "actions": [{"command": "ls"}],
                "response": {
                    "id": "r1",
                    "model": "anthropic/claude-haiku-4-5",
                    "usage": {
                        "prompt_tokens": 10,
                        "completion_tokens": 2,
                        "prompt_tokens_details": {"cached_tokens": 4},
                    },
                },
            },
        },
        {"role": "user", "content": "a.py", "extra": {"returncode": 0}},
        {
            "role": "user",
            "content": "Command not executed. The user rejected your command with the following message: no",
            "extra": {"interrupt_type": "UserRejection"},
        },
        {
            "role": "user",
            "content": "Interrupted by user: wait",
            "extra": {"interrupt_type": "UserInterruption"},
        },
        {
            "role": "user",
            "content": "The user added a new task: b",
            "extra": {"interrupt_type": "UserNewTask"},
        },
    ],
}


def test_a_trajectory_of_mini_swe_agent_is_read(tmp_path: Path) -> None:
    path = tmp_path / "shop.traj.json"
    path.write_text(json.dumps(MINI, indent=2))
    found = open_files([path], pytest.fail, tmp_path / "scratch")
    kinds = [(kind, text, session) for kind, text, session, *_ in said(found)]
    assert kinds == [("rejection", "no", "shop"), ("stop", "wait", "shop"), ("message", "b", "shop")]
    assert tokens(found) == {("shop", ()): [("claude-haiku-4-5", 6, 2, 0, 0, 4)]}
    assert found.own_costs() == {"shop": 0.25}
    (node,) = found.trees(Wanted())
    assert (node.end.state.value, node.end.why) == ("finished", "exit status Submitted")
    assert node.leaf
    assert [one.by for one in turns(node.leaf, str)] == [
        "system",
        "system",
        "agent",
        "agent",
        "tool",
        *["person"] * 3,
    ]


@pytest.mark.parametrize(("status", "expected"), [("LimitsExceeded", "failed"), ("", "killed")])
def test_a_trajectory_ends_as_its_status_says(tmp_path: Path, status: str, expected: str) -> None:
    path = tmp_path / "shop.traj.json"
    path.write_text(json.dumps({**MINI, "info": {"exit_status": status}}))
    found = Library(open_files([path], pytest.fail, tmp_path / "scratch").index, now=4e9)
    assert [node.end.state.value for node in found.trees(Wanted())] == [expected]


ATIF: dict[str, Any] = {
    "schema_version": "ATIF-v1.7",
    "trajectory_id": "traj-1",
    "agent": {"name": "x", "version": "1", "model_name": "claude-haiku-4-5"},
    "final_metrics": {"total_cost_usd": 0.1},
    "steps": [
        {"step_id": 1, "source": "user", "message": "the task", "timestamp": at(1)},
        {
            "step_id": 2,
            "source": "agent",
            "message": "I call.",
            "timestamp": at(2),
            "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}}],
            "observation": {"results": [{"source_call_id": "c1", "content": "a.py"}]},
            "metrics": {"prompt_tokens": 10, "completion_tokens": 2, "cached_tokens": 4},
        },
        {"step_id": 3, "source": "user", "message": "use uv", "timestamp": at(3)},
    ],
    "subagent_trajectories": [
        {
            "schema_version": "ATIF-v1.7",
            "trajectory_id": "sub-1",
            "agent": {"name": "y", "version": "1", "model_name": "claude-haiku-4-5"},
            "steps": [
                {"step_id": 1, "source": "user", "message": "from above"},
                {"step_id": 2, "source": "agent", "message": "ok", "metrics": {"completion_tokens": 7}},
            ],
        }
    ],
}


def test_an_atif_trajectory_is_read_with_its_agents(tmp_path: Path) -> None:
    path = tmp_path / "trajectory.json"
    path.write_text(json.dumps(ATIF))
    found = open_files([path], pytest.fail, tmp_path / "scratch")
    assert said(found) == [("message", "use uv", "traj-1", (), "")]
    assert tokens(found) == {
        ("traj-1", ()): [("claude-haiku-4-5", 6, 2, 0, 0, 4)],
        ("traj-1", ("sub-1",)): [("claude-haiku-4-5", 0, 7, 0, 0, 0)],
    }
    (node,) = found.trees(Wanted())
    assert shape(node) == ("traj-1", "finished", [("sub-1", "finished", [])])
    (child,) = node.children
    assert child.leaf
    assert [(one.by, one.text) for one in turns(child.leaf, str)] == [
        ("system", "from above"),
        ("agent", "ok"),
    ]


def test_a_file_that_is_no_transcript_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    with pytest.raises(
        UsageError, match="is no transcript that sparky reads: claude, codex, opencode, mini_swe, atif"
    ):
        open_files([path], pytest.fail, tmp_path)
    with pytest.raises(UsageError, match="No such file"):
        open_files([tmp_path / "none.json"], pytest.fail, tmp_path)


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_file_of_lines_is_recognised_by_its_beginning(threads: Path, tmp_path: Path, name: str) -> None:
    if name == "codex":
        path = next(threads.rglob(f"*{THREAD}.jsonl"))
    else:
        path = Path(__file__).parent.parent / "golden/transcripts/claude-code-log-sample"
        path = next(path.glob("*.jsonl"))
    found = open_files([path], pytest.fail, tmp_path / "scratch")
    assert [leaf.reader for leaf in found.leaves] == [name]


def test_each_reader_is_found_by_its_name() -> None:
    assert {name: reader.name for name, reader in READERS.items()} == {name: name for name in READERS}
    assert [*READERS] == ["claude", "codex", "opencode", "mini_swe", "atif"]
