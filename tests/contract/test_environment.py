"""Environments and installations with real uv: what is in them, and that a half one is never used."""

import os
import platform
import re
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Protocol

import pytest

from sparky.adapters.environment import RECORDS, Environments
from sparky.adapters.installs import Installs
from sparky.adapters.locks import FileLocks
from sparky.adapters.repository import GitRepository
from sparky.adapters.scratch import scratch
from sparky.adapters.shell import SystemShell
from sparky.adapters.uv import BuildError, UnbuildableError, Uv
from sparky.environment import read_environment
from sparky.targets.environment import TargetEnvironment
from tests.contract.conftest import pack

BUILD = '[build-system]\nrequires = ["uv_build>=0.9"]\nbuild-backend = "uv_build"\n'
PROJECT = '[project]\nname = "calc"\nversion = "1"\n'
CALC = {
    "pyproject.toml": PROJECT + BUILD,
    "src/calc/__init__.py": "import calc.parts\n",
    "src/calc/parts.py": "A = 1\n",
}
# A backend of the project's own, which waits for a reader of the FIFO named `gate` beside the repository,
# and writes another module than the one it finds.
OWN_BUILD = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
BACKEND = """
import os, zipfile

def build_wheel(directory, settings=None, metadata=None):
    if os.path.exists(GATE):
        os.close(os.open(GATE, os.O_WRONLY))
    source = open("calc.py").read()
    if "syntax error" in source:
        raise SystemExit(source)
    files = {
        "calc.py": source.replace("A", "B"),
        "calc-1.dist-info/METADATA": "Metadata-Version: 2.1\\nName: calc\\nVersion: 1\\n",
        "calc-1.dist-info/WHEEL": "Wheel-Version: 1.0\\nTag: py3-none-any\\n",
        "calc-1.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(os.path.join(directory, "calc-1-py3-none-any.whl"), "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return "calc-1-py3-none-any.whl"
"""
DYNAMIC = '[project]\nname = "calc"\nversion = "1"\ndynamic = ["dependencies"]\n' + OWN_BUILD


@pytest.fixture(scope="session")
def session_cache(session_cache: Path) -> Path:
    """A cache beside that of the other tests, whose environments hold the whole of pytest."""
    cache = session_cache / "light"
    cache.mkdir(exist_ok=True)
    return cache


@pytest.fixture(scope="session")
def wheels(session_cache: Path) -> Path:
    """A directory of wheels: `needed` 1.0, and a pytest of no content, since no test is run here."""
    place = session_cache / "wheels"
    with FileLocks(session_cache / "locks").hold("wheels"):
        if not place.exists():
            place.mkdir()
            (place / "uv.toml").write_text("no-index = true\n")
            pack(place, "needed", {"needed.py": ""})
            pack(place, "pytest", {"pytest.py": ""}, version="9.0")
    return place


class Target(Protocol):
    """What the fixtures of this name give."""

    top: Path
    cache: Path
    index: dict[str, str]

    def commit(self, files: dict[str, str | None]) -> str: ...
    def git(self, *args: str) -> str: ...
    @property
    def shell(self) -> SystemShell: ...
    @property
    def repository(self) -> GitRepository: ...
    @property
    def environments(self) -> Environments: ...
    @property
    def installs(self) -> Installs: ...


def importable(environment: TargetEnvironment, *modules: str) -> list[str]:
    program = "import importlib.util, sys; print(*filter(importlib.util.find_spec, sys.argv[1:]))"
    argv = [f"{environment.path}/bin/python", "-I", "-c", program, *modules]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.split()


def tree(lib: Path | None) -> dict[str, str]:
    assert lib is not None
    return {str(path.relative_to(lib)): path.read_text() for path in lib.rglob("*.py")}


