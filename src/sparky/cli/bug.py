"""The report of a bug of sparky's: a file to paste, named on standard error."""

import sys
import tempfile

import click

from sparky import __version__

BUG = 70


def report_bug(said: str) -> int:
    """Write what happened to a file and say where it is; returns the exit code."""
    head = [f"sparky {__version__}, Python {sys.version.split()[0]}, {sys.platform}", f"argv: {sys.argv[1:]}"]
    with tempfile.NamedTemporaryFile("w", prefix="sparky-bug-", suffix=".txt", delete=False) as file:
        file.write("\n".join([*head, "", said]))
    click.echo(f"error: this is a bug of sparky's; a report to paste is in {file.name}", err=True)
    return BUG
