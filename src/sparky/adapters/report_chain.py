"""sparky's own reports on a run: a chain of commits of their own; no report changes the tree of the code."""

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sparky.adapters.git import Git, resolve
from sparky.adapters.git_refs import delete
from sparky.adapters.git_settings import IDENTITY
from sparky.adapters.reports import ReportsError, Shelf, open_ref, read_at
from sparky.domain.report import FOLDER, Filed, in_order

_TRIES = 20
_WRITING_S = 1.0
"""How long git may take to write a ref; all tries take longer, since git waits a tenth of it each time."""
_NOTHING = "0" * 40


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
        for _ in range(_TRIES):
            tip = resolve(self.git, _ref(run))
            path = f"{FOLDER}/{name}"
            if tip is not None and self._has(tip, path):
                return
            made = self._commit(tip, path, text, f"{name}\n\nSpeaks-Of: {code}\n")
            moved = self.git.run(
                "update-ref", "-m", "sparky", _ref(run), made, tip or _NOTHING, codes=(0, 128)
            )
            if moved.code == 0:
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

    def _has(self, tip: str, path: str) -> bool:
        return bool(self.git.names("ls-tree", "-z", "--full-tree", tip, path))

    def _commit(self, tip: str | None, path: str, text: str, message: str) -> str:
        with TemporaryDirectory(prefix="sparky-") as scratch:
            place = replace(self.git, index=Path(scratch) / "index")
            if tip is not None:
                place.run("read-tree", tip)
            blob = place.ask("hash-object", "-w", "--stdin", stdin=text.encode())
            place.run("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
            tree = place.ask("write-tree")
        parents = ("-p", tip) if tip is not None else ()
        return self.git.ask("commit-tree", tree, *parents, stdin=message.encode(), env=IDENTITY)


def _ref(run: str) -> str:
    return f"refs/sparky/reports/{run}"
