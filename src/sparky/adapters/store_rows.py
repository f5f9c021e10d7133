"""The store's list of runs."""

from sparky.adapters.store_file import StoreFile
from sparky.domain.run import RunRow
from sparky.domain.state import Outcome

ROW = """
SELECT run_id, pipeline_id, issue_key, repository, repo_path, issue_id, title, base, branch, executor,
    segment, outcome, reason, created, updated, cancelled, asks,
    coalesce((SELECT stage FROM attempts a WHERE a.run_id = r.run_id ORDER BY ordinal DESC LIMIT 1), '')
FROM runs r
"""
"""What `row_of` reads, of all runs."""


class Rows(StoreFile):
    """Looking runs up."""

    def row(self, run_id: str) -> RunRow | None:
        """One run."""
        return next(iter(self._rows("WHERE run_id = ?", (run_id,))), None)

    def find(self, prefix: str) -> list[RunRow]:
        """The runs whose id starts so; the one whose id is just that comes alone."""
        exact = self.row(prefix)
        if exact is not None:
            return [exact]
        pattern = prefix.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        return list(self._rows(r"WHERE run_id LIKE ? ESCAPE '\' ORDER BY created DESC", (pattern,)))

    def rows(self, repository: str | None = None, limit: int = 50) -> list[RunRow]:
        """The newest runs, newest first; of one repository if it is given."""
        if repository is None:
            return list(self._rows("ORDER BY created DESC, rowid DESC LIMIT ?", (limit,)))
        where = "WHERE repository = ? ORDER BY created DESC, rowid DESC LIMIT ?"
        return list(self._rows(where, (repository, limit)))

    def ended(self, issue_key: str, limit: int) -> list[RunRow]:
        """The newest runs of an issue that have an end, oldest first."""
        where = "WHERE issue_key = ? AND outcome IS NOT NULL ORDER BY created DESC, rowid DESC LIMIT ?"
        return list(self._rows(where, (issue_key, limit)))[::-1]

    def unfinished(self) -> list[RunRow]:
        """The runs without an end, oldest first; without the parts of such a run, which go on with it."""
        whole = "pipeline_id = run_id OR pipeline_id NOT IN (SELECT run_id FROM runs WHERE outcome IS NULL)"
        return list(self._rows(f"WHERE outcome IS NULL AND ({whole}) ORDER BY created, rowid", ()))

    def _rows(self, where: str, values: tuple[object, ...]) -> list[RunRow]:
        with self._errors():
            return [row_of(found) for found in self._connection().execute(ROW + where, values)]


def row_of(found: tuple[object, ...]) -> RunRow:
    """A run from what `ROW` found."""
    (run, pipeline, key, repository, path, issue, title, base, branch, executor, *rest) = found
    segment, outcome, reason, created, updated, cancelled, asks, stage = rest
    return RunRow(
        run_id=str(run),
        pipeline_id=str(pipeline),
        issue_key=str(key),
        repository=str(repository),
        repo_path=str(path),
        issue_id=str(issue),
        title=str(title),
        base=str(base),
        branch=str(branch),
        executor=str(executor),
        segment=int(str(segment)),
        outcome=Outcome(outcome) if outcome is not None else None,
        reason=str(reason),
        stage=str(stage),
        created=str(created),
        updated=str(updated),
        cancelled=bool(cancelled),
        asks=bool(asks),
    )
