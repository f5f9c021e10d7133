"""A person's repository, and what tests of the port `Repository` look at."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sparky.adapters.repository import GitRepository
from sparky.domain.command import Command, Completed, Level
from sparky.ports import Shell

BRANCH = "sparky/issue-1"
OURS = (
    "objects",
    "worktrees",
    "refs/heads/sparky",
    "refs/sparky",
    "logs/refs/heads/sparky",
    "logs/refs/sparky",
)
PERSON = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"


@dataclass(frozen=True)
class House:
    """A person's repository with two commits, and sparky's adapter for it."""

    root: Path
    env: dict[str, str]
    shell: Shell

    @property
    def top(self) -> Path:
        return self.root / "a repository, schön"

    @property
    def work(self) -> Path:
        return self.root / "state" / "work"

    @property
    def repository(self) -> GitRepository:
        return self.with_shell(self.shell)

    def with_shell(self, shell: Shell) -> GitRepository:
        return GitRepository(shell, self.top, self.top / ".git", self.work)

    def git(self, *args: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *args], cwd=cwd or self.top, env=self.env, check=True, capture_output=True
        )
        return done.stdout.decode().strip()

    def sha(self, ref: str) -> str:
        return self.git("rev-parse", ref)

    def status(self) -> str:
        return self.git("status", "--porcelain")

    def commit(self, **files: str) -> str:
        """The person's own commit."""
        for name, text in files.items():
            (self.top / f"{name}.py").write_text(text)
        self.git("add", ".")
        self.git("commit", "-qm", "by hand")
        return self.sha("HEAD")

    def change(self, run: str = "run-1", branch: str = BRANCH, /, **files: str) -> str:
        """sparky's commit in a run's worktree, on top of main."""
        worktree = self.repository.open(run, branch, self.sha("main"))
        for name, text in files.items():
            (worktree / f"{name}.py").write_text(text)
        sha = self.repository.commit(run, "a change")
        assert sha is not None
        return sha


def files(top: Path, leave: tuple[str, ...] = ()) -> dict[str, tuple[int, bytes]]:
    """Mode and bytes, or target, of each file."""
    found = {}
    for folder, names, leaves in os.walk(top):
        for name in [*leaves, *(name for name in names if Path(folder, name).is_symlink())]:
            path = Path(folder, name)
            where = str(path.relative_to(top))
            if not f"{where}/".startswith(tuple(f"{name}/" for name in leave)):
                data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
                found[where] = (path.lstat().st_mode, data)
    return found


def foreign(house: House) -> dict[str, tuple[int, bytes]]:
    """All that is the person's: the checkout, and the git directory but for what sparky adds."""
    return files(house.top, tuple(f".git/{name}" for name in OURS))


class Cut:
    """A shell in which something happens just before a call: the n-th, or the first of a git command."""

    def __init__(self, shell: Shell, when: int | str, what: Callable[[], object]) -> None:
        self._shell = shell
        self._when = when
        self._what = what
        self.calls: list[str] = []

    def run(self, command: Command) -> Completed:
        self.calls.append(next(word for word in command.argv[1:] if not word.startswith("--")))
        if self._when in {len(self.calls), self.calls[-1]}:
            self._when = -1
            self._what()
        return self._shell.run(command)

    def level(self) -> Level:
        return self._shell.level()

    def halt(self) -> None:
        self._shell.halt()

    def halted(self) -> bool:
        return self._shell.halted()


def plant(house: House, worktree: Path, canary: Path) -> None:
    """Put a repository with traps in place of the worktree's `.git` and into a directory."""
    (worktree / "b.py").write_text("b = 2\nfrom an agent\n")
    (worktree / "a.py").write_text(f"planted = {time.time_ns()}\n")
    lines = "filter=evil diff=evil merge=evil\n"
    (worktree / ".gitattributes").write_text(f"*.py {lines}*.txt {lines}b.py merge=persons filter=persons\n")
    trap = worktree / "trap.sh"
    trap.write_text(f"#!/bin/sh\necho ${{1-person}} >> '{canary}'\ncat\n")
    trap.chmod(0o755)
    config = (
        f"[core]\n\trepositoryformatversion = 0\n\tfsmonitor = '{trap}' fsmonitor\n\thooksPath = {worktree}\n"
    )
    for section, keys in (("filter", ("clean", "smudge")), ("diff", ("textconv", "command"))):
        config += f'[{section} "evil"]\n' + "".join(f"\t{key} = \"'{trap}' {key}\"\n" for key in keys)
    (worktree / "post-checkout").write_text(trap.read_text())
    (worktree / "post-checkout").chmod(0o755)
    for place in (worktree / ".git", worktree / "sub dir" / ".git"):
        if place.is_file():
            place.unlink()
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(house.top / ".git", place, ignore=shutil.ignore_patterns("worktrees"))
        (place / "config").write_text(config)
