"""`sparky clean`."""

import shutil
from pathlib import Path

import click

from sparky.adapters.unused import UNUSED_DAYS, Unused, find_unused
from sparky.app.build import ports_for
from sparky.app.read import House
from sparky.cli.home import house, run_argument_optional
from sparky.cli.output import as_json, put_json, say
from sparky.domain.errors import NeedsPersonError, UserError
from sparky.domain.run import Life, RunRow
from sparky.domain.state import PipelineState
from sparky.ports import Ports


@click.command("clean")
@run_argument_optional
@click.option("--cache", is_flag=True, help="Remove cached environments and test results, too.")
@click.option("-n", "--dry-run", is_flag=True, help="Only say what would be removed.")
@as_json
def command(run: str | None, *, cache: bool, dry_run: bool, as_json: bool) -> int:
    """Remove what ended runs left behind: RUN's, or all of them.

    A run whose branch holds work that is nowhere else is kept, and named; if it is RUN, the exit code is 3.
    Without RUN, blobs that no run refers to and environments that were not used for a month go, too, unless
    a run is being driven.
    """
    home = house()
    rows = [home.find(run)] if run is not None else home.store.rows(limit=1_000_000)
    ended = [row for row in rows if home.life(row) is Life.ENDED]
    if run and not ended:
        raise NeedsPersonError(f"{rows[0].run_id} has not ended: `sparky cancel {rows[0].run_id}` first")
    live = [row.run_id for row in home.store.unfinished() if home.life(row) is Life.RUNNING]
    if cache and live:
        said = f"the environments of {', '.join(live)} lie in the cache, and it is running"
        raise NeedsPersonError(f"{said}: wait for it, or `sparky cancel {live[0]}`")
    removed, kept = [], {}
    for row in ended:
        try:
            (_require_removable if dry_run else _remove)(home, row)
            removed.append(row.run_id)
        except UserError as error:
            kept[row.run_id] = str(error)
    unused = Unused() if run or live else _unused(home, set(removed))
    freed = {"blobs": len(unused.blobs), "environments": len(unused.environments), "bytes": unused.bytes}
    if not dry_run:
        unused.remove()
        if cache:
            shutil.rmtree(home.environment.cache, ignore_errors=True)
    code = NeedsPersonError.code if run and kept else 0
    if as_json:
        put_json({"removed": removed, "kept": kept, "freed": freed, "dry_run": dry_run})
        return code
    for name, why in kept.items():
        say(f"kept {name}: {why}")
    click.echo(f"{'would remove' if dry_run else 'removed'} {len(removed)} run(s), kept {len(kept)}")
    room = f"{unused.bytes / 1e6:.1f} MB: {len(unused.blobs)} blob(s) of no run"
    unneeded = f"{len(unused.environments)} environment(s) unused for {UNUSED_DAYS} days"
    click.echo(f"{'would free' if dry_run else 'freed'} {room}, {unneeded}")
    return code


def _unused(home: House, gone: set[str]) -> Unused:
    """What nothing needs but the runs that are `gone`, or would be."""
    state = home.environment.state
    texts = (*home.store.texts(gone), *home.receipts.texts(gone))
    return find_unused(state / "blobs", home.environment.cache, texts)


def _ports(home: House, state: PipelineState) -> Ports | None:
    """The run's repository, and all else; None if it is gone or moved away, with all that the run left."""
    if not Path(state.context.git_dir).is_dir():
        return None
    return ports_for(home, state.context, state.preferences)


def _remove(home: House, row: RunRow) -> None:
    ports = _ports(home, home.store.state(row.run_id))
    if ports is not None:
        ports.repository.drop(row.run_id, row.branch)
        ports.reports.drop(row.run_id)
    home.store.forget([row.run_id])
    home.receipts.drop(row.run_id)
    home.progress.drop(row.run_id)
    shutil.rmtree(home.environment.state / "sessions" / row.run_id, ignore_errors=True)


def _require_removable(home: House, row: RunRow) -> None:
    """Raise if `_remove` would refuse."""
    ports = _ports(home, home.store.state(row.run_id))
    if ports is not None:
        ports.repository.require_droppable(row.run_id, row.branch)
