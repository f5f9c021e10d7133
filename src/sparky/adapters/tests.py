"""Tests at an exact commit: in an export of it, in an environment of what it declares, confined."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sparky.adapters.blobs import write_whole
from sparky.adapters.environment import Environments
from sparky.adapters.installs import Installs
from sparky.adapters.performance import Performance
from sparky.adapters.scratch import scratch
from sparky.adapters.uv import BuildError, UnbuildableError, Uv
from sparky.domain.command import Completed, Level, digest
from sparky.domain.state import Context
from sparky.domain.testing import TestCase, TestOutcome, TestRun, Trouble
from sparky.formats.state_json import UnreadableStateError, decode, encode
from sparky.ports import Blobs, Repository, Shell
from sparky.targets.discover import find_command, is_python
from sparky.targets.environment import TargetEnvironment
from sparky.targets.suite import ending, last_line
from sparky.targets.suites.table import suite_of

_FORMAT = "2"
_INSTALLATION = "installation of the project"


class PytestTests:
    """Runs tests by pytest, unittest, or any command: by its own report and its exit code.

    All that it keeps lies below `cache`: environments, installations, and the results of full runs by tree,
    command, environment and confinement. `python` is the interpreter to test with, `path` the caller's PATH,
    `index_env` what an installer needs to reach its index. `sandbox` False: foreign code runs unconfined.
    `report`: the path or pattern of the report that the command writes, "": nobody said. `set_up`: what is
    run before the tests, with the network; empty: nothing.
    """

    def __init__(
        self,
        shell: Shell,
        repository: Repository,
        blobs: Blobs,
        cache: Path,
        *,
        python: Path,
        path: str,
        index_env: Mapping[str, str],
        sandbox: bool,
        report: str = "",
        set_up: tuple[str, ...] = (),
    ) -> None:
        self._shell = shell
        self._repository = repository
        self._blobs = blobs
        self._cache = cache.resolve()
        self._uv = Uv(shell, self._cache, python=python, index_env=index_env, sandbox=sandbox)
        self._environments = Environments(repository, self._uv, self._cache)
        self._installs = Installs(repository, self._environments, self._uv, self._cache)
        self._path = path
        self._sandbox = sandbox
        self._report = report
        self._set_up = set_up
        self._index_env = index_env

    def discover(self, context: Context, sha: str) -> tuple[str, ...] | None:
        """What the commit declares, else what its files look like; None if there are no tests to be seen."""
        del context  # the commit tells all
        version = self._uv.version.rpartition(".")[0]
        return find_command(
            self._repository.files(sha), lambda path: self._repository.read(sha, path) or b"", version
        )

    def run(
        self,
        context: Context,
        sha: str,
        command: tuple[str, ...],
        *,
        only: Sequence[str] = (),
        timeout_s: float = 900.0,
    ) -> TestRun:
        """Run the tests at `sha`; `only` limits them to these ids. The result of a full run is cached."""
        try:
            environment = self._environments.get(sha) if self._needs_python(sha, command) else None
            record = self._record(sha, command, environment)
            if not only and (known := self._known(record)) is not None:
                return replace(known, sha=sha)
            lib = self._installs.get(context.base, sha) if environment else None
        except BuildError as error:
            return self._unbuilt(sha, command, error)
        run = self._perform(
            context=context,
            sha=sha,
            command=command,
            only=tuple(only),
            timeout_s=timeout_s,
            environment=environment,
            lib=lib,
        )
        if not only and run.trouble in {None, Trouble.NO_TESTS}:
            write_whole(record, encode(run))
        return run

    def _perform(
        self,
        *,
        context: Context,
        sha: str,
        command: tuple[str, ...],
        only: tuple[str, ...],
        timeout_s: float,
        environment: TargetEnvironment | None,
        lib: Path | None,
    ) -> TestRun:
        with scratch(self._cache / "scratch") as place:
            self._repository.export(sha, place / "tree")
            files = self._repository.files(sha)
            performance = Performance(
                command=command,
                report=self._report,
                store=self._store(context) if self._set_up else None,
                only=only,
                environment=environment,
                lib=lib,
                place=place,
                files=files,
                known=(*files, *self._repository.files(context.base)),
                path=self._path,
                readable=self._uv.readable if environment else (),
            )
            if (failed := self._fetch(performance)) is not None:
                detail = f"test_setup: {_last_words(failed)}"
                return self._without(sha, command, detail, failed.stdout + failed.stderr)
            prepared = performance.prepare(timeout_s=timeout_s, sandbox=self._sandbox)
            before = performance.stamps()
            completed = self._shell.run(prepared)
            judgement = performance.judge(completed, before)
        missing = environment.missing if environment else ()
        refused = f"; could not be installed: {', '.join(missing)}" if missing else ""
        return TestRun(
            sha=sha,
            command=command,
            cases=judgement.cases,
            trouble=judgement.trouble,
            detail=judgement.detail and judgement.detail + refused,
            output=self._blobs.put(completed.stdout + completed.stderr),
            seconds=completed.seconds,
            level=completed.level.value,
        )

    def _unbuilt(self, sha: str, command: tuple[str, ...], error: BuildError) -> TestRun:
        """No environment, no verdict; but a project that no longer builds is red like a failed test."""
        run = self._without(sha, command, str(error), error.log)
        if not isinstance(error, UnbuildableError):
            return run
        case = TestCase(id=_INSTALLATION, outcome=TestOutcome.ERROR, message=str(error))
        return replace(run, cases=(case,), trouble=None)

    def _without(self, sha: str, command: tuple[str, ...], detail: str, log: bytes) -> TestRun:
        """A run that did not come about, for what is around the tests."""
        output = self._blobs.put(log)
        return TestRun(sha=sha, command=command, trouble=Trouble.ENVIRONMENT, detail=detail, output=output)

    def _fetch(self, performance: Performance) -> Completed | None:
        """Run what is to be run before the tests; how it ended, if it failed."""
        if not self._set_up:
            return None
        order = performance.set_up(self._set_up, index_env=self._index_env, sandbox=self._sandbox)
        completed = self._shell.run(order)
        return None if completed.ok else completed

    def _store(self, context: Context) -> Path:
        """Where what is fetched for a repository is kept: no other one's tests read it."""
        store = self._cache / "fetched" / digest(context.git_dir.encode())[:16]
        store.mkdir(parents=True, exist_ok=True)
        return store

    def _needs_python(self, sha: str, command: tuple[str, ...]) -> bool:
        return bool(suite_of(command).REPORTER) or is_python(self._repository.files(sha))

    def _record(self, sha: str, command: tuple[str, ...], environment: TargetEnvironment | None) -> Path:
        level = self._shell.level() if self._sandbox else Level.OFF
        home = environment.path if environment else ""
        facts = "\0".join(
            (
                _FORMAT,
                self._repository.tree(sha),
                *command,
                self._report,
                repr(self._set_up),
                home,
                level.value,
            )
        )
        return self._cache / "tests" / f"{digest(facts.encode())}.json"

    def _known(self, record: Path) -> TestRun | None:
        """The result kept there; None if there is none, or its log is gone."""
        try:
            known = decode(record.read_bytes(), TestRun)
            self._blobs.get(known.output)
        except (FileNotFoundError, UnreadableStateError, KeyError):
            return None
        return known


def _last_words(completed: Completed) -> str:
    """How a command failed, for a person."""
    stopped = ending(completed)
    return stopped[1] if stopped else f"exit code {completed.code}: {last_line(completed.text())}"
