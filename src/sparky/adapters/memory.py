"""The ports in memory: for tests of whatever stands on them. Each passes the tests of its real adapter."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from types import MappingProxyType

from sparky.adapters.progress import one_line
from sparky.adapters.scripted import ScriptedSession, counted, fits
from sparky.domain.attempt import Attempt
from sparky.domain.command import Command, Completed, Ending, Level, digest
from sparky.domain.report import FOLDER, Filed, ReportId, read_name
from sparky.domain.state import Context
from sparky.domain.testing import TestCase, TestRun, Trouble
from sparky.events import SessionEnding, SessionRequest, SessionResult
from sparky.ports import Repository

Program = Callable[[Command], Completed]
"""What a command comes to, without a process."""

Judge = Callable[[Mapping[str, bytes]], tuple[TestCase, ...]]
"""The test results of a commit's files."""

Rewrite = Callable[[Mapping[str, bytes], str], Mapping[str, bytes | None]]
"""What a test makes of the snapshots among a commit's files."""


@dataclass(frozen=True)
class MemoryBlobs:
    """Bytes by digest."""

    kept: dict[str, bytes] = field(default_factory=dict)

    def put(self, data: bytes) -> str:
        """Keep the bytes; returns their digest."""
        name = digest(data)
        self.kept[name] = data
        return name

    def get(self, digest: str) -> bytes:
        """The bytes; raises KeyError if they are not there."""
        return self.kept[digest]


@dataclass(frozen=True)
class MemoryReceipts:
    """Attempts by run and ordinal."""

    kept: dict[tuple[str, int], Attempt] = field(default_factory=dict)

    def find(self, run: str, ordinal: int) -> Attempt | None:
        """The attempt as it was done; None if it never came to its end."""
        return self.kept.get((run, ordinal))

    def put(self, run: str, ordinal: int, attempt: Attempt) -> None:
        """Keep the attempt."""
        self.kept[run, ordinal] = attempt


@dataclass(frozen=True)
class MemoryRefusals:
    """Reasons by repository and fingerprint."""

    kept: dict[str, dict[str, str]] = field(default_factory=dict)

    def refuse(self, repository: str, reasons: Mapping[str, str]) -> None:
        """Remember them, each with the reason."""
        self.kept.setdefault(repository, {}).update(reasons)

    def refusals(self, repository: str) -> dict[str, str]:
        """Fingerprint to reason, for all that is remembered."""
        return dict(self.kept.get(repository, {}))


@dataclass(frozen=True)
class MemoryReports:
    """Names and texts by run, in the order in which they were left."""

    kept: dict[str, dict[str, str]] = field(default_factory=dict)

    def of(self, run: str) -> tuple[tuple[Filed, str], ...]:
        """The reports on a run, each with its text, in the order in which they were left."""
        return tuple(
            (Filed(id=said, path=f"{FOLDER}/{name}", commit=digest(text.encode())[:40], rank=rank), text)
            for rank, (name, text) in enumerate(self.kept.get(run, {}).items(), 1)
            if isinstance(said := read_name(name), ReportId)
        )

    def leave(self, run: str, name: str, text: str, code: str) -> None:
        """Add a report; what is there under its name stays as it is."""
        del code
        self.kept.setdefault(run, {}).setdefault(name, text)

    def drop(self, run: str) -> None:
        """Remove the reports on a run; none is fine."""
        self.kept.pop(run, None)


@dataclass(frozen=True)
class MemoryProgress:
    """Lines by run."""

    said: dict[str, list[str]] = field(default_factory=dict)

    def say(self, run: str, text: str) -> None:
        """Keep the text as one line."""
        self.said.setdefault(run, []).append(one_line(text))

    def lines(self, run: str) -> list[str]:
        """All lines so far, without times."""
        return list(self.said.get(run, ()))


@dataclass(frozen=True)
class MemoryLock:
    """Locks between the threads of this process."""

    locks: dict[str, threading.Lock] = field(default_factory=dict)

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """Wait for the lock and hold it."""
        with self.locks.setdefault(name, threading.Lock()):
            yield


@dataclass(frozen=True)
class MemoryShell:
    """Programs by the last part of their path; one that is not there is not found, as in any shell."""

    programs: Mapping[str, Program] = field(default_factory=dict)
    ran: list[Command] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def run(self, command: Command) -> Completed:
        """What the program comes to; killed once the shell is halted, if it is confined or supervised."""
        self.ran.append(command)
        program = self.programs.get(PurePath(command.argv[0]).name)
        if program is None:
            return answer(command, ending=Ending.NOT_FOUND, code=127)
        if self.stopped.is_set() and (command.policy is not None or command.supervised):
            return answer(command, ending=Ending.KILLED, code=-9)
        done = program(command)
        if command.hear is not None:
            command.hear(done.stdout)
        return done

    def halt(self) -> None:
        """End all confined and supervised commands from now on."""
        self.stopped.set()

    def halted(self) -> bool:
        """Whether `halt` was called."""
        return self.stopped.is_set()

    def level(self) -> Level:
        """There is nothing to confine."""
        return Level.OFF


