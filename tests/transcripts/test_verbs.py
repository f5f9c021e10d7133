"""The verbs about transcripts, as a person and as a program call them."""

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from sparky.cli.main import cli
from sparky.cli.table import load
from sparky.cli.transcripts import MODULES
from sparky.transcripts.cost import price
from sparky.transcripts.model import Usage
from sparky.transcripts.redact import redact
from tests.transcripts.lines import SESSION, Project, agent, answer, at, call, entry, result, user, words

OTHER = "99999999-2222-4333-8444-555555555555"
TOP = Path(__file__).parents[2]


def sparky(*words: str) -> Any:
    found = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found


def said(*words: str) -> Any:
    return json.loads(sparky(*words, "--json").stdout)


@pytest.fixture
def sessions(project: Project) -> Project:
    """Two sessions with the same correction; the first has an agent and counts its own cost."""
    corrected = result(
        "t1",
        "The user doesn't want to take this action right now. The user said:\nUse uv, not pip!",
        3,
        error=True,
    )
    project.write(
        f"{SESSION}.jsonl",
        user("please mend the total; ask ada@example.org", 1, cwd=str(project.path)),
        answer(call("t1", command="pip install x"), second=2, name="m1", output=1000),
        corrected,
        entry("cost-state", totalCostUSD=0.25),
        answer(words("done"), second=4, name="m2", output=1000),
        entry("brand-new", 5),
    )
    project.write(
        f"{SESSION}/subagents/agent-a1.jsonl",
        user("look around", 2, **agent("a1")),
        answer(words("[bold]found[/]"), second=3, name="m3", output=500, **agent("a1")),
    )
    project.write(
        f"{OTHER}.jsonl",
        user("use uv, not pip", 60, sessionId=OTHER, cwd=str(project.path)),
        user("ok", 61, sessionId=OTHER),
        answer(words("ok"), second=62, name="m4", sessionId=OTHER),
        "{broken",
    )
    return project


def test_list_shows_sessions_and_says_what_is_strange(sessions: Project) -> None:
    found = sparky("transcripts", "list", "--project", str(sessions.path))
    assert sorted(line.split()[0] for line in found.stdout.splitlines()) == [
        SESSION[:8],
        OTHER[:8],
        "SESSION",
    ]
    path = sessions.history / f"{OTHER}.jsonl"
    offset = path.stat().st_size - len("{broken\n")
    assert found.stderr == (
        "entries of types that sparky does not know: brand-new (1)\n"
        f"1 line(s) can't be read, the first in {path} at byte {offset}\n"
    )


def test_list_as_json_counts_agents_and_words(sessions: Project) -> None:
    found = {one["session"]: one for one in said("transcripts", "list")}
    first = found[SESSION]
    del first["updated"]
    assert first == {
        "session": SESSION,
        "reader": "claude",
        "project": str(sessions.path),
        "started": at(1),
        "state": "finished",
        "why": "the last answer ended (end_turn)",
        "agents": 1,
        "said": {"message": 1, "rejection": 1},
    }


@pytest.mark.usefixtures("sessions")
def test_tree_nests_agents() -> None:
    (node,) = said("transcripts", "tree", "--session", SESSION[:5])
    assert (node["name"], [child["name"] for child in node["children"]]) == (SESSION, ["a1"])
    assert (
        f"  a1  {''}finished: the last answer"
        in sparky("transcripts", "tree", "--session", SESSION[:5]).stdout
    )


def test_feedback_has_its_call_and_no_addresses(sessions: Project) -> None:
    found = said("transcripts", "feedback", "--session", SESSION[:5])
    place = {
        "reader": "claude",
        "session": SESSION,
        "agents": [],
        "path": str(sessions.history / f"{SESSION}.jsonl"),
    }
    assert [{k: v for k, v in one.items() if k != "offset"} for one in found] == [
        {
            **place,
            "kind": "message",
            "at": at(1),
            "text": "please mend the total; ask [e-mail]",
            "call": None,
            "call_id": "",
            "reason": "",
        },
        {
            **place,
            "kind": "rejection",
            "at": at(3),
            "text": "Use uv, not pip!",
            "call": {"name": "Bash", "target": "pip install x"},
            "call_id": "t1",
            "reason": "",
        },
    ]
    raw = said("transcripts", "feedback", "--session", SESSION[:5], "--kind", "message", "--raw")
    assert [one["text"] for one in raw] == ["please mend the total; ask ada@example.org"]


@pytest.mark.usefixtures("sessions")
def test_feedback_since_a_time() -> None:
    assert [one["text"] for one in said("transcripts", "feedback", "--since", at(30))] == [
        "use uv, not pip",
        "ok",
    ]
    assert said("transcripts", "feedback", "--since", "1h") == []
    assert "rejection" in sparky("transcripts", "feedback").stdout


@pytest.mark.usefixtures("sessions")
def test_show_tells_a_session_or_an_agent() -> None:
    told = said("transcripts", "show", SESSION[:5])
    assert [one["by"] for one in told] == ["person", "agent", "person", "tool", "agent"]
    assert "[bold]found[/]" in sparky("transcripts", "show", SESSION[:5], "--agent", "a1").stdout


@pytest.mark.usefixtures("sessions")
def test_cost_counts_each_message_once_and_compares_with_the_agents_own_figure() -> None:
    found = said("transcripts", "cost", "--session", SESSION[:5])
    assert found["prices"].startswith("genai-prices ")
    owners = [(one["session"], one["agents"], one["bills"][0]["output"]) for one in found["accounts"]]
    assert owners == [(SESSION, [], 2000), (SESSION, ["a1"], 500)]
    # Haiku 4.5: 1 USD for a million tokens in, 5 out, 0.1 from the cache.
    assert found["total"]["cost_usd"] == pytest.approx((6 * 1 + 2500 * 5 + 9 * 0.1) / 1e6)
    assert [(one["own_usd"], one["differs"]) for one in found["compared"]] == [(0.25, True)]
    shown = sparky("transcripts", "cost", "--session", SESSION[:5])
    assert "the agent itself counts $0.2500, the transcripts $0.0125" in shown.stderr


