"""Imports at a commit, with real processes, in the sandbox of this machine; and the program that does it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Protocol

from sparky.domain.state import Context
from sparky.domain.testing import Import, Imported
from sparky.tools import import_alone

BUILD = '[build-system]\nrequires = ["uv_build>=0.9"]\nbuild-backend = "uv_build"\n'
PYPROJECT = f'[project]\nname = "calc"\nversion = "1"\n{BUILD}'
PROJECT: dict[str, str | None] = {
    "pyproject.toml": PYPROJECT,
    "src/calc/__init__.py": "",
    "src/calc/sums.py": "import os\n\nopen('here', 'w')\n",
    "src/calc/late.py": "from calc.early import X\n\nY = 1\n",
    "src/calc/early.py": "from calc.late import Y\n\nX = 1\n",
    "src/calc/exits.py": 'open("../out/imports.jsonl", "ab").write(b"\\xff\\n{}\\n")\nraise SystemExit(0)\n',
    "beside.py": "import calc.nothing\n",
    "fine.py": "import calc\n",
}


class Target(Protocol):
    """What the fixture of this name gives."""

    top: Path

    def commit(self, files: dict[str, str | None]) -> str: ...
    def context(self, base: str) -> Context: ...
    @property
    def imports(self) -> Import: ...


def test_each_module_is_imported_alone_where_the_tests_run_and_what_fails_is_told(target: Target) -> None:
    sha = target.commit(PROJECT)
    modules = ("calc", "calc.early", "calc.exits", "calc.sums")
    told = target.imports(target.context(sha), sha, modules, ("beside", "calc.late", "fine"))
    why = {one.module: (one.why, one.through) for one in told.bad}
    circle = "ImportError: cannot import name 'X' from partially initialized module 'calc.early' "
    assert told.good == ("calc",)
    assert sorted(why) == ["beside", "calc.early", "calc.exits", "calc.late", "calc.sums"]
    assert why["beside"] == ("ModuleNotFoundError: No module named 'calc.nothing'", ("beside",))
    assert why["calc.exits"] == ("SystemExit: 0", ("calc.exits",))
    assert why["calc.early"][0].startswith(circle)
    assert why["calc.early"][0].endswith("(calc/early.py)")
    assert why["calc.early"][1] == ("calc.late", "calc.early")
    assert not (target.top / "here").exists()


def test_what_can_not_be_installed_tells_nothing(target: Target) -> None:
    backend = PYPROJECT.replace("uv_build>", "no-such-backend-at-all>")
    sha = target.commit({**PROJECT, "pyproject.toml": backend})
    assert target.imports(target.context(sha), sha, ("calc",), ()) == Imported()


def test_a_module_that_hangs_or_dies_costs_its_own_time_and_no_other_module(tmp_path: Path) -> None:
    sources = {
        "hangs": "import time\ntime.sleep(60)\n",
        "dies": "import os\nos.kill(os.getpid(), 9)\n",
        "ends": "import os\nos._exit(3)\n",
        "talks": "import sys\nprint('x' * 100)\nsys.stdin.read()\n",
        "broken": "def f(:\n",
    }
    for name, text in sources.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    told = {
        "modules": {name: str(tmp_path / f"{name}.py") for name in sources},
        "beside": {},
        "report": str(tmp_path / "report"),
        "seconds": 0.5,
        "whole": 30,
    }
    (tmp_path / "plan").write_text(json.dumps(told), encoding="utf-8")
    argv = (sys.executable, import_alone.__file__, str(tmp_path / "plan"))
    done = subprocess.run(argv, env={"PYTHONPATH": str(tmp_path)}, check=True, capture_output=True)
    lines = map(json.loads, (tmp_path / "report").read_text(encoding="utf-8").splitlines())
    assert {line["module"]: line["why"].partition(" (")[0] for line in lines} == {
        "hangs": "takes more than 0.5 s",
        "dies": "dies of signal 9",
        "ends": "ends its process with code 3",
        "talks": "",
        "broken": "SyntaxError: invalid syntax",
    }
    assert done.stdout + done.stderr == b""
