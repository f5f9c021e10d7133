"""A sample of `make crash`: a run is killed at one of its boundaries, and has its effects once."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

_TRACED = sys.platform == "linux" and platform.machine() == "x86_64"


@pytest.mark.skipif(not _TRACED, reason="the tracer knows the calls of Linux on x86-64 only")
def test_a_run_killed_at_one_of_its_boundaries_has_each_effect_once() -> None:
    argv = (sys.executable, "-m", "tests.durable.crash", "1")
    root = Path(__file__).parents[2]
    done = subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("killed at 1 of "), done.stdout
