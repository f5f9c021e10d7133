"""What pyrefly finds in a target as that configures it, but for what would run a program or read elsewhere.

It looks at a copy of the target's Python files, always at all of those that the target chose. A configuration
that it refuses counts for nothing, as with mypy.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import tomlkit

from sparky.tools.programs.copied import copied
from sparky.tools.programs.pyrefly import CONFIG, SAFE, checked
from sparky.tools.programs.sources import arguments, diagnostic, put, sources
from sparky.tools.ruff_json import Diagnostic, Place

_KEPT = frozenset(
    {
        *("project-includes", "project-excludes", "search-path", "preset", "errors", "sub-config"),
        *("python-version", "python-platform", "check-unannotated-defs", "infer-return-types"),
        *("untyped-def-behavior", "ignore-missing-imports", "replace-imports-with-any", "enabled-ignores"),
        *("permissive-ignores", "ignore-errors-in-generated-code", "strict-callable-subtyping"),
    }
)
"""What names no program, and no directory but those of the target that a copy has."""


def reviewed(paths: list[str]) -> list[Diagnostic]:
    """The errors in these files, of those of the whole current directory."""
    told, asked = _configuration(Path(CONFIG), Path("pyproject.toml")), set(sources(paths))
    with copied():
        errors = checked(told)
        found = checked(SAFE) if errors is None else errors
    return [
        diagnostic(one.code, one.file, one.message, Place(row=one.line, column=one.column))
        for one in found or ()
        if one.file in asked
    ]


def _configuration(own: Path, project: Path) -> Mapping[str, object]:
    said = _read(own) if own.is_file() else _read(project).get("tool", {}).get("pyrefly", {})
    return {**{key: said[key] for key in said if key in _KEPT}, **SAFE}


def _read(path: Path) -> dict[str, dict[str, dict[str, object]]]:
    try:
        return tomlkit.loads(path.read_bytes().decode("utf-8", "replace")).unwrap()
    except (OSError, RecursionError, tomllib.TOMLDecodeError, tomlkit.exceptions.ParseError):
        return {}


if __name__ == "__main__":
    put(reviewed(arguments()))
