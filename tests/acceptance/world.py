"""A repository of some person, and the real command on it, called as a user calls it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

Session = Mapping[str, Any]

_IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
_REFS = ("refs/sparky", "refs/heads/sparky", "logs/refs/sparky", "logs/refs/heads/sparky")
_OURS = ("objects", "worktrees", *_REFS)
"""What sparky may write into a git directory before anything is merged."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What came of one call."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Standard output, which is nothing but JSON."""
        return json.loads(self.out)


class Nursery:
    """Calls sparky in forks of a process that has loaded it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("nursery.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def call(self, words: Sequence[str], cwd: Path, env: Mapping[str, str], scratch: Path) -> Said:
        """One call, to its end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        out, err = scratch / "stdout", scratch / "stderr"
        request = {"words": words, "cwd": str(cwd), "env": dict(env), "out": str(out), "err": str(err)}
        self._process.stdin.write(f"{json.dumps(request)}\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        return Said(code=code, out=_text(out), err=_text(err))

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=30)


@dataclass(frozen=True, kw_only=True)
class World:
    """Where a repository and sparky's own directories are."""

    root: Path
    cache: Path
    nursery: Nursery

    @property
    def repo(self) -> Path:
        return self.root / "repo"

    @property
    def env(self) -> dict[str, str]:
        own = {
            "SPARKY_STATE_DIR": str(self.root / "state"),
            "SPARKY_CACHE_DIR": str(self.cache),
            "HOME": str(self.root),
        }
        dropped = ("GIT_", "COLUMNS", "XDG_")
        return {**{key: value for key, value in os.environ.items() if not key.startswith(dropped)}, **own}

    def sparky(self, *words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Said:
        """The command line, to its end."""
        return self.nursery.call(words, cwd or self.repo, {**self.env, **(env or {})}, self.root)

    def git(self, *words: str) -> str:
        """What git says in the repository."""
        done = subprocess.run(
            ["git", *_IDENTITY, *words], cwd=self.repo, env=self.env, check=True, capture_output=True
        )
        return done.stdout.decode().strip()

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write these files; None removes."""
        for name, text in files.items():
            path = self.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(self, files: Mapping[str, str | bytes | None]) -> str:
        """Commit these files on top of what is there; returns the sha."""
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-qm", "by a person")
        return self.git("rev-parse", "HEAD")

    def script(self, *sessions: Session) -> tuple[str, str]:
        """The option that makes sparky play these sessions."""
        path = self.root / "script.toml"
        path.write_text(tomlkit.dumps({"session": list(sessions)}), encoding="utf-8")
        return "--script", str(path)

    def runs(self) -> list[dict[str, Any]]:
        """`sparky status --json`."""
        listed: list[dict[str, Any]] = self.sparky("status", "--json").json()
        return listed

    def snapshot(self) -> dict[str, tuple[int, int, bytes]]:
        """Mode, time and bytes of all files of the person's: checkout, index, HEAD, config, hooks, stash."""
        git = self.repo / ".git"
        ours = tuple(str(git / name) for name in _OURS)
        paths = (path for path in self.repo.rglob("*") if path.is_file() and not str(path).startswith(ours))
        stats = ((path, path.stat()) for path in paths)
        return {
            str(path.relative_to(self.repo)): (stat.st_mode, stat.st_mtime_ns, path.read_bytes())
            for path, stat in stats
        }


def replacing(path: str, old: str, new: str, **more: Any) -> Session:
    """A session that replaces a text in a file."""
    return {"steps": [{"do": "replace", "path": path, "old": old, "text": new}], **more}


def make_world(root: Path, cache: Path, nursery: Nursery, files: Mapping[str, str | bytes | None]) -> World:
    """A repository with one commit of these files, on branch main."""
    world = World(root=root, cache=cache, nursery=nursery)
    world.repo.mkdir(parents=True)
    world.git("init", "-q", "-b", "main")
    if files:
        world.commit(files)
    return world


def _text(path: Path) -> str:
    return path.read_bytes().decode() if path.exists() else ""
