"""When an installed project can be had from the installation of another commit, without a build."""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from sparky.domain.change import FileChange, is_test_path

_COMPILED = (".so", ".pyd", ".dylib")
_VERSION = re.compile(rb"(?i)^.*version.*$", re.MULTILINE)


def plan_overlay(
    changes: Iterable[FileChange], origins: Mapping[str, tuple[str, ...]]
) -> dict[str, str] | None:
    """Which installed files to write anew, each with its source; None: only a build can tell.

    `origins`: every file of the installation that is there, and the source files of the same name and bytes
    that it may be a copy of. A module that the build transforms has none.
    """
    if any(path.endswith(_COMPILED) for path in origins):
        return None
    written: dict[str, str] = {}
    for change in changes:
        if change.status != "M":
            return None
        copies = [path for path, sources in origins.items() if change.path in sources]
        if copies:
            if not change.path.endswith(".py") or any(len(origins[path]) > 1 for path in copies):
                return None
            written |= dict.fromkeys(copies, change.path)
        elif not is_test_path(change.path) or _may_be_transformed(change.path, origins):
            return None
    return written


def same_version(before: bytes, after: bytes) -> bool:
    """Whether no line that speaks of a version changed: builds read versions from modules."""
    return _VERSION.findall(before) == _VERSION.findall(after)


def module_names(paths: Iterable[str]) -> tuple[str, ...]:
    """The names to import what lies in a directory of these files; of namespace packages, their parts."""
    files = [PurePosixPath(path) for path in paths]
    packages = {file.parent.parts for file in files if file.stem == "__init__"}
    names = set()
    for file in files:
        if file.suffix not in {".py", *_COMPILED} or any("." in part for part in file.parts[:-1]):
            continue
        module = (*file.parts[:-1], file.name.split(".")[0])
        depth = next((i for i in range(1, len(module)) if module[:i] in packages), len(module))
        names.add(".".join(module[:depth]))
    return tuple(sorted(names))


def _may_be_transformed(path: str, origins: Mapping[str, tuple[str, ...]]) -> bool:
    name = PurePosixPath(path).name
    return any(PurePosixPath(installed).name == name and not of for installed, of in origins.items())
