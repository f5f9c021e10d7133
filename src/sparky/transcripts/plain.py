"""JSON that others wrote: read whatever comes, believe no shape."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

Entry = Mapping[str, Any]

_NOTHING: Entry = {}


def parse(line: bytes | bytearray | memoryview) -> Any:
    """The value of a line; raises ValueError.

    The standard library reads what the fast decoder refuses: numbers without measure, and half characters (a
    text that was cut within an emoji), which are replaced.
    """
    try:
        return msgspec.json.decode(line)
    except (ValueError, RecursionError):
        pass
    try:
        text = json.dumps(json.loads(bytes(line)), ensure_ascii=False)
        return json.loads(text.encode(errors="replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def table(value: object) -> Entry:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else _NOTHING


def rows(value: object) -> list[Entry]:
    """The objects of a list; nothing if it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def word(value: object) -> str:
    """The value if it is text, else ""."""
    return value if isinstance(value, str) else ""


def count(value: object) -> int:
    """The value if it is a number of things, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62 else 0


def texts(content: object) -> list[str]:
    """The texts of a content that is text itself, or a list of blocks."""
    if isinstance(content, str):
        return [word(content)]
    return [word(block["text"]) for block in rows(content) if isinstance(block.get("text"), str)]
