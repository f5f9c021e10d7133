"""sparky's own files, for verbs that only look: git and its like are loaded where a repository is named."""

import click

from sparky.app.read import House, open_house
from sparky.environment import read_environment

run_argument = click.argument("run", metavar="RUN")
run_argument_optional = click.argument("run", metavar="[RUN]", required=False)


def house() -> House:
    """sparky's own files, for verbs that need no repository."""
    return open_house(read_environment())
