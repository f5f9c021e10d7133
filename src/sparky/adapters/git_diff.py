"""What differs between two commits. The files' attributes have no say: none may hide a line from a gate."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sparky.adapters.git import Git, split
from sparky.domain.change import FileChange

_LINK = "120000"
_DIFF = ("diff-tree", "-r", "-M", "--no-color")
_PATCH = (
    "-p",
    "--binary",
    "--full-index",
    "--unified=3",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)


def changes(git: Git, base: str, head: str) -> tuple[FileChange, ...]:
    """The files that differ, sorted by path; a change of the sort of file (to a link, say) counts as M."""
    fields = iter(split(git.once(*_DIFF, "--raw", "--numstat", "-z", of=(base, head))))
    statuses: dict[str, tuple[str, str | None]] = {}
    links = set()
    found = []
    for field in fields:
        if field.startswith(":"):
            status, old = field.rpartition(" ")[2][0], next(fields)
            path = next(fields) if status == "R" else old
            statuses[path] = ("M" if status == "T" else status, old if status == "R" else None)
            if field.split()[1] == _LINK:
                links.add(path)
        else:
            found.append(_counted(field, fields, statuses))
    found = [replace(change, link=change.path in links) for change in found]
    return tuple(sorted(found, key=lambda change: change.path))


def patch(git: Git, base: str, head: str, paths: Sequence[str]) -> bytes:
    """The diff as text, of all paths if none is given."""
    if paths:
        return git.run(*_DIFF, *_PATCH, base, head, "--", *paths).stdout
    return git.once(*_DIFF, *_PATCH, of=(base, head))


def _counted(field: str, rest: Iterator[str], statuses: dict[str, tuple[str, str | None]]) -> FileChange:
    added, deleted, path = field.split("\t", 2)
    if not path:
        next(rest)
        path = next(rest)
    status, old_path = statuses[path]
    binary = added == "-"
    return FileChange(
        path=path,
        status=status,
        added=0 if binary else int(added),
        deleted=0 if binary else int(deleted),
        old_path=old_path,
        binary=binary,
    )
