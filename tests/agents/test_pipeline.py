"""Issues taken through the whole pipeline by real coding agents, against a scripted model."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from genai_prices import Usage, calc_price

from sparky.testing.model_server import ModelServer
from sparky.testing.script import Action, Delegate, Fault, Run, Say, Scripts, Turn, Wait
from tests.acceptance.files import BUG, CONFIG
from tests.acceptance.world import Nursery, Said, World, make_world
from tests.agents.conftest import Serve, environment, installed
from tests.agents.test_sessions import processes_in, until

pytestmark = pytest.mark.agents

PROGRAMS = {
    "claude": ("claude",),
    "codex": ("codex",),
    "claude-acp": ("claude-agent-acp",),
    "codex-acp": ("codex-acp",),
    "opencode": ("opencode",),
    "model": (),
}
NAMES = {
    "codex": "scripted",
    "codex-acp": "scripted",
    "opencode": "scripted",
    "model": "anthropic:claude-haiku-4-5",
}
RIGHT = Run(command="sed -i 's/x [*] [0-9]/x * 2/' calc.py")
WRONG = Run(command="sed -i 's/x [*] [0-9]/x * 4/' calc.py")
SLOW = Run(command="echo slow > slow.txt; sleep 300")
FIXED = "def double(x):\n    return x * 2"


THREE = {
    **CONFIG,
    "calc.py": "def double(x):\n    return x * 3\n\n\ndef square(x):\n    return x * x\n",
    "tests/test_double.py": "from calc import double\n\n\ndef test_double():\n    assert double(2) == 4\n",
    "tests/test_square.py": "from calc import square\n\n\ndef test_square():\n    assert square(3) == 6\n",
    "issues/001-double.md": "# Issue #001: double is wrong\n\n## Type\nbug\n\n## Description\nSCRIPT:bug\n",
    "issues/002-square.md": (
        "# Issue #002: the test of square expects 6\n\n## Kind\nTEST_ORGANIZATION\n\n"
        "## Description\nSCRIPT:test\n"
    ),
    "issues/003-settings.md": "# Issue #003: read it\n\n## Type\nbug\n\n## Description\nSCRIPT:settings\n",
    "sparky.toml": 'runner = "claude"\n',
}
"""A bug, a test that is wrong, and work that needs what is not installed."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A repository with a bug, a coding agent, and the model that it asks."""

    world: World
    model: ModelServer
    env: dict[str, str]

    def run(self, *words: str) -> Said:
        """The issue, as a user has it done."""
        return self.world.sparky("run", "1", "--auto", "--json", *words, env=self.env)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """The same in a process that can be killed."""
        argv = [sys.executable, "-m", "sparky", "run", "1", "--auto", *words]
        env = {**self.world.env, **self.env}
        return subprocess.Popen(
            argv, cwd=self.world.repo, env=env, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )


MakeScene = Callable[..., Scene]


@pytest.fixture
def scene(tmp_path: Path, cache: Path, nursery: Nursery, serve: Serve) -> MakeScene:
    def make(
        runner: str, *turns: Sequence[Action | Turn], settings: str = "", **more: Sequence[Action]
    ) -> Scene:
        path = installed(*PROGRAMS[runner])
        scripts: Scripts = {
            "bug": tuple(map(tuple, turns)),
            **{name: (tuple(one),) for name, one in more.items()},
        }
        model = serve(scripts)
        named = f'model = "{NAMES[runner]}"\n' if runner in NAMES else ""
        issue = f"{BUG['issues/001-double.md']}\n## Description\n`double(2)` is 6. SCRIPT:bug\n"
        files = {
            **BUG,
            "issues/001-double.md": issue,
            "sparky.toml": f'runner = "{runner}"\n{named}{settings}',
        }
        world = make_world(tmp_path, cache, nursery, files)
        return Scene(world=world, model=model, env={"PATH": path, **environment(model)})

    return make


def steps(here: Scene, run: str) -> list[tuple[str, str]]:
    shown: dict[str, Any] = here.world.sparky("show", run, "--json").json()
    return [(one["stage"], one["verdict"]) for one in shown["steps"]]


