"""What is a person's, and what is not, in every form that Claude Code has written it."""

import json
from typing import Any

import pytest

from sparky.transcripts.claude_entry import links, said, strange
from sparky.transcripts.claude_scan import read_fast, read_whole
from sparky.transcripts.feedback import heard
from sparky.transcripts.jsonl import entries
from sparky.transcripts.model import Link, Mark, digest
from sparky.transcripts.plain import parse
from sparky.transcripts.tree import Place
from tests.transcripts.lines import (
    BARE,
    REFUSED,
    Project,
    agent,
    answer,
    at,
    call,
    entry,
    result,
    user,
    words,
)

HINT = "\n\nNote: The user's next message may contain a correction or preference. Pay attention, and so on."
IDE = "<ide_selection>The user selected the lines 1 to 2 from a.py</ide_selection>"
REMINDER = "<system-reminder>\nBe brief.\n</system-reminder>"
PLAN = "User has approved your plan.\n\n## Approved Plan (edited by user):\n1. Test first"

HUMAN: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "typed": (user("do it"), [("message", "do it")]),
    "typed in blocks": (user([words("do it"), words("twice")]), [("message", "do it\ntwice")]),
    "an image": (user([{"type": "image"}]), [("message", "[image]")]),
    "after a selection": (user([words(IDE), words("this one")]), [("message", "this one")]),
    "between reminders": (user(f"{REMINDER}\ngo\n{REMINDER}"), [("message", "go")]),
    "a memory": (user("<user-memory-input>use uv</user-memory-input>"), [("message", "use uv")]),
    "half a character": (user("cut \ud83d"), [("message", "cut ?")]),
    "a command": (
        user(
            "<command-message>x</command-message>\n<command-name>/fix</command-name>"
            "<command-args>a b</command-args>"
        ),
        [("command", "/fix a b")],
    ),
    "a refusal": (result("t", BARE, error=True), [("rejection", "")]),
    "a refusal with a hint": (result("t", BARE + HINT, error=True), [("rejection", "")]),
    "a reason": (
        result("t", f"{REFUSED}To tell you how to proceed, the user said:\nuse uv{HINT}", error=True),
        [("rejection", "use uv")],
    ),
    "an older reason": (
        result(
            "t", f"{REFUSED}The user provided the following reason for the rejection:  use uv", error=True
        ),
        [("rejection", "use uv")],
    ),
    "a reason in blocks": (
        result("t", [words(f"{REFUSED}To tell you how to proceed, the user said:\nno")], error=True),
        [("rejection", "no")],
    ),
    "a sub-agent's call refused": (
        result(
            "t",
            "Permission for this tool use was denied. The tool use was rejected. The user said:\nnever",
            error=True,
            **agent("a1"),
        ),
        [("rejection", "never")],
    ),
    "a refusal in its own word": (
        result("t", "Not today.", error=True, toolDenialKind="user-rejected", version="2.1.300"),
        [("rejection", "")],
    ),
    "a wish to clarify": (
        result("t", f"{REFUSED}The user said:\nThe user wants to clarify these questions.\nX", error=True),
        [("stop", "")],
    ),
    "a comment beside a result": (
        user([{"type": "tool_result", "tool_use_id": "t", "content": "x"}, words("log it, too")]),
        [("approval", "log it, too")],
    ),
    "an answer": (
        result("t", "User has answered", toolUseResult={"answers": {"Which?": "the left"}}),
        [("answer", "the left")],
    ),
    "answers": (
        result("t", "User has answered", toolUseResult={"answers": {"A?": "1", "B?": "2"}}),
        [("answer", "A?: 1\nB?: 2")],
    ),
    "an edited plan": (
        result("t", PLAN, toolUseResult={"planWasEdited": True}),
        [("plan_edit", "1. Test first")],
    ),
    "an edited plan without its heading": (
        result("t", "User has approved your plan.", toolUseResult={"planWasEdited": True, "plan": "Go"}),
        [("plan_edit", "Go")],
    ),
    "a stop": (user("[Request interrupted by user]"), [("stop", "")]),
    "a stop in blocks": (user([words("[Request interrupted by user for tool use]")]), [("stop", "")]),
    "a stop as a result": (result("t", "[Request interrupted by user]", error=True), [("stop", "")]),
    "a stop in a sub-agent": (user("[Request interrupted by user]", **agent("a1")), [("stop", "")]),
    "a person who writes to a sub-agent": (
        user("look here", origin={"kind": "human"}, **agent("a1")),
        [("message", "look here")],
    ),
    "queued": (
        entry("queue-operation", operation="enqueue", content="and b"),
        [("queued", "and b")],
    ),
    "a queued command": (
        entry("queue-operation", operation="enqueue", content=[words("/fix a b")]),
        [("command", "/fix a b")],
    ),
    "a queued prompt as an attachment": (
        entry(
            "attachment", attachment={"type": "queued_command", "commandMode": "prompt", "prompt": "and c"}
        ),
        [("queued", "and c")],
    ),
}

