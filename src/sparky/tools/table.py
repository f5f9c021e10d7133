"""The tools that sparky knows, by name: each is bound to its binary and to a target by its function here."""

from collections.abc import Callable

from sparky.tools import (
    complexipy,
    deptry,
    failures,
    mypy,
    pyrefly,
    pyright,
    repeated,
    rewrite,
    ruff,
    typos,
    vulture,
)
from sparky.tools.tool import Read, Tool

TOOLS: dict[str, Callable[[str, Read], Tool]] = {
    "ruff": ruff.configure,
    "rewrite": rewrite.configure,
    "vulture": vulture.configure,
    "repeated": repeated.configure,
    "complexipy": complexipy.configure,
    "typos": typos.configure,
    "deptry": deptry.configure,
    "mypy": mypy.configure,
    "pyrefly": pyrefly.configure,
    "pyright": pyright.configure,
    "failures": failures.configure,
}

BINARIES = {name: name for name in TOOLS if name != "pyright"} | dict.fromkeys(
    ("rewrite", "vulture", "repeated", "complexipy", "deptry", "mypy", "pyrefly", "failures"), "python"
)
"""The executable of each that comes with sparky; a program of sparky's own runs in sparky's own Python."""

ALONE = frozenset({"ruff", "rewrite", "repeated", "typos"})
"""The tools whose edits of a file follow from that file alone; the others read all of the target."""
