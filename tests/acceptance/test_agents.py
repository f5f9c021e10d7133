"""Agents of a repository: written, checked, and asked in a run; the page that says how is tried here."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sparky.agents.imports import IMPORTS
from sparky.agents.table import AGENTS
from sparky.api import get_agent
from sparky.domain.errors import UsageError
from sparky.ports import NoRepositoryError
from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import BUG, QUICK_BUG
from tests.acceptance.world import replacing

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
MONEY, CRITIC = re.findall(r"```markdown\n(---\n.*?)```", PAGE, re.DOTALL)
ISSUE = "# Issue #002: double leaks\n\nkind: SECURITY\n\n## Files\n- calc.py\n"


def test_the_agents_of_the_page_are_asked_and_judged_like_any_other(world_of: MakeWorld) -> None:
    world = world_of({**QUICK_BUG, "issues/002.md": ISSUE, ".agents/agents/money.md": MONEY})
    world.write({".agents/agents/critic.md": CRITIC})
    assert world.sparky("agents", "check").out == f"{len(AGENTS) + 2} agents, nothing is wrong\n"
    script = world.script(
        replacing("calc.py", "x * 3", "x * 2", agent="money", number=1),
        replacing("calc.py", "x * 2", "2 * x", agent="money", number=2),
        {"agent": "critic", "number": 1, "summary": "- [ ] [high] calc.py:2: the order is odd", "tokens": 5},
        {"agent": "critic", "number": 2, "summary": "no findings"},
    )
    with pytest.raises(UsageError, match=r"no agent is called 'critic' in "):
        get_agent("critic", world.repo / "issues")
    first = world.sparky("run", "2", "--json", *script)
    assert (first.json()["outcome"], first.json()["tokens"]) == ("ready", 0), first.err
    assert "execute 1 by money: PASS" in first.err
    world.sparky("cancel", first.json()["run_id"])
    world.commit({})
    assert get_agent("critic", world.repo).places["name"] == ".agents/agents/critic.md:2"
    second = world.sparky("run", "2", "--json", *script)
    assert (second.json()["outcome"], second.json()["tokens"]) == ("ready", 5), second.err
    assert "review by critic: calc.py:2: the order is odd" in second.err
    assert world.git("show", f"{second.json()['branch']}:calc.py") == "def double(x):\n    return 2 * x"


def test_a_new_agent_is_written_and_a_fault_in_one_is_named_before_anything_starts(
    world_of: MakeWorld,
) -> None:
    world = world_of(BUG)
    wrote = world.sparky("agents", "new", "cents", "-k", "SECURITY")
    assert (wrote.code, world.sparky("agents", "new", "cents").code) == (0, 2), wrote.err
    path = ".agents/agents/cents.md"
    own = (world.repo / path).read_text(encoding="utf-8")
    assert own.startswith("---\nname: cents\ndescription: Say in a line what it is for.\nkinds: [SECURITY]\n")
    listed = {agent["name"]: agent for agent in world.sparky("agents", "--json").json()}
    assert (listed["cents"]["owns"], listed["cents"]["declared"]) == ([], f"{path}:2")
    assert world.sparky("agents", "new", "a b").err == (
        "error: .agents/agents/a b.md:2: 'a b' is no name of an agent: letters, digits and '-', at most 64\n"
    )
    world.commit({path: own.replace("role: coder", "role: codr"), ".claude/agents/coder.md": own})
    (world.repo / ".agents/agents/dir.md").mkdir()
    os.mkfifo(world.repo / ".agents/agents/pipe.md")
    checked = world.sparky("agents", "check")
    assert (checked.code, checked.err) == (1, f"problem: {path}:5: 'codr' is no role; did you mean coder?\n")
    told = world.sparky("agents", "-C", str(world.repo), "check", "--json", cwd=world.root).json()
    fault = f"{path}:5: 'codr' is no role; did you mean coder?"
    assert told == {"agents": len(AGENTS) + 1, "faults": [fault], "left_out": []}
    refused = world.sparky("run", "1", *world.script())
    assert (refused.code, f"{path}:5: 'codr' is no role" in refused.err, world.runs()) == (2, True, [])
    routed = world.sparky("route", "1")
    assert (routed.code, "sparky agents check" in routed.err) == (2, True)
    assert (get_agent("imports", world.repo), get_agent("coder", world.repo).priority) == (IMPORTS, 200)
    missing = r"no agent is called 'gold' in .+, at [0-9a-f]{7}; there are formatting, "
    with pytest.raises(UsageError, match=missing) as none:
        get_agent("gold", world.repo)
    assert str(none.value).endswith(f", cents; left out: {fault}")
    with pytest.raises(NoRepositoryError):
        get_agent("imports", world.root)


FAULTY = """\
from dataclasses import replace

