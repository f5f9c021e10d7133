"""Configuration files of other projects, read without trust: what is not as expected counts as empty."""

import configparser
import json
import tomllib
from collections.abc import Mapping
from typing import Any


def read_toml(data: bytes) -> dict[str, Any]:
    """A TOML file's tables; empty if it can't be read."""
    try:
        return tomllib.loads(data.decode("utf-8", "replace"))
    except tomllib.TOMLDecodeError:
        return {}


def read_json(data: bytes) -> dict[str, Any]:
    """A JSON file's object; empty if it can't be read or is none."""
    try:
        value = json.loads(data)
    except ValueError:
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
