"""One run of a test command: what is started, where, and what its results are read from."""

import importlib.resources
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from sparky.adapters.installs import installed
from sparky.adapters.traced import start
from sparky.adapters.watch import Numbers, Watch
from sparky.adapters.written import Stamps, stamps, written
from sparky.domain.command import Command, Completed, Policy
from sparky.domain.testing import Imported, Unimported
from sparky.formats.values_json import UnreadableStateError, load
from sparky.ports import Shell
from sparky.targets.environment import TargetEnvironment
from sparky.targets.overlay import module_names
from sparky.targets.suite import Judgement, Plan, Seen, Suite, module_of, own_names
from sparky.targets.suites.by_command import REPORT_LIMIT
from sparky.targets.suites.stream_jsonl import json_lines, parse
from sparky.targets.suites.table import suite_of
from sparky.targets.toolchains import OFFLINE, Toolchains, kept_in, toolchains

_SET_UP_S = 1800.0
_READ_S = 120.0
_IMPORTER = "import_alone.py"
_OUTPUT_LIMIT = 16_000_000
"""Bytes per stream: what some tools print is their one report."""


@dataclass(frozen=True, kw_only=True)
class Performance:
    """One run of `command` in a scratch `place` whose tree is the commit's.

    `report`: where the command writes its own, "": nobody said. `environment` None: it needs no Python.
    `store`: where what is fetched for it is kept, None: nothing is.
    `files`: the commit's paths; `base_files`: those of its base; `lost`: paths of modules that were its own
    once. `lib`: where its project is installed, None: nowhere. `only`: the ids to run, empty: all. `path`:
    the caller's PATH; `readable`: what the interpreter needs. `lines`: those of which it is to be seen
    whether they are run.
    """

    command: tuple[str, ...]
    report: str
    store: Path | None
    only: tuple[str, ...]
    environment: TargetEnvironment | None
    lib: Path | None
    place: Path
    files: tuple[str, ...]
    base_files: tuple[str, ...]
    path: str
    readable: tuple[Path, ...]
    lines: Numbers = field(default_factory=dict)
    lost: tuple[str, ...] = ()

    def set_up(self, argv: tuple[str, ...], *, index_env: Mapping[str, str], sandbox: bool) -> Command:
        """What is run before the tests, to fetch what they need: it alone may use the network."""
        policy = self._policy(Policy(network=True, writable=(self.store,) if self.store else ()))
        return Command(
            argv=argv,
            cwd=self.place / "tree",
            env={**index_env, **self._env()},
            timeout_s=_SET_UP_S,
            policy=policy if sandbox else None,
        )

    def prepare(self, *, timeout_s: float, sandbox: bool, traced: bool = False) -> Command:
        """The command to run, with all that it needs in place; `traced`: its functions are watched."""
        (self.place / "plugin").mkdir()
        if traced:
            # Tests beside a package import it from where they lie.
            start(self.place, [*self._sources(), self.place / "tree"])
        watching = self._watch.start(Path(self.environment.path)) if self.environment and self.lines else {}
        command = Command(
            argv=self._argv(),
            cwd=self.place / "tree",
            env={**self._env(), **watching},
            timeout_s=timeout_s,
            policy=self._policy(Policy()) if sandbox else None,
        )
        if self._suite.REPORTER:
            return command
        return replace(command, env={**command.env, **OFFLINE}, output_limit=_OUTPUT_LIMIT)

    def importing(
        self, modules: Sequence[str], beside: Sequence[str], *, timeout_s: float, sandbox: bool
    ) -> Command:
        """The command that imports modules, and writes nothing into the tree; see `tools/import_alone.py`."""
        (self.place / "plugin").mkdir()
        tree, program = self.place / "tree", self.place / "plugin" / _IMPORTER
        program.write_bytes((importlib.resources.files("sparky") / "tools" / _IMPORTER).read_bytes())
        # What is not installed may be imported from where it lies, as by tests beside it.
        roots = [*dict.fromkeys((*self._sources(), *filter(Path.is_dir, (tree / "src",)), tree))]
        told = {
            "modules": {name: _file_of(name, roots) for name in modules},
            "beside": {name: _file_of(name, roots) for name in beside},
            "report": str(self.place / "out" / "imports.jsonl"),
            "seconds": timeout_s / 4,
            "whole": timeout_s / 2,
        }
        plan = self.place / "imports.json"
        plan.write_text(json.dumps(told), encoding="utf-8")
        policy = replace(self._policy(Policy()), writable=(self.place / "tmp", self.place / "out"))
        return Command(
            argv=("python", str(program), str(plan)),
            cwd=tree,
            env={**self._env(), "PYTHONPATH": os.pathsep.join(map(str, roots))},
            timeout_s=timeout_s,
            policy=policy if sandbox else None,
        )

    def imported(self) -> Imported:
        """What came of it; what a module that was imported wrote there itself is passed over."""
        report = self.place / "out" / "imports.jsonl"
        text = report.read_text("utf-8", "replace") if report.is_file() else ""
        for path, name in self._names.items():
            text = text.replace(path, name)
        said: dict[str, Unimported] = {}
        for line in json_lines(text):
            with suppress(UnreadableStateError):
                one = load(line, Unimported)
                said[one.module] = one
        bad = (one for one in said.values() if one.why)
        return Imported(
            good=tuple(sorted(name for name, one in said.items() if not one.why)),
            bad=tuple(sorted(bad, key=lambda one: one.module)),
        )

    def unrun(self, shell: Shell, *, sandbox: bool) -> Numbers:
        """Those of `lines` that were not seen to be run; all of them where that can't be told."""
        if not self.environment or not self.lines:
            return dict(self.lines)
        read = Command(
            argv=self._watch.reader(Path(self.environment.path)),
            cwd=self.place / "out",
            env={"TMPDIR": str(self.place / "tmp")},
            timeout_s=_READ_S,
            policy=self._policy(Policy()) if sandbox else None,
        )
        return self._watch.unrun(shell.run(read).stdout)

    @property
    def _watch(self) -> Watch:
        return Watch(lines=self.lines, place=self.place, lib=self.lib)

    def _policy(self, more: Policy) -> Policy:
        """What every command here may touch, and more."""
        homes = (Path(self.environment.path),) if self.environment else ()
        known = (*homes, *((self.lib,) if self.lib else ()), *((self.store,) if self.store else ()))
        return replace(
            more,
            writable=(self.place / "tree", self.place / "tmp", self.place / "out", *more.writable),
            readable=(self.place, *known, *self.readable, *self._tools.readable),
        )

    def _env(self) -> dict[str, str]:
        homes = (Path(self.environment.path),) if self.environment else ()
        paths = [part / "bin" for part in (*homes, *((self.lib,) if self.lib else ()))]
        return {
            "PATH": os.pathsep.join([*map(str, paths), self.path or os.defpath]),
            "PYTHONPATH": os.pathsep.join(map(str, [self.place / "plugin", *self._sources()])),
            **({"VIRTUAL_ENV": self.environment.path} if self.environment else {}),
            "TMPDIR": str(self.place / "tmp"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            **self._tools.env,
            **(kept_in(self.store) if self.store else {}),
        }

    @cached_property
    def _tools(self) -> Toolchains:
        """Those of other languages: for Python's own suites only where something is set up for them."""
        return toolchains(self.path) if self.store or not self._suite.REPORTER else Toolchains()

    def stamps(self) -> Stamps:
        """The reports that lie in the tree; to be asked before the command is run."""
        return {} if self._suite.REPORTER else stamps(self.place / "tree", self.report)

    def judge(self, completed: Completed, before: Stamps) -> Judgement:
        """What came of it; `before`: the reports that lay there before."""
        tree, report = self.place / "tree", self.place / "out" / "report.jsonl"
        reported = parse(report.read_bytes() if report.is_file() else b"", self._names)
        found = {} if self._suite.REPORTER else written(tree, before, self.report, REPORT_LIMIT)
        judged = self._suite.judge(
            Seen(
                name=shlex.join(self.command),
                completed=completed,
                report=reported,
                written=found,
                asked=self.report,
                roots=tuple(str(root.resolve()) for root in (tree, *self._sources())),
                own=own_names((*self.files, *self.base_files, *self.lost)),
                names=self._names,
            )
        )
        return replace(judged, detail=judged.detail.replace(f"{tree}/", ""))

    @property
    def _names(self) -> dict[str, str]:
        """The directories of this run, and what stands for them in texts."""
        roots = (self.lib, self.place / "tree")
        return {f"{root}/": "" for root in roots if root} | {str(self.place): "<scratch>"}

    @cached_property
    def _suite(self) -> Suite:
        return suite_of(self.command)

    def _argv(self) -> tuple[str, ...]:
        plan = self.place / "plan.json"
        if reporter := self._suite.REPORTER:
            source = importlib.resources.files("sparky") / "tools" / reporter
            (self.place / "plugin" / f"{module_of(reporter)}.py").write_bytes(source.read_bytes())
            modules = installed(self.lib) if self.lib else [path.removeprefix("src/") for path in self.files]
            told = {
                "report": str(self.place / "out" / "report.jsonl"),
                "modules": module_names(modules),
                "only": self.only or None,
            }
            plan.write_text(json.dumps(told), encoding="utf-8")
        facts = Plan(file=str(plan), tree=str(self.place / "tree"), files=self.files, only=self.only)
        return self._suite.argv(self.command, facts)

    def _sources(self) -> list[Path]:
        """Where the project's modules are imported from: its installation, else its files as they lie."""
        if self.lib is not None:
            return [self.lib]
        tree = self.place / "tree"
        return [tree / "src", tree] if (tree / "src").is_dir() else [tree]


def _file_of(module: str, roots: Sequence[Path]) -> str | None:
    """Where a module lies; None if that can't be told from its name."""
    parts = module.split(".")
    files = (root.joinpath(*parts[:-1], f"{parts[-1]}.py") for root in roots)
    packages = (root.joinpath(*parts, "__init__.py") for root in roots)
    return next((str(file) for file in (*files, *packages) if file.is_file()), None)
