"""sparky's own reports on a run: a chain of commits of their own; no report changes the tree of the code."""

from dataclasses import dataclass

from sparky.adapters.git import Git, resolve
from sparky.adapters.git_settings import IDENTITY
from sparky.adapters.reports import ReportsError, Shelf, open_ref, read_at
from sparky.domain.report import FOLDER, Filed, in_order

_TRIES = 20
_NOW = ("--date-format=now",)
_MISSING = " missing"


@dataclass(frozen=True, kw_only=True)
class ReportChain:
    """The chains of a repository, `refs/sparky/reports/<run>`. `git` is sparky's own place in it.

    Every method bears being called again after a kill.
    """

    git: Git

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
        raise ReportsError(f"{_ref(run)} does not hold still: others write to it")

    def drop(self, run: str) -> None:
        """Remove the reports on a run; none is fine."""
        self.git.run("update-ref", "-d", _ref(run))

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
