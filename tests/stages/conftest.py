"""A house in memory for each test."""

from pathlib import Path

import pytest

from tests.stages.stand import Stand


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    """A stage's surroundings, without a commit yet."""
    return Stand(root=tmp_path)
