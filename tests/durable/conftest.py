"""A world for each test."""

from pathlib import Path

import pytest

from tests.acceptance.world import Nursery
from tests.durable.world import World, make_world


@pytest.fixture
def world(tmp_path: Path, cache: Path, nursery: Nursery) -> World:
    return make_world(tmp_path, cache, nursery)
