"""Removing refs of sparky's own, also where a killed git left its locks on them."""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from sparky.adapters.git import Git

_PATIENCE_S = 1.0


def delete(git: Git, tips: Mapping[str, str], names: Iterable[str], *, again: bool) -> None:
    """Remove the refs that are at these shas. `names` are sparky's own, there or not; their locks go first.

    `again`: one who did this before was killed, and may have left the lock that all refs share. Raises
    GitError if another git holds that one.
    """
    for name in names:
        git.git_path(f"{name}.lock").unlink(missing_ok=True)
    if again:
        _clear(git.git_path("packed-refs.lock"))
    lines = "".join(f"delete {name} {sha}\n" for name, sha in tips.items()).encode()
    git.run("update-ref", "--stdin", stdin=lines)


def _clear(shared: Path) -> None:
    """Remove the lock that all refs share, unless another git lets go of it, which holds it for a moment."""
    until = time.monotonic() + _PATIENCE_S
    while shared.exists() and time.monotonic() < until:
        time.sleep(_PATIENCE_S / 20)
    shared.unlink(missing_ok=True)
