"""`sparky cancel`."""

import click

from sparky.app.read import House
from sparky.cli.follow import follow
from sparky.cli.home import house, run_argument
from sparky.cli.output import as_json, say
from sparky.cli.table import load
from sparky.cli.take import exit_code, put_outcome, watch
from sparky.domain.errors import NeedsPersonError, UsageError
from sparky.domain.run import Life, RunRow
from sparky.domain.state import Outcome

_TOO_LATE = {
    Outcome.MERGED: "`sparky undo RUN` takes it back",
    Outcome.READY: "`sparky cancel RUN` once more ends it",
}


@click.command("cancel")
@run_argument
@as_json
def command(run: str, *, as_json: bool) -> int:
    """End a run. What it did stays on its branch; a session or test run that is under way is stopped."""
    home = house()
    row = home.find(run)
    life = home.life(row)
    if life is Life.ENDED:
        raise UsageError(f"{row.run_id} has ended already: {row.outcome.value if row.outcome else ''}")
    if life is Life.WAITING:
        state = home.store.state(row.run_id)
        with home.locks.executor() as executor:
            following = state.next_segment(state.preferences)
            home.store.cancel_next(following, executor)
            watch(home, row.run_id, lambda: load("drive").start(home, executor, following))
    else:
        home.store.cancel(row.run_id)
        if life is not Life.INTERRUPTED or not _end(home, row):
            say("asked the process that drives it to end it")
            follow(home, row.run_id, say)
    result = put_outcome(home, row.run_id, as_json=as_json)
    if result.outcome is Outcome.CANCELLED:
        return 0
    outcome = result.outcome or Outcome.FAILED
    way = _TOO_LATE.get(outcome, "`sparky show RUN` tells its story").replace("RUN", row.run_id)
    say(f"it ended as {outcome.value} before it could be cancelled; {way}")
    return exit_code(home, result) or NeedsPersonError.code


def _end(home: House, row: RunRow) -> bool:
    with home.locks.executor() as executor:
        ended: bool = watch(home, row.run_id, lambda: load("drive").cancel(home, executor, row))
        return ended
