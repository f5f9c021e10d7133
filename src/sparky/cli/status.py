"""`sparky status`."""

from pathlib import Path

import click
from rich.table import Table

from sparky.cli.home import house
from sparky.cli.output import as_json, put_json
from sparky.cli.table import load
from sparky.cli.terminal import out, text
from sparky.domain.run import RunRow
from sparky.status import StatusLine, ordered, status_lines

_LOOKED_AT = 500
"""How many of the newest runs are looked at for those that wait."""


@click.command("status")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many runs at most.",
)
@click.option(
    "-C",
    "--repo",
    "repo",
    type=click.Path(path_type=Path),
    help="Only runs of this repository; default: all.",
)
@as_json
def command(limit: int, repo: Path | None, *, as_json: bool) -> None:
    """List the runs: what waits for a person first, then what runs, then the rest."""
    home = house()
    found = load("options").named_repository(repo) if repo is not None else None
    rows = home.store.rows(str(found.git_dir) if found else None, limit=_LOOKED_AT)
    shown = ordered(status_lines((row, home.life(row)) for row in rows))[:limit]
    if as_json:
        put_json(shown)
    elif shown:
        out().print(_table(shown))
    elif found and (gone := _gone(home.store.rows(limit=_LOOKED_AT))):
        way = "if it was moved here, put it back to go on with them"
        said = f"no runs of {found.top}; there are runs of {gone}, which is not there any more: {way}"
        click.echo(said)
    else:
        out().print("no runs yet: `sparky run ISSUE`, `sparky fix`, or `sparky demo`")


def _gone(rows: list[RunRow]) -> str | None:
    """Where the newest run was whose repository is not there any more; None if all are there."""
    return next((row.repo_path for row in rows if not Path(row.repository).is_dir()), None)


def _table(lines: tuple[StatusLine, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("RUN", "STATE", "STAGE", "ISSUE", "NEXT"):
        table.add_column(name, overflow="fold", no_wrap=name == "RUN")
    for line in lines:
        state = line.outcome.value if line.outcome else line.life.value
        colour = "yellow" if line.needs_person else "default"
        title = text(line.title)
        table.add_row(line.run_id, f"[{colour}]{state}[/]", line.stage, title, line.next_step)
    return table
