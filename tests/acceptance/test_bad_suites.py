"""Suites of pytest that misbehave: no verdict is made up, the cause is named, and nothing is left running."""

import re
from pathlib import Path

import pytest

from sparky.tools.neutral import UNSHOWN
from tests.acceptance.conftest import Files, MakeWorld
from tests.acceptance.files import CONFIG

pytestmark = pytest.mark.soak
"""A minute and more: in `make soak`, not in CI."""

OK = "def test_ok():\n    assert True\n"
ENDLESS = "import time\n\n\ndef test_hang():\n    time.sleep(600)\n"
KILLS_ITSELF = "import os\nimport signal\n\n\ndef test_it():\n    os.kill(os.getpid(), signal.{})\n"
KILLED = (
    "killed from outside at base: killed by signal 9, as the system does where memory runs out, "
    "while test_a.py::test_it ran"
)
FLOOD = "import os\n\n\ndef test_it():\n    for _ in range(200):\n        os.write(1, b'x' * 1_000_000)\n"
MARK = "an orphan of a test of sparky's"
ORPHAN = f"""\
import subprocess
import re
import sys


def test_it():
    argv = [sys.executable, "-c", "import time; time.sleep(600)", "{MARK}"]
    subprocess.Popen(argv, start_new_session=True)
"""

NO_TOML = "Expected ']' at the end of a table declaration (at line 1, column 6)"
BLOCKED: dict[str, tuple[Files, str]] = {
    "hangs": (
        {"test_a.py": OK, "test_b.py": ENDLESS, "sparky.toml": "test_timeout_s = 3\n"},
        "timed out at base: after some s, while test_b.py::test_hang ran",
    ),
    "needs a package that is not declared": (
        {"test_a.py": f"import nosuchpackage_of_sparky\n\n\n{OK}"},
        "environment at base: no test module can be imported: nosuchpackage_of_sparky not installed",
    ),
    "segfaults": (
        {"test_a.py": KILLS_ITSELF.format("SIGSEGV")},
        "crashed at base: killed by signal 11, while test_a.py::test_it ran",
    ),
    "is killed as the system kills for memory": (
        {"test_a.py": KILLS_ITSELF.format("SIGKILL")},
        KILLED,
    ),
    "leaves before its end": (
        {"test_a.py": "import os\n\nos._exit(0)\n"},
        "crashed at base: exit code 0 before the end",
    ),
    "is given an option that nobody knows": (
        {"test_a.py": OK, "pytest.ini": "[pytest]\naddopts = --nosuch\n"},
        "environment at base: pytest did not start: pytest: error: unrecognized arguments: --nosuch",
    ),
    "is configured in a file that is none": (
        {"test_a.py": OK, "pytest.ini": "x\n"},
        "environment at base: pytest did not start: ERROR: pytest.ini:1: unexpected line: 'x'",
    ),
    "has a pyproject that is no TOML": (
        {"test_a.py": OK, "pyproject.toml": "[tool\n"},
        f"environment at base: pytest did not start: ERROR: pyproject.toml: {NO_TOML}",
    ),
    "is named and does not exist": (
        {"sparky.toml": "test_command = 'pytest tests/unit'\n"},
        "environment at base: ERROR: file or directory not found: tests/unit",
    ),
    "is a program that does not exist": (
        {"sparky.toml": "test_command = './run-tests.sh'\n"},
        "environment at base: command not found: ./run-tests.sh",
    ),
}

UNVERIFIED: dict[str, tuple[Files, str]] = {
    "collects nothing": ({**CONFIG, "test_a.py": "X = 1\n"}, "pytest found no tests"),
    "does not exist": ({}, "no test command was found"),
}


@pytest.mark.parametrize(("files", "reason"), BLOCKED.values(), ids=BLOCKED)
def test_it_blocks_the_run_if_it(files: Files, reason: str, world_of: MakeWorld) -> None:
    world = world_of({**CONFIG, **files, "shop.py": "import os\n"})
    said = world.sparky("fix", "-k", "IMPORT_ERROR", "--json")
    result = said.json()
    came = re.sub(r"after \d+ s", "after some s", result["reason"])
    assert (said.code, result["outcome"], came) == (3, "blocked", reason)
    assert result["manual_steps_needed"] == [
        "mend the cause named above, then run it again",
        f"then: sparky answer {result['run_id']} test",
    ]
    assert world.git("status", "--porcelain") == ""


@pytest.mark.parametrize(("files", "why"), UNVERIFIED.values(), ids=UNVERIFIED)
def test_a_person_has_to_judge_if_it(files: Files, why: str, world_of: MakeWorld) -> None:
    world = world_of({**files, "shop.py": "import os\nimport stock\n"})
    said = world.sparky("fix", "-k", "IMPORT_ERROR", "--json")
    reason = f"for a person: unverified by tests: {why}; 1 of 2 finding(s) gone"
    assert (said.code, said.json()["outcome"], said.json()["reason"]) == (0, "ready", reason)
    left = f"shop.py:1 F401 `stock` imported but unused: {UNSHOWN}"
    assert (said.json()["notes"], said.json()["issues_remaining"]) == (["unverified by tests"], [left])
    body = world.git("log", "-1", "--format=%b", said.json()["branch"])
    assert "Unverified by tests: there is none that passes." in body


def test_what_it_prints_is_cut_and_its_verdict_counts(world_of: MakeWorld) -> None:
    files = {"test_a.py": FLOOD, "sparky.toml": "test_command = 'pytest -s'\n"}
    world = world_of({**CONFIG, **files, "shop.py": "import os\n"})
    said = world.sparky("fix", "-k", "IMPORT_ERROR", "--json")
    assert (said.code, said.json()["work_completed"]["tests_passed"]) == (0, True)
    logs = {one["output"] for one in said.json()["evidence"] if one["command"] == ["pytest", "-s"]}
    sizes = [(world.root / "state" / "blobs" / log[:2] / log[2:]).stat().st_size for log in logs]
    assert max(sizes) < 20_000_000


def test_a_child_that_left_its_group_ends_with_it(world_of: MakeWorld) -> None:
    world = world_of({**CONFIG, "shop.py": "import os\n", "test_a.py": ORPHAN})
    said = world.sparky("fix", "-k", "IMPORT_ERROR", "--json")
    assert (said.code, said.json()["work_completed"]["tests_passed"]) == (0, True)
    assert [argv for argv in command_lines() if MARK in argv] == []


def command_lines() -> list[str]:
    """Those of all processes."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(place.read_bytes().decode(errors="replace"))
        except OSError:  # it has ended meanwhile
            continue
    return found
