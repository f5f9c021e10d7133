"""A whole house in memory: every port that a stage may touch, and a way to look at each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparky.adapters.memory import (
    Judge,
    MemoryBlobs,
    MemoryLock,
    MemoryProgress,
    MemoryReceipts,
    MemoryRefusals,
    MemoryReports,
    MemoryRunner,
    MemoryShell,
    MemoryTests,
    Program,
    answer,
)
from sparky.adapters.memory_repository import MemoryRepository
from sparky.adapters.scripted import ScriptedSession
from sparky.adapters.session_room import Rooms
from sparky.agents.table import AGENTS
from sparky.domain.agent import Agent
from sparky.domain.command import Command, Completed
from sparky.domain.testing import Import, Imported
from sparky.ports import Ports
from sparky.stages.route import SCRIPTED
from sparky.tools.table import BINARIES, TOOLS
from sparky.transcripts.aftermath import aftermath


def _finds_nothing(command: Command) -> Completed:
    return answer(command, b"[]")


_SILENT = {name: _finds_nothing for name, binary in BINARIES.items() if binary != name}
"""Tools that are programs of sparky's own, and need not be there."""


@dataclass(frozen=True, kw_only=True)
class MemoryHouse:
    """The adapters in memory. `ports` is what a stage is given."""

    root: Path
    repository: MemoryRepository
    tests: MemoryTests
    shell: MemoryShell
    runner: MemoryRunner
    agents: tuple[Agent, ...] = AGENTS
    imports: Import = lambda _context, _sha, _modules, _beside: Imported()
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    lock: MemoryLock = field(default_factory=MemoryLock)
    progress: MemoryProgress = field(default_factory=MemoryProgress)
    receipts: MemoryReceipts = field(default_factory=MemoryReceipts)
    refusals: MemoryRefusals = field(default_factory=MemoryRefusals)
    reports: MemoryReports = field(default_factory=MemoryReports)

    @property
    def ports(self) -> Ports:
        """All that a stage may touch."""
        return Ports(
            shell=self.shell,
            repository=self.repository,
            tests=self.tests,
            imports=self.imports,
            blobs=self.blobs,
            runners={SCRIPTED: self.runner},
            lock=self.lock,
            progress=self.progress,
            receipts=self.receipts,
            refusals=self.refusals,
            reports=self.reports,
            transcripts=Rooms(self.root / "sessions", aftermath),
            agents=self.agents,
            binaries={name: name for name in TOOLS},
            scratch=self.root / "scratch",
            kept=self.root / "kept",
        )


def memory_house(
    root: Path,
    judge: Judge,
    *,
    command: tuple[str, ...] | None = ("pytest",),
    sessions: tuple[ScriptedSession, ...] = (),
    programs: Mapping[str, Program] | None = None,
    agents: tuple[Agent, ...] = AGENTS,
) -> MemoryHouse:
    """A house whose worktrees lie below `root`, a directory that nobody else uses.

    `judge` says the test results of a commit's files, `command` how they are run (None: there are none);
    `sessions` are what the coding agent does, `programs` the tools by name, `agents` all that there are.
    """
    repository = MemoryRepository(root / "work")
    return MemoryHouse(
        root=root,
        repository=repository,
        tests=MemoryTests(repository=repository, judge=judge, command=command),
        shell=MemoryShell({**_SILENT, **(programs or {})}),
        runner=MemoryRunner(sessions),
        agents=agents,
    )
