"""The contract of the port `Tests`, with real pytest, real git and the sandbox of this machine."""

import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from sparky import ports
from sparky.domain.state import Context
from sparky.domain.testing import TestCase, TestOutcome, TestRun, Trouble

BUILD = '[build-system]\nrequires = ["uv_build>=0.9"]\nbuild-backend = "uv_build"\n'
PYPROJECT = f'[project]\nname = "calc"\nversion = "1"\n{BUILD}'
PROJECT = {"pyproject.toml": PYPROJECT, "src/calc/__init__.py": "def add(a, b):\n    return a + b\n"}
PYTEST = ("pytest",)


class Target(Protocol):
    """What the fixture of this name gives."""

    top: Path
    cache: Path

    def commit(self, files: dict[str, str | None]) -> str: ...
    def git(self, *args: str) -> str: ...
    def context(self, base: str) -> Context: ...
    @property
    def shell(self) -> ports.Shell: ...
    @property
    def tests(self) -> ports.Tests: ...


def run(
    target: Target,
    files: dict[str, str | None],
    command: tuple[str, ...] = PYTEST,
    *,
    only: tuple[str, ...] = (),
    timeout_s: float = 60.0,
) -> TestRun:
    sha = target.commit(files)
    return target.tests.run(target.context(sha), sha, command, only=only, timeout_s=timeout_s)


def outcomes(run: TestRun) -> dict[str, tuple[TestOutcome, str]]:
    return {case.id: (case.outcome, case.message) for case in run.cases}


SUITE = """
import os, pytest, unittest
import calc

def test_passes(): assert calc.add(1, 2) == 3
def test_fails(): raise ValueError(f"in {os.getcwd()}/x and {os.environ['TMPDIR']}/y")
def test_asserts(): assert sum([1, 1]) == 3
def test_skips(): pytest.skip("no")
@pytest.mark.xfail
def test_xfails(): assert False
@pytest.mark.xfail
def test_xpasses(): pass
@pytest.fixture
def broken(): raise LookupError("before")
def test_setup(broken): pass
@pytest.fixture
def leaving():
    yield
    raise LookupError("after")
def test_teardown(leaving): pass
@pytest.mark.parametrize("text", ["a::b", "ü [x]"])
def test_ids(text): pass
class TestOld(unittest.TestCase):
    def test_equal(self): self.assertEqual(1, 2)
"""


def test_every_outcome_is_told_with_its_exact_id_and_message(target: Target) -> None:
    lost = "import calc.nothing\ndef test_b(): pass\n"
    told = run(target, {**PROJECT, "tests/test_a.py": SUITE, "tests/test_b.py": lost})
    passed, failed, error = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.ERROR
    assert (told.trouble, told.detail, told.passed) == (None, "", 3)
    places = {case.id.rpartition("::")[2]: (case.where, case.line) for case in told.cases}
    assert (places["test_fails"], places["test_passes"]) == (("tests/test_a.py", 6), ("", 0))
    assert outcomes(told) == {
        "tests/test_b.py": (error, "ModuleNotFoundError: No module named 'calc.nothing'"),
        "tests/test_a.py::test_passes": (passed, ""),
        "tests/test_a.py::test_fails": (failed, "ValueError: in x and <scratch>/tmp/y"),
        "tests/test_a.py::test_asserts": (failed, "AssertionError: assert 2 == 3 + where 2 = sum([1, 1])"),
        "tests/test_a.py::test_skips": (TestOutcome.SKIPPED, ""),
        "tests/test_a.py::test_xfails": (TestOutcome.XFAILED, ""),
        "tests/test_a.py::test_xpasses": (TestOutcome.XPASSED, ""),
        "tests/test_a.py::test_setup": (error, "LookupError: before"),
        "tests/test_a.py::test_teardown": (error, "LookupError: after"),
        "tests/test_a.py::test_ids[a::b]": (passed, ""),
        "tests/test_a.py::test_ids[\\xfc [x]]": (passed, ""),
        "tests/test_a.py::TestOld::test_equal": (failed, "AssertionError: 1 != 2"),
    }


def test_who_asks_for_a_run_that_is_being_made_waits_for_its_result(target: Target) -> None:
    sha = target.commit({"test_clock.py": "import time\ndef test_clock(): assert 0, time.time_ns()\n"})
    context = target.context(sha)
    with ThreadPoolExecutor() as pool:
        runs = list(pool.map(lambda _: target.tests.run(context, sha, PYTEST), range(3)))
    assert runs == [runs[0]] * 3