def test_an_environment_holds_what_is_declared_for_tests_and_names_what_cannot_be_had(target: Target) -> None:
    extras = 'optional-dependencies = { test = ["no-such-thing>=2", "needed>=1"] }\n'
    sha = target.commit({"pyproject.toml": PROJECT + extras + BUILD, "src/calc/__init__.py": ""})
    environment = target.environments.get(sha)
    assert environment.missing == ("no-such-thing>=2",)
    assert importable(environment, "needed", "pytest", "calc") == ["needed", "pytest"]
    assert target.git("status", "--porcelain", "--ignored") == ""


def test_a_pin_that_cannot_be_had_gives_way_to_any_version(target: Target) -> None:
    sha = target.commit({"requirements-dev.txt": "needed==0.5\npytest==5.4\n"})
    environment = target.environments.get(sha)
    assert (environment.missing, environment.replaced) == ((), ("needed instead of needed==0.5",))
    assert importable(environment, "needed", "pytest") == ["needed", "pytest"]


def test_a_python_that_the_project_does_not_run_on_is_named_before_anything_is_built(
    fresh_target: Target,
) -> None:
    sha = fresh_target.commit({"pyproject.toml": f'{PROJECT}requires-python = ">=3.999"\n'})
    ours = f"{platform.python_version()} ({sys.executable})"
    said = (
        "calc requires Python >=3.999 (pyproject.toml), and sparky tests with its own, "
        f"{ours}: install sparky into one that fits"
    )
    with pytest.raises(BuildError, match=re.escape(said)):
        fresh_target.environments.get(sha)
    assert not (fresh_target.cache / "envs").exists()


def test_the_layout_of_setup_py_makes_no_other_environment(target: Target) -> None:
    setup = "from setuptools import setup\nsetup(name='a', install_requires=['needed'])\n"
    texts = (
        setup,
        setup.replace("'", '"').replace("(", "(\n    # a comment\n    "),
        setup.replace("'a'", "'b'"),
    )
    keys = [target.environments.get(target.commit({"setup.py": text})).key for text in texts]
    assert (keys[0] == keys[1], keys[0] == keys[2]) == (True, False)


def test_the_same_declarations_share_an_environment_and_others_do_not(target: Target) -> None:
    shas = [
        target.commit({"requirements.txt": "needed\n"}),
        target.commit({"module.py": "1"}),
        target.commit({"requirements.txt": "needed>=1\n"}),
    ]
    keys = [target.environments.get(sha).key for sha in shas]
    assert (keys[0] == keys[1], keys[0] == keys[2]) == (True, False)


def test_an_environment_that_is_used_is_as_good_as_new(target: Target) -> None:
    sha = target.commit({})
    record = target.cache / RECORDS / f"{target.environments.get(sha).key}.json"
    os.utime(record, (0, 0))
    target.environments.get(sha)
    assert record.stat().st_mtime > 0


def test_two_that_want_an_environment_at_once_get_one(fresh_target: Target) -> None:
    sha = fresh_target.commit({"module.py": ""})
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(lambda _: fresh_target.environments.get(sha), range(2))
    assert one == other
    assert list((fresh_target.cache / "envs").glob("*/")) == [Path(one.path)]


def test_an_index_that_cannot_be_reached_leaves_no_environment(fresh_target: Target) -> None:
    sha = fresh_target.commit({"module.py": ""})
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        index = {
            "UV_DEFAULT_INDEX": f"http://127.0.0.1:{deaf.getsockname()[1]}/simple",
            "UV_HTTP_RETRIES": "0",
        }
        uv = Uv(
            fresh_target.shell, fresh_target.cache, python=Path(sys.executable), index_env=index, sandbox=True
        )
        environments = Environments(fresh_target.repository, uv, fresh_target.cache)
        with pytest.raises(BuildError, match="the package index cannot be reached"):
            environments.get(sha)
    assert importable(fresh_target.environments.get(sha), "pytest") == ["pytest"]


