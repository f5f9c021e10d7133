"""A target's configuration of pyright, without what would lead it elsewhere."""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

from sparky.foreign import toml_foreign
from sparky.tamper.options import loose_json

Told = Mapping[str, object]

CONFIG = "pyrightconfig.json"
PROJECT = "pyproject.toml"
MUTE = 3
"""The exit code of the program that asks pyright, where that gave no answer: such a one is not kept."""
_PATHS = frozenset({"include", "exclude", "ignore", "strict", "extraPaths"})
_PATH = frozenset({"root", "stubPath"})
_KEPT = frozenset(
    {
        *("analyzeUnannotatedFunctions", "defineConstant", "deprecateTypingAliases"),
        *("disableBytesTypePromotions", "enableExperimentalFeatures", "enableReachabilityAnalysis"),
        *("enableTypeIgnoreComments", "pythonPlatform", "pythonVersion", "strictDictionaryInference"),
        *("strictListInference", "strictParameterNoneValue", "strictSetInference", "typeCheckingMode"),
    }
)
"""What names no path. pyright itself passes over values that it can't use."""


def configured_in(read: Callable[[str], bytes | None]) -> str | None:
    """The file in which a target configures pyright, or basedpyright, which reads the same; None: in none."""
    if read(CONFIG) is not None:
        return CONFIG
    return None if _of_project(read(PROJECT) or b"") is None else PROJECT


def harmless(read: Callable[[str], bytes | None]) -> Told:
    """What pyright is given in place of a target's configuration; nothing of it if that can't be read.

    Where no version of Python is named it is that of sparky's own, as with mypy.
    """
    own = read(CONFIG)
    text = (own or b"").decode("utf-8-sig", "replace")
    told = _of_project(read(PROJECT) or b"") if own is None else loose_json(text)
    return {"pythonVersion": "{}.{}".format(*sys.version_info), **dict(_kept(told or {}))}


def _kept(told: Told) -> Iterator[tuple[str, object]]:
    for key, value in told.items():
        if key in _KEPT or key.startswith("report"):
            yield key, value
        elif key in _PATHS and isinstance(value, list):
            if inside := [path for path in value if _is_inside(path)]:
                yield key, inside
        elif key in _PATH and _is_inside(value):
            yield key, value
        elif key == "executionEnvironments" and isinstance(value, list):
            rooms = [dict(_kept(room)) for room in value if isinstance(room, dict)]
            yield key, [room for room in rooms if "root" in room]


def _is_inside(path: object) -> bool:
    """Whether it is a path below the target's root, without a variable for pyright to replace."""
    if not isinstance(path, str) or path.startswith(("/", "~")) or "$" in path or "\\" in path:
        return False
    return ".." not in PurePosixPath(path).parts


def _of_project(source: bytes) -> Told | None:
    try:
        tools = toml_foreign(source).get("tool")
    except ValueError:
        return None
    if not isinstance(tools, dict):
        return None
    tables = (tools.get(name) for name in ("pyright", "basedpyright"))
    return next((table for table in tables if isinstance(table, dict)), None)
