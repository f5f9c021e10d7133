"""git: the one place that starts it, and finding a repository.

Every call is told where it works. Nothing is discovered in a directory that an agent may write: an agent can
replace the `.git` file of its worktree and plant a configuration there that starts programs.
"""

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sparky.adapters.git_objects import Memory, is_sha
from sparky.adapters.git_settings import DRIVER_OFF, ENVIRONMENT, EXACT, NOWHERE, QUIET
from sparky.domain.command import Command, Completed, Ending
from sparky.ports import GitError, GoneError, NoRepositoryError, Shell

OLDEST = (2, 38)
"""The first release with `merge-tree --write-tree`."""

_OUTPUT_LIMIT = 2**31
_SAID_LIMIT = 2000

_IN_PROGRESS = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}


@dataclass(frozen=True, kw_only=True)
class Git:
    """git in one place. `git_dir` None: discovered from `cwd`, for directories of the person's only.

    `own` says that the place is sparky's: the person's global and system configuration is not read there.
    `index` None: the index that belongs to `git_dir`.
    """

    shell: Shell
    cwd: Path
    git_dir: Path | None = None
    work_tree: Path | None = None
    index: Path | None = None
    own: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory, compare=False)

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        codes: tuple[int, ...] = (0,),
    ) -> Completed:
        """What came of one call of git; raises GitError if its exit code is not among `codes`."""
        done = self.shell.run(
            Command(
                argv=("git", *self._where(), *args),
                cwd=self.cwd,
                env={**self._environment(), **(env or {})},
                stdin=stdin,
                output_limit=_OUTPUT_LIMIT,
            )
        )
        if done.ending is Ending.EXITED and done.code in codes and not done.dropped:
            return done
        if not self.cwd.is_dir():
            raise GoneError(f"{self.cwd} is not there any more")
        if done.ending is Ending.NOT_FOUND:
            raise GitError("git is not installed, or not on the PATH; install git 2.38 or newer")
        said = os.fsdecode(done.stderr).strip().removeprefix("fatal: ") or f"exit code {done.code}"
        if done.ending is not Ending.EXITED:
            said = f"{done.ending.value}: {said}"
        raise GitError(f"git {args[0]} in {self.work_tree or self.cwd}: {said[:_SAID_LIMIT]}")

    def ask(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        """What git prints, without the newline at its end."""
        return os.fsdecode(self.run(*args, stdin=stdin, env=env).stdout.removesuffix(b"\n"))

    def names(self, *args: str) -> tuple[str, ...]:
        """What git prints between NUL bytes, for calls with `-z`."""
        return split(self.run(*args).stdout)

    def once(self, *args: str, of: tuple[str, ...]) -> bytes:
        """What git prints on these objects, which are the last arguments.

        Objects never change: where each is named by its full sha, this is asked once.
        """
        question = (*args, *of)
        known = self.memory.find(question)
        if known is None:
            known = self.run(*question).stdout
            if all(is_sha(one.partition("^")[0]) for one in of):
                self.memory.put(question, known)
        return known

    def setting(self, key: str, *options: str) -> str | None:
        """A value of the configuration as this place sees it; None if it is not set."""
        done = self.run("config", *options, "--get", key, codes=(0, 1))
        return os.fsdecode(done.stdout.removesuffix(b"\n")) if done.code == 0 else None

    def git_path(self, name: str) -> Path:
        """A file of the git directory."""
        return (self.git_dir or self.cwd / ".git") / name

    def tame(self) -> "Git":
        """The same place with every filter and merge driver of its configuration switched off.

        The files are an agent's here, and a driver that is the person's may still start a program from them.
        """
        found = self.run(
            "config", "--name-only", "-z", "--get-regexp", r"^(filter|merge)\..*\.", codes=(0, 1)
        )
        sections = {name.rpartition(".")[0] for name in split(found.stdout)}
        off = {
            f"{section}.{key}": value
            for section in sorted(sections)
            for key, value in DRIVER_OFF[section.partition(".")[0]].items()
        }
        return replace(self, settings={**self.settings, **off})

    def _where(self) -> tuple[str, ...]:
        git_dir = () if self.git_dir is None else (f"--git-dir={self.git_dir}",)
        work_tree = () if self.work_tree is None else (f"--work-tree={self.work_tree}",)
        return (*git_dir, *work_tree)

    def _environment(self) -> dict[str, str]:
        settings = {**QUIET, **(EXACT if self.own else {}), **self.settings}
        environment = {**ENVIRONMENT, "GIT_CONFIG_COUNT": str(len(settings))}
        for number, (key, value) in enumerate(settings.items()):
            environment[f"GIT_CONFIG_KEY_{number}"] = key
            environment[f"GIT_CONFIG_VALUE_{number}"] = value
        if self.own:
            environment.update(NOWHERE)
        if self.index is not None:
            environment["GIT_INDEX_FILE"] = str(self.index)
        return environment


@dataclass(frozen=True, kw_only=True)
class Found:
    """A person's repository as it stands. `git_dir` is the common one, `top` the checkout that was asked for.

    `head` is None before the first commit, `branch` with a detached HEAD. `remote` is the URL of the branch's
    remote, else of `origin`, with no credentials in it; None without one. `dirty` are the tracked paths with
    uncommitted changes, `untracked` the other files (a directory ends in "/"), `submodules` their paths at
    HEAD. `in_progress` names a merge, rebase, cherry-pick or revert that waits to be finished.
    """

    top: Path
    git_dir: Path
    head: str | None
    branch: str | None
    remote: str | None
    dirty: tuple[str, ...]
    untracked: tuple[str, ...]
    submodules: tuple[str, ...]
    shallow: bool
    in_progress: str | None


def find_repository(shell: Shell, path: Path) -> Found:
    """The repository that `path` lies in; raises GitError with the reason if sparky can't work there.

    It is a NoRepositoryError where another place has to be named.
    """
    if not path.exists():
        raise NoRepositoryError(f"{path} does not exist")
    here = Git(shell=shell, cwd=path if path.is_dir() else path.parent)
    _require_version(here)
    shallow = _require_checkout(here, path)
    top = Path(here.ask("rev-parse", "--show-toplevel"))
    checkout = checkout_at(shell, top)
    head = resolve(checkout, "HEAD")
    ref = checkout.run("symbolic-ref", "--quiet", "HEAD", codes=(0, 1)).stdout
    branch = os.fsdecode(ref).strip().removeprefix("refs/heads/") or None
    status = _status(checkout, "normal")
    tree = checkout.names("ls-tree", "-r", "-z", "--full-tree", head) if head else ()
    return Found(
        top=top,
        git_dir=Path(here.ask("rev-parse", "--path-format=absolute", "--git-common-dir")),
        head=head,
        branch=branch,
        remote=_remote_url(checkout, branch),
        dirty=tuple(name for mark, name in status if mark != "??"),
        untracked=tuple(name for mark, name in status if mark == "??"),
        submodules=tuple(entry.partition("\t")[2] for entry in tree if entry.startswith("160000")),
        shallow=shallow,
        in_progress=in_progress(checkout),
    )


def checkout_at(shell: Shell, top: Path) -> Git:
    """A person's checkout by its top directory; its git directory is discovered there."""
    git_dir = Path(Git(shell=shell, cwd=top).ask("rev-parse", "--absolute-git-dir"))
    return Git(shell=shell, cwd=top, git_dir=git_dir, work_tree=top)


def linked_path(admin: Path) -> Path | None:
    """The directory of a linked worktree, as its part of the git directory names it; None if it does not."""
    link = admin / "gitdir"
    said = os.fsdecode(link.read_bytes()).strip() if link.is_file() else ""
    return Path(os.path.normpath(admin / said)).parent if said else None


def resolve(git: Git, ref: str) -> str | None:
    """The commit that a ref names, None if there is none."""
    question = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if (known := git.memory.find(question)) is not None:
        return known.decode()
    done = git.run(*question, codes=(0, 1, 128))
    found = done.stdout.strip() if done.code == 0 else None
    if found is not None and is_sha(ref):
        git.memory.put(question, found)
    return found.decode() if found is not None else None


def uncommitted(checkout: Git) -> tuple[str, ...]:
    """The tracked paths with staged or unstaged changes, but for submodules. The index is not written."""
    return tuple(name for _, name in _status(checkout, "no"))


def in_progress(checkout: Git) -> str | None:
    """The merge, rebase, cherry-pick or revert that waits to be finished in a checkout, None if none does."""
    return next((what for name, what in _IN_PROGRESS.items() if checkout.git_path(name).exists()), None)


def split(output: bytes) -> tuple[str, ...]:
    """The strings that NUL bytes end."""
    return tuple(os.fsdecode(part) for part in output.split(b"\0")[:-1])


def join(names: Iterable[str]) -> bytes:
    """The strings, each with a NUL byte at its end."""
    return b"".join(os.fsencode(name) + b"\0" for name in names)


def _require_version(here: Git) -> None:
    said = here.ask("--version")
    found = re.search(r"(\d+)\.(\d+)", said)
    if found is None or (int(found[1]), int(found[2])) < OLDEST:
        raise GitError(f"{said!r} is too old: install git 2.38 or newer")


def _require_checkout(here: Git, path: Path) -> bool:
    """Whether the repository is shallow; raises NoRepositoryError outside of a checkout."""
    asked = ("--is-bare-repository", "--is-inside-git-dir", "--is-shallow-repository")
    done = here.run("rev-parse", *asked, codes=(0, 128))
    said = os.fsdecode(done.stderr).strip()
    if found := re.search(r"dubious ownership in repository at '(.*)'", said):
        mend = f"git config --global --add safe.directory {shlex.quote(found[1])}"
        raise NoRepositoryError(f"{found[1]} belongs to another user; if you trust it: {mend}")
    if "not a git repository" in said:
        raise NoRepositoryError(f"{path} is not in a git repository: go to one, or make one with `git init`")
    if done.code:
        raise GitError(f"{path}: {said.removeprefix('fatal: ')}")
    bare, inside, shallow = (answer == b"true" for answer in done.stdout.split())
    if bare:
        raise NoRepositoryError(f"{path} is a bare repository: sparky needs a checkout of it (git clone)")
    if inside:
        raise NoRepositoryError(f"{path} is inside a git directory: go to the checkout that it belongs to")
    return shallow


def _status(checkout: Git, untracked: str) -> tuple[tuple[str, str], ...]:
    """Two-letter mark and path of each file that differs from HEAD."""
    options = ("--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=all")
    entries = checkout.names("status", *options, f"--untracked-files={untracked}")
    return tuple((entry[:2], entry[3:]) for entry in entries)


def _remote_url(checkout: Git, branch: str | None) -> str | None:
    name = checkout.setting(f"branch.{branch}.remote") if branch else None
    found = checkout.run("remote", "get-url", name or "origin", codes=(0, 2, 128))
    url = os.fsdecode(found.stdout).strip()
    return re.sub(r"(?<=://)[^/@]+@", "", url) or None
