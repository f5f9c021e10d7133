"""Write docs/result.schema.json, the JSON Schema of what `--json` prints of a run, from `Result`."""

import sys
from pathlib import Path
from typing import Any

import msgspec

from sparky.domain.result import RESULT_SCHEMA, Result

TARGET = Path(__file__).parent.parent / "docs" / "result.schema.json"


def result_schema() -> dict[str, Any]:
    """The schema of a result: every field is there, and later versions may have more."""
    (top,), parts = msgspec.json.schema_components((Result,), ref_template="#/$defs/{name}")
    for part in parts.values():
        if "properties" in part:
            part["required"] = list(part["properties"])
    parts["Result"]["properties"]["schema"] = {"type": "integer", "enum": [RESULT_SCHEMA]}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "a result of sparky"}
    return {**head, **top, "$defs": parts}


def render() -> str:
    """The file's text."""
    text: str = msgspec.json.format(msgspec.json.encode(result_schema()), indent=2).decode()
    return f"{text}\n"


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
    sys.stdout.write(f"wrote {TARGET.name}\n")
