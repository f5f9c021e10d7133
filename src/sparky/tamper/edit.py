"""What is judged, and what is said of it: the edits of a diff in, suspicions out."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sparky.domain.change import is_test_path
from sparky.tamper.alike import edited
from sparky.tamper.expressions import module

DATA = (
    ".json",
    ".txt",
    ".csv",
    ".yml",
    ".yaml",
    ".toml",
    ".xml",
    ".html",
    ".out",
    ".snap",
    ".ambr",
    ".expected",
    ".golden",
)
_EMPTY = ast.Module([], [])


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One file of a diff: its text at base (None: it is new) and at head (None: it is deleted)."""

    path: str
    before: str | None
    after: str | None
    old_path: str | None = None

    @property
    def python(self) -> bool:
        """Whether it is Python source."""
        return self.path.endswith((".py", ".pyi"))

    @property
    def test(self) -> bool:
        """Whether it is a test's file, or was."""
        return is_test_path(self.path) or is_test_path(self.old_path or self.path)

    @property
    def trees(self) -> tuple[ast.Module, ast.Module]:
        """The modules at base and at head; empty for one that is not there, or does not parse."""
        before, after = (module(side or "") or _EMPTY for side in (self.before, self.after))
        return before, after

    @cached_property
    def edited(self) -> tuple[ast.Module, ast.Module]:
        """The modules without what stands in both."""
        return edited(*self.trees)


Texts = Mapping[str, str]
"""Files at head, by path."""
