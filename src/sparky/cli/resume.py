"""`sparky resume`."""

from functools import partial

import click

from sparky.app.read import House
from sparky.cli.options import as_json, house, put_json, run_argument_optional, say
from sparky.cli.screen import put_result
from sparky.cli.table import load
from sparky.cli.take import exit_code, watch
from sparky.domain.errors import UsageError
from sparky.domain.run import Life, RunRow


@click.command("resume")
@run_argument_optional
@as_json
def command(run: str | None, *, as_json: bool) -> int:
    """Go on with interrupted runs: RUN, or all of them. What was done is not done again."""
    home = house()
    rows = [home.find(run)] if run else home.store.unfinished()
    taken = [row for row in rows if home.life(row) is Life.INTERRUPTED]
    if run and not taken:
        raise UsageError(f"{rows[0].run_id} is {home.life(rows[0]).value}: there is nothing to resume")
    results = []
    for row in taken:
        say(f"going on with {row.run_id}: {row.title}")
        watch(home, row.run_id, partial(_adopt, home, row))
        results.append(home.result(home.store.state(row.run_id)))
    if as_json:
        put_json(results)
    elif not taken:
        say("no run is interrupted")
    else:
        for result in results:
            put_result(result)
    return max((exit_code(home, result) for result in results), default=0)


def _adopt(home: House, row: RunRow) -> None:
    with home.locks.executor() as executor:
        load("drive").adopt(home, executor, [row])
