"""A world for each test; one cache of environments for all of them."""

from pathlib import Path

import pytest

from tests.durable.world import World, make_world


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    base = tmp_path_factory.getbasetemp()
    return (base if worker_id == "master" else base.parent) / "sparky-cache"


@pytest.fixture
def world(tmp_path: Path, cache: Path) -> World:
    return make_world(tmp_path, cache)
