"""The list of runs, as the command line, JSON and pages show it: what it takes is loaded often."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sparky.domain.run import Life, RunRow
from sparky.domain.state import Outcome


@dataclass(frozen=True, kw_only=True)
class StatusLine:
    """One run in a list. `needs_person`: it waits for somebody."""

    run_id: str
    issue: str
    title: str
    life: Life
    outcome: Outcome | None
    stage: str
    reason: str
    created: str
    branch: str
    repo_path: str
    needs_person: bool
    next_step: str


def status_line(row: RunRow, life: Life) -> StatusLine:
    """A stored run as a line of a list."""
    waits = life is Life.WAITING or (life is Life.ENDED and row.outcome is Outcome.BLOCKED)
    return StatusLine(
        run_id=row.run_id,
        issue=row.issue_id,
        title=row.title,
        life=life,
        outcome=row.outcome,
        stage=row.stage,
        reason=row.reason,
        created=row.created,
        branch=row.branch,
        repo_path=row.repo_path,
        needs_person=waits,
        next_step=_next_step(row, life),
    )


def status_lines(rows: Iterable[tuple[RunRow, Life]]) -> Iterator[StatusLine]:
    """Stored runs, newest first, as lines; what is blocked waits no more once a newer run of it is merged."""
    merged: set[str] = set()
    for row, life in rows:
        line = status_line(row, life)
        is_over = row.outcome is Outcome.BLOCKED and row.issue_key in merged
        yield replace(line, needs_person=False) if is_over else line
        if row.outcome is Outcome.MERGED:
            merged.add(row.issue_key)


def ordered(lines: Iterable[StatusLine]) -> tuple[StatusLine, ...]:
    """What waits for a person first, then what runs, then the rest, each newest first."""
    rank = {Life.INTERRUPTED: 1, Life.RUNNING: 2, Life.WAITING: 3, Life.ENDED: 3}
    return tuple(sorted(lines, key=lambda line: 0 if line.needs_person else rank[line.life]))


def _next_step(row: RunRow, life: Life) -> str:
    match life:
        case Life.WAITING:
            return f"sparky {'answer' if row.asks else 'merge'} {row.run_id}"
        case Life.INTERRUPTED:
            return f"sparky resume {row.run_id}"
        case Life.RUNNING:
            return f"sparky logs -f {row.run_id}"
        case Life.ENDED:
            return f"sparky show {row.run_id}"