@pytest.mark.parametrize(
    # Two bridges of the protocol are for soak: OpenCode takes half a minute to give up what it would fetch.
    "runner",
    [pytest.param(name, marks=[pytest.mark.soak] * (name in {"opencode", "codex-acp"})) for name in PROGRAMS],
)
def test_a_bug_is_mended_by_a_sub_agent_and_merged_and_costs_what_the_model_says(
    scene: MakeScene, runner: str
) -> None:
    waits = (Wait(),) if runner.startswith("codex") else ()
    works = (RIGHT,) if runner == "model" else (Delegate(prompt="SCRIPT:inner go"), *waits)
    turns = (*works, Say(text="I had it mended."))
    here = scene(runner, turns, inner=(RIGHT, Say(text="mended")))
    said = here.run()
    result = said.json()
    assert (said.code, result["outcome"]) == (0, "merged"), said.err
    assert here.world.git("show", "main:calc.py") == FIXED
    # Its bridge has the model find a title for the session at the end, and writes that down nowhere.
    untold = here.model.answers[-1].tokens.total if runner == "codex-acp" else 0
    assert result["tokens"] == here.model.tokens.total - untold
    assert result["sandbox"] in {"landlock", "bubblewrap"}
    assert "I had it mended." in here.world.git("log", "-1", "--format=%B", "main")
    shown = here.world.sparky("show", result["run_id"], "--json").json()["result"]
    assert (shown["tokens"], shown["cost_estimate"]) == (result["tokens"], result["cost_estimate"])
    assert (runner in {"claude", "claude-acp", "model"}) == (result["cost_estimate"] > 0)


@pytest.mark.parametrize("runner", ["claude", "codex", "claude-acp", "model"])
def test_a_wrong_fix_is_refused_tried_again_and_then_right(scene: MakeScene, runner: str) -> None:
    here = scene(runner, (WRONG, Say(text="Done.")), (RIGHT, Say(text="Done now.")))
    said = here.run()
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.err
    assert here.world.git("show", "main:calc.py") == FIXED
    assert steps(here, said.json()["run_id"])[:4] == [
        ("route", "PASS"),
        ("execute", "PASS"),
        ("review", "PASS"),
        ("test", "REVISE"),
    ]
    assert said.json()["tokens"] == here.model.tokens.total


SAID = {
    "type": "queue-operation",
    "operation": "enqueue",
    "timestamp": "2026-03-01T10:00:00Z",
    "content": "keep the name double, please",
    "sessionId": "s",
}
"""What Claude Code writes where a person types while it works."""


def test_what_a_person_said_in_a_session_is_told_to_the_next_one_and_the_first_prompt_is_not(
    scene: MakeScene,
) -> None:
    typed = Run(command=f"echo '{json.dumps(SAID)}' >> $(ls $CLAUDE_CONFIG_DIR/projects/*/*.jsonl)")
    here = scene("claude", (typed, Say(text="Done.")), (RIGHT, Say(text="Done now.")))
    result = here.run().json()
    assert result["outcome"] == "merged", result
    assert [name for name, _ in steps(here, result["run_id"])][:3] == ["route", "execute", "execute"]
    room = here.world.root / "state" / "sessions" / result["run_id"]
    (prompt,) = (room / "0-2-coder" / "prompts.jsonl").read_text().splitlines()
    heard = json.loads(prompt).partition("by the transcripts:\n")[2].partition("\n\n")[0]
    assert heard == "- The person said meanwhile: keep the name double, please"


def test_a_rate_limit_is_waited_for_and_is_no_attempt(scene: MakeScene) -> None:
    limited = Turn(does=RIGHT, fault=Fault.LIMIT, times=3, retry_after_s=2)
    here = scene("claude", (limited, Say(text="Done.")))
    said = here.run()
    result = said.json()
    assert (said.code, result["outcome"]) == (0, "merged"), said.err
    assert steps(here, result["run_id"])[:4] == [
        ("route", "PASS"),
        ("execute", "REVISE"),
        ("execute", "PASS"),
        ("review", "PASS"),
    ]
    assert "waits 2 s until its model can be asked again" in said.err


def test_who_stands_in_at_a_rate_limit_goes_on_at_once(scene: MakeScene) -> None:
    limited = Turn(does=RIGHT, fault=Fault.LIMIT, times=2, retry_after_s=3600)
    here = scene("codex", (limited, Say(text="Done.")), settings='fallback_runner = "claude"\n')
    said = here.run()
    result = said.json()
    assert (said.code, result["outcome"]) == (0, "merged"), said.err
    assert [name for name, _ in steps(here, result["run_id"])][:4] == [
        "route",
        "execute",
        "execute",
        "review",
    ]
    asked = [answer.headers["user-agent"].partition("/")[0] for answer in here.model.answers]
    assert (asked[:2], set(asked[2:])) == (["codex_exec"] * 2, {"claude-cli"})


