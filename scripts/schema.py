"""Write the JSON Schemas in docs/: of sparky.toml from `config.Settings`, of a result from `Result`."""

import sys
from pathlib import Path
from typing import Any

import msgspec

from sparky.config import Settings
from sparky.domain.result import RESULT_SCHEMA, Result
from sparky.domain.state import MergePolicy

DOCS = Path(__file__).parent.parent / "docs"
TARGET = DOCS / "sparky.schema.json"
RESULT = DOCS / "result.schema.json"


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


def result_schema() -> dict[str, Any]:
    """The schema of what `--json` prints of a run: every field is there, and later versions may have more."""
    (top,), parts = msgspec.json.schema_components((Result,), ref_template="#/$defs/{name}")
    for part in parts.values():
        if "properties" in part:
            part["required"] = list(part["properties"])
    parts["Result"]["properties"]["schema"] = {"type": "integer", "enum": [RESULT_SCHEMA]}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "a result of sparky"}
    return {**head, **top, "$defs": parts}


def render(schema: dict[str, Any]) -> str:
    """The file's text."""
    text: str = msgspec.json.format(msgspec.json.encode(schema), indent=2).decode()
    return f"{text}\n"


def _narrow(key: str, value: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in value:  # TOML has no null: a key without a value is left out
        (value,) = [kind for kind in value["anyOf"] if kind["type"] != "null"]
    if key == "merge":
        return {**value, "enum": [MergePolicy.ASK.value, MergePolicy.AUTO.value]}
    return {**value, "exclusiveMinimum": 0} if key.endswith("_s") else value


if __name__ == "__main__":
    for path, schema in ((TARGET, settings_schema()), (RESULT, result_schema())):
        path.write_text(render(schema), encoding="utf-8")
        sys.stdout.write(f"wrote {path.name}\n")
