"""Configuration: what is read, from where, and what is said when it can't be used."""

from pathlib import Path

import pytest

from sparky.config import (
    ConfigError,
    Limits,
    Settings,
    budget,
    parse_settings,
    parse_toml,
    preferences,
    read_settings,
    unknown_key,
)
from sparky.domain.agent import Thresholds
from sparky.domain.attempt import Budget
from sparky.domain.state import MergePolicy, Preferences
from sparky.environment import Environment, read_environment

EVERYTHING = """\
merge = "auto"
test_command = "pytest -q 'a b'"
test_report = "out/*.xml"
test_setup = "npm ci"
test_timeout_s = 60
session_timeout_s = 0.5
budget_usd = 5
budget_tokens = 2_000_000
budget_minutes = 1.5
budget_turns = 90
attempt_budget = { usd = 0.5, minutes = 10 }
day_budget = { tokens = 900_000, turns = 900 }
sandbox = false
constraints = ["no new dependency"]
issues = ["work"]
script = "play.toml"
bid_chosen = 0.4
bid_fallback = 0
write_results = true
sisters = { shop = "../shop" }
"""
SET = Settings(
    merge="auto",
    test_command="pytest -q 'a b'",
    test_report="out/*.xml",
    test_setup="npm ci",
    test_timeout_s=60.0,
    session_timeout_s=0.5,
    budget_usd=5.0,
    budget_tokens=2_000_000,
    budget_minutes=1.5,
    budget_turns=90,
    attempt_budget=Limits(usd=0.5, minutes=10.0),
    day_budget=Limits(tokens=900_000, turns=900),
    sandbox=False,
    constraints=("no new dependency",),
    issues=("work",),
    script="play.toml",
    bid_chosen=0.4,
    bid_fallback=0.0,
    write_results=True,
    sisters={"shop": "../shop"},
)


def test_without_a_file_everything_is_as_it_comes(tmp_path: Path) -> None:
    assert read_settings(tmp_path) == Settings()
    assert preferences(Settings()) == Preferences(
        merge=MergePolicy.ASK,
        test_command=None,
        test_timeout_s=900.0,
        session_timeout_s=1800.0,
        sandbox=True,
        script=None,
    )


def test_every_key_of_sparky_toml_is_read_and_wanted(tmp_path: Path) -> None:
    (tmp_path / "sparky.toml").write_text(EVERYTHING)
    assert read_settings(tmp_path) == SET
    assert preferences(SET) == Preferences(
        merge=MergePolicy.AUTO,
        test_command=("pytest", "-q", "a b"),
        test_report="out/*.xml",
        test_setup=("npm", "ci"),
        test_timeout_s=60.0,
        session_timeout_s=0.5,
        sandbox=False,
        constraints=("no new dependency",),
        script="play.toml",
        attempt_budget=Budget(usd=0.5, seconds=600.0),
        day_budget=Budget(tokens=900_000, turns=900),
        thresholds=Thresholds(chosen=0.4, fallback=0.0),
    )


def test_what_a_run_may_cost_has_no_limit_unless_one_is_said() -> None:
    assert budget(Settings()) == Budget(usd=None, tokens=None, seconds=None)
    assert budget(SET) == Budget(usd=5.0, tokens=2_000_000, seconds=90.0, turns=90)


def test_the_table_of_a_pyproject_is_read_where_there_is_no_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[project]\nname = 'shop'\n[tool.sparky]\n{EVERYTHING}")
    assert read_settings(tmp_path) == SET
    (tmp_path / "sparky.toml").write_text("sandbox = false")
    assert read_settings(tmp_path) == Settings(sandbox=False)


