"""Where the programs are that tests drive and sparky doesn't bring, and which of them are there."""

import hashlib
import os
from pathlib import Path

from sparky.environment import read_environment

PINNED = {
    "cli": ("claude", "codex", "opencode", "claude-agent-acp", "codex-acp"),
    "checkers": ("pyright",),
}
"""What the packages bring that are pinned in a directory of this name."""


def agents_home(pins: Path) -> Path:
    """Where what is pinned in a directory is installed: another place for each state of its lock."""
    digest = hashlib.sha256((pins / "package-lock.json").read_bytes()).hexdigest()[:16]
    # Not SPARKY_CACHE_DIR: tests have one of their own, and these are large.
    cache = read_environment({"HOME": str(Path.home()), **_xdg()}).cache
    return cache / "agents" / digest


def programs(home: Path) -> dict[str, Path]:
    """The programs that are installed there, by name."""
    names = (name for these in PINNED.values() for name in these)
    found = {name: home / "node_modules" / ".bin" / name for name in names}
    return {name: path for name, path in found.items() if path.exists()}


def _xdg() -> dict[str, str]:
    return {key: os.environ[key] for key in ("XDG_CACHE_HOME",) if key in os.environ}
