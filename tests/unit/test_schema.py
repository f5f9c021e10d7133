"""The JSON Schema of sparky.toml says what sparky itself says."""

import json
import tomllib
from typing import Any

import pytest
from scripts.schema import TARGET, render

from sparky.cli.init import TEMPLATE
from sparky.config import ConfigError, parse_settings
from tests.json_schema import faults

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
    assert TARGET.read_text(encoding="utf-8") == render(), "run scripts/schema.py"


@pytest.mark.parametrize("toml", TABLES)
def test_it_allows_exactly_what_sparky_reads(toml: str) -> None:
    table = tomllib.loads(toml)
    assert (faults(table, json.loads(render())) == []) is is_read(table)


def test_the_file_that_init_writes_names_it_first() -> None:
    assert TEMPLATE.splitlines()[0] == f"#:schema docs/{TARGET.name}"
