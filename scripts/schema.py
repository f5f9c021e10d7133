"""Write docs/sparky.schema.json, the JSON Schema of sparky.toml, from `config.Settings`."""

import sys
from pathlib import Path
from typing import Any

import msgspec

from sparky.config import POSITIVE, Settings
from sparky.domain.state import MergePolicy

TARGET = Path(__file__).parent.parent / "docs" / "sparky.schema.json"


def settings_schema() -> dict[str, Any]:
    """The schema; what the types do not say (limits, words, no other key) is as `parse_settings` has it."""
    table: dict[str, Any] = msgspec.json.schema(Settings)["$defs"]["Settings"]
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "sparky.toml",
        "description": table["description"],
        "type": "object",
        "properties": {key: _narrow(key, value) for key, value in table["properties"].items()},
        "additionalProperties": False,
    }


def render() -> str:
    """The file's text."""
    text: str = msgspec.json.format(msgspec.json.encode(settings_schema()), indent=2).decode()
    return f"{text}\n"


def _narrow(key: str, value: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in value:  # TOML has no null: a key without a value is left out
        (value,) = [kind for kind in value["anyOf"] if kind["type"] != "null"]
    if key == "merge":
        return {**value, "enum": [MergePolicy.ASK.value, MergePolicy.AUTO.value]}
    return {**value, "exclusiveMinimum": 0} if key in POSITIVE else value


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
    sys.stdout.write(f"wrote {TARGET.name}\n")
