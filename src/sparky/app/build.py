"""The composition root: real adapters put together for one repository."""

import shutil
import sys
from pathlib import Path

from sparky.adapters.repository import GitRepository
from sparky.adapters.sandbox import interpreter_paths
from sparky.adapters.scripted import ScriptedRunner
from sparky.adapters.shell import SystemShell
from sparky.adapters.tests import PytestTests
from sparky.agents.table import AGENTS
from sparky.app.read import House
from sparky.domain.errors import UserError
from sparky.domain.issue import slug
from sparky.domain.state import Context, Preferences
from sparky.ports import Ports
from sparky.stages.route import SCRIPTED
from sparky.tools.table import BINARIES


class MissingToolError(UserError):
    """A tool that sparky brings along is not where it should be."""


def ports_for(house: House, context: Context, preferences: Preferences) -> Ports:
    """All that a stage may touch, for one repository."""
    environment = house.environment
    shell = SystemShell(
        environment.base, hidden=(environment.state, environment.cache), scratch=environment.cache / "private"
    )
    work = environment.state / "work" / f"{context.repo_name}-{slug(context.git_dir, 60)}"
    repository = GitRepository(
        shell, top=Path(context.repo_path), git_dir=Path(context.git_dir), work_root=work
    )
    tests = PytestTests(
        shell,
        repository,
        house.blobs,
        cache=environment.cache,
        index_env=environment.index,
        python=Path(sys.executable),
        path=environment.base.get("PATH", ""),
        sandbox=preferences.sandbox,
        report=preferences.test_report,
        set_up=preferences.test_setup,
    )
    readable = (*interpreter_paths(), Path(__file__).parent.parent)
    return Ports(
        shell=shell,
        repository=repository,
        tests=tests,
        blobs=house.blobs,
        runners={SCRIPTED: ScriptedRunner(shell, readable, sandbox=preferences.sandbox)},
        lock=house.locks,
        progress=house.progress,
        receipts=house.receipts,
        refusals=house.store,
        agents=AGENTS,
        binaries={name: find_binary(binary) for name, binary in BINARIES.items()},
        scratch=environment.cache / "trees",
    )


def find_binary(name: str) -> str:
    """A tool's executable: the one beside sparky's own Python, else the one on the PATH."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.is_file() else shutil.which(name)
    if found is None:
        raise MissingToolError(f"{name} is not installed beside sparky; install sparky-agents anew")
    return found
