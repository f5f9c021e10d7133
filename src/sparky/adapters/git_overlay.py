"""A commit with some files as they are wanted, made in the object store: no branch is touched."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sparky.adapters.git import Git, join
from sparky.adapters.git_settings import IDENTITY

_GONE = "0" * 40


def overlay(git: Git, onto: str, files: Mapping[str, bytes | None], message: str) -> str:
    """A commit on `onto` in which these files have these bytes, executable if they were; None: not there."""
    there = {path: data for path, data in files.items() if data is not None}
    with TemporaryDirectory(prefix="sparky-") as scratch:
        own = replace(git, index=Path(scratch) / "index")
        blobs = dict(zip(there, _blobs(own, Path(scratch), there.values()), strict=True))
        own.run("read-tree", onto)
        staged = (entry.partition("\t") for entry in own.names("ls-files", "--stage", "-z"))
        modes = {path: facts[:6] for facts, _, path in staged if facts[:6] == "100755"}
        entries = (
            f"{modes.get(path, '100644')} {blobs[path]}\t{path}" if path in blobs else f"0 {_GONE}\t{path}"
            for path in files
        )
        own.run("update-index", "--replace", "-z", "--index-info", stdin=join(entries))
        tree = own.ask("write-tree")
    return git.ask("commit-tree", tree, "-p", onto, stdin=message.encode(), env=IDENTITY)


def _blobs(git: Git, scratch: Path, contents: Iterable[bytes]) -> list[str]:
    """The objects of these bytes, made by one process."""
    names = []
    for number, data in enumerate(contents):
        names.append(str(scratch / str(number)))
        Path(names[-1]).write_bytes(data)
    lines = "".join(f"{name}\n" for name in names).encode()
    return git.ask("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=lines).split()
