"""The JSON Schema of sparky.toml says what sparky itself says."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sparky.cli.init import TEMPLATE
from sparky.cli.main import cli
from sparky.cli.schema import render
from sparky.config import ConfigError, parse_settings
from tests.json_schema import faults

COMMITTED = Path(__file__).parents[2] / "docs" / "sparky.schema.json"
TABLES = [
    "",
    TEMPLATE,
    "merge = 'auto'",
    "merge = 'approved'",
    "merge = 'now'",
    "merge = true",
    "test_command = 'pytest -q'",
    "test_command = ['pytest']",
    "test_report = 'out/*.xml'",
    "test_report = 1",
    "test_setup = 'npm ci'",
    "test_timeout_s = 60",
    "test_timeout_s = 0.5",
    "test_timeout_s = 0",
    "session_timeout_s = -1",
    "session_timeout_s = '1h'",
    "budget_usd = 5",
    "budget_usd = 0",
    "budget_tokens = 1.5",
    "budget_tokens = -1",
    "budget_minutes = 0.5",
    "budget_minutes = 'long'",
    "budget_turns = 1",
    "attempt_budget = { usd = 0.5, turns = 8 }",
    "attempt_budget = { usd = -0.5 }",
    "day_budget = { hours = 1 }",
    "day_budget = 5",
    "sandbox = false",
    "sandbox = 0",
    "issues = ['work', 'more']",
    "issues = 'work'",
    "issues = [1]",
    "script = 'play.toml'",
    "write_results = true",
    "write_results = 'yes'",
    "sisters = { shop = '../shop' }",
    "sisters = { shop = 1 }",
    "[sisters]\nshop = 'https://example.org/shop.git'",
    "constraints = ['no new dependency']",
    "constraints = 'none'",
    "scripts = 'play.toml'",
]


def is_read(table: dict[str, Any]) -> bool:
    try:
        parse_settings(table, "here")
    except ConfigError:
        return False
    return True


def test_the_committed_schema_is_that_of_the_settings() -> None:
    said = CliRunner().invoke(cli, ["schema"])
    assert (said.exit_code, said.output) == (0, render())
    assert COMMITTED.read_text(encoding="utf-8") == render(), "sparky schema > docs/sparky.schema.json"


@pytest.mark.parametrize("toml", TABLES)
def test_it_allows_exactly_what_sparky_reads(toml: str) -> None:
    table = tomllib.loads(toml)
    assert (faults(table, json.loads(render())) == []) is is_read(table)


def test_the_file_that_init_writes_links_to_nothing_that_is_not_there() -> None:
    assert not [line for line in TEMPLATE.splitlines() if line.startswith("#:")]
