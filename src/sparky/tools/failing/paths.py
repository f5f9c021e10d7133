"""Paths of files that are not where a test looks for them, and lie in one other place."""

import ast
import os.path
import re
from pathlib import PurePosixPath

from sparky.tools.failing.tree import Tree
from sparky.tools.programs.sources import place, tree_of
from sparky.tools.ruff_json import Edit

_SPECIAL = re.compile(r"[^\w./ +@,=~-]")
"""What could mean something else in the literal of a file."""


def mended(tree: Tree, path: str, missing: str) -> tuple[Edit, ...]:
    """The edit of the one literal of a file that names a path which is not there.

    None where several could, where the repository has no file of that name or several, or where the literal
    would have to lead out of the directory that it is told from.
    """
    there = [one for one in tree.paths if PurePosixPath(one).name == PurePosixPath(missing).name]
    source = tree.sources[path]
    module = tree_of(source)
    found = [
        node
        for node in (ast.walk(module) if module else ())
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _ends(missing, node.value)
    ]
    if len(there) != 1 or len(found) != 1 or module is None:
        return ()
    (node,) = found
    said = str(node.value)
    new = os.path.relpath(there[0], _anchor(tree, missing, said) or ".")
    written = ast.get_source_segment(source.decode("utf-8", "surrogateescape"), node) or ""
    if (
        new.startswith("..")
        or _SPECIAL.search(new)
        or written.count(said) != 1
        or node.lineno != node.end_lineno
    ):
        return ()
    start = place(source, node.lineno, node.col_offset)
    end = place(source, node.lineno, node.end_col_offset or 0)
    return (Edit(content=written.replace(said, new), location=start, end_location=end),)


def _ends(missing: str, said: str) -> bool:
    """Whether a path ends with what a literal says, whole names of it."""
    parts, tail = PurePosixPath(missing).parts, PurePosixPath(said).parts
    return bool(said) and said == str(PurePosixPath(said)) and parts[len(parts) - len(tail) :] == tail


def _anchor(tree: Tree, missing: str, said: str) -> str:
    """The directory of the repository that a literal is told from; "" for its root."""
    prefix = missing[: len(missing) - len(said)].strip("/")
    folders = {str(parent) for path in tree.paths for parent in PurePosixPath(path).parents} - {"."}
    ends = [folder for folder in folders if f"/{prefix}".endswith(f"/{folder}")]
    return max(ends, key=len, default="")
