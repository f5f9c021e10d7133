"""Hundreds of files with five times as many findings: what a step records, and how much is started."""

import os
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from bench.scale import STEP_BYTES, make, path_of

from sparky.adapters.git import find_repository
from sparky.adapters.repository import GitRepository
from sparky.adapters.shell import SystemShell
from sparky.app.build import ports_for
from sparky.app.intake import SAFE_ORDER, base_of, context_of, first_state, issue_of, scan
from sparky.app.read import House, open_house
from sparky.domain.attempt import Budget, Stage
from sparky.domain.command import Command, Completed, Level
from sparky.domain.flow import decide
from sparky.domain.state import Handoff, PipelineState, Preferences
from sparky.environment import read_environment
from sparky.formats.state_json import dump_next
from sparky.formats.values_json import encode
from sparky.stages.table import perform

FILES = 300


class Counting:
    """A shell that counts what it is asked to start, by program."""

    def __init__(self, shell: SystemShell) -> None:
        self._shell = shell
        self.started: Counter[str] = Counter()

    def run(self, command: Command) -> Completed:
        self.started[Path(command.argv[0]).name] += 1
        return self._shell.run(command)

    def level(self) -> Level:
        return self._shell.level()

    def halt(self) -> None:
        self._shell.halt()

    def halted(self) -> bool:
        return self._shell.halted()


@dataclass(frozen=True, kw_only=True)
class Fixed:
    """A run up to its end: its state, the bytes of each step, and the programs started, all and by stage."""

    house: House
    state: PipelineState
    steps: tuple[int, ...]
    started: dict[Stage, Counter[str]]


@pytest.fixture
def fixed(tmp_path: Path) -> Fixed:
    """A fix of every file, each named as `--changed` names them."""
    make(tmp_path / "repo", files=FILES, findings=5 * FILES, history_mb=0, seed=7)
    own = {"SPARKY_STATE_DIR": str(tmp_path / "state"), "SPARKY_CACHE_DIR": str(tmp_path / "cache")}
    house = open_house(read_environment({"PATH": os.environ["PATH"], "HOME": str(tmp_path), **own}))
    found = find_repository(SystemShell(house.environment.base), tmp_path / "repo")
    context = context_of(found, base_of(found))
    shell = Counting(SystemShell(house.environment.base))
    repository = GitRepository(shell, top=found.top, git_dir=found.git_dir, work_root=tmp_path / "work")
    ports = replace(ports_for(house, context, Preferences()), shell=shell, repository=repository)
    paths = tuple(path_of(number) for number in range(FILES))
    issue = issue_of(
        house, scan(ports, context, Preferences(), SAFE_ORDER, paths), context, Preferences(), paths
    )
    state = first_state(house, found, issue, Preferences(), Budget())
    steps, started = [len(encode(state))], {}
    while isinstance(following := decide(state), Handoff):
        shell.started.clear()
        attempt = perform(following, state, ports)
        started[following.stage] = shell.started.copy()
        steps += [len(encode(dump_next(following))), len(encode(attempt))]
        state = state.record(attempt)
    return Fixed(house=house, state=state.ended(following), steps=tuple(steps), started=started)


def test_a_fix_of_many_files_records_little_and_starts_few_processes(fixed: Fixed) -> None:
    result = fixed.house.result(fixed.state)
    assert max(fixed.steps) < STEP_BYTES
    assert len(fixed.steps) == 1 + 2 * len(fixed.state.attempts)
    assert result.work_completed.files_modified == tuple(path_of(number) for number in range(FILES))
    assert (result.work_completed.findings_fixed, result.issues_remaining) == (5 * FILES, ())
    for stage, programs in fixed.started.items():
        assert programs.total() <= 40, (stage, programs)
