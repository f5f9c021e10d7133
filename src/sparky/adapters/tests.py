"""Tests at an exact commit: in an export of it, in an environment of what it declares, confined."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sparky.adapters.blobs import write_whole
from sparky.adapters.environment import Environments
from sparky.adapters.installs import Installs
from sparky.adapters.locks import FileLocks
from sparky.adapters.performance import Performance
from sparky.adapters.scratch import scratch
from sparky.adapters.uv import BuildError, UnbuildableError, Uv
from sparky.domain.command import Level, digest
from sparky.domain.state import Context
from sparky.domain.testing import TestCase, TestOutcome, TestRun, Trouble
from sparky.formats.state_json import UnreadableStateError, decode, encode
from sparky.ports import Blobs, Repository, Shell
from sparky.targets.environment import TargetEnvironment, declares
from sparky.targets.requirements_read import has_pytest_configuration
from sparky.targets.suite import looks_like_test

_FORMAT = "1"
_INSTALLATION = "installation of the project"


class PytestTests:
    """Runs tests by pytest, or by any command whose exit code is its result.

    All that it keeps lies below `cache`: environments, installations, and the results of full runs by tree,
    command, environment and confinement. `python` is the interpreter to test with, `path` the caller's PATH,
    `index_env` what an installer needs to reach its index. `sandbox` False: foreign code runs unconfined.
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
    ) -> None:
        self._shell = shell
        self._repository = repository
        self._blobs = blobs
        self._cache = cache.resolve()
        self._uv = Uv(shell, self._cache, python=python, index_env=index_env, sandbox=sandbox)
        self._environments = Environments(repository, self._uv, self._cache)
        self._installs = Installs(repository, self._environments, self._uv, self._cache)
        self._locks = FileLocks(self._cache / "locks")
        self._path = path
        self._sandbox = sandbox

    def discover(self, context: Context, sha: str) -> tuple[str, ...] | None:
        """`pytest` if it is configured or there are files that look like tests; None if neither."""
        del context  # the commit tells all
        paths = self._repository.files(sha)
        if any(looks_like_test(path) for path in paths):
            return ("pytest",)
        files = {path: self._repository.read(sha, path) or b"" for path in paths if declares(path)}
        return ("pytest",) if has_pytest_configuration(files) else None

    def run(
        self,
        context: Context,
        sha: str,
        command: tuple[str, ...],
        *,
        only: Sequence[str] = (),
        timeout_s: float = 900.0,
        turn: int = 1,
    ) -> TestRun:
        """Run the tests at `sha`; `only` limits them to these ids. A full run is cached by its turn.

        Of several calls for the same full run, one runs the tests, and the others wait for its result.
        """
        try:
            environment = self._environments.get(sha)
            record = self._record(sha, command, environment, turn)

            def fresh() -> TestRun:
                return self._perform(
                    base=context.base,
                    sha=sha,
                    command=command,
                    only=tuple(only),
                    timeout_s=timeout_s,
                    environment=environment,
                    lib=self._installs.get(context.base, sha),
                )

            return fresh() if only else replace(self._once(record, turn, timeout_s, fresh), sha=sha)
        except BuildError as error:
            return self._unbuilt(sha, command, error)

    def _once(self, record: Path, turn: int, timeout_s: float, fresh: Callable[[], TestRun]) -> TestRun:
        """The result that is kept, else a fresh one; who asks for the same meanwhile waits for that one.

        One that ran out of time is kept for those who have waited for it, with no more time than it had.
        """
        asked, overdue = time.time_ns(), record.with_suffix(".overdue")
        with self._locks.hold(f"tests-{record.stem}"):
            if (known := self._known(record)) is not None:
                return known
            late = self._known(overdue)
            if late is not None and late.seconds >= timeout_s and overdue.stat().st_mtime_ns >= asked:
                return late
            run = fresh()
            # What a later turn has no verdict on is not to be known again and again.
            if turn > 1 or run.trouble in {None, Trouble.NO_TESTS}:
                write_whole(record, encode(run))
            elif run.trouble is Trouble.TIMED_OUT:
                write_whole(overdue, encode(run))
            return run

    def _perform(
        self,
        *,
        base: str,
        sha: str,
        command: tuple[str, ...],
        only: tuple[str, ...],
        timeout_s: float,
        environment: TargetEnvironment,
        lib: Path | None,
    ) -> TestRun:
        with scratch(self._cache / "scratch") as place:
            self._repository.export(sha, place / "tree")
            files = self._repository.files(sha)
            performance = Performance(
                command=command,
                only=only,
                environment=environment,
                lib=lib,
                place=place,
                files=files,
                known=(*files, *self._repository.files(base)),
                path=self._path,
                readable=self._uv.readable,
            )
            completed = self._shell.run(performance.prepare(timeout_s=timeout_s, sandbox=self._sandbox))
            judgement = performance.judge(completed)
        speaks = judgement.trouble is not None or any(case.red for case in judgement.cases)
        said = (judgement.detail, *(environment.remarks if speaks else ()))
        return TestRun(
            sha=sha,
            command=command,
            cases=judgement.cases,
            trouble=judgement.trouble,
            detail="; ".join(part for part in said if part),
            output=self._blobs.put(completed.stdout + completed.stderr),
            seconds=completed.seconds,
            level=completed.level.value,
        )

    def _unbuilt(self, sha: str, command: tuple[str, ...], error: BuildError) -> TestRun:
        """No environment, no verdict; but a project that no longer builds is red like a failed test."""
        run = TestRun(sha=sha, command=command, detail=str(error), output=self._blobs.put(error.log))
        if not isinstance(error, UnbuildableError):
            return replace(run, trouble=Trouble.ENVIRONMENT)
        case = TestCase(id=_INSTALLATION, outcome=TestOutcome.ERROR, message=str(error))
        return replace(run, cases=(case,))

    def _record(self, sha: str, command: tuple[str, ...], environment: TargetEnvironment, turn: int) -> Path:
        level = self._shell.level() if self._sandbox else Level.OFF
        facts = "\0".join(
            (_FORMAT, self._repository.tree(sha), *command, environment.path, level.value, str(turn))
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
