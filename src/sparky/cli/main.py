"""The command line: verbs loaded when they are called, one way for every error to be shown."""

import gc
import os
import sys
import traceback

import click

from sparky import __version__
from sparky.cli.table import VERBS, load
from sparky.domain.errors import UserError

INTERRUPTED = 130
_ALLOCATIONS = 100_000
"""How many objects more than were freed make the interpreter look for circles among them."""


class _Verbs(click.Group):
    """A group whose commands are looked up in the verb table."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in VERBS:
            return None
        command: click.Command = load(cmd_name).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="sparky")
def cli() -> None:
    """Hand it an issue; get back a verified change, or the exact reason why not.

    Where a verb takes a RUN, the start of its id is enough; `sparky status` lists them.

    Exit codes: 0 done, 1 failed, 2 usage, 3 needs a person, 4 partial or no change, 70 a bug of sparky's,
    130 interrupted.
    """


def main() -> None:
    """Run the command line, and end the process with its exit code."""
    # What is loaded stays: looking through it for garbage took a third of a short command's time.
    gc.set_threshold(_ALLOCATIONS)
    sys.exit(_code())


def _code() -> int:
    try:
        done = cli.main(standalone_mode=False)
    except UserError as error:
        click.echo(f"error: {error}", err=True)
        return error.code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        on = "`sparky resume` goes on with a run that this broke off"
        click.echo(f"interrupted; nothing is lost: {on}", err=True)
        sys.stdout.flush()
        # At once: a stage in another thread would else be waited for. What it started ends with this process.
        os._exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except Exception:  # noqa: BLE001 - the last line of defence: a report instead of a traceback
        code: int = load("bug").report_bug(traceback.format_exc())
        return code
    return done if isinstance(done, int) else 0