def test_a_message_of_an_unknown_model_has_no_price() -> None:
    assert price(Usage("m", "no-such-model", 1, 1), None) is None


@pytest.mark.usefixtures("sessions")
def test_learn_proposes_what_several_sessions_were_told_and_writes_only_when_asked(tmp_path: Path) -> None:
    (lesson,) = said("transcripts", "learn")
    assert (lesson["line"], lesson["sessions"], len(lesson["sources"])) == ("use uv, not pip", 2, 2)
    target = tmp_path / "AGENTS.md"
    target.write_text("# Ours\n")
    sparky("transcripts", "learn")
    assert target.read_text() == "# Ours\n"
    for _ in range(2):  # the second time nothing is new
        sparky("transcripts", "learn", "--write", str(target))
    assert target.read_text() == (
        "# Ours\n\n## Said again and again\n\n"
        "- use uv, not pip <!-- said in 2 sessions: 11111111, 99999999 -->\n"
    )


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("zzz", "no session starts with 'zzz'; the newest are: "),
        ("", "'' fits 2 sessions: "),
    ],
)
@pytest.mark.usefixtures("sessions")
def test_a_prefix_that_fits_none_or_several_says_so(prefix: str, expected: str) -> None:
    found = CliRunner().invoke(cli, ["transcripts", "show", prefix])
    assert expected in str(found.exception)


@pytest.mark.usefixtures("sessions")
def test_an_agent_that_is_not_there_is_named() -> None:
    found = CliRunner().invoke(cli, ["transcripts", "show", SESSION[:5], "--agent", "zz"])
    assert (found.exit_code, "its agents are: a1" in found.output) == (2, True)


@pytest.mark.usefixtures("home")
def test_a_time_that_is_none_is_refused() -> None:
    found = CliRunner().invoke(cli, ["transcripts", "list", "--since", "soon"])
    assert (found.exit_code, "'soon' is no time; say 7d, 12h or 2026-03-01" in found.output) == (2, True)


@pytest.mark.usefixtures("sessions")
def test_export_writes_a_session_as_atif_and_reads_it_again(tmp_path: Path) -> None:
    first = json.loads(sparky("export", SESSION[:5], "--format", "atif").stdout)
    assert (first["schema_version"], first["session_id"]) == ("ATIF-v1.7", SESSION)
    assert [step["source"] for step in first["steps"]] == ["user", "agent", "user", "agent"]
    assert first["final_metrics"]["total_completion_tokens"] == 2000
    (child,) = first["subagent_trajectories"]
    assert child["trajectory_id"] == "a1"
    path = tmp_path / "t.json"
    path.write_text(json.dumps(first))
    again = json.loads(sparky("export", str(path), "--format", "atif").stdout)
    assert [step["message"] for step in again["steps"]][-1] == "done"


@pytest.mark.usefixtures("sessions")
def test_export_writes_markdown_and_json() -> None:
    text = sparky("export", SESSION[:5], "--format", "md").stdout
    assert f"# {SESSION}\n" in text
    assert "## person (rejection)" in text
    assert "**Bash** \n```\npip install x\n```" in text
    found = said("export", SESSION[:5])
    assert (found["session"], len(found["turns"]), [one["session"] for one in found["agents"]]) == (
        SESSION,
        5,
        ["a1"],
    )


@pytest.mark.usefixtures("home")
def test_export_of_what_is_not_there_says_all_that_it_looked_for() -> None:
    found = CliRunner().invoke(cli, ["export", "nothing"])
    assert str(found.exception) == (
        "no session starts with 'nothing'; the newest are: (there are none); as a run: no run starts with "
        "'nothing'; the newest are: (there are none); it is no file either"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write to ada.b+c@mail.example.org now", "write to [e-mail] now"),
        ("AKIAIOSFODNN7EXAMPLE", "[redacted: AWS Access Key]"),
        ("use ghp_" + "a1B2" * 9, "use [redacted: GitHub token]"),
        ("sk-ant-api03-" + "x" * 30, "[redacted: API key]"),
        ("https://ada:hunter22@host/x", "https://[redacted: credentials]@host/x"),
        ('password = "hunter2hunter2"', 'password = "[redacted: assigned secret]"'),
        (
            "a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb",
            "a\n[redacted: private key]\nb",
        ),
        ("in domain/flow.py the function decide", "in domain/flow.py the function decide"),
        ("commit 2dfd160a9c1f of src/sparky/cli/main.py", "commit 2dfd160a9c1f of src/sparky/cli/main.py"),
    ],
)
def test_secrets_do_not_leave_the_transcripts(text: str, expected: str) -> None:
    assert redact(text) == expected


@pytest.mark.parametrize("verb", MODULES)
def test_every_verb_of_transcripts_and_its_options_are_in_the_reference(verb: str) -> None:
    command = getattr(load(f"transcripts_{MODULES[verb][0]}"), f"verb_{verb}")
    row, *_ = [
        line
        for line in (TOP / "docs" / "reference.md").read_text(encoding="utf-8").splitlines()
        if line.startswith(f"| `transcripts {verb}")
    ]
    options = [one for one in command.params if isinstance(one, click.Option)]
    assert [one.opts for one in options if not any(name in row for name in one.opts)] == []
    assert (command.name, bool(command.help)) == (verb, True)
