"""Fast-forwarding a branch, with the persons' checkouts that it is checked out in.

Files and index come first, the ref last. A merge that was killed in between is finished by the next one: what
is as the new commit has it counts as done. The index is locked by a lock file with our mark in it, so that
what a kill leaves behind is known as ours.
"""

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sparky.adapters.git import Git, in_progress, join, linked_path, resolve, uncommitted
from sparky.adapters.git_settings import IDENTITY
from sparky.ports import DirtyCheckoutError, GitError, TargetMovedError

_MARK = b"sparky merges here\n"
_NAMED = 10
_PATIENCE_S = 1.0
"""How long another git may hold the index; that of an editor which looks at the status takes a moment."""


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """A file as the new commit has it; `status` is A, M, D or T against the old one."""

    status: str
    mode: str
    blob: str


def find_checkouts(git: Git, top: Path, ours: Path, ref: str) -> tuple[Git, ...]:
    """The persons' checkouts in which a branch is checked out, or is being rebased."""
    common = git.git_path("")
    linked = {admin: path for admin in common.glob("worktrees/*") if (path := linked_path(admin))}
    first = common.parent if common.name == ".git" else top
    # Not by `git worktree list`, which fails where one of them was killed as it was made.
    if git.setting("core.bare", "--type=bool") != "true" and first not in linked.values():
        linked[common] = first
    found = []
    for git_dir, path in sorted(linked.items()):
        if path.is_dir() and not path.resolve().is_relative_to(ours):
            checkout = Git(shell=git.shell, cwd=path, git_dir=git_dir, work_tree=path)
            if ref in {_head(checkout), *_rebased(checkout)}:
                found.append(checkout)
    return tuple(found)


def fast_forward(git: Git, checkouts: Sequence[Git], ref: str, old: str, new: str) -> None:
    """Bring the checkouts, then the ref, from `old` to `new`; if that fails, leave or put back what was."""
    with ExitStack() as held:
        steps = [_Advance(checkout, old, new) for checkout in checkouts]
        for step in steps:
            held.enter_context(step.locked(git.git_path(f"{ref}.lock")))
            step.require_room()
        for step in steps:
            step.perform(old, new)
        place = checkouts[0] if checkouts else git
        said = ("-m", f"sparky: fast-forward to {new}")
        done = place.run("update-ref", *said, ref, new, old, env=IDENTITY, codes=(0, 1, 128))
        now = resolve(git, ref)
        if now == new:
            return
        for step in steps:
            step.perform(new, now or old)
    if now != old:
        raise TargetMovedError(f"{ref} was moved to {now} in the meantime")
    raise GitError(f"{ref} can't be moved: {os.fsdecode(done.stderr).strip()}")


def clear(checkout: Git, ref: Path) -> bool:
    """Remove the locks that a killed merge left on a checkout and the ref; whether there were any."""
    lock = checkout.git_path("index.lock")
    if not (lock.is_file() and lock.read_bytes() == _MARK):
        return False
    for name in ("index.sparky", "index.sparky.lock", "HEAD.lock"):
        checkout.git_path(name).unlink(missing_ok=True)
    ref.unlink(missing_ok=True)
    lock.unlink()
    return True


