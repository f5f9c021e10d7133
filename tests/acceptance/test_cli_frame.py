"""The frame of the command line: every verb is there, and every error is shown in one way."""

import os
import pkgutil
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import sparky.cli
from sparky import __version__
from sparky.adapters.locks import FileLocks
from sparky.adapters.store import SqliteStore
from sparky.cli.main import cli
from sparky.cli.table import VERBS, load
from sparky.domain.run import Take
from sparky.domain.state import End, Outcome
from tests.builders import RUN, state_of

LOADED = """
import sys
from sparky.cli.main import cli
cli.main(sys.argv[1:], standalone_mode=False)
large = {"dbos", "sqlalchemy", "rich", "msgspec", "sparky.domain.state", "sparky.ports", "sparky.config"}
print(*sorted(large & set(sys.modules)), file=sys.stderr)
"""


@dataclass(frozen=True, kw_only=True)
class Said:
    code: int
    out: str
    err: str


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a call finds sparky's own files."""

    root: Path

    @property
    def state(self) -> Path:
        return self.root / "state"

    @property
    def store(self) -> SqliteStore:
        found = SqliteStore(self.state / "sparky.db")
        found.prepare()
        return found

    @property
    def env(self) -> Mapping[str, str]:
        own = {
            "SPARKY_STATE_DIR": str(self.state),
            "SPARKY_CACHE_DIR": str(self.root / "cache"),
            "TMPDIR": str(self.root),
        }
        return {**os.environ, **own}

    def sparky(self, *words: str) -> Said:
        """The command as it is installed, to its end."""
        return self.call(str(Path(sys.executable).with_name("sparky")), *words)

    def call(self, *argv: str) -> Said:
        done = subprocess.run(
            argv, cwd=self.root, env=self.env, capture_output=True, text=True, check=False, timeout=60
        )
        return Said(code=done.returncode, out=done.stdout, err=done.stderr)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(root=tmp_path)


@pytest.fixture
def with_run(place: Place) -> Place:
    """A place where one run is stored, driven by nobody."""
    place.store.claim(state_of(), "executor-1", lambda _: Take.START)
    return place


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_of_the_table_has_a_module_with_its_command(verb: str) -> None:
    command = load(verb).command
    assert isinstance(command, click.Command)
    assert command.name == verb
    assert command.help


def test_every_module_with_a_command_is_in_the_table() -> None:
    modules = {module.name for module in pkgutil.iter_modules(sparky.cli.__path__)}
    assert {name for name in modules if hasattr(load(name), "command")} == set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(verb: str) -> None:
    said = CliRunner().invoke(cli, [verb, "--help"])
    assert said.exit_code == 0
    assert said.output.startswith(f"Usage: cli {verb} ")


def test_the_help_lists_every_verb_in_the_order_of_the_table() -> None:
    said = CliRunner().invoke(cli, ["--help"], terminal_width=200)
    verbs = said.output.partition("Verbs:\n")[2]
    found = [(m[1], m[2]) for m in re.finditer(r"^  (\S+) +(\S.*)$", verbs, re.MULTILINE)]
    assert (said.exit_code, found) == (0, list(VERBS.items()))


@pytest.mark.parametrize(
    ("words", "loaded"),
    [
        (["--help"], ""),
        (["transcripts", "list", "--help"], "msgspec"),
        (["status", "--json"], "msgspec rich sparky.domain.state"),
    ],
)
def test_who_only_reads_does_not_pay_for_the_engine(place: Place, words: list[str], loaded: str) -> None:
    said = place.call(sys.executable, "-c", LOADED, *words)
    assert (said.code, said.err) == (0, f"{loaded}\n")


def test_the_version_is_that_of_the_package(place: Place) -> None:
    expected = Said(code=0, out=f"sparky, version {__version__}\n", err="")
    assert place.sparky("--version") == expected


