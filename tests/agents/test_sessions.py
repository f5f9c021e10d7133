"""One session with each real agent: what it tells, what it uses, how it ends, and that all of it ends."""

import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.adapters.cli_runners import cli_runners
from sparky.adapters.memory import MemoryProgress
from sparky.adapters.session_room import Grounds
from sparky.adapters.shell import SystemShell
from sparky.domain.command import Level
from sparky.events import SessionEnding, SessionRequest, SessionResult
from sparky.testing.model_server import ModelServer
from sparky.testing.script import Action, Delegate, Fault, Run, Say, Scripts, Turn, Wait, Write
from tests.agents.conftest import Serve, environment, installed

pytestmark = pytest.mark.agents

PROGRAM = {"claude": "claude", "codex": "codex", "claude-acp": "claude-agent-acp"}
INNER = (Write(path="inner.txt", text="inner\n"), Say(text="inner is done"))


class Stage:
    """A worktree, and sessions in it."""

    def __init__(self, root: Path, runner: str, model: ModelServer) -> None:
        self.root, self.runner, self.model = root, runner, model
        self.progress = MemoryProgress()
        self.worktree = root / "work"
        self.worktree.mkdir()
        path = installed(*(PROGRAM[name] for name in PROGRAM if name == runner))
        self.shell = SystemShell(
            {"PATH": path, "HOME": str(root / "home"), "LANG": "C.UTF-8"}, scratch=root / "private"
        )
        self.grounds = Grounds(
            shell=self.shell,
            progress=self.progress,
            sessions=root / "sessions",
            given=environment(model),
            path=path,
            git_dir=root / "none",
            sandbox=True,
        )

    def request(self, script: str) -> SessionRequest:
        return SessionRequest(
            run="run",
            issue="1",
            worktree=self.worktree,
            prompt=f"SCRIPT:{script}",
            agent="coder",
            number=1,
            timeout_s=60,
            model="scripted" if self.runner.startswith("codex") else "",
        )

    def run(self, request: SessionRequest) -> SessionResult:
        return cli_runners(self.grounds)[self.runner].run(request)

    @property
    def room(self) -> Path:
        return self.root / "sessions" / "run" / "0-1-coder"


@pytest.fixture
def stage(tmp_path: Path, serve: Serve) -> Callable[[str, Scripts], Stage]:
    return lambda runner, scripts: Stage(tmp_path, runner, serve(scripts))


def delegating(runner: str, *, background: bool = False) -> tuple[Action | Turn, ...]:
    """A conversation that has a sub-agent do it."""
    waits: tuple[Action, ...] = ()
    if runner == "codex":
        waits = (Wait(),)
    elif background:
        waits = (Say(text="it works in the background"),)
    return (Delegate(prompt="SCRIPT:inner go", background=background), *waits, Say(text="all is done"))


@pytest.mark.parametrize("runner", PROGRAM)
def test_it_edits_what_it_may_and_tells_it_to_the_token(
    stage: Callable[[str, Scripts], Stage], runner: str
) -> None:
    prying = "cat /etc/hostname > seen.txt; env > env.txt; echo x > ../outside.txt; echo x > ~/a.txt"
    out = "python3 -c \"import socket; socket.create_connection(('127.0.0.1', {}), 2)\" 2> net.txt"
    scripts: Scripts = {}
    here = stage(runner, scripts)
    port = here.model.url.rpartition(":")[2]
    turns = (
        Write(path="a.txt", text="one\n"),
        Run(command=f"{prying}; {out.format(port)}"),
        Say(text="Done."),
    )
    scripts |= {"edit": (turns,)}  # type: ignore[operator]
    result = here.run(here.request("edit"))
    assert (result.ending, result.claimed_success, result.summary) == (SessionEnding.FINISHED, True, "Done.")
    assert (result.tokens, result.turns) == (here.model.tokens.total, 3)
    assert result.level is not Level.OFF
    assert (here.worktree / "a.txt").read_text() == "one\n"
    assert not (here.root / "outside.txt").exists()
    assert "Permission denied" in (here.worktree / "net.txt").read_text()
    known = {line.partition("=")[0] for line in (here.worktree / "env.txt").read_text().splitlines()}
    assert not known & {"GITHUB_TOKEN", "SPARKY_STATE_DIR", "SSH_AUTH_SOCK"}
    said = " ".join(here.progress.said["run"])
    assert "a.txt" in said
    assert "coder says: Done." in said
    asked = [json.loads(line) for line in (here.room / "egress.jsonl").read_text().splitlines()]
    assert {(one["to"], one["allowed"]) for one in asked} == {(f"127.0.0.1:{port}", True)}
    assert list((here.room / "config").rglob("*.jsonl"))