class _Advance:
    """One checkout's way to a later commit."""

    def __init__(self, checkout: Git, old: str, new: str) -> None:
        self._git = checkout
        self._top = checkout.cwd
        self._index = checkout.git_path("index")
        self._new_index = checkout.git_path("index.sparky")
        self._changed = _changed(checkout, old, new)
        self._taken_over = False

    @contextmanager
    def locked(self, ref: Path) -> Iterator[None]:
        """Hold the lock of the checkout's index; the locks that a killed merge left are taken over."""
        self._taken_over = clear(self._git, ref)
        lock = self._index.with_name("index.lock")
        self._take(lock)
        try:
            yield
        finally:
            self._new_index.unlink(missing_ok=True)
            lock.unlink(missing_ok=True)

    def require_room(self) -> None:
        """Raise unless all that is in the way of the new commit's files is equal to them already."""
        if what := in_progress(self._git):
            raise DirtyCheckoutError(f"a {what} is in progress in {self._top}: finish or abort it first")
        dirty = uncommitted(self._git)
        added = [path for path, entry in self._changed.items() if entry.status == "A"]
        untracked = {spot for path in added if (spot := self._in_the_way(path)) and path not in dirty}
        suspects = {*dirty, *untracked}
        unlike = self._unlike(suspects) if suspects else set()
        if edited := [path for path in dirty if path in unlike]:
            raise DirtyCheckoutError(f"uncommitted changes in {self._top}: {_named(edited)}")
        if unlike:
            raise GitError(f"untracked files in {self._top} are in the way: {_named(sorted(unlike))}")
        self._same = join(sorted(suspects))

    def perform(self, old: str, new: str) -> None:
        """Bring files and index from one commit to another."""
        shutil.copy2(self._index, self._new_index)
        git = replace(self._git, index=self._new_index)
        if self._same:
            git.run("update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin=self._same)
        git.run("update-index", "-q", "--refresh", codes=(0, 1))
        git.run("read-tree", "-m", "-u", "--no-recurse-submodules", old, new)
        self._new_index.replace(self._index)

    def _take(self, lock: Path) -> None:
        until, mark = time.monotonic() + _PATIENCE_S, lock.with_name("index.sparky.mark")
        while True:
            mark.write_bytes(_MARK)
            try:
                lock.hardlink_to(mark)  # in one step: a lock without the mark, left by a kill, is nobody's
            except FileExistsError as error:
                if time.monotonic() > until:
                    raise GitError(
                        f"{lock} is there: another git works in {self._top}; if none does, remove that file"
                    ) from error
                time.sleep(_PATIENCE_S / 20)
            else:
                return
            finally:
                mark.unlink(missing_ok=True)

    def _in_the_way(self, path: str) -> str | None:
        """The added path itself, or the file that stands where its directory has to be, if there is one."""
        spots = [Path(path), *Path(path).parents][:-1]
        for spot in reversed(spots):
            place = self._top / spot
            if place.is_symlink() or (place.exists() and not place.is_dir()):
                return None if str(spot) in self._changed and str(spot) != path else str(spot)
        return None

    def _unlike(self, paths: set[str]) -> set[str]:
        """Those of the paths that are not as the new commit has them."""
        entries = {path: self._changed[path] for path in paths if path in self._changed}
        kept = {path: entry for path, entry in entries.items() if entry.status != "D"}
        left = {path for path in entries.keys() - kept.keys() if os.path.lexists(self._top / path)}
        with TemporaryDirectory(prefix="sparky-") as scratch:
            git = replace(self._git, index=Path(scratch) / "index")
            lines = (f"{entry.mode} {entry.blob}\t{path}" for path, entry in kept.items())
            git.run("update-index", "-z", "--index-info", stdin=join(lines))
            git.run("update-index", "-q", "--refresh", codes=(0, 1))
            differing = set(git.names("diff-files", "--name-only", "--ignore-submodules=all", "-z"))
            cut_off = {path for path in differing if self._taken_over and self._is_cut_off(path)}
            git.run("checkout-index", "--force", "-z", "--stdin", stdin=join(cut_off))
        return (paths - entries.keys()) | left | (differing - cut_off)

    def _is_cut_off(self, path: str) -> bool:
        """Whether a killed merge got no further than removing the file, or writing the first part of it."""
        place = self._top / path
        if place.is_symlink() or not place.is_file():
            return not os.path.lexists(place)
        whole = self._git.run("cat-file", "blob", self._changed[path].blob).stdout
        return whole.startswith(place.read_bytes())


def _changed(git: Git, old: str, new: str) -> dict[str, _Entry]:
    """What differs between two commits, by path; submodules are left out."""
    fields = iter(
        git.names("diff-tree", "-r", "-z", "--raw", "--no-renames", "--ignore-submodules=all", old, new)
    )
    changed = {}
    for field in fields:
        _, mode, _, blob, status = field.split(" ")
        changed[next(fields)] = _Entry(status=status, mode=mode, blob=blob)
    return changed


def _head(checkout: Git) -> str:
    done = checkout.run("symbolic-ref", "--quiet", "HEAD", codes=(0, 1))
    return os.fsdecode(done.stdout).strip()


def _rebased(checkout: Git) -> list[str]:
    names = (checkout.git_path(f"{place}/head-name") for place in ("rebase-merge", "rebase-apply"))
    return [name.read_text(encoding="utf-8").strip() for name in names if name.is_file()]


def _named(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(paths[:_NAMED]) + more
