"""How results and words are put out. It loads little: verbs about transcripts need nothing else of sparky."""

import click

from sparky.adapters.progress import one_line
from sparky.formats.values_json import encode

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON on standard output.")


def put_json(value: object) -> None:
    """The value as indented JSON on standard output."""
    click.echo(encode(value, indent=2).decode())


def say(text: str) -> None:
    """A line for the person, on standard error: results alone are on standard output."""
    click.echo(one_line(text), err=True)
