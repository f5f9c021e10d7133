"""`sparky merge`."""

from dataclasses import replace
from pathlib import Path

import click

from sparky.adapters.git import find_repository
from sparky.adapters.shell import SystemShell
from sparky.app.read import House
from sparky.cli.options import as_json, house, run_argument, say
from sparky.cli.table import load
from sparky.cli.take import exit_code, put_outcome, watch
from sparky.domain.errors import NeedsPersonError
from sparky.domain.run import Life
from sparky.domain.state import Context, MergePolicy, Outcome


@click.command("merge")
@run_argument
@as_json
def command(run: str, *, as_json: bool) -> int:
    """Merge what a ready run has verified: the very commit that was tested, or nothing.

    A target that moved is rebased onto and tested again first.
    """
    home = house()
    row = home.find(run)
    life = home.life(row)
    if row.outcome is Outcome.MERGED:
        say(f"{row.run_id} is merged already")
    elif life is not Life.WAITING:
        state = row.outcome.value if row.outcome else life.value
        raise NeedsPersonError(f"{row.run_id} is {state}, not ready: see `sparky show {row.run_id}`")
    else:
        state = home.store.state(row.run_id)
        state = replace(state, context=_towards_a_branch(home, state.context))
        following = state.next_segment(replace(state.preferences, merge=MergePolicy.APPROVED))
        with home.locks.executor() as executor:
            home.store.continue_run(following, executor)
            watch(home, row.run_id, lambda: load("drive").start(home, executor, following))
    result = put_outcome(home, row.run_id, as_json=as_json)
    merged = result.outcome is Outcome.MERGED
    return 0 if merged else (exit_code(home, result) or NeedsPersonError.code)


def _towards_a_branch(home: House, context: Context) -> Context:
    """A run that started with a detached HEAD is merged into the branch that is checked out by now."""
    if context.target is not None:
        return context
    found = find_repository(SystemShell(home.environment.base), Path(context.repo_path))
    return replace(context, target=found.branch)
