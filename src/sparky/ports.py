"""Promises: what the stages need from the outside world. Adapters keep them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from sparky.domain.agent import Agent
from sparky.domain.attempt import Attempt
from sparky.domain.change import FileChange
from sparky.domain.command import Command, Completed, Level
from sparky.domain.errors import UserError
from sparky.domain.report import Filed
from sparky.domain.state import Context
from sparky.domain.testing import Import, TestRun
from sparky.events import Aftermath, SessionRequest, SessionResult


class Shell(Protocol):
    """The one door to processes."""

    def run(self, command: Command) -> Completed:
        """Run it to its end and end all that it started. Never raises for what the process does."""

    def halt(self) -> None:
        """End all confined and supervised commands, now and from now on; others run to their end."""

    def halted(self) -> bool:
        """Whether `halt` was called: what works in process must end itself."""

    def level(self) -> Level:
        """The confinement that a command with a policy gets on this machine."""


class Blobs(Protocol):
    """Bytes by digest."""

    def put(self, data: bytes) -> str:
        """Keep the bytes; returns their digest. The same bytes twice are kept once."""

    def get(self, digest: str) -> bytes:
        """The bytes; raises KeyError if they are not there."""


class Repository(Protocol):
    """git, for one repository. Every method may raise `GitError`, whose text is for a person."""

    def resolve(self, ref: str) -> str | None:
        """The commit sha that a ref names, None if there is none."""

    def open(self, run: str, branch: str, sha: str) -> Path:
        """The run's worktree, clean and at `sha`, on `branch`. Made if missing, put right if not so."""

    def commit(self, run: str, message: str) -> str | None:
        """Commit all that is changed in the run's worktree; returns the sha, None if nothing is changed."""

    def reset(self, run: str, sha: str) -> None:
        """Put the run's worktree and branch to `sha`; all that is not in it is gone."""

    def changes(self, base: str, head: str) -> tuple[FileChange, ...]:
        """The files that differ, sorted by path."""

    def patch(self, base: str, head: str, paths: Sequence[str] = ()) -> bytes:
        """The diff as text with three lines of context, binary-safe."""

    def log(self, base: str, head: str) -> tuple[tuple[str, str], ...]:
        """Sha and subject of each commit of `head` that is not in `base`, oldest first."""

    def read(self, sha: str, path: str) -> bytes | None:
        """A file's bytes at a commit; None if it is not there."""

    def contents(self, sha: str, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Path and bytes of those of the paths that are files at a commit, sorted; few processes for many."""

    def files(self, sha: str) -> tuple[str, ...]:
        """All paths of a commit's tree, sorted; links and submodules are left out."""

    def export(self, sha: str, into: Path) -> None:
        """Write a commit's files into an empty directory, which gets no link to the repository."""

    def tree(self, sha: str) -> str:
        """The tree sha of a commit."""

    def keep(self, run: str, sha: str) -> None:
        """Hold a commit by `refs/sparky/runs/<run>` so that nothing verified is ever lost."""

    def rebase(self, run: str, onto: str) -> tuple[str | None, tuple[str, ...]]:
        """Put the run's commits onto another base: (new head, ()), or (None, files in conflict)."""

    def revert(self, base: str, head: str, onto: str, message: str) -> tuple[str | None, tuple[str, ...]]:
        """A commit on `onto` that takes `base` to `head` back, and (); or None, and the files in conflict."""

    def overlay(self, onto: str, files: Mapping[str, bytes | None]) -> str:
        """A commit on `onto` that no ref holds: these files have these bytes (None: are not there)."""

    def merge(self, target: str, expected: str, head: str) -> None:
        """Fast-forward the branch from `expected` to `head`; done already is success.

        Raises `TargetMovedError` if the branch is elsewhere, `DirtyCheckoutError` if it is checked out
        with uncommitted changes.
        """

    def close(self, run: str) -> None:
        """Remove the run's worktree; its branch and what `keep` holds stay."""

    def require_droppable(self, run: str, branch: str) -> None:
        """Raise `GitError` if `drop` would refuse."""

    def drop(self, run: str, branch: str) -> None:
        """Remove the run's branch and kept ref, too; refuses if its commits are nowhere else."""


class GitError(UserError):
    """git could not do it; the text says what and where, `step` what to do then."""

    step = "mend what git says"


class GoneError(GitError):
    """The place where git was to work is not there any more."""

    step = "put it back there, or run the issue again where the repository is now"


class NoRepositoryError(GitError):
    """A path is in no repository, or in none that sparky can work on."""

    code = 2


class TargetMovedError(GitError):
    """The target branch is not where it was."""


class DirtyCheckoutError(GitError):
    """The target branch is checked out with uncommitted changes."""


class Tests(Protocol):
    """Runs a repository's tests at an exact commit, in an environment made from what it declares."""

    def discover(self, context: Context, sha: str) -> tuple[str, ...] | None:
        """The repository's test command, None if it has none."""

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
        """Run the tests at `sha`; `only` limits them to these ids.

        The result of a full run is cached, apart for each `turn`: two turns tell what is steady. Not cached
        is one that is watched for which of these `lines` of Python, by path, it runs.
        """

    def trace(self, context: Context, sha: str, command: tuple[str, ...], *, timeout_s: float) -> Path | None:
        """A file of what functions are called with, and give (`tools/tracing`), kept; None: unseen."""

    def rewritten(
        self, context: Context, sha: str, command: tuple[str, ...], test: str, *, timeout_s: float
    ) -> Mapping[str, bytes | None]:
        """The snapshots that one test, run alone, writes or removes where it is told to rewrite its own.

        None: removed, or too large to be read. Empty: it touches none, or can't be told to. It is kept.
        """


class Runner(Protocol):
    """Starts a session of a coding agent."""

    def run(self, request: SessionRequest) -> SessionResult: ...


class Transcripts(Protocol):
    """What sessions leave behind."""

    def aftermath(self, room: str) -> Aftermath:
        """What the transcripts in a session's room tell; nothing where there is none."""


class Lock(Protocol):
    """Mutual exclusion between processes."""

    def hold(self, name: str) -> AbstractContextManager[None]: ...


class Progress(Protocol):
    """Where a stage says what it is doing, for a person who waits."""

    def say(self, run: str, text: str) -> None:
        """One line."""


Waiting = Callable[[Callable[[], Sequence[str]]], AbstractContextManager[object]]
"""Tells a person, while the context lasts, for which tools it waits; those are asked for again and again."""


class Receipts(Protocol):
    """Attempts whose effects lie outside the database, kept apart from it."""

    def find(self, run: str, ordinal: int) -> Attempt | None:
        """The attempt as it was done; None if it never came to its end."""

    def put(self, run: str, ordinal: int, attempt: Attempt) -> None:
        """Keep the attempt, on disk when this returns."""


class Refusals(Protocol):
    """What sparky learned about a repository: findings whose fix was withdrawn, by fingerprint."""

    def refuse(self, repository: str, reasons: Mapping[str, str]) -> None:
        """Remember them, each with the reason."""

    def refusals(self, repository: str) -> Mapping[str, str]:
        """Fingerprint to reason, for all that is remembered."""


class Reports(Protocol):
    """What was reported on runs, apart from their code; a report is never edited."""

    def of(self, run: str) -> tuple[tuple[Filed, str], ...]:
        """The reports on a run, each with its text, in the order in which they were left."""

    def leave(self, run: str, name: str, text: str, code: str) -> None:
        """Add a report that speaks of the commit `code`; what is there under its name stays as it is."""

    def drop(self, run: str) -> None:
        """Remove the reports on a run; none is fine."""


@dataclass(frozen=True, kw_only=True)
class Ports:
    """All that a stage may touch. `kept`: where what took long to tell lies; it may be gone at any time.

    `waiting` as it is tells nobody.
    """

    shell: Shell
    repository: Repository
    tests: Tests
    imports: Import
    blobs: Blobs
    runners: Mapping[str, Runner]
    lock: Lock
    progress: Progress
    receipts: Receipts
    refusals: Refusals
    reports: Reports
    transcripts: Transcripts
    agents: tuple[Agent, ...]
    binaries: Mapping[str, str]
    scratch: Path
    kept: Path
    waiting: Waiting = nullcontext