BUILDER = """
import sys
from pathlib import Path
from sparky.adapters.environment import RECORDS, Environments
from sparky.adapters.repository import GitRepository
from sparky.adapters.scratch import scratch
from sparky.adapters.shell import SystemShell
from sparky.adapters.uv import Uv
top, cache, config, sha, path = sys.argv[1:]
shell = SystemShell({"PATH": path})
index = {"UV_CONFIG_FILE": config, "UV_FIND_LINKS": str(Path(config).parent)}
uv = Uv(shell, Path(cache), python=Path(sys.executable), index_env=index, sandbox=False)
repository = GitRepository(shell, Path(top), Path(top, ".git"), Path(cache, "work"))
print(Environments(repository, uv, Path(cache)).get(sha).path)
"""


def test_a_build_that_was_killed_leaves_no_environment_that_is_used(fresh_target: Target) -> None:
    gate = fresh_target.top.parent / "gate"
    os.mkfifo(gate)
    files = {"pyproject.toml": DYNAMIC, "backend.py": f"GATE = {str(gate)!r}\n{BACKEND}", "calc.py": ""}
    sha = fresh_target.commit({**files})
    config = fresh_target.index["UV_CONFIG_FILE"]
    argv = [sys.executable, "-c", BUILDER, str(fresh_target.top), str(fresh_target.cache), config, sha]
    with subprocess.Popen([*argv, os.environ["PATH"]], stdout=subprocess.PIPE) as process:
        with gate.open("rb") as building:
            process.kill()
            assert building.read() == b""
        process.communicate()
    gate.unlink()
    assert list((fresh_target.cache / "envs").glob("*.json")) == []
    environment = fresh_target.environments.get(sha)
    assert importable(environment, "pytest") == ["pytest"]
    assert list((fresh_target.cache / "envs").glob("*/")) == [Path(environment.path)]


def test_where_only_copied_modules_differ_the_installation_of_the_base_is_used(target: Target) -> None:
    base = target.commit({**CALC, "tests/test_x.py": "1\n"})
    head = target.commit({"src/calc/parts.py": "A = 2\n", "tests/test_x.py": "2\n"})
    before, after = target.installs.get(base, base), target.installs.get(base, head)
    assert tree(before) == {"calc/__init__.py": "import calc.parts\n", "calc/parts.py": "A = 1\n"}
    assert tree(after) == {"calc/__init__.py": "import calc.parts\n", "calc/parts.py": "A = 2\n"}
    assert before is not None
    assert after is not None
    shared = [
        (before / "calc" / name).samefile(after / "calc" / name) for name in ("__init__.py", "parts.py")
    ]
    assert shared == [True, False]
    assert target.installs.get(base, head) == after


def test_an_installation_is_made_from_that_of_any_commit_seen_before(target: Target) -> None:
    base, installs = target.commit({**CALC}), target.installs
    built = installs.get(base, target.commit({"src/calc/new.py": "N = 1\n"}))
    copied = installs.get(base, target.commit({"src/calc/parts.py": "A = 2\n"}))
    assert built is not None
    assert copied is not None
    assert tree(copied) == {**tree(built), "calc/parts.py": "A = 2\n"}
    assert (built / "calc/new.py").samefile(copied / "calc/new.py")


def test_a_new_module_and_a_new_version_take_a_build(target: Target) -> None:
    base = target.commit({**CALC})
    before = target.installs.get(base, base)
    assert before is not None
    for change in ({"src/calc/new.py": ""}, {"src/calc/parts.py": "__version__ = '2'\n"}):
        after = target.installs.get(base, target.commit({**change}))
        assert after is not None
        assert not (before / "calc/__init__.py").samefile(after / "calc/__init__.py")
        assert (
            tree(after).items() >= {name.removeprefix("src/"): text for name, text in change.items()}.items()
        )


