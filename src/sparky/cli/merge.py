"""`sparky merge`."""

from dataclasses import replace
from itertools import groupby
from pathlib import Path

import click

from sparky.adapters.cancellation import Cancellation
from sparky.adapters.git import find_repository
from sparky.adapters.shell import SystemShell
from sparky.adapters.turn import Turn
from sparky.app.build import ports_for
from sparky.app.read import House
from sparky.app.target import Batch, UndecidedError, merge_batch
from sparky.cli.home import house
from sparky.cli.options import named_repository, repository
from sparky.cli.output import as_json, put_json, say
from sparky.cli.screen import put_result
from sparky.cli.take import exit_code, go_on, watch
from sparky.domain.errors import NeedsPersonError, UsageError, UserError
from sparky.domain.result import Result
from sparky.domain.run import RunRow
from sparky.domain.state import Context, MergePolicy, Outcome, PipelineState, Preferences


@click.command("merge")
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option("--all", "everything", is_flag=True, help="All ready runs of this repository, oldest first.")
@repository
@as_json
def command(runs: tuple[str, ...], repo: Path, *, everything: bool, as_json: bool) -> int:
    """Merge what ready or partial runs have verified: the very commit that was tested, or nothing.

    A target that moved is rebased onto and tested again first. Several runs into one branch are rebased in a
    row and tested once, together; if that is red, the largest part that is green is merged, and the others
    are named.
    """
    if everything == bool(runs):
        raise UsageError("name the runs to merge, or say --all")
    home = house()
    rows = _ready(home, repo) if everything else list(dict.fromkeys(home.find(run) for run in runs))
    for row in rows:
        _require_mergeable(home, row)
    left = _without_claim(home, rows) if len(rows) > 1 else {}
    open_rows = [row for row in rows if row.outcome is not Outcome.MERGED and row.run_id not in left]
    for group in _groups(home, open_rows):
        left |= _merge(home, group)
    results = [home.result(home.store.state(row.run_id)) for row in rows]
    _put(results, as_json=as_json, listed=everything or len(runs) > 1)
    for run, why in left.items():
        say(f"{run} is left as it was: {why}")
    return max((_code(home, result) for result in results), default=0)


def _ready(home: House, repo: Path) -> list[RunRow]:
    wanted = str(named_repository(repo).git_dir)
    rows = [row for row in reversed(home.store.rows(wanted, limit=-1)) if not row.is_child]
    ready = [row for row in rows if row.outcome is Outcome.READY]
    if not ready:
        say("no run of this repository is ready")
    return ready


def _require_mergeable(home: House, row: RunRow) -> None:
    """Raise unless the run can be merged, or is merged already."""
    if row.outcome is Outcome.MERGED:
        say(f"{row.run_id} is merged already")
    elif row.is_child:
        raise NeedsPersonError(
            f"{row.run_id} is a part of {row.pipeline_id}: `sparky merge {row.pipeline_id}`"
        )
    elif row.outcome not in {Outcome.READY, Outcome.PARTIAL}:
        state = row.outcome.value if row.outcome else home.life(row).value
        raise NeedsPersonError(f"{row.run_id} is {state}, not ready: see `sparky show {row.run_id}`")


def _without_claim(home: House, rows: list[RunRow]) -> dict[str, str]:
    """The runs whose issue another run has by now, each with why that one goes first."""
    holders = {row.run_id: home.store.holder(row.issue_key) for row in rows}
    return {
        run: f"{held.run_id} has this issue now: merge or cancel one of the two"
        for run, held in holders.items()
        if held is not None and held.run_id != run
    }


def _groups(home: House, rows: list[RunRow]) -> list[list[PipelineState]]:
    """The runs, those that can be tested together in one group: one target, and tested in one way."""
    states = [home.store.state(row.run_id) for row in rows]
    states = [replace(state, context=_towards_a_branch(home, state.context)) for state in states]
    keys = list(dict.fromkeys(map(_together, states)))
    return [
        list(group) for _, group in groupby(sorted(states, key=lambda s: keys.index(_together(s))), _together)
    ]


def _together(state: PipelineState) -> tuple[str, str | None, Preferences]:
    alike = replace(state.preferences, merge=MergePolicy.ASK, script=None, session_timeout_s=0)
    return state.context.git_dir, state.context.target, alike


def _merge(home: House, group: list[PipelineState]) -> dict[str, str]:
    """Merge a group; returns why runs are left, as far as their results don't say it."""
    batch = Batch(merged=tuple(group), left={})
    if len(group) > 1:
        try:
            batch = watch(home, group[0].run_id, lambda: _batched(home, group))
        except UndecidedError as stopped:
            say(f"not merged together, so one after the other: {stopped}")
    left = dict(batch.left)
    for state in batch.merged:
        try:
            go_on(home, state.next_segment(replace(state.preferences, merge=MergePolicy.APPROVED)))
        except UserError as error:
            if len(group) == 1:
                raise
            left[state.run_id] = str(error)
    return left


def _batched(home: House, group: list[PipelineState]) -> Batch:
    first = group[0]
    turn = Turn(home.locks)
    turn.take(first.context, say, Cancellation(asked=lambda: False).waited)
    try:
        return merge_batch(tuple(group), ports_for(home, first.context, first.preferences))
    finally:
        turn.end()


def _put(results: list[Result], *, as_json: bool, listed: bool) -> None:
    if as_json:
        put_json(results if listed else results[0])
        return
    for result in results:
        if listed:
            click.echo(f"{result.run_id}: {result.issue}")
        put_result(result)


def _code(home: House, result: Result) -> int:
    merged = result.outcome is Outcome.MERGED
    return 0 if merged else (exit_code(home, result) or NeedsPersonError.code)


def _towards_a_branch(home: House, context: Context) -> Context:
    """A run that started with a detached HEAD is merged into the branch that is checked out by now."""
    if context.target is not None:
        return context
    found = find_repository(SystemShell(home.environment.base), Path(context.repo_path))
    return replace(context, target=found.branch)
