"""Whose code a file is: what others wrote is not looked at, what a program writes is not mended."""

import re
from dataclasses import replace
from functools import cache

from sparky.domain.finding import Finding, Fix
from sparky.tools.programs.sources import SKIPPED

_BUILT = frozenset({"_build", "build", "dist"})
"""What builds leave at the top of a target; further down a package of its own may have such a name."""
_HEAD = 2_000
_GENERATED = re.compile(
    rb"\A(?:[ \t]*(?:#[^\n]*)?\r?\n)*?"
    rb"#[^\n]*(?:@generated|\bgenerated (?:by|from)|\bdo not (?:edit|modify))\b",
    re.IGNORECASE,
)


def is_own(path: str) -> bool:
    """Whether the file at a POSIX path from the target's root lies where the target's own code does."""
    return _is_own_folder(path.rpartition("/")[0])


@cache
def _is_own_folder(folder: str) -> bool:
    parts = folder.split("/")
    return parts[0] not in SKIPPED and SKIPPED.isdisjoint({*parts} - _BUILT)


def kept_off(finding: Finding, source: bytes | None) -> Finding:
    """The finding; not one to mend if the comments at the top of its source say that a program writes it."""
    if finding.fix is Fix.NONE or source is None or not _GENERATED.search(source[:_HEAD]):
        return finding
    return replace(finding, fix=Fix.GENERATED)
