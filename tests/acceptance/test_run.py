"""`sparky run`: whatever the agent says and does, the run ends where the evidence says, and says why."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import BUG, QUICK_BUG
from tests.acceptance.world import Said, Session, World, replacing

Step = dict[str, Any]

RIGHT: Step = {"do": "replace", "path": "calc.py", "old": "x * 3", "text": "x * 2"}
SECRET = "AKIA" + "ABCDEFGHIJKLMNOP"
NOT_THERE = "scripted agent: calc.py does not hold the text to replace"
FLOOD = "import sys\nfor _ in range(50):\n    sys.stdout.write('x' * 1_000_000 + chr(10))\n"


def write(path: str, text: str) -> Step:
    return {"do": "write", "path": path, "text": text}


def does(*steps: Step, **more: Any) -> Session:
    """A session of these steps."""
    return {"steps": list(steps), **more}


def run(world: World, *sessions: Session, issue: str = "1") -> Said:
    """`sparky run --auto` with these sessions."""
    return world.sparky("run", issue, "--auto", "--json", *world.script(*sessions))


def test_one_kind_is_mended_and_verified_and_the_other_given_up_so_the_run_is_partial(
    world_of: MakeWorld,
) -> None:
    calc = "def double(x):\n    unused = 1\n    return x * 3\n"
    text = "# Two things\n\nkind: DEAD_CODE, GENERAL\n\nUnused variables, and double is wrong.\n"
    world = world_of({**BUG, "calc.py": calc, "issues/002-two.md": text})
    before = world.git("rev-parse", "main")
    said = run(world, does(success=False, summary="no idea"), issue="2")
    result = said.json()
    assert (said.code, result["outcome"], result["final_status"]) == (4, "partial", "partial"), said.err
    assert result["reason"].endswith("; given up: GENERAL")
    assert result["manual_steps_needed"][1] == f"take it as it is: sparky merge {result['run_id']}"
    assert result["partial_fixes"] == [
        f"verified work is kept at {result['commit'][:12]} on {result['branch']}"
    ]
    assert "unused" not in world.git("show", f"{result['branch']}:calc.py")
    assert world.git("rev-parse", "main") == before


@dataclass(frozen=True, kw_only=True)
class Case:
    """Sessions, and how the run has to end: exit code, outcome, reason."""

    sessions: tuple[Session, ...]
    code: int
    outcome: str
    reason: str
    timeout_s: float = 60


FAILED = "All agents failed for GENERAL: "

REFUSED = {
    "only claims": Case(
        sessions=(does(),),
        code=4,
        outcome="nothing_to_do",
        reason=FAILED + "coder: claim refuted: it reported success and changed nothing",
    ),
    "says that it can't": Case(
        sessions=(does(success=False, summary="no idea"),),
        code=4,
        outcome="nothing_to_do",
        reason=FAILED + "coder: no files matched: nothing was changed (no idea)",
    ),
    "crashes": Case(
        sessions=(does(ending="crash"),),
        code=1,
        outcome="failed",
        reason=FAILED + "coder: the session ended without a change: killed (code -6)",
    ),
    "hangs": Case(
        sessions=(does(ending="hang"),),
        code=1,
        outcome="failed",
        reason=FAILED + "coder: the session ended without a change: timed out (code -9)",
        timeout_s=0.7,
    ),
    "breaks the syntax": Case(
        sessions=(does(write("calc.py", "def double(:\n")),),
        code=1,
        outcome="failed",
        reason=FAILED
        + "coder: changed files don't parse: calc.py: line 1: invalid syntax; "
        + "coder: claim refuted: it reported success and changed nothing",
    ),
    "edits what the issue does not name": Case(
        sessions=(does(RIGHT, write("other.py", "X = 1\n"), number=1), does(success=False, summary="no")),
        code=1,
        outcome="failed",
        reason=FAILED
        + "mechanical-reviewer: review refused: scope: other.py is not among the files that the issue names; "
        + "coder: no files matched: nothing was changed (no)",
    ),
    "edits a lock file": Case(
        sessions=(does(RIGHT, write("uv.lock", "x\n"), number=1), does(success=False, summary="no")),
        code=1,
        outcome="failed",
        reason=FAILED
        + "mechanical-reviewer: review refused: scope: uv.lock is not among the files that the issue names; "
        + "protected: uv.lock needs explicit permission: the issue does not name it; "
        + "coder: no files matched: nothing was changed (no)",
    ),
    "adds noqa": Case(
        sessions=(
            does({**RIGHT, "text": "x * 2  # noqa: F401"}, number=1),
            does(success=False, summary="no"),
        ),
        code=1,
        outcome="failed",
        reason=FAILED
        + "mechanical-reviewer: review refused: suppressions: "
        + "calc.py: adds 1 comment(s) that hide a finding instead of mending it; "
        + "coder: no files matched: nothing was changed (no)",
    ),
    "adds a secret": Case(
        sessions=(
            does(
                RIGHT, {"do": "run", "argv": ["sh", "-c", "echo 'K = \"AKIA'ABCDEFGHIJKLMNOP'\"' >> calc.py"]}
            ),
        ),
        code=1,
        outcome="failed",
        reason=FAILED
        + "mechanical-reviewer: review refused: secrets: calc.py: looks like a key or token; "
        + f"coder: the session ended without a change: exited (code 1) {NOT_THERE}",
    ),
    "makes a test worse": Case(
        sessions=(does({**RIGHT, "text": "x * 4"}, number=1), does(success=False, summary="no")),
        code=1,
        outcome="failed",
        reason=FAILED
        + "tester: 1 test(s) worse than at base: tests/test_calc.py::test_double; "
        + "coder: no files matched: nothing was changed (no)",
    ),
    "weakens the test twice": Case(
        sessions=(
            does(write("tests/test_calc.py", "def test_double():\n    assert True\n"), number=1),
            does(write("tests/test_calc.py", "def test_double():\n    pass\n")),
        ),
        code=3,
        outcome="blocked",
        reason="manual intervention: review refused twice: review refused: "
        "scope: tests/test_calc.py is not among the files that the issue names; "
        "tests kept: tests/test_calc.py:1: test_double (loosened): `double(2) == 4` is no longer claimed",
    ),
    "changes what no test shows": Case(
        sessions=(does({**RIGHT, "text": "3 * x"}),),
        code=0,
        outcome="ready",
        reason="for a person: no test fails at base and passes at head",
    ),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_an_agent_does_wrong_is_not_merged_and_named(case: Case, world_of: MakeWorld) -> None:
    world = world_of({**BUG, "sparky.toml": f"session_timeout_s = {case.timeout_s}\n"})
    before = world.snapshot()
    said = run(world, *case.sessions)
    result = said.json()
    assert (said.code, result["outcome"], result["reason"]) == (case.code, case.outcome, case.reason)
    assert world.snapshot() == before
    if result["commit"] != result["base"]:
        assert world.git("rev-parse", result["branch"]) == result["commit"]
    else:
        assert world.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_a_lost_state_directory_leaves_a_branch_that_the_next_run_goes_round(world_of: MakeWorld) -> None:
    world = world_of(QUICK_BUG)
    lost = world.sparky("run", "1", "--json", *world.script(does(RIGHT))).json()
    (world.root / "state").rename(world.root / "lost")
    again = world.sparky("run", "1", "--json", *world.script(does(RIGHT)))
    result = again.json()
    assert (again.code, result["outcome"], result["branch"]) == (0, "ready", f"{lost['branch'][:-1]}2")
    assert world.git("rev-parse", lost["branch"]) == lost["commit"]


MERGED = {
    "is right": (does(RIGHT),),
    "lies, then is right": (does(number=1), does(RIGHT)),
    "is right and makes a repository inside, then removes its file": (
        does(RIGHT, {"do": "run", "argv": ["git", "init", "-q", "in"]}, write("in/f", ""), number=1),
        does({"do": "delete", "path": "in/f"}),
    ),
    "makes the worktree a repository of its own": (
        does({"do": "delete", "path": ".git"}, {"do": "run", "argv": ["git", "init", "-q"]}, RIGHT),
    ),
    "removes the worktree's .git": (does({"do": "delete", "path": ".git"}, RIGHT),),
    "is right, then crashes": (does(RIGHT, ending="crash"),),
    "breaks the syntax, then is right": (
        does(write("calc.py", "def double(:\n"), number=1),
        does(write("calc.py", "def double(x):\n    return x * 2\n")),
    ),
    "goes too far, then takes it back": (
        does(RIGHT, write("other.py", "X = 1\n"), number=1),
        does({"do": "delete", "path": "other.py"}),
    ),
    "adds a secret, then takes it back": (
        does({**RIGHT, "text": f"x * 2\n\n\nK = '{SECRET}'"}, number=1),
        does(write("calc.py", "def double(x):\n    return x * 2\n")),
    ),
    "brings a finding, then takes it back": (
        does(
            RIGHT, {"do": "replace", "path": "calc.py", "old": "def", "text": "import os\n\n\ndef"}, number=1
        ),
        does({"do": "replace", "path": "calc.py", "old": "import os\n\n\n", "text": ""}),
    ),
    "prints 50 MB": (does(RIGHT, {"do": "run", "argv": ["python3", "-c", FLOOD]}),),
    "commits by itself": (
        does(
            RIGHT,
            {"do": "run", "argv": ["git", "-c", "user.name=x", "-c", "user.email=x", "commit", "-qam", "x"]},
        ),
    ),
    "adds a test of its own": (
        does(
            RIGHT,
            write(
                "tests/test_more.py",
                "from calc import double\n\n\ndef test_it():\n    assert double(3) == 6\n",
            ),
        ),
    ),
}


BY_PYTEST = ("is right", "adds a test of its own")


@pytest.mark.parametrize("manner", MERGED)
def test_a_change_that_holds_is_merged_whatever_the_agent_said(manner: str, world_of: MakeWorld) -> None:
    sessions = MERGED[manner]
    world = world_of(BUG if manner in BY_PYTEST else QUICK_BUG)
    said = run(world, *sessions)
    assert (said.code, said.json()["outcome"]) == (0, "merged"), said.err
    assert said.json()["work_completed"]["tests_passed"] is True
    assert (world.repo / "calc.py").read_text() == "def double(x):\n    return x * 2\n"
    assert world.git("status", "--porcelain") == ""
    assert world.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert said.json()["attempts"] == len(sessions)
    assert len(said.json()["all_errors"]) == len(sessions) - 1
    assert SECRET not in world.git("log", "-p", "main")
    assert world.git("log", "--format=%s", "main").splitlines() == ["double is wrong", "by a person"]


@pytest.mark.parametrize("issue", ["1", "#001", "issue 1", "issues/001-double.md", "001-double"])
def test_an_issue_is_found_by_what_people_call_it(issue: str, world_of: MakeWorld) -> None:
    world = world_of(BUG)
    said = run(world, does(success=False), issue=issue)
    assert (said.code, said.json()["issue"]) == (4, "double is wrong")


def test_a_sentence_is_an_issue_and_the_same_one_is_joined(world_of: MakeWorld) -> None:
    world = world_of(QUICK_BUG)
    words = ("run", "double", "is", "wrong", "--json", *world.script(does(RIGHT)))
    first, again = world.sparky(*words), world.sparky(*words)
    assert [(said.code, said.json()["outcome"]) for said in (first, again)] == [(0, "ready"), (0, "ready")]
    assert first.json() == again.json()
    assert first.json()["issue"] == "double is wrong"


def test_without_an_agent_it_is_blocked_with_every_bid(world_of: MakeWorld) -> None:
    world = world_of(BUG)
    said = world.sparky("run", "1", "--json")
    assert (said.code, said.json()["outcome"]) == (3, "blocked")
    assert said.json()["reason"] == (
        "no agent bids enough for GENERAL: coder: it needs a coding agent (--runner NAME) or a script "
        "(--script FILE)"
    )


def test_a_tool_mends_what_a_sentence_asks_for_and_no_more(world_of: MakeWorld) -> None:
    world = world_of(dict.fromkeys(("calc.py", "shop/a.py", "shop/b.py"), "import os\n\nX=1\n"))
    said = world.sparky("run", "Remove unused imports in shop/ and `calc.py`", "--json").json()
    assert (said["outcome"], said["calls"]) == ("ready", {"imports": 1})
    changed = world.git("diff", "--name-only", said["base"], said["commit"]).split()
    assert changed == ["calc.py", "shop/a.py", "shop/b.py"]
    world.sparky("cancel", said["run_id"])
    said = world.sparky("run", "Remove unused imports in shop/, but not in shop/a.py", "--json").json()
    assert world.git("diff", "--name-only", said["base"], said["commit"]).split() == ["shop/b.py"]
    assert world.git("show", f"{said['commit']}:shop/b.py") == "X=1"


def test_where_a_tool_finds_nothing_to_mend_the_coder_is_next(world_of: MakeWorld) -> None:
    world = world_of(QUICK_BUG)
    script = world.script(replacing("calc.py", "x * 3", "x * 2", number=2))
    said = world.sparky("run", "Remove unused imports", "--json", *script)
    assert (said.code, said.json()["calls"]) == (0, {"imports": 1, "coder": 1}), said.err


def test_what_the_environment_lacks_is_no_fault_of_the_code(world_of: MakeWorld) -> None:
    world = world_of({**BUG, "sparky.toml": 'test_command = "no-such-runner -q"\n'})
    said = run(world, does(RIGHT))
    result = said.json()
    assert (said.code, result["outcome"]) == (3, "blocked")
    assert result["reason"] == "environment at base: command not found: no-such-runner"
    assert result["work_completed"]["tests_passed"] is None
    assert (result["attempts"], len(result["partial_fixes"])) == (1, 1)


def test_work_without_a_sandbox_says_so_and_its_diff_outlives_the_branch(world_of: MakeWorld) -> None:
    world = world_of({"calc.py": BUG["calc.py"]})
    said = world.sparky("run", "double", "is", "wrong", "--no-sandbox", "--json", *world.script(does(RIGHT)))
    run = said.json()["run_id"]
    assert (said.json()["outcome"], said.json()["sandbox"]) == ("ready", "off")
    before = world.sparky("diff", run).out
    assert world.sparky("merge", run).code == 0
    assert world.sparky("diff", run).out == before
    assert "+    return x * 2" in before


def test_criteria_in_words_wait_for_a_person(world_of: MakeWorld) -> None:
    issue = "# Issue #001: double is wrong\n\n## Success Criteria\n- it doubles\n"
    world = world_of({**QUICK_BUG, "issues/001-double.md": issue})
    said = run(world, does(RIGHT))
    assert (said.code, said.json()["outcome"]) == (0, "ready")
    assert said.json()["reason"] == "for a person: 1 criterion/criteria to judge: it doubles"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[session", " is not valid TOML: Expected"),
        ("[[session]]\nsteps = 3\n", ": Expected `array`, got `int` - at `$.session[0].steps`"),
        ("", ": Object missing required field `session`"),
    ],
)
def test_a_script_that_cannot_be_played_is_refused_before_anything_starts(
    text: str, why: str, world_of: MakeWorld
) -> None:
    world = world_of(BUG)
    path = world.root / "script.toml"
    path.write_text(text, encoding="utf-8")
    said = world.sparky("run", "1", "--script", str(path))
    assert (said.code, said.out, world.runs()) == (2, "", [])
    assert said.err.startswith(f"error: {path}{why}")


def test_a_risk_turns_auto_into_ready_and_whoever_requires_a_merge_is_told_by_the_exit_code(
    world_of: MakeWorld,
) -> None:
    world = world_of(BUG)
    before = world.git("rev-parse", "main")
    risky = "def double(n):\n    if n > 9:\n        return n + n\n    return n * 2\n"
    script = world.script(does(write("calc.py", risky)))
    said = world.sparky("run", "1", "--auto", "--require", "merged", "--json", *script)
    public = "calc.double(x): parameter was removed; calc.double(n): parameter was added as required"
    risks = [
        f"public API: the public API is changed: {public}",
        "covered: 1 changed line(s) that no test was seen to run: calc.py:3",
    ]
    result = said.json()
    assert (said.code, result["outcome"], result["risks"]) == (3, "ready", risks)
    assert world.git("rev-parse", "main") == before
