"""A release of a package as a repository, and sparky's word on it."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PACKAGES = ("WTForms==3.0.1", "tabulate==0.8.9", "mistune==2.0.5", "sqlparse==0.4.2")
DOWNLOADS = Path(tempfile.gettempdir()) / "sparky-bench"
CACHE = DOWNLOADS / f"cache-{Path(sys.argv[0]).stem}"
"""What sparky builds, kept for the next time; each bench has its own, since one clears what another uses."""
BESIDE = Path(sys.executable).parent
TIMEOUT_S = 1200


def fetch(package: str) -> Path:
    """The sdist of a requirement, downloaded once, or the file itself."""
    if Path(package).is_file():
        return Path(package)
    folder = DOWNLOADS / package
    if not list(folder.glob("*.tar.gz")):
        words = ("download", "-q", "--no-deps", "--no-binary", ":all:", "-d", str(folder), package)
        subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    return next(folder.glob("*.tar.gz"))


def unpack(sdist: Path, into: Path) -> Path:
    """A repository of the sdist's files."""
    with tarfile.open(sdist) as archive:
        archive.extractall(into, filter="data")
    (top,) = into.iterdir()
    git(top, "init", "-q", "-b", "main")
    commit(top)
    return top


def git(repo: Path, *words: str) -> str:
    """What git says."""
    author = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    return subprocess.run(
        ["git", *author, *words], cwd=repo, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(repo: Path) -> str:
    """Commit all that lies there; returns the commit, which is the old one where nothing changed."""
    git(repo, "add", "-A")
    if git(repo, "status", "--porcelain"):
        git(repo, "commit", "-qm", "by bench")
    return git(repo, "rev-parse", "HEAD")


def environment(state: Path) -> Mapping[str, str]:
    """The environment in which sparky keeps its state there, and what it builds where this bench does."""
    return {**os.environ, "SPARKY_STATE_DIR": str(state), "SPARKY_CACHE_DIR": str(CACHE)}


def forget() -> None:
    """Drop all that sparky has built and kept but environments, what uv has downloaded, and mypy's stubs."""
    for place in (*CACHE.glob("*"), *CACHE.glob("kept/*")):
        if place.name not in {"envs", "uv", "locks", "kept", "stubs"}:
            shutil.rmtree(place)


def sparky(repo: Path, state: Path, *words: str, log: Path | None = None) -> dict[str, Any]:
    """What a verb prints as JSON. `log`: a file that every command which sparky starts is written to."""
    recorder = Path(__file__).parent.parent / "fix_overhead.py"
    argv = [str(BESIDE / "sparky")] if log is None else [sys.executable, str(recorder), "--record", str(log)]
    done = subprocess.run(
        [*argv, *words, "--json"],
        cwd=repo,
        env=environment(state),
        capture_output=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    if not done.stdout:
        raise SystemExit(f"sparky {' '.join(words)} in {repo}: {done.stderr.decode()[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
