"""Sessions with a model in process, by the formats of two providers, against a scripted model."""

import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sparky.adapters.shell import SystemShell
from sparky.domain.command import Level
from sparky.events import SessionEnding, SessionRequest, SessionResult
from sparky.testing.script import Fault, Run, Say, Scripts, Turn, Write
from tests.agents.conftest import Serve
from tests.agents.test_sessions import Stage, processes_in, until

MODELS = ("anthropic:claude-haiku-4-5", "openai-chat:scripted", "openai-responses:scripted")
MakeStage = Callable[[Scripts], Stage]


@pytest.fixture
def stage(tmp_path: Path, serve: Serve) -> MakeStage:
    return lambda scripts: Stage(tmp_path, "model", serve(scripts))


def asked(here: Stage, script: str, model: str = MODELS[0]) -> SessionRequest:
    return replace(here.request(script), model=model)


@pytest.mark.parametrize("model", MODELS)
def test_it_edits_what_it_may_and_tells_it_to_the_token(stage: MakeStage, model: str) -> None:
    prying = "env > env.txt; echo x > ../outside.txt; echo x > ~/a.txt; cat ../secret"
    turns = (
        Write(path="b/a.txt", text="one\n"),
        Write(path="../outside.txt", text="no\n"),
        Run(command=prying),
        Say(text="Done."),
    )
    here = stage({"edit": (turns,)})
    (here.root / "secret").write_text("nobody's business")
    result = here.run(asked(here, "edit", model))
    assert (result.ending, result.claimed_success, result.summary) == (SessionEnding.FINISHED, True, "Done.")
    assert (result.tokens, result.turns) == (here.model.tokens.total, 4)
    assert (result.cost_usd > 0) == ("claude" in model)
    assert result.level is not Level.OFF
    assert (here.worktree / "b" / "a.txt").read_text() == "one\n"
    assert not (here.root / "outside.txt").exists()
    known = {line.partition("=")[0] for line in (here.worktree / "env.txt").read_text().splitlines()}
    assert not [name for name in known if "KEY" in name or name.startswith("SPARKY")]
    assert here.progress.said["run"] == [
        "coder writes " + str(here.worktree / "b/a.txt"),
        "coder writes " + str(here.worktree / "../outside.txt"),
        f"coder bash: {prying}",
        "coder says: Done.",
    ]
    told = (here.room / "stream.jsonl").read_text()
    assert "is not in the working directory" in told
    assert "nobody's business" not in told
    port = here.model.url.rpartition(":")[2]
    way = [json.loads(line) for line in (here.room / "egress.jsonl").read_text().splitlines()]
    assert {(one["to"], one["allowed"]) for one in way} == {(f"127.0.0.1:{port}", True)}