from sparky.agents.imports import IMPORTS

TIMID = replace(IMPORTS, bid=lambda issue: IMPORTS.bid(issue), takes=(), declines=())
RIVAL = replace(TIMID, name="rival")
STRANGE = replace(TIMID, name="strange", kinds=("NONSENSE",))
BOASTFUL = replace(IMPORTS, name="boastful", priority=7, bid=lambda _: (1.2, ""), declines=())
"""
POINTS = "[sparky.agents]\nboastful = faulty:BOASTFUL\nrival = faulty:RIVAL\nstrange = faulty:STRANGE\n"


def test_no_run_starts_with_two_agents_of_a_level_an_unknown_kind_or_a_bid_over_1_and_all_verbs_name_them(
    world_of: MakeWorld,
) -> None:
    world = world_of({"unused.py": "import os\n", "issues/001.md": ISSUE})
    ready = world.sparky("fix", "-k", "import_error", "--json").json()["run_id"]
    before = world.runs()
    installed = world.root / "site"
    (installed / "faulty-1.dist-info").mkdir(parents=True)
    (installed / "faulty-1.dist-info/METADATA").write_text("Name: faulty\nVersion: 1\n", encoding="utf-8")
    (installed / "faulty-1.dist-info/entry_points.txt").write_text(POINTS, encoding="utf-8")
    (installed / "faulty.py").write_text(FAULTY, encoding="utf-8")
    env = {**world.env, "PYTHONPATH": str(installed)}

    def sparky(*words: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "sparky", *words]
        return subprocess.run(argv, cwd=world.repo, env=env, capture_output=True, text=True, check=False)

    refused = sparky("run", "1", *world.script())
    said = refused.stderr.removeprefix("error: ").split("; ")
    boast = "boastful: its confidence 1.2 is not within 0 and 1"
    rival = "imports (sparky/agents/imports.py) and rival (faulty.py) share the priority 100"
    faults = [
        f"entry point boastful: IMPORT_ERROR: boastful (faulty.py): {boast}",
        f"entry point rival: IMPORT_ERROR: {rival}",
        "entry point strange: strange (faulty.py): unknown kind NONSENSE",
    ]
    assert (refused.returncode, world.runs()) == (2, before), refused.stderr
    assert [line for line in said if line.startswith("entry point")] == faults
    again = [sparky("route", "1"), sparky("fix", "--json")]
    assert [(one.returncode, one.stdout, one.stderr) for one in again] == [(2, "", refused.stderr)] * 2
    looked = sparky("scan", "-k", "import_error", "--json")
    told = json.loads(looked.stdout)
    named = [f"an agent is left out, and no new run starts: {fault}" for fault in faults]
    assert [note.partition(";")[0] for note in told["notes"]] == named
    warned = [f"warning: {one}" for one in named]
    assert [line.partition(";")[0] for line in looked.stderr.splitlines()] == warned
    assert [one["agent"] for one in told["findings"]] == ["imports"]
    merged = sparky("merge", ready, "--json")
    assert (merged.returncode, json.loads(merged.stdout)["outcome"]) == (0, "merged"), merged.stderr
    assert [line.partition(";")[0] for line in merged.stderr.splitlines()][: len(warned)] == warned