def test_bug_a_suite_that_hangs_was_run_to_its_time_limit_by_each_who_asked(target: Target) -> None:
    sha = target.commit({"test_hang.py": "import time\ndef test_hang(): time.sleep(600)\n"})
    context = target.context(sha)
    target.tests.run(context, sha, PYTEST, only=["test_hang.py::test_none"])  # makes the environment
    with ThreadPoolExecutor() as pool:
        runs = list(pool.map(lambda _: target.tests.run(context, sha, PYTEST, timeout_s=3), range(2)))
    assert (runs[0].trouble, runs[1]) == (Trouble.TIMED_OUT, runs[0])
    later = target.tests.run(context, sha, PYTEST, timeout_s=1)
    assert (later.trouble, later.seconds < 3) == (Trouble.TIMED_OUT, True)


def test_bug_a_module_of_its_own_that_was_renamed_was_missed_in_the_environment(target: Target) -> None:
    tests = "import prices\ndef test_total(): assert prices.total([1]) == 1\n"
    target.commit({"prices.py": "def total(prices):\n    return sum(prices)\n", "test_total.py": tests})
    told = run(target, {"prices.py": None, "sums.py": "def total(prices):\n    return sum(prices)\n"})
    red = {"test_total.py": (TestOutcome.ERROR, "ModuleNotFoundError: No module named 'prices'")}
    assert (told.trouble, told.detail, outcomes(told)) == (None, "", red)


def test_bug_a_later_run_that_was_killed_was_known_from_then_on(target: Target) -> None:
    sha, killed = target.commit({}), ("sh", "-c", "date +%s%N; kill -KILL $$")
    runs = [target.tests.run(target.context(sha), sha, killed, turn=2) for _ in range(2)]
    assert [run.trouble for run in runs] == [Trouble.KILLED, Trouble.KILLED]
    assert runs[0].output != runs[1].output


def test_a_full_run_is_kept_for_its_turn_and_a_run_of_some_tests_is_made_anew(target: Target) -> None:
    suite = "import time\ndef test_clock(): assert 0, time.time_ns()\ndef test_other(): pass\n"
    sha = target.commit({"test_kept.py": suite})
    context = target.context(sha)
    first = target.tests.run(context, sha, PYTEST)
    again = target.commit({})
    assert target.tests.run(context, again, PYTEST) == replace(first, sha=again)
    second = target.tests.run(context, sha, PYTEST, turn=2)
    assert second.cases[0].message != first.cases[0].message
    assert target.tests.run(context, again, PYTEST, turn=2) == replace(second, sha=again)
    some = target.tests.run(context, sha, PYTEST, only=["test_kept.py::test_clock"])
    assert [case.id for case in some.cases] == ["test_kept.py::test_clock"]
    assert some.cases[0].message != first.cases[0].message


def test_the_code_of_each_commit_is_what_is_tested(target: Target) -> None:
    test = "import calc\ndef test_add(): assert calc.add(2, 2) == 4\n"
    broken = target.commit(
        {**PROJECT, "src/calc/__init__.py": "def add(a, b): return a ** 3\n", "test_x.py": test}
    )
    mended = target.commit({"src/calc/__init__.py": "def add(a, b): return a ** 2\n"})
    context = target.context(broken)
    runs = [target.tests.run(context, sha, PYTEST) for sha in (broken, mended)]
    assert [[case.outcome for case in run.cases] for run in runs] == [
        [TestOutcome.FAILED],
        [TestOutcome.PASSED],
    ]


