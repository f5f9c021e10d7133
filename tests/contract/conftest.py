"""Target repositories with real git, and an index of wheels that needs no network."""

import importlib.metadata
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sparky.adapters.blobs import FileBlobs
from sparky.adapters.environment import Environments
from sparky.adapters.imports import Imports
from sparky.adapters.installs import Installs
from sparky.adapters.locks import FileLocks
from sparky.adapters.repository import GitRepository
from sparky.adapters.shell import SystemShell
from sparky.adapters.tests import PytestTests
from sparky.adapters.uv import Uv
from sparky.domain.state import Context
from sparky.evidence.stubs import knowing
from sparky.testing.house import memory_house
from sparky.tools.listing import program

_OURS = ("pytest", "pluggy", "iniconfig", "packaging", "pygments", "execnet", "pytest-xdist")
_LEXERS = frozenset({"__init__", "_mapping", "python", "diff"})
_ENV = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
OLD_PLUGIN = """
from importlib.metadata import version
if version("pytest") != "8.0":
    raise ImportError("it is for pytest 8")
"""
OLD_ENTRY = "[pytest11]\nold = old_plugin\n"
_IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")


@dataclass(frozen=True, kw_only=True)
class Target:
    """A repository of some person, and sparky's adapters for it, all with the cache of this test session."""

    top: Path
    cache: Path
    index: Mapping[str, str]

    def commit(self, files: Mapping[str, str | None]) -> str:
        """Commit these files (None: removed) on top of what is there; returns the sha."""
        for name, text in files.items():
            path = self.top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True) if text is None else path.write_text(text)
        self.git("add", "-A")
        self.git(*_IDENTITY, "commit", "-qm", "-", "--allow-empty")
        return self.git("rev-parse", "HEAD")

    def git(self, *args: str) -> str:
        done = subprocess.run(["git", *args], cwd=self.top, env=_ENV, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def context(self, base: str) -> Context:
        return Context(
            repo_name=self.top.name,
            repo_path=str(self.top),
            git_dir=str(self.top / ".git"),
            base=base,
            target="main",
            branch="sparky/x",
        )

    @property
    def shell(self) -> SystemShell:
        return SystemShell({"PATH": os.environ["PATH"], "HOME": str(self.top.parent)})

    @property
    def repository(self) -> GitRepository:
        return GitRepository(self.shell, self.top, self.top / ".git", self.top.parent / "work")

    @property
    def blobs(self) -> FileBlobs:
        return FileBlobs(self.cache / "blobs")

    @property
    def uv(self) -> Uv:
        python = Path(sys.executable)
        return Uv(self.shell, self.cache, python=python, index_env=self.index, sandbox=True)

    @property
    def environments(self) -> Environments:
        return Environments(self.repository, self.uv, self.cache)

    @property
    def installs(self) -> Installs:
        return Installs(self.repository, self.environments, self.uv, self.cache)

    @property
    def imports(self) -> Imports:
        path = os.environ["PATH"]
        return Imports(
            shell=self.shell,
            repository=self.repository,
            uv=self.uv,
            cache=self.cache,
            path=path,
            sandbox=True,
        )

    @property
    def tests(self) -> PytestTests:
        return self.tests_with()

    def tests_with(self, report: str = "", set_up: tuple[str, ...] = ()) -> PytestTests:
        """The tests, with the settings that say where their report is, and what they need before."""
        return PytestTests(
            self.shell,
            self.repository,
            self.blobs,
            self.cache,
            python=Path(sys.executable),
            path=os.environ["PATH"],
            index_env=self.index,
            sandbox=True,
            report=report,
            set_up=set_up,
        )


@pytest.fixture(scope="session")
def session_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all workers: environments are made once."""
    root = tmp_path_factory.getbasetemp()
    cache = (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "target-cache"
    cache.mkdir(exist_ok=True)
    return cache


@pytest.fixture(scope="session")
def known(session_cache: Path) -> Path:
    """What mypy knows of the standard library if a target does not configure it, made once."""
    ports = replace(memory_house(session_cache, lambda _: ()).ports, shell=SystemShell({}))
    with FileLocks(session_cache / "locks").hold("stubs"):
        told = knowing(ports, (sys.executable, *program("typed")(("a.py",))), lambda _: None)
    return Path(told[told.index("--known") + 1])


@pytest.fixture(scope="session")
def wheels(session_cache: Path) -> Path:
    """A directory of wheels: pytest as it is here and as version 8, plugins, and `needed` 1.0."""
    place = session_cache / "wheels"
    with FileLocks(session_cache / "locks").hold("wheels"):
        if not place.exists():
            place.mkdir()
            (place / "uv.toml").write_text("no-index = true\n")
            for name in _OURS:
                _pack(importlib.metadata.distribution(name), place)
            _pack(importlib.metadata.distribution("pytest"), place, version="8.0")
            pack(place, "needed", {"needed.py": ""})
            pack(
                place,
                "old_plugin",
                {"old_plugin.py": OLD_PLUGIN, f"{_info('old_plugin')}/entry_points.txt": OLD_ENTRY},
            )
            lost = f"{_info('lost_plugin')}/entry_points.txt"
            pack(place, "lost_plugin", {lost: "[pytest11]\nlost = nowhere\n"})
    return place


def offline(wheels: Path) -> dict[str, str]:
    """What tells uv to look there and nowhere else."""
    return {"UV_CONFIG_FILE": str(wheels / "uv.toml"), "UV_FIND_LINKS": str(wheels)}


def _pack(installed: importlib.metadata.Distribution, place: Path, version: str = "") -> None:
    """The wheel of what is installed here; with another `version` it only says so."""
    name, own = installed.name.lower().replace("-", "_"), installed.version
    with zipfile.ZipFile(place / f"{name}-{version or own}-py3-none-any.whl", "w") as wheel:
        for file in installed.files or ():
            # Hundreds of lexers that nothing uses would be compiled for every environment.
            idle = "lexers" in file.parts and file.stem not in _LEXERS
            if ".." not in file.parts and file.suffix != ".pyc" and not idle:
                data, path = Path(str(file.locate())).read_bytes(), str(file)
                if version and ".dist-info" in path:
                    path = path.replace(f"-{own}.dist-info", f"-{version}.dist-info")
                    data = data.replace(f"\nVersion: {own}\n".encode(), f"\nVersion: {version}\n".encode())
                wheel.writestr(path, data)


def _info(name: str, version: str = "1.0") -> str:
    return f"{name}-{version}.dist-info"


def pack(place: Path, name: str, files: Mapping[str, str], version: str = "1.0") -> None:
    """A wheel of these files."""
    metadata = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        "WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n",
        "RECORD": "",
    }
    with zipfile.ZipFile(place / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        own = {f"{_info(name, version)}/{file}": text for file, text in metadata.items()}
        for path, text in {**files, **own}.items():
            wheel.writestr(path, text)


@pytest.fixture
def target(session_cache: Path, wheels: Path, tmp_path: Path) -> Target:
    """An empty repository that shares the session's cache."""
    return _target(tmp_path, session_cache, offline(wheels))


@pytest.fixture
def fresh_target(wheels: Path, tmp_path: Path) -> Target:
    """An empty repository with a cache of its own."""
    return _target(tmp_path, tmp_path / "cache", offline(wheels))


def _target(root: Path, cache: Path, index: Mapping[str, str]) -> Target:
    (root / "top").mkdir()
    target = Target(top=root / "top", cache=cache, index=index)
    target.git("init", "-q", "-b", "main")
    return target
