"""A commit with some files as they are wanted, made in the object store: no branch is touched."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sparky.adapters.git import Git, join
from sparky.adapters.git_settings import IDENTITY

_GONE = "0" * 40


def overlay(git: Git, onto: str, files: Mapping[str, bytes | None], message: str) -> str:
    """A commit on `onto` in which these files have these bytes; None: it is not there."""
    entries = []
    for path, data in files.items():
        blob = _GONE if data is None else git.ask("hash-object", "-w", "--no-filters", "--stdin", stdin=data)
        entries.append(f"{'0' if data is None else '100644'} {blob}\t{path}")
    with TemporaryDirectory(prefix="sparky-") as scratch:
        own = replace(git, index=Path(scratch) / "index")
        own.run("read-tree", onto)
        own.run("update-index", "--replace", "-z", "--index-info", stdin=join(entries))
        tree = own.ask("write-tree")
    return git.ask("commit-tree", tree, "-p", onto, stdin=message.encode(), env=IDENTITY)