@pytest.mark.parametrize(
    ("runner", "limit"), [("claude", "budget_tokens = 5000"), ("codex", "budget_turns = 4")]
)
def test_a_budget_that_is_reached_in_a_session_ends_it_and_keeps_its_work(
    scene: MakeScene, runner: str, limit: str
) -> None:
    steps = [Run(command=f"echo '# {number}' >> calc.py") for number in range(40)]
    here = scene(runner, (*steps, Say(text="never")), (RIGHT, Say(text="Done.")), settings=f"{limit}\n")
    said = here.run()
    result = said.json()
    assert (said.code, result["outcome"]) == (3, "blocked"), said.err
    assert "budget reached" in result["reason"]
    assert 5000 <= result["tokens"] <= here.model.tokens.total
    assert limit.partition(" ")[0].removeprefix("budget_") in result["reason"]
    assert "# 0" in here.world.git("show", f"{result['branch']}:calc.py")
    assert len(here.model.answers) < 20


@pytest.mark.parametrize("runner", ["claude", "codex", "claude-acp", "model"])
def test_a_run_that_is_killed_in_a_session_begins_it_anew_and_nothing_goes_on_meanwhile(
    scene: MakeScene, runner: str
) -> None:
    here = scene(runner, (SLOW, Say(text="never")), (RIGHT, Say(text="Done.")))
    process = here.start()
    assert here.model.await_step("bug", 0)
    work = here.world.root / "state" / "work"
    until(lambda: bool(list(work.glob("*/*/slow.txt"))))
    worktree = next(work.glob("*/*/slow.txt")).parent
    process.send_signal(signal.SIGKILL)
    process.wait()
    until(lambda: processes_in(worktree) == [])
    said = here.world.sparky("resume", "--json", env=here.env)
    run = here.world.runs()[0]
    assert (said.code, run["outcome"]) == (0, "merged"), said.err
    assert here.world.git("show", "main:calc.py") == FIXED
    result = here.world.sparky("show", run["run_id"], "--json").json()["result"]
    # Codex writes down what an answer cost when what it calls for is done.
    untold = here.model.answers[0].tokens.total if runner == "codex" else 0
    assert result["tokens"] == here.model.tokens.total - untold
    assert not (here.world.repo / "slow.txt").exists()
    assert "its session was broken off: a new one begins" in here.world.sparky("logs", run["run_id"]).out


def listed(model: ModelServer) -> float:
    """What the answers that a server handed out cost, in USD, by the list of prices."""
    return sum(
        float(
            calc_price(
                Usage(
                    input_tokens=answer.tokens.fresh + answer.tokens.cached,
                    cache_read_tokens=answer.tokens.cached,
                    output_tokens=answer.tokens.output,
                ),
                answer.model,
            ).total_price
        )
        for answer in model.answers
    )


def test_a_bug_a_wrong_test_and_a_missing_dependency_each_come_to_what_they_are(
    tmp_path: Path, cache: Path, nursery: Nursery, serve: Serve
) -> None:
    scripts: Scripts = {
        "bug": ((Run(command="sed -i 's/x [*] 3/x * 2/' calc.py"), Say(text="double doubles")),),
        "test": ((Run(command="sed -i 's/== 6/== 9/' tests/test_square.py"), Say(text="it expects 9")),),
        "settings": (
            (Run(command="sed -i '1i import no_such_package\\n\\n' calc.py"), Say(text="it reads")),
        ),
    }
    env = {"PATH": installed("claude")}
    model = serve(scripts)
    world = make_world(tmp_path, cache, nursery, THREE)
    results = [
        world.sparky("run", number, "--auto", "--json", env={**env, **environment(model)}).json()
        for number in "123"
    ]
    came = [(one["outcome"], one["calls"]) for one in results]
    assert came == [("merged", {"coder": 1}), ("merged", {"tester": 1}), ("blocked", {"coder": 1})]
    assert "no_such_package not installed" in results[2]["reason"]
    shown = [world.sparky("show", one["run_id"], "--json").json()["result"] for one in results]
    assert sum(one["tokens"] for one in shown) == model.tokens.total
    assert sum(one["cost_estimate"] for one in shown) == pytest.approx(listed(model), abs=1e-9)
