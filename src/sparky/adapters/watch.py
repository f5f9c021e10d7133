"""Watching which lines the tests run: coverage.py, put beside them in every process of Python they start."""

import importlib.resources
import importlib.util
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sparky.domain.change import is_text
from sparky.formats.values_json import UnreadableStateError, decode

Numbers = Mapping[str, tuple[int, ...]]
"""Line numbers by path."""

_START = "import coverage\n\ncoverage.process_startup()\n"
_READER = "lines_run.py"


@dataclass(frozen=True, kw_only=True)
class Watch:
    """What is looked at in one run of the tests in a scratch `place`; `lib`: where the project is installed.

    Names that are not UTF-8 are not looked for: of such a file nothing is seen to be run.
    """

    lines: Numbers
    place: Path
    lib: Path | None

    def start(self, home: Path) -> dict[str, str]:
        """Put coverage.py beside the tests, whose Python is that of `home`; returns their environment."""
        plugin, settings = self.place / "plugin", self.place / "coverage.toml"
        found = importlib.util.find_spec("coverage")
        if found is None or found.origin is None:
            return {}
        shutil.copytree(
            Path(found.origin).parent, plugin / "coverage", ignore=shutil.ignore_patterns("htmlfiles")
        )
        (plugin / "sitecustomize.py").write_text(_START, encoding="utf-8")
        names = sorted({f"*/{PurePosixPath(path).name}" for path in self._paths})
        told = {"data_file": str(self.place / "out" / "coverage"), "include": names}
        said = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in told.items())
        settings.write_text(f"[tool.coverage.run]\nparallel = true\n{said}", encoding="utf-8")
        # Of two that measure in one process only the one that came last sees anything.
        alone = any(home.glob("lib/python*/site-packages/pytest_cov"))
        return {"COVERAGE_PROCESS_START": str(settings), **({"PYTEST_ADDOPTS": "--no-cov"} if alone else {})}

    def reader(self, home: Path) -> tuple[str, ...]:
        """The command that says what was not run, to be started where the tests were."""
        plan, program = self.place / "lines.json", self.place / "plugin" / _READER
        program.write_bytes((importlib.resources.files("sparky") / "tools" / _READER).read_bytes())
        told = {
            "data": str(self.place / "out" / "coverage"),
            "lines": {path: self.lines[path] for path in self._paths},
            "copies": {path: [str(copy) for copy in self._copies(path)] for path in self._paths},
        }
        plan.write_text(json.dumps(told), encoding="utf-8")
        # Nothing of the project's own may stand in the way of what it imports.
        return str(home / "bin" / "python"), "-E", "-s", "-S", str(program), str(plan)

    def unrun(self, said: bytes) -> Numbers:
        """What was not run, by what the reader said; all of it, if it said nothing that can be read."""
        try:
            told = decode(said, dict[str, tuple[int, ...]])
        except UnreadableStateError:
            told = {}
        seen = {path: told.get(path, numbers) for path, numbers in self.lines.items()}
        return {path: numbers for path, numbers in seen.items() if numbers}

    @property
    def _paths(self) -> tuple[str, ...]:
        return tuple(path for path in self.lines if is_text(path))

    def _copies(self, path: str) -> list[Path]:
        """The file itself, and the same bytes where the project is installed."""
        here = self.place / "tree" / path
        parts = PurePosixPath(path).parts
        there = [self.lib.joinpath(*parts[at:]) for at in range(len(parts))] if self.lib else []
        return [
            here,
            *(copy for copy in there if copy.is_file() and copy.read_bytes() == here.read_bytes()),
        ]
