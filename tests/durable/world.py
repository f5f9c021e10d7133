"""A small repository with a bug, its issue and a script that mends it; sparky on it, as a user calls it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tests.acceptance.world import Nursery

_FILES = {
    "calc.py": "import os\n\n\ndef double(x):\n    return x * 3\n",
    "tests/test_calc.py": "from calc import double\n\n\ndef test_double():\n    assert double(2) == 4\n",
    "issues/001-double.md": "# Issue #001: double is wrong\n\n## Type\nbug\n\n## Files\n- calc.py\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
}
QUICK = {name: text for name, text in _FILES.items() if name.endswith((".md", "calc.py"))} | {
    "Makefile": "test:\n\t@grep -q 'x [*] 2' calc.py\n"
}
"""The same bug, and tests that take no time."""
_SCRIPT = """
[[session]]
summary = "doubled"
[[session.steps]]
do = "replace"
path = "calc.py"
old = "x * 3"
text = "x * 2"
"""
_WITHIN = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, 2 * (int(sys.argv.pop(1)),))
from sparky.cli.main import main
main()
"""


@dataclass(frozen=True, kw_only=True)
class World:
    """Where a test's repository and sparky's own directories are."""

    root: Path
    cache: Path
    nursery: Nursery | None = None

    @property
    def repo(self) -> Path:
        return self.root / "repo"

    @property
    def state(self) -> Path:
        return self.root / "state"

    @property
    def script(self) -> Path:
        return self.root / "script.toml"

    @property
    def env(self) -> dict[str, str]:
        own = {
            "SPARKY_STATE_DIR": str(self.state),
            "SPARKY_CACHE_DIR": str(self.cache),
            "HOME": str(self.root),
        }
        return {**os.environ, **own}

    def sparky(self, *words: str) -> subprocess.CompletedProcess[str]:
        """The command line, to its end."""
        assert self.nursery is not None
        said = self.nursery.call(words, self.repo, self.env, self.root)
        return subprocess.CompletedProcess(words, said.code, said.out, said.err)

    def within(self, room: int, *words: str) -> subprocess.CompletedProcess[str]:
        """The command line, to its end, where no file can grow beyond so many bytes."""
        return subprocess.run(
            [sys.executable, "-c", _WITHIN, str(room), *words],
            cwd=self.repo,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def another(
        self, name: str, script: str = _SCRIPT, files: Mapping[str, str] = MappingProxyType(_FILES)
    ) -> "World":
        """A world below this one."""
        return make_world(self.root / name, self.cache, self.nursery, script, files)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """The command line, left running."""
        return subprocess.Popen(
            [sys.executable, "-m", "sparky", *words],
            cwd=self.repo,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def git(self, *words: str) -> str:
        """What git says in the repository."""
        argv = ["git", "-c", "user.name=T", "-c", "user.email=t@localhost", *words]
        return subprocess.run(argv, cwd=self.repo, check=True, capture_output=True, text=True).stdout.strip()

    def runs(self) -> list[dict[str, object]]:
        """`sparky status --json`."""
        listed: list[dict[str, object]] = json.loads(self.sparky("status", "--json").stdout)
        return listed


def make_world(
    root: Path,
    cache: Path,
    nursery: Nursery | None,
    script: str = _SCRIPT,
    files: Mapping[str, str] = MappingProxyType(_FILES),
) -> World:
    """The repository, committed, on branch main."""
    world = World(root=root, cache=cache, nursery=nursery)
    for name, text in files.items():
        path = world.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    world.script.write_text(script, encoding="utf-8")
    world.git("init", "-q", "-b", "main")
    world.git("add", "-A")
    world.git("commit", "-qm", "base")
    return world
