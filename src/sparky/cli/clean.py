"""`sparky clean`."""

import shutil
from pathlib import Path

import click

from sparky.adapters.repository import GitRepository
from sparky.adapters.shell import SystemShell
from sparky.app.build import ports_for
from sparky.app.read import House
from sparky.cli.options import as_json, house, put_json, run_argument_optional, say
from sparky.domain.errors import NeedsPersonError, UserError
from sparky.domain.run import Life, RunRow


@click.command("clean")
@run_argument_optional
@click.option("--cache", is_flag=True, help="Remove cached environments and test results, too.")
@click.option("-n", "--dry-run", is_flag=True, help="Only say what would be removed.")
@as_json
def command(run: str | None, *, cache: bool, dry_run: bool, as_json: bool) -> int:
    """Remove what ended runs left behind: RUN's, or all of them.

    A run whose branch holds work that is nowhere else is kept, and named.
    """
    home = house()
    rows = [home.find(run)] if run else home.store.rows(limit=1_000_000)
    ended = [row for row in rows if home.life(row) is Life.ENDED]
    if run and not ended:
        raise NeedsPersonError(f"{rows[0].run_id} has not ended: `sparky cancel {rows[0].run_id}` first")
    removed, kept = [], {}
    for row in ended:
        try:
            (_require_merged if dry_run else _remove)(home, row)
            removed.append(row.run_id)
        except UserError as error:
            kept[row.run_id] = str(error)
    if cache and not dry_run:
        shutil.rmtree(home.environment.cache, ignore_errors=True)
    if as_json:
        put_json({"removed": removed, "kept": kept, "dry_run": dry_run})
    else:
        for name, why in kept.items():
            say(f"kept {name}: {why}")
        click.echo(f"{'would remove' if dry_run else 'removed'} {len(removed)} run(s), kept {len(kept)}")
    return 0


def _remove(home: House, row: RunRow) -> None:
    state = home.store.state(row.run_id)
    # With the repository all that the run left in it is gone, or moved away.
    if Path(state.context.git_dir).is_dir():
        repository = ports_for(home, state.context, state.preferences).repository
        repository.close(row.run_id)
        repository.drop(row.run_id, row.branch)
    home.store.forget([row.run_id])
    home.receipts.drop(row.run_id)
    home.progress.drop(row.run_id)


def _require_merged(home: House, row: RunRow) -> None:
    """Raise if `_remove` would refuse, as far as the target branch tells."""
    context = home.store.state(row.run_id).context
    git_dir = Path(context.git_dir)
    if not git_dir.is_dir():
        return
    shell = SystemShell(home.environment.base)
    repository = GitRepository(shell, top=Path(context.repo_path), git_dir=git_dir, work_root=Path())
    branch = f"refs/heads/{row.branch}"
    if repository.resolve(branch) is not None and repository.log(context.target or "HEAD", branch):
        raise NeedsPersonError(f"{row.branch} holds work that is not in {context.target or 'HEAD'}")
