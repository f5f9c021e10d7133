"""`sparky run`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from sparky.adapters.scripted import read_script
from sparky.app.build import require_agents
from sparky.app.read import House
from sparky.cli.errand import Errand, find_errand, read_errands
from sparky.cli.options import Place, auto, place, preferences_of, repository, runner, sandbox, script
from sparky.cli.output import as_json, put_json, say
from sparky.cli.screen import put_result
from sparky.cli.take import exit_code, put_outcome, take_issue
from sparky.config import Settings
from sparky.domain.errors import NeedsPersonError, UsageError, UserError
from sparky.domain.result import Result
from sparky.domain.state import Outcome, Preferences

SeeThrough = Callable[[Errand], str]
"""Takes an issue to its segment's end; returns the run."""

_PARTLY = 4
"""The exit code where a list is not usable whole."""


@click.command("run")
@click.argument("issue", nargs=-1)
@click.option(
    "--from-json",
    "listed",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Instead of ISSUE: each issue of this JSON list, one after the other.",
)
@repository
@auto
@script
@runner
@sandbox
@click.option(
    "--require",
    type=click.Choice([Outcome.MERGED.value]),
    help="Exit with 3 unless it is merged: also where it is ready, and waits for a person.",
)
@click.option("--again", is_flag=True, help="Run an issue whose status says that it is done.")
@as_json
def command(
    issue: tuple[str, ...],
    listed: Path | None,
    repo: Path,
    script: Path | None,
    require: str | None,
    *,
    runner: str | None,
    auto: bool,
    no_sandbox: bool,
    again: bool,
    as_json: bool,
) -> int:
    """Take one issue to a verified commit.

    ISSUE is a number ("7", "#007"), a Markdown file, a sentence, or the issue of a sister repository
    ("shop#7").
    """
    if bool(issue) is (listed is not None):
        raise UsageError("give one ISSUE, or a list of them with --from-json")
    here = place(repo)
    wanted = partial(preferences_of, auto=auto, script=script, runner=runner, no_sandbox=no_sandbox)
    see_through = partial(_see_through, wanted=wanted, again=again)
    code = partial(_code, here.house, require=require)
    if listed is not None:
        return _run_list(here, listed, see_through, code, as_json=as_json)
    errand = find_errand(here, " ".join(issue))
    result = put_outcome(here.house, see_through(errand), as_json=as_json)
    return code(result)


def _code(home: House, result: Result, *, require: str | None) -> int:
    """What a result ends the process with; `require` "merged": ready is not enough."""
    if require and result.outcome is Outcome.READY:
        return NeedsPersonError.code
    return exit_code(home, result)


def _see_through(errand: Errand, wanted: Callable[[Settings], Preferences], *, again: bool) -> str:
    issue, there = errand.issue, errand.target
    if issue.done and not again:
        said = f"issue {issue.id} says that it is {issue.status.lower()}"
        raise NeedsPersonError(f"{said}; --again runs it all the same")
    if there is not errand.source:
        say(f"in {there.found.top}")
    for warning in (*errand.warnings, *there.warnings):
        say(f"warning: {warning}")
    preferences = wanted(there.settings)
    if preferences.script:
        read_script(Path(preferences.script))
    state = errand.first_state(preferences)
    for note in require_agents(there.house, state.context).notes:
        say(f"left out: {note}")
    return take_issue(there.house, state)[0]


def _run_list(
    here: Place, path: Path, see_through: SeeThrough, code: Callable[[Result], int], *, as_json: bool
) -> int:
    """Every issue of a list; what ails one is no reason to leave the others."""
    errands, listed = read_errands(here, path)
    for warning in listed.warnings:
        say(f"warning: {path}: {warning}")
    for said in listed.invalid:
        say(f"error: {path}: {said}")
    results, codes = [], [_PARTLY if listed.invalid else 0]
    for errand in errands:
        try:
            results.append(here.house.result(here.house.store.state(see_through(errand))))
            codes.append(code(results[-1]))
        except UserError as error:
            say(f"error: {errand.issue.title}: {error}")
            codes.append(error.code)
    if as_json:
        put_json(results)
    else:
        for result in results:
            put_result(result)
    return max(codes)
