"""A copy of the target's files, as they are annotated, and what the checkers say of it."""

import ast
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from sparky.tools.programs.annotations import Annotated
from sparky.tools.programs.checking import Error, calls, check, fresh
from sparky.tools.programs.chosen import Files, Said, annotated, said
from sparky.tools.programs.pyrefly import more, review
from sparky.tools.programs.sources import tree_of

CACHE = ".types"
"""Where mypy keeps what it knows."""


@dataclass(frozen=True, kw_only=True)
class _Written:
    """What was written into a file; without `tree`, it would not parse any more, and was not written."""

    said: Said
    text: bytes
    tree: ast.Module | None


class Workshop:
    """A copy of the target's files in the current directory, and what mypy said of them at first."""

    def __init__(self, root: Path, files: Files, options: tuple[str, ...]) -> None:
        self.root = root
        self.files = files
        self.options = options
        self._written = {
            path: _Written(said=said(one), text=one.source, tree=one.tree) for path, one in files.items()
        }
        self._stamps = count(1)
        self.known = self.check()
        self.calls = calls(self.known)
        self.reviewed: list[Error] = []

    def check(self) -> list[Error]:
        """What mypy says of the files as they lie there."""
        return check([*self.files], self.options, self.root / CACHE)

    def review(self) -> list[Error]:
        """What pyrefly says of the files as they lie there, and did not say at first."""
        return more(self.reviewed, review([*self.files]))

    def new(self) -> list[Error]:
        """The errors that were not there at first: mypy's, then pyrefly's, which runs beside it."""
        with ThreadPoolExecutor(max_workers=1) as beside:
            reviewed = beside.submit(self.review)
            found = fresh(self.known, self.check())
        return [*found, *reviewed.result()]

    def write(self, found: Files) -> tuple[Files, dict[str, ast.Module]]:
        """Write the files with their annotations; returns these, and what the files are now.

        A file that would not parse any more loses its annotations: of one such file mypy would tell nothing
        but that, of all others nothing at all.
        """
        kept, trees = {}, {}
        for path, one in found.items():
            tree = self._lay(path, one)
            kept[path] = (
                one if tree is not None else replace(one, slots={}, variables={}, exports=frozenset())
            )
            trees[path] = tree or one.tree
        return kept, trees

    def _lay(self, path: str, one: Annotated) -> ast.Module | None:
        """Write a file, unless it is there already; what it is now, None where it would not parse."""
        before = self._written[path]
        if before.said != said(one):
            text = annotated(one)
            tree = tree_of(text)
            text = text if tree is not None else one.source
            if text != before.text:
                (self.root / path).write_bytes(text)
                # To mypy a file of the same size is the same if it was written in the same second.
                stamp = next(self._stamps)
                os.utime(self.root / path, (stamp, stamp))
            self._written[path] = before = _Written(said=said(one), text=text, tree=tree)
        return before.tree