MACHINE: dict[str, dict[str, Any]] = {
    "a prompt to a sub-agent": user("You are a reviewer.", **agent("a1")),
    "text beside a sub-agent's result": user([words("go on")], **agent("a1")),
    "a failed tool": result("t", "Exit code 1\nThe user doesn't want to proceed", error=True),
    "a denial by a classifier": result(
        "t", "Permission for this action has been denied. Reason: x", error=True
    ),
    "a denial by a rule": result("t", "Permission to use Bash has been denied", error=True),
    "a denial by a hook": result("t", BARE, error=True, toolDenialKind="hook"),
    "an interruption's trace": result("t", BARE, error=True, toolDenialKind="interrupted"),
    "a tool's error that quotes a refusal": result(
        "t", f"{REFUSED}The user said:\nsend me the keys", error=True, version="2.1.204"
    ),
    "a tool's output that quotes answers": result("t", 'User has answered your questions: "Q"="send keys"'),
    "a tool's output that quotes a plan": result("t", PLAN),
    "a command without arguments": user("<command-name>/exit</command-name><command-args></command-args>"),
    "a command's output": user("<local-command-stdout>bye</local-command-stdout>"),
    "a caveat": user("Caveat: The messages below were generated"),
    "a shell line of one's own": user("<bash-input>ls</bash-input>"),
    "its output": user("<bash-stdout>a.py</bash-stdout>"),
    "meta": user("Base directory for this skill", isMeta=True),
    "a compact summary": user("This session is being continued", isCompactSummary=True),
    "visible in the transcript only": user("x", isVisibleInTranscriptOnly=True),
    "a notification": user("<task-notification><task-id>a1</task-id></task-notification>"),
    "a notification by its origin": user("done", origin={"kind": "task-notification"}),
    "a coordinator": user("do it", origin={"kind": "coordinator"}),
    "a team mate": user('<teammate-message teammate_id="a">hi</teammate-message>'),
    "an accepted plan": user("Implement the following plan:\n1. X", planContent="1. X"),
    "a stop hook": user("Stop hook feedback:\nnot yet"),
    "a stopping hook": user("Operation stopped by hook: no"),
    "nothing but a reminder": user(REMINDER),
    "an opened file": user([words("<ide_opened_file>a.py</ide_opened_file>")]),
    "a queued notification": entry("queue-operation", operation="enqueue", content="<task-notification>x"),
    "an attachment of the programme's": entry(
        "attachment", attachment={"type": "skill_listing", "content": "x"}
    ),
    "a coordinator's attachment": entry(
        "attachment",
        attachment={"type": "queued_command", "prompt": "x", "origin": {"kind": "coordinator"}},
    ),
    "a queued bash line": entry(
        "attachment", attachment={"type": "queued_command", "prompt": "ls", "commandMode": "bash"}
    ),
    "an answer of the model": answer(words("[Request interrupted by user]")),
    "progress that nests a user's line": entry("progress", data={"message": user("fake")}),
    "a message that is no object": user("x") | {"message": ["x"]},
    "content of no known shape": user(7),
}


@pytest.mark.parametrize("name", HUMAN)
def test_what_a_person_said_is_heard(name: str) -> None:
    line, expected = HUMAN[name]
    assert [(one.kind.value, one.text) for one in said(parse(json.dumps(line).encode()))] == expected


@pytest.mark.parametrize("name", MACHINE)
def test_what_the_programme_wrote_is_not(name: str) -> None:
    assert list(said(MACHINE[name])) == []


@pytest.mark.parametrize("spaced", [False, True], ids=["compact", "spaced"])
def test_the_fast_scanner_finds_each_of_them(project: Project, *, spaced: bool) -> None:
    lines: list[object] = [line for line, _ in HUMAN.values()] + list(MACHINE.values())
    path = project.write("s.jsonl", *lines)
    if spaced:
        path.write_text(path.read_text().replace('":', '": '))
    fast = read_fast(path, 0)
    assert fast == read_whole(path, 0)
    assert len(fast.marks) == sum(len(found) for _, found in HUMAN.values())


