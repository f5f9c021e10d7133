"""`sparky logs`."""

import sys

import click

from sparky.cli.follow import follow
from sparky.cli.home import house, run_argument
from sparky.cli.output import as_json, put_json
from sparky.domain.errors import UsageError
from sparky.domain.state import PipelineState


@click.command("logs")
@run_argument
@click.option("-f", "--follow", "following", is_flag=True, help="Go on until the run ends.")
@click.option(
    "--blob", metavar="DIGEST", help="Print one command's output, by its digest or the start of it."
)
@as_json
def command(run: str, blob: str | None, *, following: bool, as_json: bool) -> None:
    """Show a run's progress, or the output of one of its commands."""
    home = house()
    row = home.find(run)
    if blob is not None:
        digest = _digest(home.store.state(row.run_id), blob)
        sys.stdout.buffer.write(home.blobs.get(digest))
    elif as_json:
        put_json(home.progress.lines(row.run_id))
    elif following:
        follow(home, row.run_id, click.echo)
    else:
        click.echo("\n".join(home.progress.lines(row.run_id)))


def _digest(state: PipelineState, start: str) -> str:
    known = {e.output for a in state.attempts for e in a.evidence} | {
        digest for a in state.attempts for digest in a.blobs.values()
    }
    found = sorted(digest for digest in known if digest and digest.startswith(start))
    if len(found) != 1:
        raise UsageError(
            f"{len(found)} outputs of this run start with {start!r}; `sparky show --json` has them"
        )
    return found[0]
