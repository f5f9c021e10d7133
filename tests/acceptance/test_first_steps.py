"""What a new user tries, and what sparky says when it is not quite right."""

from tests.acceptance.conftest import MakeWorld
from tests.acceptance.world import Said

_FILES = {"shop/cart.py": "import os\n", "docs/notes.py": "import sys\n"}


def found(said: Said) -> set[str]:
    """The files that a scan found something in."""
    return {one["finding"]["location"]["path"] for one in said.json()["findings"]}


def test_paths_are_meant_from_where_the_user_is(world_of: MakeWorld) -> None:
    world = world_of(_FILES)
    shop, scan = world.repo / "shop", ("scan", "-k", "import_error", "--json")
    assert found(world.sparky(*scan, "cart.py", cwd=shop)) == {"shop/cart.py"}
    assert found(world.sparky(*scan, "..", cwd=shop)) == {"shop/cart.py", "docs/notes.py"}
    assert found(world.sparky(*scan, "-C", "docs", "notes.py")) == {"docs/notes.py"}


def test_a_path_that_is_not_there_is_no_clean_scan(world_of: MakeWorld) -> None:
    world = world_of(_FILES)
    for verb in ("scan", "fix"):
        said = world.sparky(verb, "shop/carts.py")
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith("error: shop/carts.py: not in the commit ")


def test_a_path_outside_of_the_repository_is_refused(world_of: MakeWorld) -> None:
    world = world_of(_FILES)
    said = world.sparky("scan", "../elsewhere.py")
    assert said == Said(code=2, out="", err=f"error: ../elsewhere.py is not in the repository {world.repo}\n")


def test_an_issue_for_the_coder_says_that_it_needs_a_script(world_of: MakeWorld) -> None:
    world = world_of(_FILES)
    said = world.sparky("route", "The login page crashes", "--json")
    assert said.code == 3
    assert set(said.json()) == {"kind", "kind_confidence", "kind_reasons", "agent", "fallbacks", "bids"}
    assert (
        said.err == "left out: coder: it needs a coding agent (--runner NAME) or a script (--script FILE)\n"
    )
    ran = world.sparky("run", "The login page crashes", "--json")
    assert ran.code == 3
    assert "(--script FILE)" in ran.json()["reason"]


def test_the_script_in_the_settings_is_named_from_the_repository(world_of: MakeWorld) -> None:
    world = world_of({**_FILES, "sparky.toml": "script = 'play.toml'\n", "play.toml": "session = []\n"})
    said = world.sparky("run", "The login page crashes", "--json", cwd=world.repo / "shop")
    assert "the script has no session for issue" in said.json()["reason"]
    assert said.json()["sandbox"] == "none needed"


def test_a_suite_of_which_nothing_passes_verifies_nothing(world_of: MakeWorld) -> None:
    never = {"sparky.toml": "test_command = 'false'\nmerge = 'auto'\n"}
    said = world_of({**_FILES, **never}).sparky("fix", "-k", "import_error", "--json")
    result = said.json()
    assert (said.code, result["outcome"], result["work_completed"]["tests_passed"]) == (0, "ready", None)
    assert "unverified by tests: not one of them passes, at base or at head" in result["reason"]
    assert result["notes"] == ["unverified by tests"]


def test_the_doctor_says_that_the_settings_are_wrong_and_not_the_place_and_what_tools_are_not_given(
    world_of: MakeWorld,
) -> None:
    ruff = {"ruff.toml": "line-length = 99\nlint.select = ['ALL']\n"}
    world = world_of({**_FILES, **ruff, "sparky.toml": "merg = 'ask'\n"})
    told = world.sparky("doctor", "--json").json()
    (wrong,) = [one for one in told if one["needed"] and not one["well"]]
    assert wrong["found"].endswith("sparky.toml: unknown key 'merg'; did you mean 'merge'?")
    assert wrong["remedy"] == "mend it: docs/configuration.md"
    assert [one["found"] for one in told if one["name"] == "unfollowed"] == [
        "not followed of ruff's configuration: lint.select"
    ]
