"""The ports that work: Shell, Runner, Tests. Each test runs on every adapter."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest
import tomlkit

from sparky import ports
from sparky.adapters.memory import MemoryRunner, MemoryShell, MemoryTests, answer
from sparky.adapters.memory_repository import MemoryRepository
from sparky.adapters.scripted import Script, ScriptedRunner, ScriptedSession, Step
from sparky.adapters.shell import SystemShell
from sparky.domain.command import Command, Completed, Ending
from sparky.domain.state import Context
from sparky.domain.testing import TestCase, TestOutcome, TestRun, Trouble
from sparky.events import SessionEnding, SessionRequest, SessionResult
from sparky.formats.values_json import dump
from sparky.ports import Runner, Shell

DONE = SessionEnding.FINISHED
both = pytest.mark.parametrize("memory", [False, True], ids=["real", "memory"])


@both
class TestShell:
    @staticmethod
    def make(*, memory: bool) -> Shell:
        def python(command: Command) -> Completed:
            return answer(command, command.stdin.upper(), b"said\n", code=3)

        name = Path(sys.executable).name
        return MemoryShell({name: python}) if memory else SystemShell({"PATH": "/usr/bin:/bin"})

    @staticmethod
    def command(root: Path, *, supervised: bool = False) -> Command:
        code = (
            "import sys; print(sys.stdin.read().upper(), end=''); print('said', file=sys.stderr); sys.exit(3)"
        )
        argv = (sys.executable, "-c", code)
        return Command(argv=argv, cwd=root, stdin=b"heard\n", supervised=supervised)

    def test_it_tells_what_a_program_came_to(self, tmp_path: Path, *, memory: bool) -> None:
        command = self.command(tmp_path)
        done = self.make(memory=memory).run(command)
        assert (done.argv, done.ending, done.code) == (command.argv, Ending.EXITED, 3)
        assert (done.stdout, done.stderr, done.ok, done.dropped) == (b"HEARD\n", b"said\n", False, 0)

    def test_a_program_that_is_not_there_is_told(self, tmp_path: Path, *, memory: bool) -> None:
        done = self.make(memory=memory).run(Command(argv=("no-such-program", "-x"), cwd=tmp_path))
        assert (done.ending, done.ok, done.stdout) == (Ending.NOT_FOUND, False, b"")

    def test_once_halted_it_ends_what_is_supervised_and_nothing_else(
        self, tmp_path: Path, *, memory: bool
    ) -> None:
        shell = self.make(memory=memory)
        assert not shell.halted()
        shell.halt()
        assert shell.halted()
        ended = shell.run(self.command(tmp_path, supervised=True))
        assert (ended.ending, ended.stdout) == (Ending.KILLED, b"")
        assert shell.run(self.command(tmp_path)).code == 3


RIGHT = Step(do="replace", path="calc.py", old="x * 3", text="x * 2")
SESSIONS = (
    ScriptedSession(issue="7", number=1, success=True, summary="all done"),
    ScriptedSession(
        issue="7",
        number=2,
        steps=(RIGHT, Step(do="write", path="new/a.py", text="X = 1\n"), Step(do="delete", path="old.py")),
        summary="doubled",
    ),
    ScriptedSession(issue="7", number=3, steps=(RIGHT,), ending="crash"),
    ScriptedSession(issue="7", number=4, steps=(RIGHT,), ending="hang"),
    ScriptedSession(issue="8", steps=(Step(do="replace", path="calc.py", old="nowhere", text=""), RIGHT)),
)


@both
class TestRunner:
    @staticmethod
    def play(root: Path, issue: str, number: int, *, memory: bool) -> tuple[SessionResult, dict[str, str]]:
        """One session, and the files of its worktree afterwards."""
        worktree = root / "worktree"
        worktree.mkdir()
        (worktree / "calc.py").write_text("x * 3\n")
        (worktree / "old.py").write_text("")
        script = root / "script.toml"
        script.write_text(_toml(Script(session=SESSIONS)), encoding="utf-8")
        real = ScriptedRunner(SystemShell({"PATH": "/usr/bin:/bin"}), (Path(sys.prefix),), sandbox=False)
        runner: Runner = MemoryRunner(SESSIONS) if memory else real
        result = runner.run(
            SessionRequest(
                run="run-1",
                issue=issue,
                worktree=worktree,
                prompt="Mend it.",
                agent="coder",
                number=number,
                timeout_s=0.5 if number == 4 else 30.0,
                script=str(script),
            )
        )
        files = sorted(path for path in worktree.rglob("*") if path.is_file())
        return result, {str(path.relative_to(worktree)): path.read_text() for path in files}

    def test_a_claim_is_handed_on_whatever_was_done(self, tmp_path: Path, *, memory: bool) -> None:
        result, files = self.play(tmp_path, "7", 1, memory=memory)
        assert (result.claimed_success, result.summary, result.ending) == (True, "all done", DONE)
        assert files == {"calc.py": "x * 3\n", "old.py": ""}

    def test_the_session_of_the_attempt_is_played(self, tmp_path: Path, *, memory: bool) -> None:
        result, files = self.play(tmp_path, "7", 2, memory=memory)
        assert (result.claimed_success, result.summary, result.ending) == (True, "doubled", DONE)
        assert files == {"calc.py": "x * 2\n", "new/a.py": "X = 1\n"}

    @pytest.mark.parametrize(
        ("number", "ending", "detail"),
        [
            (3, SessionEnding.BROKEN_OFF, "killed (code -6)"),
            (4, SessionEnding.TIMED_OUT, "timed out (code -9)"),
        ],
    )
    def test_a_session_that_ends_badly_claims_nothing_and_leaves_what_it_did(
        self, number: int, ending: SessionEnding, detail: str, tmp_path: Path, *, memory: bool
    ) -> None:
        result, files = self.play(tmp_path, "7", number, memory=memory)
        assert (result.claimed_success, result.ending, result.detail) == (False, ending, detail)
        assert files["calc.py"] == "x * 2\n"

    def test_a_step_that_cannot_be_done_breaks_off(self, tmp_path: Path, *, memory: bool) -> None:
        result, files = self.play(tmp_path, "8", 1, memory=memory)
        assert not result.claimed_success
        assert result.ending is SessionEnding.BROKEN_OFF
        assert result.detail.startswith("exited (code 1) ")
        assert result.detail.endswith("calc.py does not hold the text to replace")
        assert files["calc.py"] == "x * 3\n"

    def test_without_a_session_that_fits_nothing_is_done(self, tmp_path: Path, *, memory: bool) -> None:
        result, files = self.play(tmp_path, "7", 5, memory=memory)
        assert (result.claimed_success, result.ending) == (False, DONE)
        assert files == {"calc.py": "x * 3\n", "old.py": ""}


def _toml(script: Script) -> str:
    """The script as its file has it: TOML knows no null."""
    sessions = dump(script)["session"]
    said = [{key: value for key, value in session.items() if value is not None} for session in sessions]
    return tomlkit.dumps({"session": said})


class Target(Protocol):
    """What the fixture of this name gives."""

    def commit(self, files: Mapping[str, str | None]) -> str: ...
    def context(self, base: str) -> Context: ...
    @property
    def tests(self) -> ports.Tests: ...


FILES = {
    "calc.py": "def double(x):\n    return x * 3\n",
    "test_calc.py": (
        "from calc import double\n\n\ndef test_zero():\n    assert double(0) == 0\n\n\n"
        "def test_two():\n    assert double(2) == 4, 'wrong'\n"
    ),
    "conftest.py": "import sys, pathlib\nsys.path.insert(0, str(pathlib.Path(__file__).parent))\n",
}
ZERO, TWO = "test_calc.py::test_zero", "test_calc.py::test_two"


def judged(files: Mapping[str, bytes]) -> tuple[TestCase, ...]:
    """What pytest says of FILES and their like."""
    if "test_calc.py" not in files:
        return ()
    right = b"x * 2" in files["calc.py"]
    two = TestOutcome.PASSED if right else TestOutcome.FAILED
    message = "" if right else "AssertionError: wrong"
    return TestCase(id=ZERO, outcome=TestOutcome.PASSED), TestCase(id=TWO, outcome=two, message=message)


@both
class TestTests:
    @staticmethod
    def run(
        target: Target,
        root: Path,
        *states: Mapping[str, str | None],
        only: tuple[str, ...] = (),
        memory: bool,
    ) -> tuple[list[str], list[TestRun]]:
        """The tests at each of the commits, one on top of the other."""
        repository = MemoryRepository(root / "work")
        shas = []
        for files in states:
            plain = {path: None if text is None else text.encode() for path, text in files.items()}
            shas.append(repository.write(plain) if memory else target.commit(files))
        tests: ports.Tests = MemoryTests(repository=repository, judge=judged) if memory else target.tests
        context = target.context(shas[0])
        return shas, [tests.run(context, sha, ("pytest",), only=only, timeout_s=60) for sha in shas]

    def test_results_are_those_of_the_very_commit(
        self, target: Target, tmp_path: Path, *, memory: bool
    ) -> None:
        right = {"calc.py": "def double(x):\n    return x * 2\n"}
        shas, runs = self.run(target, tmp_path, FILES, right, memory=memory)
        assert [(run.sha, run.command, run.trouble) for run in runs] == [
            (sha, ("pytest",), None) for sha in shas
        ]
        assert [{case.id: case.outcome for case in run.cases} for run in runs] == [
            {ZERO: TestOutcome.PASSED, TWO: TestOutcome.FAILED},
            {ZERO: TestOutcome.PASSED, TWO: TestOutcome.PASSED},
        ]
        assert [run.passed for run in runs] == [1, 2]
        assert "wrong" in next(case.message for case in runs[0].cases if case.red)

    def test_only_some_are_run_if_asked_for(self, target: Target, tmp_path: Path, *, memory: bool) -> None:
        _, (run,) = self.run(target, tmp_path, FILES, only=(TWO,), memory=memory)
        assert [case.id for case in run.cases] == [TWO]

    def test_a_commit_without_tests_gives_no_verdict(
        self, target: Target, tmp_path: Path, *, memory: bool
    ) -> None:
        _, (run,) = self.run(target, tmp_path, {"calc.py": "X = 1\n"}, memory=memory)
        assert (run.cases, run.trouble) == ((), Trouble.NO_TESTS)
        assert run.detail

    def test_a_test_that_is_told_to_rewrites_its_own_snapshots(
        self, target: Target, tmp_path: Path, *, memory: bool
    ) -> None:
        """Of two tests that both would, one is run; what lies elsewhere is not looked at."""
        files = {path: text.encode() for path, text in SNAPSHOTS.items()}
        repository = MemoryRepository(tmp_path / "work")
        sha = repository.write(files) if memory else target.commit(SNAPSHOTS)
        in_memory = MemoryTests(repository=repository, judge=judged, rewrite=rewrite)
        tests: ports.Tests = in_memory if memory else target.tests
        context = target.context(sha)
        made = tests.rewritten(context, sha, ("pytest",), f"{PAGES}::test_new", timeout_s=60)
        assert made == {"a/snapshots/new.txt": b"new\n", "a/snapshots/old.txt": None, SHARED: b"a\nnew\n"}
        other = tests.rewritten(context, sha, ("pytest",), f"{PAGES}::test_other", timeout_s=60)
        assert other == {SHARED: b"a\nother\n"}


SHARED, PAGES = "a/__snapshots__/b/shared.ambr", "test_pages.py"
SNAPSHOTS = {
    "conftest.py": (
        "def pytest_addoption(parser):\n    parser.addoption('--snapshot-update', action='store_true')\n"
    ),
    PAGES: f"""\
from pathlib import Path

def test_new(pytestconfig):
    if pytestconfig.getoption("--snapshot-update"):
        Path("a/snapshots/new.txt").write_text("new\\n")
        Path("a/snapshots/old.txt").unlink()
        Path("{SHARED}").write_text("a\\nnew\\n")
        Path("elsewhere.txt").write_text("x")

def test_other(pytestconfig):
    if pytestconfig.getoption("--snapshot-update"):
        Path("{SHARED}").write_text("a\\nother\\n")
""",
    "a/snapshots/old.txt": "old\n",
    "a/snapshots/kept.txt": "kept\n",
    SHARED: "a\nb\n",
    "elsewhere.txt": "",
}


def rewrite(files: Mapping[str, bytes], test: str) -> Mapping[str, bytes | None]:
    """What pytest says of SNAPSHOTS."""
    assert files.keys() == SNAPSHOTS.keys()
    if test.endswith("other"):
        return {SHARED: b"a\nother\n"}
    return {"a/snapshots/new.txt": b"new\n", "a/snapshots/old.txt": None, SHARED: b"a\nnew\n"}
