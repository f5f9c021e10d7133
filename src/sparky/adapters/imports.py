"""Modules imported at an exact commit: where its tests would run, and confined as they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sparky.adapters.environment import Environments
from sparky.adapters.installs import Installs
from sparky.adapters.performance import Performance
from sparky.adapters.scratch import scratch
from sparky.adapters.uv import BuildError, Uv
from sparky.domain.state import Context
from sparky.domain.testing import Imported
from sparky.ports import Repository, Shell

LIMIT_S = 40.0
"""How long the program may take; all imports of a commit may take half of it, one of them a quarter."""
_LIKE = ("pytest",)
"""The command of whose runs the imports are one."""


@dataclass(frozen=True, kw_only=True)
class Imports:
    """Imports with the environments and installations that the tests have, which are kept below `cache`."""

    shell: Shell
    repository: Repository
    uv: Uv
    cache: Path
    path: str
    sandbox: bool

    def __call__(self, context: Context, sha: str, modules: Sequence[str], beside: Sequence[str]) -> Imported:
        """See `Import` in `domain/testing.py`; nothing could be tried where there is no environment."""
        try:
            environment = self._environments.get(sha)
            lib = self._installs.get(context.base, sha)
        except BuildError:
            return Imported()
        with scratch(self._home / "scratch") as place:
            self.repository.export(sha, place / "tree")
            performance = Performance(
                command=_LIKE,
                report="",
                store=None,
                only=(),
                environment=environment,
                lib=lib,
                place=place,
                files=self.repository.files(sha),
                base_files=(),
                path=self.path,
                readable=self.uv.readable,
            )
            self.shell.run(performance.importing(modules, beside, timeout_s=LIMIT_S, sandbox=self.sandbox))
            return performance.imported()

    @cached_property
    def _environments(self) -> Environments:
        return Environments(self.repository, self.uv, self._home)

    @cached_property
    def _installs(self) -> Installs:
        return Installs(self.repository, self._environments, self.uv, self._home)

    @cached_property
    def _home(self) -> Path:
        return self.cache.resolve()
