"""What an agent finds beside its worktree: the reports on its run and the repository, and no other place."""

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
from sparky.ports import SessionRequest

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
    assert "can't create" in do(Bash(command="echo x > ../run.reports/two.md")).replace("cannot", "can't")