def test_a_module_that_the_build_transforms_takes_a_build(target: Target) -> None:
    files = {
        "pyproject.toml": PROJECT + OWN_BUILD,
        "backend.py": "GATE = ''\n" + BACKEND,
        "calc.py": "A = 1\n",
    }
    base = target.commit({**files})
    head = target.commit({"calc.py": "A = 2\n"})
    libs = [target.installs.get(base, sha) for sha in (base, head)]
    assert [tree(lib) for lib in libs] == [{"calc.py": "B = 1\n"}, {"calc.py": "B = 2\n"}]


class Quiet(SimpleHTTPRequestHandler):
    """Serves a directory, and says nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        del format, args


def test_what_one_build_has_fetched_the_next_does_not_ask_the_index_for(
    fresh_target: Target, wheels: Path
) -> None:
    build = OWN_BUILD.replace("requires = []", 'requires = ["needed"]')
    files = {"pyproject.toml": PROJECT + build, "backend.py": "GATE = ''\n" + BACKEND, "calc.py": "A = 1\n"}
    base = fresh_target.commit({**files})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(wheels)))
    index = {**fresh_target.index, "UV_FIND_LINKS": f"http://127.0.0.1:{server.server_port}/"}
    cache, repository = fresh_target.cache, fresh_target.repository
    uv = Uv(fresh_target.shell, cache, python=Path(sys.executable), index_env=index, sandbox=True)
    installs = Installs(repository, Environments(repository, uv, cache), uv, cache)
    with server:
        Thread(target=server.serve_forever, daemon=True).start()
        assert tree(installs.get(base, base)) == {"calc.py": "B = 1\n"}
        server.shutdown()
    assert tree(installs.get(base, fresh_target.commit({"calc.py": "A = 2\n"}))) == {"calc.py": "B = 2\n"}


def test_what_is_no_project_is_not_installed(target: Target) -> None:
    sha = target.commit({"pyproject.toml": "[tool.ruff]\n", "calc.py": ""})
    assert target.installs.get(sha, sha) is None


def test_what_never_built_is_tested_as_it_lies_and_what_no_longer_builds_is_refused(target: Target) -> None:
    project = {"pyproject.toml": PROJECT + OWN_BUILD, "backend.py": "GATE = ''\n" + BACKEND}
    broken = target.commit({**project, "calc.py": "a syntax error of old"})
    assert target.installs.get(broken, broken) is None
    sound = target.commit({"calc.py": "A = 1"})
    assert tree(target.installs.get(broken, sound)) == {"calc.py": "B = 1"}
    worse = target.commit({"calc.py": "a syntax error of today"})
    with pytest.raises(UnbuildableError, match="a syntax error of today"):
        target.installs.get(sound, worse)
    unreadable = target.commit({"pyproject.toml": "[["})
    with pytest.raises(UnbuildableError, match=r"pyproject\.toml"):
        target.installs.get(sound, unreadable)


def test_the_scratch_of_the_dead_is_removed_and_of_the_living_and_the_new_is_not(tmp_path: Path) -> None:
    for name in ("dead", "new"):
        (tmp_path / name).mkdir()
    with scratch(tmp_path) as live:
        for path in (tmp_path / "dead", live):
            os.utime(path, (0, 0))
        with scratch(tmp_path) as other:
            assert {path.name for path in tmp_path.iterdir()} == {"new", live.name, other.name}
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


@pytest.mark.network
def test_a_dependency_is_had_from_the_index_of_this_machine(fresh_target: Target) -> None:
    dependencies = PROJECT + 'dependencies = ["iniconfig"]\n' + BUILD
    sha = fresh_target.commit({"pyproject.toml": dependencies, "src/calc/__init__.py": ""})
    index = read_environment().index
    uv = Uv(
        fresh_target.shell, fresh_target.cache, python=Path(sys.executable), index_env=index, sandbox=True
    )
    environment = Environments(fresh_target.repository, uv, fresh_target.cache).get(sha)
    assert environment.missing == ()
    assert importable(environment, "iniconfig", "pytest") == ["iniconfig", "pytest"]
