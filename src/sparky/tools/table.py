"""The tools that sparky knows, by name: each is bound to its binary and to a target by its function here."""

from collections.abc import Callable

from sparky.tools import ruff
from sparky.tools.tool import Read, Tool

TOOLS: dict[str, Callable[[str, Read], Tool]] = {
    "ruff": ruff.configure,
}
