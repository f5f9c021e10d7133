"""A new run of an issue knows what the earlier ones tried."""

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import BUG
from tests.acceptance.world import replacing

WRONG = replacing("calc.py", "x * 3", "x * 4", number=1)
NO_IDEA = {"success": False, "summary": "no idea"}
RIGHT = replacing("calc.py", "x * 3", "x * 2")


@pytest.mark.soak
def test_the_next_run_is_told_of_the_changes_that_were_refused_and_why(world_of: MakeWorld) -> None:
    world = world_of(BUG)
    failed = world.sparky("run", "1", "--json", *world.script(WRONG, NO_IDEA)).json()
    assert failed["outcome"] == "failed"
    again = world.sparky("run", "1", "--json", *world.script(RIGHT)).json()
    assert (again["outcome"], again["attempts"], again["all_errors"]) == ("ready", 1, [])
    (earlier,) = world.sparky("show", again["run_id"], "--json").json()["earlier"]
    assert (earlier["run_id"], earlier["outcome"]) == (failed["run_id"], "failed")
    (refused,) = earlier["refused"]
    assert refused.startswith("attempt 1 by coder changed calc.py: ")
    assert earlier["errors"][-1] == "no files matched: nothing was changed (no idea)"
    shown = world.sparky("show", again["run_id"]).out
    assert f"  earlier {failed['run_id']} failed: All agents failed for GENERAL: " in shown
