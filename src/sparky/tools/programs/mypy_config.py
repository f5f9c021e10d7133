"""A target's configuration of mypy, without what would run its code or write files."""

import configparser
import io
import tomllib
from collections.abc import Iterable

import tomlkit

_RUNS = frozenset({"install_types", "non_interactive", "plugins", "python_executable"})
_WRITES = frozenset({"junit_xml", "line_checking_stats", "timing_stats"})


def harmless(path: str, source: bytes) -> bytes:
    """What mypy is given in place of the configuration at `path`; nothing where that can't be read.

    mypy, too, goes on with its defaults then.
    """
    text = source.decode("utf-8", "replace")
    try:
        return (_toml(text) if path.endswith(".toml") else _ini(text)).encode()
    except (configparser.Error, tomllib.TOMLDecodeError, RecursionError, AttributeError):
        return b""


def _toml(text: str) -> str:
    told = tomllib.loads(text).get("tool", {}).get("mypy", {})
    return tomlkit.dumps({"tool": {"mypy": {name: told[name] for name in _kept(told)}}})


def _ini(text: str) -> str:
    told, made, out = configparser.RawConfigParser(), configparser.RawConfigParser(), io.StringIO()
    told.read_string(text)
    # What stands in DEFAULT is among the items of each section.
    made.read_dict(
        {
            name: {key: section[key] for key in _kept(section)}
            for name, section in told.items()
            if name.startswith("mypy")
        }
    )
    made.write(out)
    return out.getvalue()


def _kept(names: Iterable[str]) -> list[str]:
    return [name for name in names if name not in _RUNS | _WRITES and not name.endswith("_report")]