def test_configuration_above_the_repository_has_no_say(target: Target) -> None:
    above = target.cache / "scratch"
    above.mkdir(exist_ok=True)
    for directory in (above, target.cache, target.top.parent):
        (directory / "conftest.py").write_text("raise SystemExit('read')")
        (directory / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '--nonsense'\n")
        (directory / "setup.cfg").write_text("[tool:pytest]\naddopts = --nonsense\n")
    told = run(
        target, {"test_x.py": "def test_x(pytestconfig): assert pytestconfig.getini('addopts') == []\n"}
    )
    assert outcomes(told) == {"test_x.py::test_x": (TestOutcome.PASSED, "")}


def test_the_repository_s_own_configuration_is_honoured_but_no_stop_at_the_first_failure(
    target: Target,
) -> None:
    setup = "[tool:pytest]\npython_functions = check_*\naddopts = -x --strict-markers --ff\ncache_dir = c\n"
    files: dict[str, str | None] = {"test_x.py": "def check_a(): assert 0\ndef check_b(): pass\n"}
    told = run(target, {**files, "setup.cfg": setup}, ("pytest", "-x"))
    assert [(case.id, case.red) for case in told.cases] == [
        ("test_x.py::check_a", True),
        ("test_x.py::check_b", False),
    ]


CONFINED = """
import contextlib, os, pathlib, socket, pytest
def test_writes():
    for path in (".", HOME, TOP, CACHE):
        with contextlib.suppress(OSError):
            pathlib.Path(path, "artefact").write_text("")
def test_home():
    with pytest.raises(OSError):
        pathlib.Path(HOME, "secret").read_text()
def test_network():
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", PORT), timeout=5)
"""


def test_tests_are_confined_and_leave_nothing_in_the_repository(
    target: Target, listener: socket.socket
) -> None:
    home, port = target.top.parent, listener.getsockname()[1]
    (home / "secret").write_text("s")
    facts = f"HOME, TOP, CACHE, PORT = {str(home)!r}, {str(target.top)!r}, {str(target.cache)!r}, {port}\n"
    told = run(target, {"test_x.py": facts + CONFINED})
    assert {case.outcome for case in told.cases} == {TestOutcome.PASSED}, told.cases
    assert told.level == target.shell.level().value
    assert [path for path in (home, target.top, target.cache) if (path / "artefact").exists()] == []
    assert target.git("status", "--porcelain", "--ignored") == ""


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


BROKEN_OFF = {
    "hang": ("signal.pause()", Trouble.TIMED_OUT, "after N s, while test_x.py::test_x ran"),
    "segfault": (
        "os.kill(os.getpid(), signal.SIGSEGV)",
        Trouble.CRASHED,
        "killed by signal 11, while test_x.py::test_x ran",
    ),
    "exit": ("os._exit(0)", Trouble.CRASHED, "exit code 0 before the end, while test_x.py::test_x ran"),
    "pytest.exit": (
        "pytest.exit('enough')",
        Trouble.CRASHED,
        "pytest broke off: !!! _pytest.outcomes.Exit: enough !!!",
    ),
}


@pytest.mark.parametrize("how", BROKEN_OFF)
def test_a_run_that_breaks_off_names_the_test_in_flight_and_keeps_what_was_done(
    target: Target, how: str
) -> None:
    statement, trouble, detail = BROKEN_OFF[how]
    suite = f"import os, pytest, signal\ndef test_a(): pass\ndef test_x(): {statement}\n"
    told = run(target, {"test_x.py": suite}, timeout_s=5.0)
    said = re.sub("!!+", "!!!", re.sub(r"after \d+ s", "after N s", told.detail))
    assert (told.trouble, said) == (trouble, detail)
    assert outcomes(told)["test_x.py::test_a"] == (TestOutcome.PASSED, "")


def test_results_of_several_workers_are_one_run(target: Target) -> None:
    files = {**PROJECT, "requirements-test.txt": "pytest-xdist\n"}
    suite = "import calc\ndef test_a(): assert 0, 'no'\ndef test_b(): pass\n"
    told = run(target, {**files, "test_x.py": suite, "test_y.py": suite}, ("pytest", "-n2"))
    no, fine = (TestOutcome.FAILED, "AssertionError: no assert 0"), (TestOutcome.PASSED, "")
    assert told.trouble is None
    assert outcomes(told) == {
        "test_x.py::test_a": no,
        "test_x.py::test_b": fine,
        "test_y.py::test_a": no,
        "test_y.py::test_b": fine,
    }


def test_a_repository_without_tests_is_told_from_one_whose_tests_fail(target: Target) -> None:
    told = run(target, {"tests/nothing.py": ""})
    assert (told.trouble, told.cases) == (Trouble.NO_TESTS, ())


def test_a_package_that_nobody_declared_is_the_environment_s_fault(target: Target) -> None:
    told = run(target, {"test_x.py": "import undeclared_thing.part\n"})
    assert (told.trouble, told.detail) == (
        Trouble.ENVIRONMENT,
        "no test module can be imported: undeclared_thing not installed",
    )


def test_where_a_test_is_red_it_is_said_how_the_environment_is_not_as_declared(target: Target) -> None:
    lacking = {"requirements-dev.txt": "no-such-thing\nneeded==0.5\n"}
    green = run(target, {**lacking, "test_x.py": "def test_x(): pass\n"})
    red = run(target, {"test_x.py": "def test_x(): assert 0\n"})
    assert (green.detail, red.trouble) == ("", None)
    assert red.detail == (
        "could not be installed: no-such-thing; other than declared: needed instead of needed==0.5"
    )


def test_a_lost_module_of_the_project_is_its_own_fault(target: Target) -> None:
    told = run(
        target,
        {"tests/conftest.py": "import helpers.lost\n", "helpers/__init__.py": "", "tests/test_x.py": ""},
    )
    assert told.trouble is None
    assert outcomes(told) == {
        "tests/conftest.py": (TestOutcome.ERROR, "ModuleNotFoundError: No module named 'helpers.lost'")
    }


def test_results_of_another_project_s_code_are_void(target: Target) -> None:
    conftest = (
        "import os, pathlib, sys\nelsewhere = pathlib.Path(os.environ['TMPDIR'])\n"
        "(elsewhere / 'calc.py').write_text('def add(a, b): return 4')\nsys.path.insert(0, str(elsewhere))\n"
    )
    test = "import calc\ndef test_add(): assert calc.add(2, 2) == 4\n"
    told = run(target, {**PROJECT, "conftest.py": conftest, "test_x.py": test})
    assert told.trouble is Trouble.FOREIGN_CODE
    assert told.detail.endswith("/tmp/calc.py")


def test_a_project_that_no_longer_builds_is_red_and_not_in_trouble(target: Target) -> None:
    base = target.commit({**PROJECT, "test_x.py": "import calc\ndef test_x(): pass\n"})
    head = target.commit({"src/calc/__init__.py": None, "src/other.py": ""})
    told = target.tests.run(target.context(base), head, PYTEST)
    assert (told.trouble, [(case.id, case.red) for case in told.cases]) == (
        None,
        [("installation of the project", True)],
    )


@pytest.mark.parametrize(
    ("command", "trouble", "case"),
    [
        (("test", "-f", "x.txt"), None, TestCase(id="test -f x.txt", outcome=TestOutcome.PASSED)),
        (
            ("sh", "-c", "exit 3"),
            None,
            TestCase(id="sh -c 'exit 3'", outcome=TestOutcome.FAILED, message="exit code 3"),
        ),
        (("no-such-command", "x"), Trouble.ENVIRONMENT, None),
        (("sh", "-c", "no-such-command"), Trouble.ENVIRONMENT, None),
    ],
)
def test_another_command_has_its_exit_code_for_a_result(
    target: Target, command: tuple[str, ...], trouble: Trouble | None, case: TestCase | None
) -> None:
    told = run(target, {"x.txt": ""}, command)
    assert (told.trouble, [replace(c, seconds=0.0) for c in told.cases]) == (trouble, [case] if case else [])


def test_pytest_in_a_command_of_the_user_is_recognised(target: Target) -> None:
    told = run(
        target, {"a/test_x.py": "def test_x(): pass\n", "b/test_y.py": ""}, ("python", "-m", "pytest", "a")
    )
    assert outcomes(told) == {"a/test_x.py::test_x": (TestOutcome.PASSED, "")}


UPDATING = """
import os, time
from pathlib import Path

HERE = Path(__file__).parent / "snapshots"

def test_x(pytestconfig):
    (HERE / "now.txt").write_text(str(time.time_ns()))
    (HERE / "secret.txt").unlink()
    (HERE / "secret.txt").symlink_to("/etc/hostname")
    (HERE / "linked").symlink_to("/etc")
    with (HERE / "large.bin").open("wb") as large:
        large.truncate(10**9)
    os.mkfifo(HERE / "pipe")
    assert not pytestconfig.getoption("--snapshot-update")
"""
OPTION = "def pytest_addoption(parser): parser.addoption('--snapshot-update', action='store_true')\n"


def test_what_a_test_leaves_for_a_snapshot_is_read_only_if_it_is_a_file_and_is_made_once(
    target: Target,
) -> None:
    there = {f"tests/snapshots/{name}": "old" for name in ("now.txt", "secret.txt", "large.bin")}
    sha = target.commit({"conftest.py": OPTION, "tests/test_x.py": UPDATING, **there})
    asked = target.context(sha), sha, PYTEST, "tests/test_x.py::test_x"
    made = target.tests.rewritten(*asked, timeout_s=60)
    now = made["tests/snapshots/now.txt"]
    assert made == {
        "tests/snapshots/now.txt": now,
        "tests/snapshots/secret.txt": None,
        "tests/snapshots/large.bin": None,
    }
    assert now is not None
    assert now.isdigit()
    assert target.tests.rewritten(*asked, timeout_s=60) == made


@pytest.mark.parametrize("command", [PYTEST, ("python", "-m", "unittest"), ("sh", "-c", "exit 1")])
def test_where_nothing_is_known_to_rewrite_snapshots_none_is(
    target: Target, command: tuple[str, ...]
) -> None:
    """Without a plugin that has the option pytest refuses it."""
    suite = "import pathlib, sys\npathlib.Path('snapshots/a.txt').write_text(str(sys.argv))\n"
    sha = target.commit({"test_x.py": f"def test_x():\n    pass\n{suite}", "snapshots/a.txt": "a\n"})
    assert target.tests.rewritten(target.context(sha), sha, command, "test_x.py::test_x", timeout_s=60) == {}
