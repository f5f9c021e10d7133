"""Sister repositories: the checkout of one that `sparky.toml` names, by a path or a URL."""

import hashlib
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sparky.adapters.git import Git, checkout_at
from sparky.adapters.locks import FileLocks
from sparky.domain.errors import UserError
from sparky.domain.issue import slug
from sparky.ports import GitError, Shell

_URL = re.compile(r"[a-z][a-z0-9+.-]*://|[\w.-]+@[\w.-]+:")


class SisterError(UserError):
    """A sister can't be had; the text says which, where it was looked for, and why."""


@dataclass(frozen=True, kw_only=True)
class Checkout:
    """Where a sister's checkout is. `warning` says in what it falls short, "": in nothing."""

    path: Path
    warning: str = ""


@dataclass(frozen=True, kw_only=True)
class Sisters:
    """The sisters of the repository at `top`. Clones are kept below `clones`: they hold the runs' branches.

    `env` is what git needs to reach other machines.
    """

    shell: Shell
    top: Path
    clones: Path
    locks: FileLocks
    env: Mapping[str, str]

    def checkout(self, name: str, where: str) -> Checkout:
        """The checkout at a path, as it is; or the clone of a URL, brought up to date if that can be done.

        Raises SisterError.
        """
        if _URL.match(where):
            return self._clone(name, where)
        path = (self.top / Path(where).expanduser()).resolve()
        if not path.is_dir():
            raise SisterError(
                f"sister {name} is not at {path}: clone it there, or mend [sisters] in sparky.toml"
            )
        return Checkout(path=path)

    def _clone(self, name: str, url: str) -> Checkout:
        mark = hashlib.sha256(url.encode()).hexdigest()[:8]
        path = self.clones / f"{slug(name)}-{mark}"
        with self.locks.hold(f"sister-{path.name}"):
            return self._updated(name, path) if path.is_dir() else self._fresh(name, url, path)

    def _fresh(self, name: str, url: str, path: Path) -> Checkout:
        self.clones.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=self.clones, prefix=".new-"))
        git = Git(shell=self.shell, cwd=self.clones)
        try:
            git.run("clone", "--quiet", "--", url, str(new), env=self.env)
        except GitError as error:
            shutil.rmtree(new, ignore_errors=True)
            raise SisterError(f"sister {name} can't be cloned: {error}") from error
        new.replace(path)
        return Checkout(path=path)

    def _updated(self, name: str, path: Path) -> Checkout:
        try:
            checkout_at(self.shell, path).run("pull", "--quiet", "--ff-only", env=self.env)
        except GitError as error:
            return Checkout(path=path, warning=f"sister {name} is not brought up to date: {error}")
        return Checkout(path=path)
