"""Compilers and interpreters of other languages that people install in their home directories."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_CARGO = re.compile(r"(?P<home>.+)/\.cargo/bin")
_PREFIX = re.compile(r"(?P<prefix>.+/(?:\.nvm/versions/node/[^/]+|sdk/go[\d.]+|\.local/go))/bin")
OFFLINE = {
    "CARGO_NET_OFFLINE": "true",
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
    "npm_config_offline": "true",
}
"""There is no network: a tool that knows says so at once, instead of waiting for it."""


def kept_in(store: Path) -> dict[str, str]:
    """The variables that make package managers keep what they fetch in a directory."""
    return {
        "CARGO_HOME": str(store / "cargo"),
        "GOMODCACHE": str(store / "go"),
        "GOFLAGS": "-modcacherw",
        "npm_config_cache": str(store / "npm"),
    }


@dataclass(frozen=True, kw_only=True)
class Toolchains:
    """What must be readable for the programs on a PATH to run, and the variables that they need."""

    readable: tuple[Path, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


def toolchains(path: str) -> Toolchains:
    """Those of a PATH whose place is known: rustup's, nvm's, Go's. They need not be there."""
    readable: list[Path] = []
    env: dict[str, str] = {}
    for folder in path.split(os.pathsep):
        if cargo := _CARGO.fullmatch(folder):
            rustup = Path(cargo["home"], ".rustup")
            readable += [Path(folder), rustup]
            env["RUSTUP_HOME"] = str(rustup)
        elif prefix := _PREFIX.fullmatch(folder):
            readable.append(Path(prefix["prefix"]))
    return Toolchains(readable=tuple(readable), env=env)
