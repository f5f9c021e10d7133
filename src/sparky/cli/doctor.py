"""`sparky doctor`."""

from pathlib import Path

import click
from rich.markup import escape

from sparky.app.checks import check_machine
from sparky.cli.options import repository
from sparky.cli.output import as_json, put_json
from sparky.cli.terminal import out
from sparky.environment import read_environment


@click.command("doctor")
@repository
@as_json
def command(repo: Path, *, as_json: bool) -> int:
    """Say what sparky finds on this machine, and how to get what is missing. Exits with 1 if anything is."""
    checks = check_machine(read_environment(), repo)
    if as_json:
        put_json(checks)
    else:
        console = out()
        for one in checks:
            lacks = "[red]missing[/]" if one.needed else "[dim]absent[/] "
            mark = "[green]ok[/]     " if one.well else lacks
            console.print(f"{mark} {one.name:11}{escape(one.found)}")
            if one.remedy:
                console.print(f"        {'':11}→ {escape(one.remedy)}")
    return 0 if all(one.well or not one.needed for one in checks) else 1
