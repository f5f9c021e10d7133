"""`sparky merge`."""

from dataclasses import replace
from pathlib import Path

import click

from sparky.adapters.git import find_repository
from sparky.adapters.shell import SystemShell
from sparky.app.read import House
from sparky.cli.options import as_json, house, run_argument, say
from sparky.cli.take import exit_code, go_on, put_outcome
from sparky.domain.errors import NeedsPersonError
from sparky.domain.state import Context, MergePolicy, Outcome


@click.command("merge")
@run_argument
@as_json
def command(run: str, *, as_json: bool) -> int:
    """Merge what a ready or partial run has verified: the very commit that was tested, or nothing.

    A target that moved is rebased onto and tested again first.
    """
    home = house()
    row = home.find(run)
    life = home.life(row)
    if row.outcome is Outcome.MERGED:
        say(f"{row.run_id} is merged already")
    elif row.is_child:
        raise NeedsPersonError(
            f"{row.run_id} is a part of {row.pipeline_id}: `sparky merge {row.pipeline_id}`"
        )
    elif row.outcome not in {Outcome.READY, Outcome.PARTIAL}:
        state = row.outcome.value if row.outcome else life.value
        raise NeedsPersonError(f"{row.run_id} is {state}, not ready: see `sparky show {row.run_id}`")
    else:
        state = home.store.state(row.run_id)
        state = replace(state, context=_towards_a_branch(home, state.context))
        go_on(home, state.next_segment(replace(state.preferences, merge=MergePolicy.APPROVED)))
    result = put_outcome(home, row.run_id, as_json=as_json)
    merged = result.outcome is Outcome.MERGED
    return 0 if merged else (exit_code(home, result) or NeedsPersonError.code)


def _towards_a_branch(home: House, context: Context) -> Context:
    """A run that started with a detached HEAD is merged into the branch that is checked out by now."""
    if context.target is not None:
        return context
    found = find_repository(SystemShell(home.environment.base), Path(context.repo_path))
    return replace(context, target=found.branch)
