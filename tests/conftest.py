"""What every test runs under: examples are not timed, since the machine that they run on is shared.

What became of the tests of real coding agents is said at the end: skipped is not passed.

A shell that starts the tests in the background has told them to ignore ^C, and so what they start would.
"""

import gc
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.acceptance.world import Nursery

settings.register_profile("sparky", deadline=None)
settings.load_profile("sparky")
gc.set_threshold(100_000)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """What has loaded sparky, once for each worker."""
    started = Nursery()
    yield started
    started.close()


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """One cache of environments for all worlds."""
    base = tmp_path_factory.getbasetemp()
    return (base if worker_id == "master" else base.parent) / "sparky-cache"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests of coding agents ran, and which agents were missing."""
    ran, missing = 0, set()
    for outcome in ("passed", "failed", "skipped"):
        for report in terminalreporter.stats.get(outcome, []):
            if getattr(report, "nodeid", "").startswith("tests/agents/"):
                ran += outcome != "skipped"
                missing |= {str(report.longrepr[2])} if outcome == "skipped" else set()
    if ran or missing:
        terminalreporter.write_line(
            f"tests of coding agents: {ran} ran; {'; '.join(sorted(missing)) or 'none was missing'}"
        )
