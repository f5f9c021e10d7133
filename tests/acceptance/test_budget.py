"""A run that has used its budget up asks, keeps what it did, and goes on where it stood."""

import pytest

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.files import QUICK_BUG
from tests.acceptance.world import World, replacing

WRONG = replacing("calc.py", "x * 3", "x * 2  # noqa", number=1, tokens=700, cost_usd=0.3)
RIGHT = replacing("calc.py", "  # noqa", "", number=2, tokens=500, cost_usd=0.1)


@pytest.fixture
def world(world_of: MakeWorld) -> World:
    return world_of({**QUICK_BUG, "sparky.toml": "budget_usd = 0.25\nbudget_tokens = 100_000\n"})


def test_it_is_blocked_with_its_work_kept_and_merged_when_it_may_cost_more(world: World) -> None:
    said = world.sparky("run", "1", "--auto", "--json", *world.script(WRONG, RIGHT))
    result = said.json()
    run, commit = result["run_id"], result["commit"]
    assert (said.code, result["outcome"]) == (3, "blocked"), said.err
    assert result["reason"].startswith("budget reached: 0.30 of 0.25 USD; ")
    assert result["manual_steps_needed"] == [
        f"look at what it has come to: sparky show {run}",
        f"then: sparky answer {run} continue",
    ]
    assert (result["tokens"], result["cost_estimate"]) == (700, 0.3)
    assert world.git("show", f"{result['branch']}:calc.py") == "def double(x):\n    return x * 2  # noqa"
    assert world.git("rev-parse", result["branch"]) == commit
    assert [line["run_id"] for line in world.runs() if line["needs_person"]] == [run]
    again = world.sparky("answer", run, "continue", "--json")
    assert (again.code, again.json()["outcome"]) == (0, "merged"), again.err
    assert (again.json()["tokens"], again.json()["cost_estimate"]) == (1200, 0.4)
    assert world.git("show", "main:calc.py") == "def double(x):\n    return x * 2"


@pytest.mark.soak
def test_what_one_session_and_a_day_may_cost_is_asked_about_each(world_of: MakeWorld) -> None:
    limits = "attempt_budget = { tokens = 600 }\nday_budget = { usd = 0.35 }\n"
    world = world_of({**QUICK_BUG, "sparky.toml": limits})
    asked = world.sparky("run", "1", "--auto", "--json", *world.script(WRONG, RIGHT)).json()
    run = asked["run_id"]
    assert asked["outcome"] == "blocked"
    assert asked["reason"].startswith("budget reached: 700 of 600 tokens in one session; ")
    assert world.git("show", f"{asked['branch']}:calc.py") == "def double(x):\n    return x * 2  # noqa"
    done = world.sparky("answer", run, "continue", "--json").json()
    assert (done["outcome"], done["cost_estimate"]) == ("merged", 0.4), done["reason"]
    priced = world.sparky("metrics", "--json").json()[-1]
    assert (priced["name"], priced["value"], priced["tokens"]) == ("cost_per_accepted_result", 0.4, 1200)
    world.write({"issues/003.md": "# Issue #003: double is a sum\n"})
    later = world.sparky("run", "3", "--json", *world.script(WRONG)).json()
    assert later["outcome"] == "blocked"
    assert later["reason"].startswith("budget reached: 0.40 of 0.35 USD today; ")


def test_a_person_may_end_it_there(world: World) -> None:
    run = world.sparky("run", "1", "--json", *world.script(WRONG)).json()["run_id"]
    said = world.sparky("answer", run, "stop", "--json")
    assert (said.code, said.json()["outcome"], said.json()["reason"]) == (
        1,
        "cancelled",
        "a person said: stop",
    )


def test_between_two_deliverables_the_whole_is_asked_about_and_goes_on_with_the_next(
    world_of: MakeWorld,
) -> None:
    text = "# Issue #020: arithmetic\n\n## Tasks\n- [ ] double is wrong\n- [ ] zero is wrong\n"
    world = world_of({**QUICK_BUG, "issues/020-all.md": text, "sparky.toml": "budget_tokens = 1000\n"})
    double = replacing("calc.py", "x * 3", "x * 2", issue="020.1", tokens=1000)
    zero = replacing("calc.py", "x * 2", "2 * x", issue="020.2", tokens=10)
    asked = world.sparky("run", "20", "--json", *world.script(double, zero)).json()
    assert (asked["outcome"], asked["tokens"]) == ("blocked", 1000)
    assert asked["reason"].startswith("budget reached: 1000 of 1000 tokens; double is wrong: ready: ")
    done = world.sparky("answer", asked["run_id"], "continue", "--json").json()
    assert (done["outcome"], done["tokens"]) == ("ready", 1010), done
    assert world.git("show", f"{done['branch']}:calc.py") == "def double(x):\n    return 2 * x"
