"""SECURITY: what of ruff's findings sparky itself can rewrite with equal behaviour."""

import re

from sparky.domain.issue import Kind, Severity
from sparky.tools.listing import Listing, detector
from sparky.tools.ruff_config import load
from sparky.tools.tool import Read

_VERSION = re.compile(r"target-version = \"py3(\d+)\"")
RULES = ("S306", "S324", "S506", "S602")
"""What can be rewritten; ruff knows more of each."""
_FLAGS = 9
"""The minor version since which a hash can say what it is for."""


def configure(binary: str, read: Read) -> Listing:
    """The rewrites for the target whose files `read` gives; those for Python 3.9 only if it declares that."""
    declared = (match for option in load(read).options if (match := _VERSION.fullmatch(option)))
    options = ("--hash-flags",) if any(int(match[1]) >= _FLAGS for match in declared) else ()
    return Listing(
        name="rewrite",
        binary=binary,
        kinds=dict.fromkeys(RULES, Kind.SECURITY),
        argv=detector("rewrite", *options),
        severity=Severity.MEDIUM,
    )
