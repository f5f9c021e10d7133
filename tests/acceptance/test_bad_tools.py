"""A detector that crashes or lies: nothing it says is believed, and it is named."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.world import Said, World

pytestmark = pytest.mark.soak
"""A minute and more: in `make soak`, not in CI."""

FOUND = (
    '[{"code": "F401", "filename": "$PWD/a.py", "message": "unused", "location": {"row": 1, "column": 8}}]'
)
LIES = {
    "segfaults": ("kill -SEGV $$", "ruff gave no answer: killed, exit code -11: it said nothing"),
    "panics": (
        "echo 'panicked at a.py' >&2; exit 101",
        "ruff gave no answer: exited, exit code 101: panicked at a.py",
    ),
    "says nothing": ("exit 0", "ruff failed with exit code 0: not ruff's JSON: Input data was truncated"),
    "prints half an answer": (
        f"printf '%.40s' '{FOUND}'; exit 1",
        "ruff failed with exit code 1: not ruff's JSON: Input data was truncated",
    ),
    "finds something and says that it found nothing": (
        f'echo "{FOUND.replace(chr(34), chr(92) + chr(34))}"; exit 0',
        "ruff's exit code 0 belies its 1 findings: ",
    ),
    "finds nothing and says that it found something": (
        "echo '[]'; exit 1",
        "ruff's exit code 1 belies its 0 findings: ",
    ),
    "refuses its configuration": (
        "echo 'ruff failed' >&2; exit 2",
        "ruff failed with exit code 2: ruff failed",
    ),
    "reads elsewhere": (
        """echo '[{"code": "F401", "filename": "/etc/a.py", "message": "m"}]'; exit 1""",
        "ruff read /etc/a.py, which is outside of ",
    ),
}


def with_ruff(world: World, body: str, *words: str) -> Said:
    """sparky, installed beside another ruff."""
    home = world.root / "installed"
    (home / "bin").mkdir(parents=True)
    (home / "pyvenv.cfg").write_text(f"home = {Path(sys.base_prefix) / 'bin'}\n", encoding="utf-8")
    (home / "lib").symlink_to(Path(sysconfig.get_path("stdlib", vars={"base": sys.prefix})).parent)
    (home / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    for name in ("typos",):
        (home / "bin" / name).symlink_to(Path(sys.executable).with_name(name))
    ruff = home / "bin" / "ruff"
    ruff.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    ruff.chmod(0o755)
    done = subprocess.run(
        [home / "bin" / "python", "-m", "sparky", *words],
        cwd=world.repo,
        env={**world.env, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=False,
    )
    return Said(code=done.returncode, out=done.stdout, err=done.stderr)


@pytest.mark.parametrize(("body", "why"), LIES.values(), ids=LIES)
def test_a_scan_fails_if_ruff(body: str, why: str, world_of: MakeWorld) -> None:
    world = world_of({"a.py": "import os\n"})
    said = with_ruff(world, body, "scan", "--json")
    assert (said.code, said.out, said.err.partition(why)[:2]) == (1, "", ("error: ", why)), said.err


def test_a_run_is_blocked_by_a_detector_that_crashes_later(world_of: MakeWorld) -> None:
    world = world_of({"calc.py": "X = 1\n", "issues/1-x.md": "# Mend it\n"})
    edit = {"do": "write", "path": "calc.py", "text": "X = 2\n"}
    said = with_ruff(
        world, "kill -SEGV $$", "run", "1", "--no-sandbox", "--json", *world.script({"steps": [edit]})
    )
    result = said.json()
    assert (said.code, result["outcome"]) == (3, "blocked"), said.err
    assert result["reason"] == "ruff gave no answer: killed, exit code -11: it said nothing"
    assert result["manual_steps_needed"] == [
        "mend what stops the tool",
        f"then: sparky answer {result['run_id']} verify",
    ]