def test_an_unknown_verb_is_a_mistake_of_usage(place: Place) -> None:
    said = place.sparky("mrege")
    assert (said.code, said.out) == (2, "")
    assert "No such command 'mrege'" in said.err


def test_a_run_that_is_not_there_is_said_without_a_traceback(with_run: Place) -> None:
    err = f"error: no run starts with 'nothing'; the newest are: {RUN}\n"
    assert with_run.sparky("show", "nothing") == Said(code=2, out="", err=err)


def test_what_needs_a_person_first_ends_with_3(with_run: Place) -> None:
    with_run.store.save_end(state_of().ended(End(outcome=Outcome.BLOCKED, reason="no agent")))
    err = f"error: {RUN} is blocked, not ready: see `sparky show {RUN}`\n"
    assert with_run.sparky("merge", RUN) == Said(code=3, out="", err=err)


def test_a_store_that_cannot_be_read_is_named_and_ends_with_1(place: Place) -> None:
    place.state.mkdir()
    path = place.state / "sparky.db"
    path.write_text("no database " * 100)
    err = (
        f"error: {path}: file is not a database; look at its permissions and the disk's free space, then "
        "`sparky resume`. A corrupt file can be moved away: branches and worktrees stay.\n"
    )
    assert place.sparky("status") == Said(code=1, out="", err=err)


def test_what_nobody_thought_of_ends_with_70_and_a_report_to_paste(with_run: Place) -> None:
    connection = sqlite3.connect(with_run.state / "sparky.db")
    connection.execute("UPDATE runs SET outcome = 'exploded'")
    connection.commit()
    connection.close()
    said = with_run.sparky("status", "--json")
    (report,) = with_run.root.glob("sparky-bug-*.txt")
    err = f"error: this is a bug of sparky's; a report to paste is in {report}\n"
    assert said == Said(code=70, out="", err=err)
    first, second, blank, third, *_, last = report.read_text().splitlines()
    python = f"Python {sys.version.split()[0]}, {sys.platform}"
    assert (first, second, blank, third, last) == (
        f"sparky {__version__}, {python}",
        "argv: ['status', '--json']",
        "",
        "Traceback (most recent call last):",
        "ValueError: 'exploded' is not a valid Outcome",
    )


def test_an_interruption_ends_with_130_and_says_that_nothing_is_lost(with_run: Place) -> None:
    (with_run.state / "progress").mkdir()
    (with_run.state / "progress" / f"{RUN}.log").write_text("10:00:00 test 1 …\n")
    command = [str(Path(sys.executable).with_name("sparky")), "logs", "-f", RUN]
    with FileLocks(with_run.state / "locks").hold("executor-1"):
        process = subprocess.Popen(
            command, env=with_run.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "10:00:00 test 1 …\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err == "\ninterrupted; nothing is lost: `sparky resume` goes on with a run that this broke off\n"


def test_a_reader_that_goes_away_is_no_bug(with_run: Place) -> None:
    (with_run.state / "progress").mkdir()
    (with_run.state / "progress" / f"{RUN}.log").write_text("10:00:00 a line\n" * 50_000)
    command = [str(Path(sys.executable).with_name("sparky")), "logs", RUN]
    process = subprocess.Popen(
        command, env=with_run.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "10:00:00 a line\n"
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    process.stderr.close()
    assert (err, list(with_run.root.glob("sparky-bug-*"))) == ("", [])
    assert process.wait() in {0, 1}


def test_the_cache_is_not_removed_under_a_run_that_is_driven(place: Place) -> None:
    place.store.claim(state_of(), "executor-1", lambda _: Take.START)
    with FileLocks(place.state / "locks").hold("executor-1"):
        said = place.sparky("clean", "--cache")
    why = f"the environments of {RUN} lie in the cache, and it is running"
    assert said == Said(code=3, out="", err=f"error: {why}: wait for it, or `sparky cancel {RUN}`\n")
    assert place.sparky("clean", "--cache").code == 0