@pytest.mark.parametrize("runner", ["claude", "claude in the background", "codex"])
def test_tokens_of_sub_agents_are_counted_at_any_depth(
    stage: Callable[[str, Scripts], Stage], runner: str
) -> None:
    name, _, background = runner.partition(" ")
    outer = delegating(name, background=bool(background))
    nested = (Delegate(prompt="SCRIPT:outer go"), Say(text="the whole is done"))
    scripts = {"outer": (outer,), "inner": (INNER,), "nested": (nested,)}
    here = stage(name, scripts)
    result = here.run(here.request("nested" if runner == "claude" else "outer"))
    assert result.ending is SessionEnding.FINISHED, result
    assert result.summary == ("the whole is done" if runner == "claude" else "all is done")
    assert result.tokens == here.model.tokens.total
    assert {answer.script for answer in here.model.answers} >= {"outer", "inner"}
    assert any("sub-agent" in line for line in here.progress.said["run"])


FAULTS = {
    Fault.ERROR: SessionEnding.OUTAGE,
    Fault.LIMIT: SessionEnding.RATE_LIMITED,
    Fault.HANG: SessionEnding.TIMED_OUT,
    Fault.GARBAGE: SessionEnding.OUTAGE,
    Fault.CUT: SessionEnding.OUTAGE,
}


@pytest.mark.parametrize("runner", PROGRAM)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_goes_wrong_with_the_model_has_its_name(
    stage: Callable[[str, Scripts], Stage], runner: str, fault: Fault
) -> None:
    turn = Turn(does=Say(text="never"), fault=fault, times=99, retry_after_s=3600)
    here = stage(runner, {"fails": ((turn,),)})
    request = here.request("fails")
    before = time.time()
    result = here.run(replace(request, timeout_s=4) if fault is Fault.HANG else request)
    assert (result.ending, result.claimed_success, result.tokens) == (FAULTS[fault], False, 0), result
    if fault is Fault.LIMIT:
        assert result.retry_at is not None
        assert 3599 <= result.retry_at - before <= 3660
    else:
        assert result.retry_at is None


@pytest.mark.parametrize("runner", PROGRAM)
@pytest.mark.parametrize("limit", [{"tokens": 4000}, {"turns": 4}])
def test_one_that_goes_over_its_budget_is_ended(
    stage: Callable[[str, Scripts], Stage], limit: dict[str, int], runner: str
) -> None:
    steps = tuple(Run(command=f"echo {number} >> done.txt") for number in range(50))
    here = stage(runner, {"many": ((*steps, Say(text="never")),)})
    result = here.run(replace(here.request("many"), **limit))  # type: ignore[arg-type]
    assert result.ending is SessionEnding.OVER_BUDGET, result
    assert limit.get("tokens", 0) <= result.tokens <= here.model.tokens.total
    assert limit.get("turns", 0) <= result.turns <= len(here.model.answers)
    assert 1 <= len((here.worktree / "done.txt").read_text().splitlines()) < 20


@pytest.mark.parametrize("runner", PROGRAM)
def test_one_that_ends_with_its_last_turn_has_finished(
    stage: Callable[[str, Scripts], Stage], runner: str
) -> None:
    here = stage(runner, {"few": ((Run(command="true"), Say(text="Done.")),)})
    result = here.run(replace(here.request("few"), turns=2))
    assert (result.ending, result.turns) == (SessionEnding.FINISHED, 2)


ESCAPING = (
    "setsid sh -c 'echo $$ > child.pid; exec sleep 300' > /dev/null 2>&1 < /dev/null & "
    "while [ ! -s child.pid ]; do sleep 0.05; done; sleep 300"
)


@pytest.mark.parametrize("runner", PROGRAM)
def test_what_is_cancelled_leaves_nothing_behind_not_even_what_left_its_group(
    stage: Callable[[str, Scripts], Stage], runner: str
) -> None:
    here = stage(runner, {"runs": ((Run(command=f"touch up-{os.getpid()}; {ESCAPING}"), Say(text="never")),)})
    results: list[SessionResult] = []
    thread = threading.Thread(target=lambda: results.append(here.run(here.request("runs"))))
    thread.start()
    child = here.worktree / "child.pid"
    until(lambda: child.exists() and bool(child.read_text().strip()))
    assert processes_in(here.worktree)
    here.shell.halt()
    thread.join(20)
    assert results[0].ending is SessionEnding.BROKEN_OFF
    assert processes_in(here.worktree) == []


def test_a_runner_that_is_not_there_is_named(stage: Callable[[str, Scripts], Stage]) -> None:
    here = stage("claude", {})
    here.grounds = replace(here.grounds, path="/nowhere")
    result = here.run(here.request("none"))
    assert (result.ending, result.detail) == (
        SessionEnding.UNABLE,
        "claude is not installed: see `sparky doctor`",
    )


def until(holds: Callable[[], bool]) -> None:
    last = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < last
        time.sleep(0.02)


def processes_in(directory: Path) -> list[int]:
    """The processes that work in a directory."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "cwd").readlink() == directory:
                    found.append(int(entry.name))
            except OSError:
                continue
    return found
