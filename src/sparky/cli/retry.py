"""`sparky retry`."""

import click

from sparky.app.reply import retry
from sparky.cli.home import house, run_argument
from sparky.cli.output import as_json
from sparky.cli.take import exit_code, go_on, put_outcome
from sparky.domain.escalation import Choice

STAGES = {
    "route": Choice.ROUTE,
    "execute": Choice.CODER,
    "review": Choice.REVIEW,
    "test": Choice.TEST,
    "verify": Choice.VERIFY,
}


@click.command("retry")
@run_argument
@click.option(
    "--from", "stage", type=click.Choice(list(STAGES)), help="The stage; default: where it stopped."
)
@click.option("-t", "--text", default="", help="What you want to say to the agent.")
@as_json
def command(run: str, stage: str | None, text: str, *, as_json: bool) -> int:
    """Try a run again that has ended: it goes on with what it has, and remembers what was tried.

    Attempts are counted anew.
    """
    home = house()
    row = home.find(run)
    go_on(home, retry(row, home.store.state(row.run_id), STAGES[stage] if stage else None, text))
    result = put_outcome(home, row.run_id, as_json=as_json)
    return exit_code(home, result)
