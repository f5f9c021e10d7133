"""What a stage stands on: a house in memory, a run in it, and one performance of a stage."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sparky.adapters.memory import Program, answer
from sparky.adapters.scripted import ScriptedSession
from sparky.adapters.shell import SystemShell
from sparky.agents.table import AGENTS
from sparky.domain.agent import Agent
from sparky.domain.attempt import Attempt, Stage, Strategy
from sparky.domain.command import Command, Completed
from sparky.domain.issue import Issue
from sparky.domain.state import Handoff, PipelineState, Preferences
from sparky.domain.testing import TestCase, TestOutcome
from sparky.stages.table import STAGES
from sparky.testing.house import MemoryHouse, memory_house
from tests.builders import CONTEXT, ISSUE, RUN

_RUFF = str(Path(sys.executable).with_name("ruff"))
_SHELL = SystemShell({})

Files = Mapping[str, bytes | None]
Red = Mapping[str, str]
"""The ids of the tests that fail, each with its message; all tests of `Stand.ids` run."""


@dataclass(kw_only=True)
class Stand:
    """The house, the issue, and what the tests say of a commit's `state.txt`-like files.

    `tool` is what runs as ruff, None: one that knows a single defect; `programs`: what runs as others.
    `listed`: the tests that a commit has, where not all have the same.
    """

    root: Path
    issue: Issue = ISSUE
    preferences: Preferences = field(default_factory=Preferences)
    sessions: tuple[ScriptedSession, ...] = ()
    command: tuple[str, ...] | None = ("pytest",)
    ids: tuple[str, ...] = ("test_a", "test_b")
    listed: Callable[[Mapping[str, bytes]], tuple[str, ...]] | None = None
    red: Callable[[Mapping[str, bytes]], Red] = lambda _: {}
    tool: Program | None = None
    programs: Mapping[str, Program] = field(default_factory=dict)
    agents: tuple[Agent, ...] = AGENTS
    _house: MemoryHouse | None = None

    @property
    def house(self) -> MemoryHouse:
        """Made when it is first asked for, so that a test may say before what it is like."""
        if self._house is None:
            self._house = memory_house(
                self.root,
                self._judge,
                command=self.command,
                sessions=self.sessions,
                programs={"ruff": self.tool or ruff, **self.programs},
                agents=self.agents,
            )
        return self._house

    def commit(self, files: Files) -> str:
        """A person's commit on main."""
        return self.house.repository.write(files)

    def change(self, files: Files) -> str:
        """The run's commit on its branch, on top of main."""
        repository = self.house.repository
        root = repository.open(RUN, CONTEXT.branch, repository.resolve("main") or "")
        for name, data in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).unlink(missing_ok=True) if data is None else (root / name).write_bytes(data)
        return repository.commit(RUN, "by the run") or ""

    def state(self, base: str, *attempts: Attempt, target: str | None = "main") -> PipelineState:
        """A run from `base` with these attempts."""
        return PipelineState(
            run_id=RUN,
            pipeline_id=RUN,
            issue=self.issue,
            context=replace(CONTEXT, base=base, target=target),
            preferences=self.preferences,
            attempts=attempts,
        )

    def perform(self, stage: Stage, state: PipelineState, agent: str = "sparky", number: int = 1) -> Attempt:
        """One performance of a stage."""
        handoff = Handoff(
            stage=stage,
            reason="asked for",
            agent=agent,
            number=number,
            strategy=list(Strategy)[number - 1] if stage is Stage.EXECUTE else None,
            rollback_sha=state.head,
        )
        return STAGES[stage](handoff, state, self.house.ports)

    def _judge(self, files: Mapping[str, bytes]) -> tuple[TestCase, ...]:
        red = self.red(files)
        ids = self.listed(files) if self.listed is not None else self.ids
        outcomes = ((name, TestOutcome.FAILED if name in red else TestOutcome.PASSED) for name in ids)
        return tuple(TestCase(id=name, outcome=done, message=red.get(name, "")) for name, done in outcomes)


def real_ruff(command: Command) -> Completed:
    """The ruff beside this Python."""
    return _SHELL.run(replace(command, argv=(_RUFF, *command.argv[1:])))


def ruff(command: Command) -> Completed:
    """A ruff that knows of one defect: `import os` at a line's start is an unused import."""
    words = command.argv
    paths = words[words.index("--") + 1 :]
    found = [d for path in paths for d in _diagnostics(command.cwd / path)] if words[1] == "check" else []
    return answer(command, json.dumps(found).encode(), code=int(bool(found)))


def _diagnostics(path: Path) -> list[dict[str, object]]:
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return [
        {
            "code": "F401",
            "filename": str(file),
            "message": "`os` imported but unused",
            "location": {"row": number, "column": 8},
            "fix": {"applicability": "safe"},
        }
        for file in files
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if line == "import os"
    ]


def typed(command: Command) -> Completed:
    """A mypy that finds functions of no parameters untyped, and would have them return nothing."""
    words = command.argv
    paths = [command.cwd / path for path in words[words.index("--") + 1 :]]
    files = [file for path in paths for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    found = [
        {
            "code": "no-untyped-def",
            "filename": str(file.relative_to(command.cwd)),
            "message": "Function is missing a return type annotation",
            "location": {"row": number, "column": 1},
            "fix": {
                "applicability": "unsafe",
                "edits": [
                    {
                        "content": " -> None",
                        "location": {"row": number, "column": len(line)},
                        "end_location": {"row": number, "column": len(line)},
                    }
                ],
            },
        }
        for file in files
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if line.endswith("():")
    ]
    return answer(command, json.dumps(found).encode())
