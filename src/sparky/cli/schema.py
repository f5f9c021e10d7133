"""`sparky schema`."""

from typing import Any

import click
import msgspec

from sparky.config import POSITIVE, SHARES, Settings
from sparky.domain.state import MergePolicy


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of sparky.toml, for editors.

    Keep it beside sparky.toml, and name it in the first line there: `#:schema ./sparky.schema.json`.
    """
    click.echo(render(), nl=False)


def render() -> str:
    """The schema's text."""
    text: str = msgspec.json.format(msgspec.json.encode(settings_schema()), indent=2).decode()
    return f"{text}\n"


def settings_schema() -> dict[str, Any]:
    """The schema; what the types do not say (limits, words, no other key) is as `parse_settings` has it."""
    defined = msgspec.json.schema(Settings)["$defs"]
    table: dict[str, Any] = defined["Settings"]
    limits = {key: _narrow(key, value) for key, value in defined["Limits"]["properties"].items()}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "sparky.toml",
        "description": table["description"],
        "type": "object",
        "properties": {
            key: {"type": "object", "properties": limits, "additionalProperties": False}
            if value.get("$ref") == "#/$defs/Limits"
            else _narrow(key, value)
            for key, value in table["properties"].items()
        },
        "additionalProperties": False,
    }


def _narrow(key: str, value: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in value:  # TOML has no null: a key without a value is left out
        (value,) = [kind for kind in value["anyOf"] if kind["type"] != "null"]
    if key == "merge":
        return {**value, "enum": [MergePolicy.ASK.value, MergePolicy.AUTO.value]}
    if key in SHARES:
        return {**value, "minimum": 0, "maximum": 1}
    return {**value, "exclusiveMinimum": 0} if key in POSITIVE else value
