"""What an agent can read: its worktree, the reports on its run, the repository, and no other place."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sparky.adapters.memory import MemoryProgress
from sparky.adapters.model_tools import Bash, Call, Hands, Read, Write
from sparky.adapters.session_room import Grounds, Launch, command_for, readable_beside
from sparky.adapters.shell import SystemShell
from sparky.events import SessionRequest

Do = Callable[[Call], str]


@pytest.fixture
def grounds(tmp_path: Path) -> Grounds:
    for name in ("work", "run.reports", "config", "git", "private"):
        (tmp_path / name).mkdir()
    (tmp_path / "run.reports" / "one.md").write_text("It fails for ø.\n")
    (tmp_path / "git" / "config").write_text("[core]\n")
    (tmp_path / "secret").write_text("nobody's business\n")
    shell = SystemShell({"PATH": os.environ["PATH"]}, scratch=tmp_path / "private")
    return Grounds(
        shell=shell,
        progress=MemoryProgress(),
        sessions=tmp_path / "sessions",
        given={},
        path=os.environ["PATH"],
        git_dir=tmp_path / "git",
        sandbox=True,
    )


@pytest.fixture
def asked(tmp_path: Path) -> SessionRequest:
    return SessionRequest(
        run="run",
        issue="1",
        worktree=tmp_path / "work",
        prompt="The reports of others lie in ../run.reports.",
        agent="coder",
        number=1,
        timeout_s=30,
        reports=tmp_path / "run.reports",
    )


@pytest.fixture
def do(grounds: Grounds, asked: SessionRequest) -> Do:
    hands = Hands(
        shell=grounds.shell,
        worktree=asked.worktree,
        until=time.monotonic() + 30,
        confined=True,
        readable=readable_beside(grounds, asked),
    )
    return lambda call: asyncio.run(hands.do(call))


def test_an_agent_that_is_a_program_reads_the_reports_and_can_not_change_them(
    grounds: Grounds, asked: SessionRequest, tmp_path: Path
) -> None:
    words = "cat ../run.reports/one.md ../git/config; cat ../secret; echo x > ../run.reports/two.md"
    launch = Launch(argv=("-c", words), env={}, config=tmp_path / "config")
    done = grounds.shell.run(command_for(grounds, Path("/bin/sh"), launch, asked, port=9))
    assert done.stdout.decode() == "It fails for ø.\n[core]\n"
    assert not (tmp_path / "run.reports" / "two.md").exists()


@pytest.mark.parametrize("call", [Read(path="../run.reports/one.md"), Bash(command="cat ../run.reports/*")])
def test_a_model_reads_the_reports(do: Do, call: Call) -> None:
    assert do(call).strip() == "It fails for ø."


def test_a_model_has_the_repository_to_read(do: Do) -> None:
    assert do(Bash(command="cat ../git/config")) == "[core]"


def test_a_model_writes_no_report_and_reads_nothing_else_out_there(do: Do, tmp_path: Path) -> None:
    elsewhere = f"is not in the working directory {tmp_path / 'work'}"
    assert do(Write(path="../run.reports/two.md", content="")) == f"error: ../run.reports/two.md {elsewhere}"
    assert do(Read(path="../secret")) == f"error: ../secret {elsewhere}"
    do(Bash(command="echo x > ../run.reports/two.md; cat ../secret > seen.txt"))
    assert [path.name for path in (tmp_path / "run.reports").iterdir()] == ["one.md"]
    assert (tmp_path / "work" / "seen.txt").read_text() == ""


def test_a_link_to_itself_is_an_error_for_the_model(do: Do, asked: SessionRequest) -> None:
    (asked.worktree / "a").symlink_to("a")
    for call in Read(path="a"), Read(path="a/b"), Write(path="a", content="one\n"):
        assert "Too many levels of symbolic links" in do(call)


@pytest.mark.parametrize(
    ("text", "call", "said"),
    [
        ("", Read(path="a"), ""),
        ("one\n\f\ntwo", Read(path="a", first=2), "\f\ntwo"),
        ("1\n2\n3\n", Read(path="a", first=2, count=1), "2\n\n(lines 2-2 of 3; go on with first=3)"),
        ("1\n2\n3\n", Read(path="a", first=9), ""),
        (
            f"{'x' * 99}\n" * 400,
            Read(path="a", first=11),
            f"{'x' * 99}\n" * 300 + "\n(lines 11-310 of 400; go on with first=311)",
        ),
        (
            f"{'x' * 30_001}\nend\n",
            Read(path="a"),
            f"{'x' * 30_000}\n(lines 1-1 of 2, cut after 30000 characters; go on with first=2)",
        ),
        ("x" * 30_001, Read(path="a"), f"{'x' * 30_000}\n(lines 1-1 of 1, cut after 30000 characters)"),
    ],
)
def test_a_model_reads_whole_lines_and_is_told_where_to_go_on(
    do: Do, asked: SessionRequest, text: str, call: Read, said: str
) -> None:
    (asked.worktree / "a").write_text(text)
    assert do(call) == said
