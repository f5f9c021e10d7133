"""Worlds of the files that a test names."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.acceptance.world import Nursery, World, make_world

Files = Mapping[str, str | bytes | None]
MakeWorld = Callable[[Files], World]


@pytest.fixture
def world_of(tmp_path: Path, cache: Path, nursery: Nursery) -> MakeWorld:
    """Make the test's world of these files."""
    return lambda files: make_world(tmp_path, cache, nursery, files)