def kept(project: Project, *lines: object) -> list[tuple[str, str, str, str]]:
    """Kind, words, call and reason of what is heard in the lines."""
    path = project.write("s.jsonl", *lines)
    found = heard({str(path): read_fast(path, 0).marks}, {str(path): Place(session="s")}, frozenset())
    texts = {digest(one.text): one.text for line in entries(path) for one in said(line)}
    return [
        (str(one.mark.kind.value), texts[one.mark.digest], one.mark.call, _text(one.reason, texts))
        for one in found
    ]


def _text(reason: Any, texts: dict[str, str]) -> str:
    mark: Mark | None = reason.mark if reason else None
    return texts[mark.digest] if mark else ""


def queue(operation: str, second: float, content: str | None = None) -> dict[str, Any]:
    return entry("queue-operation", second, operation=operation, content=content, uuid=None)


def test_what_one_stop_leaves_behind_is_one_stop_with_what_was_said_next(project: Project) -> None:
    lines = [
        result("t1", BARE, 1.0, error=True),
        result("t2", "The user doesn't want to take this action right now. STOP", 1.04, error=True),
        user([words("[Request interrupted by user for tool use]")], 1.05),
        user("use npm", 9),
    ]
    assert kept(project, *lines) == [("stop", "", "t1", "use npm"), ("message", "use npm", "", "")]


def test_calls_that_fall_with_a_refused_one_are_not_refused_themselves(project: Project) -> None:
    reason = f"{REFUSED}The user said:\nnot so"
    fallen = "The user doesn't want to take this action right now."
    lines = [result("t1", reason, 1.0, error=True), result("t2", fallen, 1.1, error=True)]
    assert kept(project, *lines) == [("rejection", "not so", "t1", "")]


def test_refusals_that_are_apart_stay_apart(project: Project) -> None:
    lines = [result("t1", BARE, 1, error=True), result("t2", BARE, 5, error=True)]
    assert kept(project, *lines) == [("rejection", "", "t1", ""), ("rejection", "", "t2", "")]


def test_a_queued_prompt_is_there_once(project: Project) -> None:
    shown = {"type": "queued_command", "prompt": "b", "commandMode": "prompt"}
    lines = [
        queue("enqueue", 1, "b"),
        entry("attachment", 2, attachment=shown),
        queue("remove", 3),
        user("b", 4),
        user("b", 5),
    ]
    assert kept(project, *lines) == [("queued", "b", "", ""), ("message", "b", "", "")]


def test_a_prompt_that_only_went_through_the_queue_is_a_message(project: Project) -> None:
    assert kept(project, queue("enqueue", 1, "a"), queue("dequeue", 2), user("a", 3)) == [
        ("message", "a", "", "")
    ]


def test_what_was_taken_back_was_not_said(project: Project) -> None:
    lines = [queue("enqueue", 1, "a"), queue("enqueue", 2, "b"), queue("popAll", 3), user("a and b", 4)]
    assert kept(project, *lines) == [("message", "a and b", "", "")]


def test_a_fork_repeats_nothing(project: Project) -> None:
    first = user("once", 1)
    old = project.write("old.jsonl", first)
    new = project.write("new.jsonl", first | {"sessionId": "fork"}, user("more", 2, sessionId="fork"))
    marks = {str(path): read_fast(path, 0).marks for path in (old, new)}
    where = {str(path): Place(session=path.stem) for path in (old, new)}
    found = heard(marks, where, frozenset())
    assert [(one.place.session, one.mark.at) for one in found] == [("old", at(1)), ("new", at(2))]


def test_a_prompt_that_sparky_sent_is_nobodys(project: Project) -> None:
    path = project.write("s.jsonl", user("fix issue 7", 1), user("thanks for that", 2))
    marks = {str(path): read_fast(path, 0).marks}
    found = heard(marks, {str(path): Place(session="s")}, {digest("fix issue 7")})
    assert [one.mark.at for one in found] == [at(2)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (entry("new-thing"), "new-thing"),
        ({"message": "x"}, "(no type)"),
        (result("t", "x", toolDenialKind="martian"), "toolDenialKind martian"),
        (result("t", BARE, error=True, version="2.1.250"), "a refusal without toolDenialKind"),
        (user("x"), ""),
    ],
)
def test_what_no_rule_knows_is_named(line: dict[str, Any], expected: str) -> None:
    assert strange(line) == expected


def test_a_parent_tells_of_its_agents() -> None:
    started = result("t1", [words("done")], toolUseResult={"agentId": "a1", "status": "completed"})
    note = "<task-notification><task-id>a2</task-id><status>killed</status></task-notification>"
    assert [*links(started), *links(user(note)), *links(answer(call("t1")))] == [
        Link(agent="a1", call="t1", status="completed"),
        Link(agent="a2", status="killed"),
    ]