@pytest.mark.parametrize("text", ["[tool.ruff]\n", "[project]\n", "tool = 1\n", "this is = no toml [\n", ""])
def test_a_pyproject_that_says_nothing_of_sparky_or_is_broken_is_not_ours_to_refuse(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert read_settings(tmp_path) == Settings()


WRONG = {
    "day_budget = { usb = 1 }": "day_budget: unknown key 'usb'; did you mean 'usd'?",
    "day_budget = { usd = 0 }": "day_budget: usd is 0.0, and must be above 0",
    "mrege = 'auto'": "unknown key 'mrege'; did you mean 'merge'?",
    "test_timeout = 5": "unknown key 'test_timeout'; did you mean 'test_timeout_s'?",
    "colour = 'red'": "unknown key 'colour'; known keys are merge, test_command, test_report, test_setup, "
    "test_timeout_s, session_timeout_s, budget_usd, budget_tokens, budget_minutes, budget_turns, "
    "attempt_budget, day_budget, sandbox, "
    "constraints, issues, script, runner, fallback_runner, model, hand_on, "
    "bid_chosen, bid_fallback, write_results, sisters",
    "bid_chosen = 1.2": "bid_chosen is 1.2, and must be within 0 and 1",
    "bid_fallback = nan": "bid_fallback is nan, and must be within 0 and 1",
    "bid_fallback = 0.6": "bid_fallback is 0.6, and bid_chosen 0.5: "
    "a fallback must need no more than what is chosen",
    "runner = 'cloud'": "no runner is called 'cloud'; there are claude, codex, "
    "claude-acp, codex-acp, opencode, model",
    "fallback_runner = 'model'": "fallback_runner can't be 'model', which has no model of its own choice",
    "merge = 'never'": "merge is 'never', and may be 'ask' or 'auto'",
    "sandbox = 'no'": "Expected `bool`, got `str` - at `$.sandbox`",
    "issues = ['a', 1]": "Expected `str`, got `int` - at `$.issues[1]`",
    "test_timeout_s = 0": "test_timeout_s is 0.0, and must be above 0 seconds",
    "test_timeout_s = nan": "test_timeout_s is nan, and must be above 0 seconds",
    "session_timeout_s = -1": "session_timeout_s is -1.0, and must be above 0 seconds",
    "session_timeout_s = inf": "session_timeout_s is inf, and must be above 0 seconds",
    '''test_command = "pytest 'a"''': "test_command: No closing quotation",
    '''test_setup = "npm 'ci"''': "test_setup: No closing quotation",
    "test_report = '/r.xml'": "test_report is '/r.xml', and must lie in the repository",
    "test_report = 'a/../../r.xml'": "test_report is 'a/../../r.xml', and must lie in the repository",
}


@pytest.mark.parametrize("line", WRONG)
def test_what_is_wrong_is_said_with_the_file_and_the_key(tmp_path: Path, line: str) -> None:
    own, pyproject = tmp_path / "sparky.toml", tmp_path / "pyproject.toml"
    own.write_text(line)
    with pytest.raises(ConfigError) as error:
        read_settings(tmp_path)
    assert (str(error.value), error.value.code) == (f"{own}: {WRONG[line]}", 2)
    own.unlink()
    pyproject.write_text(f"[tool.sparky]\n{line}")
    with pytest.raises(ConfigError) as error:
        read_settings(tmp_path)
    assert str(error.value) == f"{pyproject} [tool.sparky]: {WRONG[line]}"


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    pyproject = tmp_path / "pyproject.toml"
    pyproject.write_text("[tool]\nsparky = 'auto'\n")
    with pytest.raises(ConfigError) as error:
        read_settings(tmp_path)
    assert str(error.value) == f"{pyproject} [tool.sparky] is 'auto', and must be a table"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"merge = \n", "is not valid TOML: Invalid value (at line 1, column 9)"),
        (b"merge = '\xff'", "is not UTF-8 at byte 9; save it as UTF-8"),
    ],
)
def test_a_file_that_is_no_toml_is_refused_by_name(tmp_path: Path, content: bytes, why: str) -> None:
    own = tmp_path / "sparky.toml"
    own.write_bytes(content)
    with pytest.raises(ConfigError) as error:
        read_settings(tmp_path)
    assert str(error.value) == f"{own} {why}"


@pytest.mark.parametrize(("content", "why"), [(None, "No such file or directory"), ("", "Is a directory")])
def test_a_sparky_toml_that_is_no_file_is_not_passed_over(
    tmp_path: Path, content: str | None, why: str
) -> None:
    own = tmp_path / "sparky.toml"
    own.symlink_to("nowhere") if content is None else own.mkdir()
    with pytest.raises(ConfigError) as error:
        read_settings(tmp_path)
    assert str(error.value) == f"{own}: {why}"


