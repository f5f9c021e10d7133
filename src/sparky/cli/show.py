"""`sparky show`."""

import click

from sparky.cli.home import house, run_argument
from sparky.cli.output import as_json, put_json
from sparky.cli.screen import put_story
from sparky.reports.told import briefings
from sparky.views import story


@click.command("show")
@run_argument
@as_json
def command(run: str, *, as_json: bool) -> None:
    """Tell the story of one run: stages, agents, bids, gates with their evidence, and what to do next.

    RUN is a run's id or the start of it.
    """
    home = house()
    row = home.find(run)
    state = home.store.state(row.run_id)
    told = story(state, home.life(row), home.result(state), briefings(state, home.blobs))
    if as_json:
        put_json(told)
    else:
        put_story(told)
