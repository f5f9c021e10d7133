"""How often the detectors are run in a fix."""

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sparky.adapters.git import find_repository
from sparky.adapters.shell import SystemShell
from sparky.app.build import ports_for
from sparky.app.intake import SAFE_ORDER, base_of, context_of, first_state, issue_of, scan
from sparky.app.read import open_house
from sparky.domain.attempt import Budget, Stage
from sparky.domain.command import Command, Completed, Level
from sparky.domain.flow import decide
from sparky.domain.state import Handoff, Preferences
from sparky.environment import read_environment
from sparky.ports import Shell
from sparky.stages.table import perform
from sparky.tools.listing import is_detector
from sparky.tools.tool import Argv

_FILES = {"dead.py": "import os\n\nx = 1\n", "wide.py": "y = [ 1 ]\n", "clean.py": "z = 1\n"}


class Recording:
    """A shell that remembers what it was asked to run."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self.commands: list[Command] = []

    def run(self, command: Command) -> Completed:
        self.commands.append(command)
        return self._shell.run(command)

    def level(self) -> Level:
        return self._shell.level()

    def halt(self) -> None:
        self._shell.halt()

    def halted(self) -> bool:
        return self._shell.halted()

    def looks(self) -> list[tuple[str, ...]]:
        """The paths of every detection by ruff, in order."""
        return self._paths(lambda argv: "--output-format" in argv)

    def asked(self) -> list[tuple[str, ...]]:
        """The paths for which a process of sparky's own detectors was started, in order."""
        return self._paths(is_detector)

    def _paths(self, is_meant: Callable[[Argv], bool]) -> list[tuple[str, ...]]:
        meant = [one.argv for one in self.commands if is_meant(one.argv)]
        return [argv[argv.index("--") + 1 :] for argv in meant]


def commit(repo: Path) -> None:
    """Make the repository."""
    repo.mkdir()
    for name, text in _FILES.items():
        (repo / name).write_text(text, encoding="utf-8")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "base")):
        argv = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words]
        subprocess.run(argv, cwd=repo, check=True)


def test_a_fix_looks_only_at_what_it_touched_until_it_is_verified(tmp_path: Path) -> None:
    commit(tmp_path / "repo")
    own = {"SPARKY_STATE_DIR": str(tmp_path / "state"), "SPARKY_CACHE_DIR": str(tmp_path / "cache")}
    house = open_house(read_environment({"PATH": os.environ["PATH"], "HOME": str(tmp_path), **own}))
    found = find_repository(SystemShell(house.environment.base), tmp_path / "repo")
    context = context_of(found, base_of(found))
    real = ports_for(house, context, Preferences())
    shell = Recording(real.shell)
    ports = replace(real, shell=shell)
    issue = issue_of(house, scan(ports, context, Preferences(), SAFE_ORDER, ()), context, Preferences(), ())
    state = first_state(house, found, issue, Preferences(), Budget())
    while isinstance(handoff := decide(state), Handoff) and handoff.stage is not Stage.TEST:
        state = state.record(perform(handoff, state, ports))
    everywhere, dead, wide = (".",), ("dead.py",), ("wide.py",)
    assert shell.looks() == [everywhere, everywhere, dead, dead, wide, wide]
    assert shell.asked() == [everywhere, dead, wide]
