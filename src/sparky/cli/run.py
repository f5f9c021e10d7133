"""`sparky run`."""

from pathlib import Path

import click

from sparky.adapters.scripted import read_script
from sparky.app.intake import find_issue, first_state
from sparky.cli.options import as_json, auto, place, preferences_of, repository, sandbox, say, script
from sparky.cli.take import exit_code, put_outcome, take_issue
from sparky.config import budget
from sparky.domain.errors import NeedsPersonError


@click.command("run")
@click.argument("issue", nargs=-1, required=True)
@repository
@auto
@script
@sandbox
@click.option("--again", is_flag=True, help="Run an issue whose status says that it is done.")
@as_json
def command(
    issue: tuple[str, ...],
    repo: Path,
    script: Path | None,
    *,
    auto: bool,
    no_sandbox: bool,
    again: bool,
    as_json: bool,
) -> int:
    """Take one issue to a verified commit.

    ISSUE is a number ("7", "#007"), a Markdown file, or a sentence.
    """
    here = place(repo)
    parsed = find_issue(here.house, here.found, " ".join(issue), here.settings.issues)
    if parsed.issue.done and not again:
        said = f"issue {parsed.issue.id} says that it is {parsed.issue.status.lower()}"
        raise NeedsPersonError(f"{said}; --again runs it all the same")
    for warning in (*parsed.warnings, *here.warnings):
        say(f"warning: {warning}")
    wanted = preferences_of(here.settings, auto=auto, script=script, no_sandbox=no_sandbox)
    if wanted.script:
        read_script(Path(wanted.script))
    run, _ = take_issue(
        here.house, first_state(here.house, here.found, parsed.issue, wanted, budget(here.settings))
    )
    result = put_outcome(here.house, run, as_json=as_json)
    return exit_code(here.house, result)