def test_a_broken_pyproject_that_has_settings_for_sparky_is_refused(tmp_path: Path) -> None:
    pyproject = tmp_path / "pyproject.toml"
    pyproject.write_text("[tool.sparky]\nsandbox = false\n[broken\n")
    with pytest.raises(ConfigError) as error:
        read_settings(tmp_path)
    why = "Expected ']' at the end of a table declaration (at line 3, column 8)"
    assert str(error.value) == f"{pyproject} is not valid TOML: {why}"


def test_settings_can_be_parsed_from_a_table() -> None:
    assert parse_settings({"sandbox": False}, "flags") == Settings(sandbox=False)


KNOWN = ("merge", "sandbox")


def test_a_table_of_toml_is_read_with_and_without_a_byte_order_mark() -> None:
    assert parse_toml(b"a = 1\r\n") == parse_toml(b"\xef\xbb\xbfa = 1\n") == {"a": 1}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"a = 'b\xff'", "is not UTF-8 at byte 6; save it as UTF-8"),
        (b"[a", "is not valid TOML: Expected ']' at the end of a table declaration (at end of document)"),
    ],
)
def test_what_is_no_toml_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=r"^is not ") as error:
        parse_toml(data)
    assert str(error.value) == why


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (["merge", "sandbox"], None),
        (["merge", "sandbx"], "unknown key 'sandbx'; did you mean 'sandbox'?"),
        (["colour"], "unknown key 'colour'; known keys are merge, sandbox"),
    ],
)
def test_the_first_unknown_key_is_named_with_the_nearest(keys: list[str], said: str | None) -> None:
    assert unknown_key(keys, KNOWN) == said


HOME = Path("/home/ada")


def test_sparky_lives_in_the_home_directory_unless_it_is_told_otherwise() -> None:
    assert read_environment({"HOME": "/home/ada"}) == Environment(
        home=HOME,
        state=HOME / ".local/state/sparky",
        cache=HOME / ".cache/sparky",
        base={"HOME": "/home/ada"},
        agents={
            "claude": HOME / ".claude",
            "codex": HOME / ".codex",
            "opencode": HOME / ".local/share/opencode",
        },
    )


def test_coding_agents_live_where_they_are_told_to() -> None:
    told = {"CLAUDE_CONFIG_DIR": "/a", "CODEX_HOME": "/b", "XDG_DATA_HOME": "/c"}
    found = read_environment({"HOME": "/h", **told}).agents
    assert found == {"claude": Path("/a"), "codex": Path("/b"), "opencode": Path("/c/opencode")}


@pytest.mark.parametrize(
    ("told", "state", "cache"),
    [
        ({"XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/c"}, "/s/sparky", "/c/sparky"),
        ({"XDG_STATE_HOME": "", "XDG_CACHE_HOME": ""}, "/h/.local/state/sparky", "/h/.cache/sparky"),
        (
            {"SPARKY_STATE_DIR": "/mine", "SPARKY_CACHE_DIR": "/its", "XDG_STATE_HOME": "/s"},
            "/mine",
            "/its",
        ),
    ],
)
def test_the_places_of_state_and_cache(told: dict[str, str], state: str, cache: str) -> None:
    found = read_environment({"HOME": "/h", **told})
    places = (found.state, found.cache, found.database)
    assert places == (Path(state), Path(cache), Path(state) / "sparky.db")


def test_processes_get_the_path_and_installers_their_index_and_nobody_the_rest() -> None:
    index = {
        "UV_INDEX_URL": "https://index/",
        "PIP_NO_INPUT": "1",
        "SSL_CERT_FILE": "/pem",
        "HTTPS_PROXY": "http://proxy",
        "no_proxy": "localhost",
    }
    base = {"PATH": "/bin", "LANG": "C.UTF-8", "HOME": "/h"}
    found = read_environment({**index, **base, "GITHUB_TOKEN": "secret", "PYTHONPATH": "/x"})
    assert (dict(found.base), dict(found.index)) == (base, index)


def test_without_a_home_in_the_environment_the_users_own_is_taken() -> None:
    assert read_environment({}).home == Path.home()
