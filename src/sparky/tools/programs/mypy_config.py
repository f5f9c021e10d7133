"""A target's configuration of mypy, without what would run its code or write files."""

import configparser
import io
import tomllib
from collections.abc import Iterable

import tomlkit

_RUNS = frozenset({"install_types", "non_interactive", "plugins", "python_executable"})
_WRITES = frozenset({"junit_xml", "line_checking_stats", "timing_stats"})
_WHERE = frozenset({"exclude", "exclude_gitignore", "files", "modules", "packages"})
"""Where mypy looks is given to it: at the target's own code."""


def harmless(path: str, source: bytes) -> bytes:
    """What mypy is given in place of the configuration at `path`; nothing where that can't be read.

    mypy, too, goes on with its defaults then.
    """
    text = source.decode("utf-8", "replace")
    try:
        return (_toml(text) if path.endswith(".toml") else _ini(text)).encode()
    except (configparser.Error, tomllib.TOMLDecodeError, RecursionError, AttributeError):
        return b""


def unfollowed(path: str, source: bytes) -> tuple[str, ...]:
    """The options of the configuration at `path` that are not followed, sorted; none if it can't be read."""
    text = source.decode("utf-8", "replace")
    try:
        told = [_table(text)] if path.endswith(".toml") else [*_sections(text).values()]
    except (configparser.Error, tomllib.TOMLDecodeError):
        return ()
    names = {name for one in told for name in one}
    return tuple(sorted((names & _WHERE) | (names - {*_kept(names)})))


def _toml(text: str) -> str:
    told = _table(text)
    return tomlkit.dumps({"tool": {"mypy": {name: told[name] for name in _kept(told)}}})


def _ini(text: str) -> str:
    made, out = configparser.RawConfigParser(), io.StringIO()
    # What stands in DEFAULT is among the items of each section.
    made.read_dict({name: {key: one[key] for key in _kept(one)} for name, one in _sections(text).items()})
    made.write(out)
    return out.getvalue()


def _table(text: str) -> dict[str, object]:
    tools = tomllib.loads(text).get("tool")
    told = tools.get("mypy") if isinstance(tools, dict) else None
    return told if isinstance(told, dict) else {}


def _sections(text: str) -> dict[str, configparser.SectionProxy]:
    told = configparser.RawConfigParser()
    told.read_string(text)
    return {name: section for name, section in told.items() if name.startswith("mypy")}


def _kept(names: Iterable[str]) -> list[str]:
    return [name for name in names if name not in _RUNS | _WRITES and not name.endswith("_report")]
