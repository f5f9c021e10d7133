"""Projects whose transcripts are found by CLAUDE_CONFIG_DIR, as Claude Code itself does it."""

from pathlib import Path

import pytest

from tests.transcripts.lines import Project


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "home"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(path / "codex"))
    monkeypatch.setenv("XDG_DATA_HOME", str(path / "data"))
    monkeypatch.setenv("SPARKY_STATE_DIR", str(path / "state"))
    monkeypatch.setenv("SPARKY_CACHE_DIR", str(path / "cache"))
    return path


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Project:
    del home
    found = Project(path=tmp_path / "shop")
    found.path.mkdir()
    found.history.mkdir(parents=True)
    return found
