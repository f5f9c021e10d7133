"""`sparky undo`."""

import click

from sparky.app.build import ports_for
from sparky.app.target import undo
from sparky.cli.home import house, run_argument
from sparky.cli.output import as_json, put_json
from sparky.domain.errors import NeedsPersonError
from sparky.domain.run import Life


@click.command("undo")
@run_argument
@as_json
def command(run: str, *, as_json: bool) -> int:
    """Take back what a run did.

    The commits of a merged run are reverted by one new commit on the target branch. It is not tested.
    What is not merged needs no undo: `sparky cancel` ends it.
    """
    home = house()
    row = home.find(run)
    if home.life(row) is Life.RUNNING:
        raise NeedsPersonError(f"{row.run_id} is running: `sparky cancel {row.run_id}` first")
    state = home.store.state(row.run_id)
    done = undo(state, ports_for(home, state.context, state.preferences))
    if as_json:
        put_json(done)
    else:
        click.echo(done.what)
    return 0
