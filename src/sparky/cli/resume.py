"""`sparky resume`."""

import traceback
from functools import partial

import click

from sparky.app.build import left_out
from sparky.app.read import House
from sparky.cli.bug import report_bug
from sparky.cli.home import house, run_argument_optional
from sparky.cli.output import as_json, put_json, say
from sparky.cli.screen import put_result
from sparky.cli.table import load
from sparky.cli.take import exit_code, watch
from sparky.domain.errors import UsageError, UserError
from sparky.domain.run import Life, RunRow


@click.command("resume")
@run_argument_optional
@as_json
def command(run: str | None, *, as_json: bool) -> int:
    """Go on with interrupted runs: RUN, or all of them. What was done is not done again.

    A run that can't be gone on with is named, and the others are gone on with.
    """
    home = house()
    rows = [home.find(run)] if run is not None else home.store.unfinished()
    taken = [row for row in rows if home.life(row) is Life.INTERRUPTED]
    if run and not taken:
        there = f"{rows[0].run_id} is {home.life(rows[0]).value}"
        raise UsageError(f"{there}: there is nothing to resume; see `sparky show {rows[0].run_id}`")
    results, codes = [], [0]
    for row in taken:
        say(f"going on with {row.run_id}: {row.title}")
        try:
            for fault in left_out(home, home.store.state(row.run_id).context):
                say(f"warning: {fault}")
            adopted = watch(home, row.run_id, partial(_adopt, home, row))
            if not adopted:
                say(f"{row.run_id}: another process goes on with it")
                continue
            results.append(home.result(home.store.state(row.run_id)))
            codes.append(exit_code(home, results[-1]))
        except UserError as error:
            say(f"error: {row.run_id}: {error}")
            codes.append(error.code)
        except Exception:  # noqa: BLE001 - what ails one run is no reason to leave the others
            codes.append(report_bug(traceback.format_exc()))
    if as_json:
        put_json(results)
    elif not taken:
        say("no run is interrupted")
    else:
        for result in results:
            put_result(result)
    return max(codes)


def _adopt(home: House, row: RunRow) -> list[RunRow]:
    with home.locks.executor() as executor:
        adopted: list[RunRow] = load("drive").adopt(home, executor, [row])
        return adopted
