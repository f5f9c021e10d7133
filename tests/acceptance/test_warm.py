"""The tests at the base, which `fix` runs ahead of time."""

import subprocess
import sys
import time

from tests.acceptance.conftest import MakeWorld

HANGS = "import time\n\n\ndef test_hangs():\n    time.sleep(600)\n"


def test_a_cancelled_fix_ends_also_while_the_tests_at_the_base_run_ahead(world_of: MakeWorld) -> None:
    world = world_of({"shop.py": "import os\n\nX = 1\n", "tests/test_shop.py": HANGS})
    words = (sys.executable, "-m", "sparky", "fix", "-k", "import_error", "--json")
    with subprocess.Popen(
        words, cwd=world.repo, env=world.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        run = next(line.split()[1] for line in lines if line.startswith("run "))
        assert any("running the tests at base" in line for line in lines)
        began = time.monotonic()
        assert world.sparky("cancel", run).code == 0
        process.communicate()
    assert (process.returncode, time.monotonic() - began < 60) == (1, True)
    assert [one["outcome"] for one in world.runs()] == ["cancelled"]
