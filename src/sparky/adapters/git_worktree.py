"""The worktree of one run: a linked worktree outside the repository, whose files an agent may write.

What sparky knows of it stands where no agent writes: its git directory follows from the run's name; its
branch, and the commit that sparky put it at, are in a record beside it. So a `.git` that an agent replaced,
or a commit or branch switch of its own, changes nothing.
"""

import os
import re
import shutil
import stat
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sparky.adapters.git import Git, join, linked_path
from sparky.ports import GitError

_RUN = re.compile(r"(?!.*(?:\.\.|\.lock$|\.$))[A-Za-z0-9][A-Za-z0-9._-]*")
_SUBMODULE = "160000"
_CACHES = tuple(
    f"--exclude={name}"
    for name in ("__pycache__/", "*.py[co]", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/")
)
"""What tools leave behind, whether the repository ignores it or not. What it tracks of it is not left out."""
_OWNER = 0o700
_MAKING_S = 10.0
"""How long git may take to fill a file that it made; one that stays empty longer was left by a kill."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """The branch of a run, and the commit that sparky put it at."""

    branch: str
    head: str


class Worktree:
    """One run's worktree. `git` is the repository without a work tree, `root` where all worktrees lie."""

    def __init__(self, git: Git, git_dir: Path, root: Path, run: str) -> None:
        if not _RUN.fullmatch(run):
            raise GitError(f"{run!r} can't name a worktree: letters, digits, '.', '_' and '-' only")
        self.path = root / run
        self._git = git
        self._admin = git_dir / "worktrees" / run
        self._record = root / f".{run}"
        self._dropping = root / f".{run}.dropping"

    def record(self) -> Record | None:
        """What sparky last wrote down of the run; None if it knows nothing of it."""
        if not self._record.is_file():
            return None
        branch, head = self._record.read_text(encoding="utf-8").splitlines()
        return Record(branch=branch, head=head)

    def known(self) -> Record:
        """The record; raises GitError if there is none."""
        record = self.record()
        if record is None:
            raise GitError(f"{self.path} was never opened: sparky knows no branch of this run")
        return record

    def write(self, branch: str, head: str) -> None:
        """Write the record, in one step."""
        self._record.parent.mkdir(parents=True, exist_ok=True)
        new = self._record.with_name(f"{self._record.name}.new")
        new.write_text(f"{branch}\n{head}\n", encoding="utf-8")
        new.replace(self._record)

    def dropping(self) -> bool:
        """Note that the run's refs are being removed; whether one who was killed then had noted it before."""
        noted = self._dropping.exists()
        self._dropping.parent.mkdir(parents=True, exist_ok=True)
        self._dropping.touch()
        return noted

    def forget(self) -> None:
        """Remove what is noted of the run."""
        self._record.unlink(missing_ok=True)
        self._dropping.unlink(missing_ok=True)

    def exists(self) -> bool:
        """Whether git knows the worktree, completely made."""
        whole = all((self._admin / name).is_file() for name in ("HEAD", "commondir", "gitdir"))
        return whole and not (self._admin / "locked").exists()

    def make(self, sha: str) -> None:
        """Make the worktree, without files yet, or mend what a crash or an agent left of it."""
        self._require_ours()
        if not self.exists():
            self.remove()
            self._clear()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._git.run("worktree", "add", "--force", "--detach", "--no-checkout", str(self.path), sha)
        for name in ("index.lock", "HEAD.lock"):
            (self._admin / name).unlink(missing_ok=True)
        link = self.path / ".git"
        right = f"gitdir: {self._admin}\n".encode()
        if link.is_symlink() or not link.is_file() or link.read_bytes() != right:
            self.path.mkdir(parents=True, exist_ok=True)
            _remove(link)
            link.write_bytes(right)

    def inside(self) -> Git:
        """git in the worktree; the agent's `.git` is not looked at, and no driver runs."""
        return self._linked().tame()

    def switch(self, branch: str) -> None:
        """Put the worktree's HEAD on a branch; its files stay as they are."""
        self._linked().run("symbolic-ref", "HEAD", f"refs/heads/{branch}")

    def checkout(self, sha: str) -> None:
        """Put the files to a commit; all others are removed, ignored ones and repositories inside, too."""
        _open_up(self.path)
        git = self.inside()
        git.run("read-tree", "--reset", "-u", sha)
        git.run("clean", "-ffdxq")
        for entry in git.names("ls-files", "--stage", "-z"):
            if entry.startswith(_SUBMODULE):
                place = self.path / entry.partition("\t")[2]
                _remove(place)
                place.mkdir()

    def stage(self, parent: str, excludes: str | None) -> tuple[str, tuple[str, ...]]:
        """The tree of the worktree's files, and the directories in it that were repositories of their own.

        Ignored files and new caches of tools are left out; `excludes` is the person's ignore file. Of a
        repository inside git would keep a link and no file, so its `.git` goes.
        """
        git = self.inside()
        if excludes is not None:
            git = replace(git, settings={**git.settings, "core.excludesFile": excludes})
        git.run("read-tree", "--reset", parent)
        untracked = ("ls-files", "--others", "--exclude-standard", *_CACHES, "-z")
        new = git.names(*untracked)
        nested = tuple(name for name in new if name.endswith("/"))
        for name in nested:
            _open_up(self.path / name)
            _remove(self.path / name / ".git")
        if nested:
            new = git.names(*untracked)
        fields = iter(git.names("diff-files", "--name-status", "--ignore-submodules=all", "-z"))
        changed = [(mark, next(fields)) for mark in fields]
        gone = join(name for mark, name in changed if mark == "D")
        there = join([*(name for mark, name in changed if mark != "D"), *new])
        git.run("update-index", "--force-remove", "-z", "--stdin", stdin=gone)
        git.run("update-index", "--add", "--replace", "-z", "--stdin", stdin=there)
        return git.ask("write-tree"), nested

    def remove(self) -> None:
        """Remove the files, and what git knows of the worktree. Raises GitError if it is another's."""
        self._require_ours()
        _remove(self.path)
        _remove(self._admin)

    def _clear(self) -> None:
        """Remove what a kill left of other runs' worktrees that were being made: git stumbles over it."""
        for path in self._admin.parent.glob("*/commondir"):
            with suppress(FileNotFoundError):  # another run ends meanwhile
                linked, found = linked_path(path.parent), path.stat()
                ours = linked is None or linked.resolve().parent == self.path.parent.resolve()
                if found.st_size == 0 and ours and time.time() - found.st_mtime > _MAKING_S:
                    _remove(path.parent)

    def _linked(self) -> Git:
        return replace(self._git, cwd=self.path, git_dir=self._admin, work_tree=self.path, index=None)

    def _require_ours(self) -> None:
        linked = linked_path(self._admin)
        if linked is not None and linked.resolve() != self.path.resolve():
            raise GitError(f"{self._admin} is another worktree's, {linked}: remove that first")


def _remove(path: Path) -> None:
    """Remove a file, a link, or a directory with all in it, whatever its permissions; gone is fine."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        _open_up(path)
        shutil.rmtree(path)


def _open_up(path: Path) -> None:
    """Make every directory writable, and remove each `.git` below the top: git's own cleaning leaves both."""
    _allow(path)
    for where, names, files in os.walk(path):
        folder = Path(where)
        if folder != path and ".git" in (*names, *files):
            _remove(folder / ".git")
            names[:] = [name for name in names if name != ".git"]
        for name in names:
            _allow(folder / name)


def _allow(folder: Path) -> None:
    mode = folder.lstat().st_mode
    if stat.S_ISDIR(mode) and mode & _OWNER != _OWNER:
        folder.chmod(mode | _OWNER)
