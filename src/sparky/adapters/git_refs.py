"""Removing refs of sparky's own, also where a killed git left its locks on them."""

from collections.abc import Iterable, Mapping

from sparky.adapters.git import Git
from sparky.ports import GitError


def delete(git: Git, tips: Mapping[str, str], names: Iterable[str], *, again: bool) -> None:
    """Remove the refs that are at these shas. `names` are sparky's own, there or not; their locks go first.

    `again`: one who did this before was killed, and may have left the lock that all refs share. Raises
    GitError if another git holds that one.
    """
    for name in names:
        git.git_path(f"{name}.lock").unlink(missing_ok=True)
    lines = "".join(f"delete {name} {sha}\n" for name, sha in tips.items()).encode()
    try:
        git.run("update-ref", "--stdin", stdin=lines)
    except GitError:
        shared = git.git_path("packed-refs.lock")  # others hold it for a moment, and git waited for that
        if not (again and shared.exists()):
            raise
        shared.unlink()
        git.run("update-ref", "--stdin", stdin=lines)
