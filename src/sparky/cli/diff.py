"""`sparky diff`."""

import sys
from pathlib import Path

import click
from rich.syntax import Syntax

from sparky.adapters.git import find_repository
from sparky.adapters.progress import one_line
from sparky.adapters.repository import GitRepository
from sparky.adapters.shell import SystemShell
from sparky.cli.home import house, run_argument
from sparky.cli.output import as_json, put_json
from sparky.cli.terminal import out


@click.command("diff")
@run_argument
@click.option("--stat", is_flag=True, help="Only the files and their counts.")
@as_json
def command(run: str, *, stat: bool, as_json: bool) -> None:
    """Show what a run changes: the diff from its base to its newest commit."""
    home = house()
    state = home.store.state(home.find(run).run_id)
    shell = SystemShell(home.environment.base)
    find_repository(shell, Path(state.context.repo_path))
    repository = GitRepository(
        shell, top=Path(state.context.repo_path), git_dir=Path(state.context.git_dir), work_root=Path()
    )
    if as_json:
        put_json(repository.changes(state.base, state.head))
    elif stat:
        for file in repository.changes(state.base, state.head):
            click.echo(one_line(f"{file.status} {file.path}  +{file.added} -{file.deleted}"))
    else:
        patch = repository.patch(state.base, state.head)
        if sys.stdout.isatty():
            out().print(Syntax(patch.decode("utf-8", "replace"), "diff", background_color="default"))
        else:
            sys.stdout.buffer.write(patch)
