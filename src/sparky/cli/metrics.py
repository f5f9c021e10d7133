"""`sparky metrics`."""

from pathlib import Path

import click
from rich.table import Table

from sparky.adapters.git import find_repository
from sparky.adapters.shell import SystemShell
from sparky.app.read import House
from sparky.cli.home import house
from sparky.cli.output import as_json, put_json
from sparky.cli.terminal import out
from sparky.domain.run import RunRow
from sparky.reports.metrics import Metric, Told, cost, measure
from sparky.reports.plain import cost_view, metric_view
from sparky.reports.told import briefings


@click.command("metrics")
@click.option("--check", is_flag=True, help="Exit with 1 if a figure misses its target.")
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=500, show_default=True, help="Newest runs to count."
)
@click.option(
    "-C",
    "--repo",
    "repo",
    type=click.Path(path_type=Path),
    help="Only runs of this repository; default: all.",
)
@as_json
def command(limit: int, repo: Path | None, *, check: bool, as_json: bool) -> int:
    """Show how well the agents work together, and what an accepted result costs.

    Five figures, each with what it is counted from.

    A figure that nothing was counted for is not shown as met or missed.
    """
    home = house()
    wanted = str(find_repository(SystemShell(home.environment.base), repo).git_dir) if repo else None
    told = tuple(_told(home, row) for row in home.store.rows(wanted, limit=limit))
    metrics, spent = measure(told), cost(told)
    if as_json:
        put_json([*(metric_view(metric) for metric in metrics), cost_view(spent)])
    else:
        out().print(_table(metrics))
        each = "-" if spent.usd_each is None else f"{spent.usd_each:.2f}"
        out().print(
            f"cost per accepted result: {each} USD "
            f"({spent.usd:.2f} USD, {spent.tokens} tokens, {len(spent.accepted)} merged)"
        )
    return 1 if check and any(metric.met is False for metric in metrics) else 0


def _told(home: House, row: RunRow) -> Told:
    state = home.store.state(row.run_id)
    return Told(state=state, briefings=briefings(state, home.blobs))


def _table(metrics: tuple[Metric, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("FIGURE", "VALUE", "COUNTED", "TARGET", "", "MEANS"):
        table.add_column(name, overflow="fold")
    for metric in metrics:
        value = "-" if metric.value is None else f"{metric.value:.2f}"
        state = {None: "nothing counted yet", True: "met", False: "missed"}[metric.met]
        counted = f"{metric.numerator} of {metric.denominator} in {len(metric.runs)} run(s)"
        table.add_row(
            metric.name, value, counted, f"{metric.goal.value} {metric.target:g}", state, metric.means
        )
    return table
