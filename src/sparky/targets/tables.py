"""Configuration files of other projects, read without trust: what is not as expected counts as empty."""

import codecs
import configparser
import json
import tomllib
from collections.abc import Mapping
from typing import Any

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_text(data: bytes) -> str:
    """A file's text with plain line ends, by its byte order mark (some shells write UTF-16) or as UTF-8."""
    text = data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8-sig", "replace")
    return text.replace("\r\n", "\n")


def read_toml(data: bytes) -> dict[str, Any]:
    """A TOML file's tables; empty if it can't be read."""
    try:
        return tomllib.loads(read_text(data))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def read_json(data: bytes) -> dict[str, Any]:
    """A JSON file's object; empty if it can't be read or is none."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_ini(text: str) -> configparser.RawConfigParser:
    """An INI file's sections; empty if it can't be read."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return configparser.RawConfigParser()
    return parser


def table(value: Any, *keys: str) -> dict[str, Any]:
    """The table under the keys; empty if there is none on the way."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, dict) else {}


def strings(value: Any) -> tuple[str, ...]:
    """A list's strings; a string's lines, as setuptools takes both."""
    if isinstance(value, str):
        return tuple(line.strip() for line in value.splitlines() if line.strip())
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list | tuple) else ()
