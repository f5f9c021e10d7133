"""One run of a test command: what is started, where, and what its report is read from."""

import importlib.resources
import json
import os
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

from sparky.adapters.installs import installed
from sparky.domain.command import Command, Completed, Policy
from sparky.targets.environment import TargetEnvironment
from sparky.targets.overlay import module_names
from sparky.targets.pytest_jsonl import parse
from sparky.targets.suite import Judgement, find_pytest, judge_command, judge_pytest, own_names

_PLUGIN = "sparky_pytest_report"


@dataclass(frozen=True, kw_only=True)
class Performance:
    """One run of `command` in a scratch `place` whose tree is the commit's.

    `files`: the commit's paths; `known`: those of its base, too. `lib`: where its project is installed, None:
    nowhere. `only`: the node ids to run, empty: all. `path`: the caller's PATH; `readable`: what the
    interpreter needs.
    """

    command: tuple[str, ...]
    only: tuple[str, ...]
    environment: TargetEnvironment
    lib: Path | None
    place: Path
    files: tuple[str, ...]
    known: tuple[str, ...]
    path: str
    readable: tuple[Path, ...]

    def prepare(self, *, timeout_s: float, sandbox: bool) -> Command:
        """The command to run, with all that it needs in place."""
        tree, home = self.place / "tree", Path(self.environment.path)
        lib = (self.lib,) if self.lib else ()
        policy = Policy(
            writable=(tree, self.place / "tmp", self.place / "out"),
            readable=(self.place, home, *lib, *self.readable),
        )
        paths = [home / "bin", *(part / "bin" for part in lib)]
        return Command(
            argv=self._argv(),
            cwd=tree,
            env={
                "PATH": os.pathsep.join([*map(str, paths), self.path or os.defpath]),
                "PYTHONPATH": os.pathsep.join(map(str, [self.place / "plugin", *self._sources()])),
                "VIRTUAL_ENV": str(home),
                "TMPDIR": str(self.place / "tmp"),
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONHASHSEED": "0",
            },
            timeout_s=timeout_s,
            policy=policy if sandbox else None,
        )

    def judge(self, completed: Completed) -> Judgement:
        """What came of it."""
        if find_pytest(self.command) is None:
            return judge_command(completed, shlex.join(self.command))
        tree, report = self.place / "tree", self.place / "out" / "report.jsonl"
        names = {f"{root}/": "" for root in (self.lib, tree) if root} | {str(self.place): "<scratch>"}
        judged = judge_pytest(
            completed,
            parse(report.read_bytes() if report.exists() else b"", names),
            roots=[str(root.resolve()) for root in (tree, *self._sources())],
            own=own_names(self.known),
        )
        return replace(judged, detail=judged.detail.replace(f"{tree}/", ""))

    def _argv(self) -> tuple[str, ...]:
        at = find_pytest(self.command)
        if at is None:
            return self.command
        plugin = importlib.resources.files("sparky") / "tools" / "pytest_report.py"
        (self.place / "plugin").mkdir()
        (self.place / "plugin" / f"{_PLUGIN}.py").write_bytes(plugin.read_bytes())
        modules = installed(self.lib) if self.lib else [path.removeprefix("src/") for path in self.files]
        plan = {
            "report": str(self.place / "out" / "report.jsonl"),
            "modules": module_names(modules),
            "only": self.only or None,
        }
        (self.place / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        ours = ("-p", _PLUGIN, f"--sparky-plan={self.place / 'plan.json'}")
        # One word each: pytest would look for its configuration where a second word points.
        # A run that stops at its first failure cannot be compared with another.
        whole = (f"--rootdir={self.place / 'tree'}", "--continue-on-collection-errors", "--maxfail=0")
        return (*self.command[:at], *ours, *whole, *self.command[at:], *self._limits(at))

    def _limits(self, at: int) -> list[str]:
        """The files of `only`, so that no others are collected, where the command names none itself."""
        if len(self.command) > at:
            return []
        return sorted({node.split("::")[0] for node in self.only} & {*self.files})

    def _sources(self) -> list[Path]:
        """Where the project's modules are imported from: its installation, else its files as they lie."""
        if self.lib is not None:
            return [self.lib]
        tree = self.place / "tree"
        return [tree / "src", tree] if (tree / "src").is_dir() else [tree]
