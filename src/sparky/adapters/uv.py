"""uv, which makes environments and builds projects: foreign code runs in it, so it runs confined."""

import json
import platform
import re
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from uv import find_uv_bin

from sparky.domain.command import Command, Completed, Policy
from sparky.ports import Shell

_PROBE = "import json, platform, sys; print(json.dumps([platform.python_version(), sys.base_prefix]))"
_PREFIX_PARTS = ("bin", "lib", "lib64", "include")
_TIMEOUT_S = 1800.0
_LINES = 7


class BuildError(Exception):
    """An environment could not be built; the text says why, `log` is all that the installer said."""

    def __init__(self, text: str, log: bytes = b"") -> None:
        super().__init__(text)
        self.log = log


class UnbuildableError(BuildError):
    """The project itself does not build: its own fault, not the environment's."""


class Uv:
    """uv with a cache of its own, for one Python.

    `index_env`: the variables that tell an installer its index; the absolute paths and file URLs in them
    (of certificates, configuration, wheels) may be read. `sandbox` False: run it unconfined.
    """

    def __init__(
        self, shell: Shell, cache: Path, *, python: Path, index_env: Mapping[str, str], sandbox: bool
    ) -> None:
        self._shell = shell
        self._cache = cache / "uv"
        self._python = python
        self._index_env = index_env
        self._sandbox = sandbox
        self._program = Path(find_uv_bin())

    @property
    def python(self) -> Path:
        """The interpreter that environments are made of."""
        return self._python

    @cached_property
    def _probed(self) -> tuple[str, Path]:
        if self._python == Path(sys.executable):
            return platform.python_version(), Path(sys.base_prefix)
        argv = (str(self._python), "-I", "-c", _PROBE)
        completed = self._shell.run(Command(argv=argv, cwd=Path("/"), timeout_s=60.0))
        if not completed.ok:
            raise BuildError(f"cannot run {self._python}: {completed.text().strip()}", completed.stderr)
        version, prefix = json.loads(completed.stdout)
        return version, Path(prefix)

    @property
    def version(self) -> str:
        """The exact version of the interpreter; raises BuildError if it does not run."""
        return self._probed[0]

    @property
    def readable(self) -> tuple[Path, ...]:
        """What the interpreter needs to be readable to run at all."""
        return tuple(self._probed[1] / part for part in _PREFIX_PARTS)

    def run(
        self, *args: str, place: Path, writable: Path, project: str, readable: tuple[Path, ...] = ()
    ) -> Completed:
        """Run uv in the tree of a scratch `place`; it may write there, to its cache, and below `writable`.

        `project`: the name of what the tree holds. Build tools that ask git for its version are told one.
        """
        self._cache.mkdir(parents=True, exist_ok=True)
        words = [word for value in self._index_env.values() for word in re.split(r"[\s,]+", value)]
        paths = [word.removeprefix("file://") for word in words]
        policy = Policy(
            writable=(place, self._cache, writable),
            readable=(
                self._program,
                *self.readable,
                *readable,
                *(Path(path) for path in paths if path.startswith("/")),
            ),
            network=True,
        )
        scm = f"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_{re.sub(r'[^A-Za-z0-9]+', '_', project).upper()}"
        fixed = {
            "UV_CACHE_DIR": str(self._cache),
            "UV_NO_PROGRESS": "1",
            "UV_COMPILE_BYTECODE": "0",
            "UV_PYTHON_DOWNLOADS": "never",
            "TMPDIR": str(place / "tmp"),
            scm: "0.0.0",
        }
        return self._shell.run(
            Command(
                argv=(str(self._program), *args),
                cwd=place / "tree",
                env={**self._index_env, **fixed},
                timeout_s=_TIMEOUT_S,
                policy=policy if self._sandbox else None,
            )
        )


def reason(completed: Completed) -> str:
    """What uv said was wrong, on one line."""
    lines = [line.strip(" │├╰─▶\N{MULTIPLICATION SIGN}") for line in completed.text().splitlines()]
    told = [line for line in lines if line and not line.startswith(("Using ", "Resolved ", "Building "))]
    shown = told if len(told) < _LINES else [*told[:2], told[-1]]
    return " / ".join(shown)[:600] or completed.ending.value
