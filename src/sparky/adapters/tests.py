"""Tests at an exact commit: in an export of it, in an environment of what it declares, confined."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from sparky.adapters.blobs import write_whole
from sparky.adapters.environment import Environments
from sparky.adapters.installs import Installs
from sparky.adapters.kept_runs import KeptRuns
from sparky.adapters.locks import FileLocks
from sparky.adapters.performance import Performance
from sparky.adapters.rewritten import changed, snapshots
from sparky.adapters.scratch import scratch
from sparky.adapters.traced import gathered, sources
from sparky.adapters.uv import BuildError, Uv
from sparky.adapters.watch import Numbers
from sparky.domain.command import Completed, Ending, Level, digest
from sparky.domain.state import Context
from sparky.domain.testing import TestRun, Trouble
from sparky.evidence.failing import once_own
from sparky.formats.values_json import decode, encode
from sparky.ports import Blobs, Repository, Shell
from sparky.targets.discover import find_command, is_python
from sparky.targets.environment import TargetEnvironment
from sparky.targets.suite import ending, last_line
from sparky.targets.suites.table import suite_of

_FORMAT = "3"


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
        self._locks = FileLocks(self._cache / "locks")
        self._kept = KeptRuns(self._locks, blobs)
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
        turn: int = 1,
        lines: Numbers = MappingProxyType({}),
    ) -> TestRun:
        """Run the tests at `sha`; `only` limits them to these ids. A full run is cached by its turn.

        Not so one that is watched for which of these `lines` it runs. Of several calls for the same full run,
        one runs the tests, and the others wait for its result.
        """
        try:
            environment = self._environments.get(sha) if self._needs_python(sha, command) else None
            record = self._record(sha, command, environment, turn)

            def fresh() -> TestRun:
                begun = self._begun(context, sha, command, environment, only=tuple(only), lines=lines)
                with begun as performance:
                    return self._perform(performance, sha, timeout_s)

            if only or lines:
                return fresh()
            return replace(self._kept.once(record, turn, timeout_s, fresh), sha=sha)
        except BuildError as error:
            return replace(self._kept.unbuilt(sha, command, error), unrun=dict(lines))

    def trace(self, context: Context, sha: str, command: tuple[str, ...], *, timeout_s: float) -> Path | None:
        """A file of what functions are called with, and give; None if the tests could not be watched."""
        tracer = digest(b"".join(source for _, source in sorted(sources().items())))

        def watch(performance: Performance) -> bytes | None:
            order = performance.prepare(timeout_s=timeout_s, sandbox=self._sandbox, traced=True)
            ended = self._shell.run(order).ending is Ending.EXITED
            return gathered(performance.place / "out") if ended else None

        return self._aside(context, sha, command, f"traces/{tracer[:16]}", look=watch)

    def rewritten(
        self, context: Context, sha: str, command: tuple[str, ...], test: str, *, timeout_s: float
    ) -> Mapping[str, bytes | None]:
        """The snapshots that a test, run alone and told to rewrite its own, writes or removes (None)."""
        option = suite_of(command).REWRITE
        if not option:
            return {}

        def rewrite(performance: Performance) -> bytes | None:
            before = snapshots(performance.place / "tree")
            order = performance.prepare(timeout_s=timeout_s, sandbox=self._sandbox)
            ended = self._shell.run(order).ending is Ending.EXITED
            return encode(changed(performance.place / "tree", before)) if ended else None

        name = f"rewritten/{digest(test.encode())[:16]}"
        kept = self._aside(context, sha, (*command, option), name, look=rewrite, only=(test,))
        return decode(kept.read_bytes(), dict[str, bytes | None]) if kept else {}

    def _aside(
        self,
        context: Context,
        sha: str,
        command: tuple[str, ...],
        name: str,
        *,
        look: Callable[[Performance], bytes | None],
        only: tuple[str, ...] = (),
    ) -> Path | None:
        """A file with what a run of Python's tests shows that is no result of theirs, kept; None: nothing.

        `name` says what is looked for, and for whom it is kept apart.
        """
        try:
            environment = self._environments.get(sha) if self._needs_python(sha, command) else None
            if environment is None:
                return None
            record = self._record(sha, command, environment, 1)
            folder, _, mark = name.partition("/")
            kept = self._cache / folder / f"{record.stem}-{mark}.json"
            with self._locks.hold(f"{folder}-{record.stem}"):
                if not kept.is_file():
                    with self._begun(context, sha, command, environment, only=only) as performance:
                        shown = look(performance) if self._fetch(performance) is None else None
                    if shown is None:
                        return None
                    write_whole(kept, shown)
        except BuildError:
            return None
        return kept

    def _perform(self, performance: Performance, sha: str, timeout_s: float) -> TestRun:
        if (failed := self._fetch(performance)) is not None:
            detail = f"test_setup: {_last_words(failed)}"
            stopped = self._kept.without(sha, performance.command, detail, failed.said())
            return replace(stopped, unrun=dict(performance.lines))
        prepared = performance.prepare(timeout_s=timeout_s, sandbox=self._sandbox)
        before = performance.stamps()
        completed = self._shell.run(prepared)
        judgement = performance.judge(completed, before)
        if judgement.trouble is Trouble.ENVIRONMENT and judgement.cases:
            lost = once_own(self._repository, sha, judgement.cases)
            judgement = replace(performance, lost=lost).judge(completed, before)
        speaks = judgement.trouble is not None or any(case.red for case in judgement.cases)
        remarks = performance.environment.remarks if performance.environment and speaks else ()
        return TestRun(
            sha=sha,
            command=performance.command,
            cases=judgement.cases,
            trouble=judgement.trouble,
            detail="; ".join(part for part in (judgement.detail, *remarks) if part),
            output=self._blobs.put(completed.said()),
            seconds=completed.seconds,
            level=completed.level.value,
            unrun=performance.unrun(self._shell, sandbox=self._sandbox),
        )

    @contextmanager
    def _begun(
        self,
        context: Context,
        sha: str,
        command: tuple[str, ...],
        environment: TargetEnvironment | None,
        *,
        only: tuple[str, ...] = (),
        lines: Numbers = MappingProxyType({}),
    ) -> Iterator[Performance]:
        """One run of the command in an export of a commit, which is gone afterwards; raises BuildError."""
        lib = self._installs.get(context.base, sha) if environment else None
        with scratch(self._cache / "scratch") as place:
            self._repository.export(sha, place / "tree")
            yield Performance(
                command=command,
                report=self._report,
                store=self._store(context) if self._set_up else None,
                only=only,
                environment=environment,
                lib=lib,
                place=place,
                files=self._repository.files(sha),
                base_files=self._repository.files(context.base),
                path=self._path,
                readable=self._uv.readable if environment else (),
                lines=lines,
            )

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

    def _record(
        self, sha: str, command: tuple[str, ...], environment: TargetEnvironment | None, turn: int
    ) -> Path:
        level = self._shell.level() if self._sandbox else Level.OFF
        home = environment.path if environment else ""
        asked = (self._repository.tree(sha), *command, self._report, repr(self._set_up))
        facts = "\0".join((_FORMAT, *asked, home, level.value, str(turn)))
        return self._cache / "tests" / f"{digest(facts.encode())}.json"


def _last_words(completed: Completed) -> str:
    """How a command failed, for a person."""
    stopped = ending(completed)
    return stopped[1] if stopped else f"exit code {completed.code}: {last_line(completed.text())}"
