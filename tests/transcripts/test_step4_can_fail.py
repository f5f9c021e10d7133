"""Each of the thirteen old cases can fail: a copy of sparky with one thing changed fails just that case.

What is changed was chosen by hand; `scripts/mutate_step4.py` has cosmic-ray change all of the old functions.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sparky

TOP = Path(__file__).parents[2]
API, ENTRY, FEEDBACK = "api/transcripts.py", "transcripts/claude_entry.py", "transcripts/feedback.py"
MUTANTS = {
    "an_empty_directory_has_no_agents": (API, "not history.is_dir()", "not list(history.glob('*'))"),
    "agents_of_other_sessions_are_not_related": (API, "if claimed == session_id", "if claimed"),
    "one_agent_is_found_by_its_session": (API, "claimed == session_id", "claimed != session_id"),
    "of_three_agents_the_two": (API, "if claimed == session_id)", "if claimed == session_id)[:1]"),
    "empty_and_unreadable_agents": (API, '_log.warning("%s is passed over: no entry', 'str("%s is passed'),
    "malformed_lines_are_passed_over": (API, "for offset in scan.bad:", "for offset in ():"),
    "an_agent_that_names_no_session": (API, 'e.get("sessionId")), "")', 'e.get("sessionId")), "main-1")'),
    "a_project_without_transcripts": (API, 'Error(f"{history}:', 'Error(f"{project_dir}:'),
    "only_the_agent_speaks": (ENTRY, 'if kind == "user":\n        yield', "if kind:\n        yield"),
    "two_messages_are_heard_in_order": (FEEDBACK, "sorted(found, key=_order)", "found"),
    "what_was_said_to_an_agent_is_heard": (API, "for name in names:", "for name in []:"),
    "what_was_said_to_two_agents": (API, "path not in paths)", "path not in paths)[:1]"),
    "said_to_an_agent_of_an_agent": (API, "names += [path.stem", "_ = [path.stem"),
}


def case(package: Path, name: str) -> int:
    """The exit code of one old case with the package in that directory."""
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", f"step4 and {name}"]
    env = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([*argv, "tests/transcripts/test_step4.py"], cwd=TOP, env=env, check=False)
    return done.returncode


@pytest.mark.soak
@pytest.mark.parametrize("name", MUTANTS)
def test_each_of_the_thirteen_old_cases_can_fail(name: str, tmp_path: Path) -> None:
    file, old, new = MUTANTS[name]
    shutil.copytree(Path(sparky.__file__).parent, tmp_path / "sparky")
    path = tmp_path / "sparky" / file
    source = path.read_text()
    assert source.count(old) == 1, "what is changed stands there just once"
    assert case(tmp_path, name) == 0
    path.write_text(source.replace(old, new))
    assert case(tmp_path, name) == 1
