"""sparky's own reports on a run: a chain of commits of their own; no report changes the tree of the code."""

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sparky.adapters.git import Git, resolve
from sparky.adapters.git_refs import delete
from sparky.adapters.git_settings import IDENTITY
from sparky.adapters.reports import ReportsError, Shelf, open_ref, read_at
from sparky.domain.report import FOLDER, Filed, in_order

_TRIES = 20
_WRITING_S = 1.0
"""How long git may take to write a ref; all tries take longer, since git waits a tenth of it each time."""
_NOW = ("--date-format=now",)
_MISSING = " missing"


@dataclass(frozen=True, kw_only=True)
class ReportChain:
    """The chains of a repository, `refs/sparky/reports/<run>`. `git` is sparky's own place in it.

    Every method bears being called again after a kill; `notes` is where it is noted what is being removed.
    """

    git: Git
    notes: Path

    def of(self, run: str) -> tuple[tuple[Filed, str], ...]:
        """The reports on a run, each with its text, in the order in which they were left."""
        shelf = self.shelf(run)
        return tuple((one, shelf.read(one.path)) for one in in_order(shelf.filed))

    def shelf(self, run: str) -> Shelf:
        """The reports that were left on a run, ordered by their commits; empty before the first."""
        if resolve(self.git, _ref(run)) is None:
            return Shelf(filed=(), odd=(), read=lambda path: read_at(self.git, _ref(run), path))
        return open_ref(self.git, _ref(run))

    def leave(self, run: str, name: str, text: str, code: str) -> None:
        """Add a report that speaks of the commit `code`, as one commit; raises ReportsError.

        What is there under its name stays as it is: a report is never edited.
        """
        path = f"{FOLDER}/{name}"
        for _ in range(_TRIES):
            tip, there = self._looked_up(run, path)
            if there:
                return
            stream = _commit(_ref(run), tip, f"{name}\n\nSpeaks-Of: {code}\n".encode(), path, text.encode())
            # It moves the ref only if that still is where the commit comes from.
            if self.git.run("fast-import", "--quiet", "--done", *_NOW, stdin=stream, codes=(0, 1)).code == 0:
                return
            self._clear(self.git.git_path(f"{_ref(run)}.lock"))
        raise ReportsError(f"{_ref(run)} does not hold still: others write to it")

    def drop(self, run: str) -> None:
        """Remove the reports on a run; none is fine."""
        ref, note = _ref(run), self.notes / f".{run}.reports-dropping"
        tip, again = resolve(self.git, ref), note.exists()
        note.parent.mkdir(parents=True, exist_ok=True)
        note.touch()
        delete(self.git, {ref: tip} if tip is not None else {}, (ref,), again=again)
        note.unlink()

    def _clear(self, lock: Path) -> None:
        """Remove a lock that a killed git left: nobody else writes to a run's chain for so long."""
        with suppress(FileNotFoundError):
            if time.time() - lock.stat().st_mtime > _WRITING_S:
                lock.unlink()

    def _looked_up(self, run: str, path: str) -> tuple[str | None, bool]:
        """The tip of a run's chain, None before the first report; and whether there is a file at it."""
        asked = f"{_ref(run)}^{{commit}}\n{_ref(run)}:{path}\n".encode()
        commit, file = self.git.ask("cat-file", "--batch-check", stdin=asked).splitlines()
        return None if commit.endswith(_MISSING) else commit.split()[0], not file.endswith(_MISSING)


def _commit(ref: str, tip: str | None, message: bytes, path: str, text: bytes) -> bytes:
    """What adds a commit with one file more to a ref, for `git fast-import`."""
    who = f"{IDENTITY['GIT_COMMITTER_NAME']} <{IDENTITY['GIT_COMMITTER_EMAIL']}>"
    parent = f"from {tip}\n" if tip is not None else ""
    return b"".join(
        (
            f"commit {ref}\ncommitter {who} now\ndata {len(message)}\n".encode(),
            message,
            f"\n{parent}M 100644 inline {path}\ndata {len(text)}\n".encode(),
            text,
            b"\ndone\n",
        )
    )


def _ref(run: str) -> str:
    return f"refs/sparky/reports/{run}"
