"""Real coding agents, and a scripted model on loopback for them."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sparky.testing.agents import PINNED, agents_home, programs
from sparky.testing.model_server import ModelServer
from sparky.testing.script import Scripts

PINS = Path(__file__).parent
Serve = Callable[[Scripts], ModelServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a model that plays scripts; it ends with the test."""
    with ExitStack() as stack:
        yield lambda scripts: stack.enter_context(ModelServer(scripts).running())


def installed(*names: str) -> str:
    """The PATH with what is pinned first; skips, by name, what needs one that is not there."""
    homes = [agents_home(PINS / folder) for folder in PINNED]
    there = {name for home in homes for name in programs(home)}
    if missing := [name for name in names if name not in there]:
        pytest.skip(f"{', '.join(missing)} is not installed: `make agents`")
    return os.pathsep.join((*(str(home / "node_modules" / ".bin") for home in homes), os.environ["PATH"]))


def environment(model: ModelServer) -> dict[str, str]:
    """What makes every agent ask this model."""
    return {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "dummy",
        "OPENAI_BASE_URL": f"{model.url}/v1",
        "OPENAI_API_KEY": "dummy",
    }
