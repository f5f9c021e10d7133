"""Worlds; one cache of environments for all of them, one nursery for each worker."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.acceptance.world import Nursery, World, make_world

Files = Mapping[str, str | bytes | None]
MakeWorld = Callable[[Files], World]


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    started = Nursery()
    yield started
    started.close()


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    base = tmp_path_factory.getbasetemp()
    return (base if worker_id == "master" else base.parent) / "sparky-cache"


@pytest.fixture
def world_of(tmp_path: Path, cache: Path, nursery: Nursery) -> MakeWorld:
    """Make the test's world of these files."""
    return lambda files: make_world(tmp_path, cache, nursery, files)
