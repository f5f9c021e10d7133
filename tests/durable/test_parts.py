"""A run that was taken apart is killed in one of its parts: it goes on there, and each part is done once."""

import json
import os
import signal

import pytest

from tests.durable.world import World

_SCRIPT = """
[[session]]
issue = "002.1"
[[session.steps]]
do = "replace"
path = "calc.py"
old = "x * 3"
text = "x * 2"
[[session]]
issue = "002.2"
[[session.steps]]
do = "replace"
path = "calc.py"
old = "import os\\n\\n\\n"
text = ""
[[session.steps]]
do = "run"
argv = ["sleep", "2"]
"""
_ISSUE = "# Issue #002: two things\n\n## Tasks\n- [ ] double is wrong\n- [ ] drop the import of os\n"


_LEFT = """
[[session]]
issue = "left-security"
[[session.steps]]
do = "replace"
path = "calc.py"
old = "eval(x)"
text = "int(x)"
[[session.steps]]
do = "run"
argv = ["sleep", "2"]
"""
_CALC = "import os\n\n\ndef double(x):\n    return 2 * eval(x)\n"
_TEST = "from calc import double\n\n\ndef test_double():\n    assert double('2') == 4\n"


def killed(world: World, moment: str, *words: str) -> None:
    """Start sparky, and kill it when it says so."""
    process = world.start(*words, "--script", str(world.script))
    assert process.stdout is not None
    for line in process.stdout:
        if moment in line:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.communicate()
    assert process.returncode == -signal.SIGKILL


@pytest.mark.soak
def test_kill_9_in_a_session_that_findings_were_handed_to_and_resume_merge_them_once(world: World) -> None:
    files = {"calc.py": _CALC, "test_calc.py": _TEST}
    here = world.another("left", _LEFT, files)
    words = ("fix", "--auto", "-k", "security", "-k", "import_error")
    killed(here, "left-security: execute 1 by coder …", *words)
    again = here.sparky("resume", "--json")
    assert again.returncode == 0, again.stderr
    (result,) = json.loads(again.stdout)
    assert (result["outcome"], result["issues_remaining"]) == ("merged", [])
    assert here.git("log", "--reverse", "--format=%s", "main").splitlines() == [
        "base",
        "IMPORT_ERROR: mend 1 finding(s) in 1 file(s)",
        "SECURITY: mend 1 finding(s) that no rule mends",
    ]
    assert sorted(str(run["issue"]) for run in here.runs()) == ["fix", "fix-all", "left-security"]


@pytest.mark.soak
@pytest.mark.parametrize(
    "moment",
    [
        "2.2: execute 1 by coder …",
        pytest.param("2.1: execute 1 by coder …", marks=pytest.mark.soak),
        pytest.param("2.2: test 1 …", marks=pytest.mark.soak),
    ],
)
def test_kill_9_in_a_part_and_resume_leave_each_part_done_once(world: World, moment: str) -> None:
    here = world.another("parts", _SCRIPT)
    (here.repo / "issues" / "002-two.md").write_text(_ISSUE, encoding="utf-8")
    here.git("add", "-A")
    here.git("commit", "-qm", "an issue of two parts")
    killed(here, moment, "run", "2")
    again = here.sparky("resume", "--json")
    assert again.returncode == 0, again.stderr
    (result,) = json.loads(again.stdout)
    assert (result["outcome"], result["calls"]) == ("ready", {"coder": result["attempts"]})
    told = here.sparky("show", result["run_id"], "--json")
    assert [step["stage"] for step in json.loads(told.stdout)["steps"]] == [
        *("decompose", "child", "child", "test", "verify"),
    ]
    log = here.git("log", "--format=%s", f"main..{result['branch']}").splitlines()
    assert log == ["drop the import of os", "double is wrong"]
    assert sorted(str(run["issue"]) for run in here.runs()) == ["002", "002.1", "002.2"]
    assert here.git("worktree", "list").count("\n") == 0