def answer(
    command: Command,
    stdout: bytes = b"",
    stderr: bytes = b"",
    *,
    code: int = 0,
    ending: Ending = Ending.EXITED,
) -> Completed:
    """What came of a command."""
    return Completed(argv=command.argv, ending=ending, code=code, stdout=stdout, stderr=stderr, seconds=0.0)


@dataclass(frozen=True, kw_only=True)
class MemoryTests:
    """Tests whose results follow from a commit's files.

    `trouble`: by sha, why there is no verdict. `untested`: the paths of which no test runs a line. `rewrite`:
    what a test makes of its snapshots.
    """

    repository: Repository
    judge: Judge
    command: tuple[str, ...] | None = ("pytest",)
    trouble: dict[str, Trouble] = field(default_factory=dict)
    untested: set[str] = field(default_factory=set)
    rewrite: Rewrite = lambda _files, _test: {}
    ran: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def discover(self, context: Context, sha: str) -> tuple[str, ...] | None:
        """The command that was given."""
        del context, sha
        return self.command

    def run(
        self,
        context: Context,
        sha: str,
        command: tuple[str, ...],
        *,
        only: Sequence[str] = (),
        timeout_s: float = 900.0,
        turn: int = 1,
        lines: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
    ) -> TestRun:
        """The results at `sha`; `only` limits them to these ids."""
        del context, timeout_s, turn
        self.ran.append((sha, tuple(only)))
        unrun = {path: numbers for path, numbers in lines.items() if path in self.untested}
        run = TestRun(sha=sha, command=command, unrun=unrun)
        if (trouble := self.trouble.get(sha)) is not None:
            return replace(run, trouble=trouble, detail=f"{trouble.value} in memory")
        cases = tuple(case for case in self.judge(self._files(sha)) if not only or case.id in only)
        if not cases:
            return replace(run, trouble=Trouble.NO_TESTS, detail="there are none in memory")
        return replace(run, cases=cases)

    def trace(self, context: Context, sha: str, command: tuple[str, ...], *, timeout_s: float) -> Path | None:
        """Nothing: no test is run."""
        del context, sha, command, timeout_s
        return None

    def rewritten(
        self, context: Context, sha: str, command: tuple[str, ...], test: str, *, timeout_s: float
    ) -> Mapping[str, bytes | None]:
        """What `rewrite` says of the commit's files."""
        del context, command, timeout_s
        return self.rewrite(self._files(sha), test)

    def _files(self, sha: str) -> dict[str, bytes]:
        return {path: self.repository.read(sha, path) or b"" for path in self.repository.files(sha)}


@dataclass(frozen=True)
class MemoryRunner:
    """Plays sessions in this process: `run` and `print` steps do nothing."""

    sessions: tuple[ScriptedSession, ...]
    asked: list[SessionRequest] = field(default_factory=list)

    def run(self, request: SessionRequest) -> SessionResult:
        """The first session that fits the request; none fitting is one that does nothing and says so."""
        self.asked.append(request)
        chosen = next((session for session in self.sessions if fits(session, request)), None)
        if chosen is None:
            return SessionResult(
                claimed_success=False, summary="no session fits", ending=SessionEnding.FINISHED
            )
        return counted(chosen, self._played(chosen, request))

    def _played(self, chosen: ScriptedSession, request: SessionRequest) -> SessionResult:
        for step in chosen.steps:
            if not _act(request.worktree / step.path, step.do, step.old, step.text):
                return _broken_off(
                    SessionEnding.BROKEN_OFF, f"exited (code 1) {step.path} does not hold the text to replace"
                )
        match chosen.ending:
            case "crash":
                return _broken_off(SessionEnding.BROKEN_OFF, "killed (code -6)")
            case "hang":
                return _broken_off(SessionEnding.TIMED_OUT, "timed out (code -9)")
            case _:
                return SessionResult(
                    claimed_success=chosen.success,
                    summary=chosen.summary,
                    ending=SessionEnding.FINISHED,
                    handover=chosen.handover,
                    plan=chosen.plan,
                    report=chosen.report,
                )


def _act(path: Path, do: str, old: str, text: str) -> bool:
    """One step; False if it can't be done."""
    match do:
        case "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        case "replace":
            before = path.read_bytes().decode()
            path.write_bytes(before.replace(old, text).encode())
            return old in before
        case "delete":
            path.unlink()
    return True


def _broken_off(ending: SessionEnding, detail: str) -> SessionResult:
    return SessionResult(claimed_success=False, summary="", ending=ending, detail=detail)
