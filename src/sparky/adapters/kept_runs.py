"""Full runs of the tests, each made once for all who ask for it; and runs that did not come about."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sparky.adapters.blobs import write_whole
from sparky.adapters.uv import BuildError, UnbuildableError
from sparky.domain.testing import TestCase, TestOutcome, TestRun, Trouble
from sparky.formats.values_json import UnreadableStateError, decode, encode
from sparky.ports import Blobs, Lock

_INSTALLATION = "installation of the project"


class KeptRuns:
    """Runs by the file that records each; one whose log is gone from the blobs is made anew."""

    def __init__(self, locks: Lock, blobs: Blobs) -> None:
        self._locks = locks
        self._blobs = blobs

    def once(self, record: Path, turn: int, timeout_s: float, fresh: Callable[[], TestRun]) -> TestRun:
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
            # What a later turn has no verdict on is not to be known again and again; one that was killed is.
            if run.trouble in {None, Trouble.NO_TESTS} or (turn > 1 and run.trouble is not Trouble.KILLED):
                write_whole(record, encode(run))
            elif run.trouble is Trouble.TIMED_OUT:
                write_whole(overdue, encode(run))
            return run

    def unbuilt(self, sha: str, command: tuple[str, ...], error: BuildError) -> TestRun:
        """No environment, no verdict; but a project that no longer builds is red like a failed test."""
        run = self.without(sha, command, str(error), error.log)
        if not isinstance(error, UnbuildableError):
            return run
        case = TestCase(id=_INSTALLATION, outcome=TestOutcome.ERROR, message=str(error))
        return replace(run, cases=(case,), trouble=None)

    def without(self, sha: str, command: tuple[str, ...], detail: str, log: bytes) -> TestRun:
        """A run that did not come about, for what is around the tests."""
        output = self._blobs.put(log)
        return TestRun(sha=sha, command=command, trouble=Trouble.ENVIRONMENT, detail=detail, output=output)

    def _known(self, record: Path) -> TestRun | None:
        """The result kept there; None if there is none, or its log is gone."""
        try:
            known = decode(record.read_bytes(), TestRun)
            self._blobs.get(known.output)
        except (FileNotFoundError, UnreadableStateError, KeyError):
            return None
        return known