FAULTS = {
    Fault.ERROR: SessionEnding.OUTAGE,
    Fault.LIMIT: SessionEnding.RATE_LIMITED,
    Fault.HANG: SessionEnding.TIMED_OUT,
    Fault.GARBAGE: SessionEnding.OUTAGE,
    Fault.CUT: SessionEnding.OUTAGE,
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_goes_wrong_with_the_model_has_its_name(stage: MakeStage, fault: Fault, model: str) -> None:
    here = stage({"fails": ((Turn(does=Say(text="never"), fault=fault, times=99, retry_after_s=3600),),)})
    request = asked(here, "fails", model)
    before = time.time()
    result = here.run(replace(request, timeout_s=1) if fault is Fault.HANG else request)
    assert (result.ending, result.claimed_success, result.tokens) == (FAULTS[fault], False, 0), result
    assert (result.retry_at is not None) == (fault is Fault.LIMIT)
    assert 3600 <= (result.retry_at or before + 3600) - before <= 3660


@pytest.mark.parametrize("model", MODELS)
def test_an_answer_that_its_limit_cuts_off_finishes_nothing(stage: MakeStage, model: str) -> None:
    here = stage({"long": ((Say(text="I have only beg", cut=True),),)})
    result = here.run(asked(here, "long", model))
    assert (result.ending, result.claimed_success, result.detail) == (
        SessionEnding.BROKEN_OFF,
        False,
        "its answer was cut off: length",
    )


def test_an_error_that_passes_is_nobodys_business(stage: MakeStage) -> None:
    here = stage({"fails": ((Turn(does=Say(text="Done."), fault=Fault.ERROR),),)})
    assert here.run(asked(here, "fails")).ending is SessionEnding.FINISHED


def test_a_short_limit_is_waited_for_and_the_session_goes_on(stage: MakeStage) -> None:
    limited = Turn(does=Say(text="Done."), fault=Fault.LIMIT, retry_after_s=2)
    here = stage({"fails": ((Run(command="echo 1 > done.txt"), limited),)})
    started = time.monotonic()
    assert here.run(asked(here, "fails")).ending is SessionEnding.FINISHED
    assert time.monotonic() - started >= 2
    assert (here.worktree / "done.txt").read_text() == "1\n"


@pytest.mark.parametrize("limit", [{"turns": 3}, {"tokens": 4000}, {"usd": 0.003}])
def test_it_ends_where_its_budget_does(stage: MakeStage, limit: dict[str, float]) -> None:
    steps = tuple(Run(command=f"echo {number} >> done.txt") for number in range(50))
    here = stage({"many": ((*steps, Say(text="never")),)})
    result = here.run(replace(asked(here, "many"), **limit))  # type: ignore[arg-type]
    assert (result.ending, result.turns) == (SessionEnding.OVER_BUDGET, 3)
    assert result.tokens == here.model.tokens.total
    assert len((here.worktree / "done.txt").read_text().splitlines()) == 2


def test_one_that_ends_with_its_last_turn_has_finished(stage: MakeStage) -> None:
    here = stage({"few": ((Run(command="true"), Say(text="Done.")),)})
    assert here.run(replace(asked(here, "few"), turns=2)).ending is SessionEnding.FINISHED


SLEEPS = "setsid sleep 300 & touch up; sleep 300"


@pytest.mark.parametrize("ends", ["cancelled", "out of time", "cancelled while the model thinks"])
def test_when_it_is_ended_nothing_goes_on(stage: MakeStage, ends: str) -> None:
    thinks = "thinks" in ends
    first = Turn(does=Say(text="never"), fault=Fault.HANG) if thinks else Run(command=SLEEPS)
    here = stage({"slow": ((first, Say(text="never")),)})
    request = replace(asked(here, "slow"), timeout_s=2 if ends == "out of time" else 60)
    results: list[SessionResult] = []
    thread = threading.Thread(target=lambda: results.append(here.run(request)))
    started = time.monotonic()
    thread.start()
    assert here.model.await_step("slow", 0)
    until(lambda: thinks or (here.worktree / "up").exists())
    if "cancelled" in ends:
        here.shell.halt()
    thread.join(20)
    wanted = SessionEnding.BROKEN_OFF if "cancelled" in ends else SessionEnding.TIMED_OUT
    assert (results[0].ending, processes_in(here.worktree)) == (wanted, [])
    assert time.monotonic() - started < 15


@pytest.mark.parametrize(
    ("model", "given", "why"),
    [
        ("", {}, "its model is '': set model = \"PROVIDER:NAME\", docs/runners.md"),
        ("nobody:any", {}, "Unknown provider: nobody"),
        ("anthropic:any", {"ANTHROPIC_BASE_URL": "nonsense"}, "'nonsense/' is no address of a model"),
    ],
)
def test_what_is_missing_for_it_is_named(
    stage: MakeStage, model: str, given: dict[str, str], why: str
) -> None:
    here = stage({})
    here.grounds = replace(here.grounds, given={"ANTHROPIC_API_KEY": "dummy", **given})
    result = here.run(asked(here, "none", model))
    assert result.ending is SessionEnding.UNABLE
    assert why in result.detail


def test_where_no_sandbox_can_be_had_it_does_not_begin(stage: MakeStage) -> None:
    here = stage({})
    bare = SystemShell({"PATH": os.environ["PATH"]}, ways=(), scratch=here.root / "private")
    here.grounds = replace(here.grounds, shell=bare)
    result = here.run(asked(here, "none"))
    assert (result.ending, result.detail) == (
        SessionEnding.UNABLE,
        "no sandbox can be had: see `sparky doctor`",
    )
