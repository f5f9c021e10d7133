"""`sparky fix`."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread

import click

from sparky.app.build import ports_for, require_agents
from sparky.app.intake import BY_DEFAULT, Scan, base_of, context_of, first_state, handed_on, issue_of
from sparky.app.read import House
from sparky.cli.options import (
    Place,
    auto,
    kinds_option,
    paths_argument,
    place,
    preferences_of,
    repository,
    runner,
    sandbox,
    script,
)
from sparky.cli.output import as_json, put_json, say
from sparky.cli.scan import finding_line
from sparky.cli.scope import changed_options, look, scope
from sparky.cli.screen import put_rest
from sparky.cli.take import exit_code, put_outcome, take_issue
from sparky.cli.terminal import out, text
from sparky.cli.waiting import waiting
from sparky.config import budget
from sparky.domain.errors import NeedsPersonError, UsageError
from sparky.domain.finding import left
from sparky.domain.issue import Issue, Kind
from sparky.domain.result import result_of
from sparky.domain.state import Context, End, Outcome, PipelineState, Preferences
from sparky.evidence.detect import bind
from sparky.evidence.tests import warm_baseline, warm_traces
from sparky.ports import Ports


@click.command("fix")
@paths_argument
@kinds_option
@repository
@auto
@sandbox
@click.option("--check", is_flag=True, help="Start nothing; exit with 1 if an agent could mend anything.")
@changed_options
@click.option(
    "--hand-on",
    is_flag=True,
    help="Hand what no rule mends on to the coding agent of sparky.toml, a session for each kind.",
)
@script
@runner
@click.option("--again", is_flag=True, help="Try again what was withdrawn before because it broke a test.")
@click.option(
    "--update-snapshots",
    is_flag=True,
    help="With -k test_failure: rewrite stale snapshots, too, for a person to look at.",
)
@as_json
def command(
    paths: tuple[str, ...],
    kinds: tuple[Kind, ...],
    repo: Path,
    script: Path | None,
    *,
    hand_on: bool,
    runner: str | None,
    auto: bool,
    no_sandbox: bool,
    check: bool,
    changed: bool,
    since: str | None,
    again: bool,
    update_snapshots: bool,
    as_json: bool,
) -> int:
    """Mend what deterministic agents can mend, verified by the tests.

    One run in one worktree: each kind is a commit; edits that make a test worse are taken out, one by one.
    PATHS limit it to some files or directories. A --runner or --script gets what no rule mends.
    """
    _require_sense(kinds, check=check, again=again, update_snapshots=update_snapshots)
    here = place(repo)
    context = _context(here)
    wanted = preferences_of(here.settings, auto=auto, script=script, runner=runner, no_sandbox=no_sandbox)
    wanted = replace(wanted, update_snapshots=update_snapshots)
    handing = not check and _hands_on(here, wanted, asked=hand_on or bool(runner or script))
    ports = replace(ports_for(here.house, context, wanted), waiting=waiting())
    limits = scope(here, repo, ports.repository, paths, changed=changed, since=since)
    if again:
        here.house.store.forgive(context.git_dir)
    seen = look(ports, context, wanted, kinds or BY_DEFAULT, limits)
    for note in () if limits.empty else seen.notes:
        say(f"note: {note}")
    if check:
        return _put_check(seen, as_json=as_json)
    issue = issue_of(here.house, seen, context, wanted, limits.paths)
    issue = _taken_apart(here.house, seen, issue, context) if handing else issue
    state = first_state(here.house, here.found, issue, wanted, budget(here.settings))
    able = seen.mendable or len(issue.children) > 1
    if limits.empty or (not able and here.house.store.holder(issue.key) is None):
        _put_nothing(seen, state, limits.empty or "no finding that an agent mends", as_json=as_json)
        return 0
    run, _ = take_issue(here.house, state, lambda: _warming(here.house, state, ports, seen))
    result = put_outcome(here.house, run, as_json=as_json)
    return 0 if result.outcome is Outcome.NOTHING_TO_DO else exit_code(here.house, result)


def _require_sense(kinds: tuple[Kind, ...], *, check: bool, again: bool, update_snapshots: bool) -> None:
    """Raise UsageError for options that make no sense together."""
    if check and again:
        raise UsageError("--check changes nothing, and --again forgets what was withdrawn: give one of them")
    if update_snapshots and Kind.TEST_FAILURE not in kinds:
        raise UsageError("--update-snapshots rewrites what failing tests compare with: add -k test_failure")


def _context(here: Place) -> Context:
    """Where a run works that starts here, with what a person should know before; raises AgentsError."""
    for warning in here.warnings:
        say(f"warning: {warning}")
    context = context_of(here.found, base_of(here.found))
    for note in require_agents(here.house, context).notes:
        say(f"left out: {note}")
    return context


def _hands_on(here: Place, wanted: Preferences, *, asked: bool) -> bool:
    """Whether sessions are to be had with what no rule mends; raises UsageError where nobody can have any."""
    handing = asked or here.settings.hand_on
    if handing and not (wanted.runner or wanted.script):
        raise UsageError("nobody to hand on to: name a coding agent with --runner, or runner in sparky.toml")
    return handing


def _taken_apart(home: House, seen: Scan, issue: Issue, context: Context) -> Issue:
    """The issue with what is handed on; raises NeedsPersonError where a run has the tools' part."""
    if any(one.finding.kind is Kind.DEPENDENCY and one.agent is None for one in seen.findings):
        say("note: DEPENDENCY is not handed on, as no session may edit pyproject.toml on a finding's word")
    whole = handed_on(home, seen, issue, context)
    held = home.store.holder(issue.key) if whole.children else None
    own = home.store.holder(whole.key)
    if held is None or (own is not None and held.pipeline_id == own.run_id):
        return whole
    way = f"`sparky merge {held.run_id}`, or `sparky cancel {held.run_id}`"
    raise NeedsPersonError(f"{held.run_id} has what the tools mend here: {way}, then run this again")


@contextmanager
def _warming(home: House, state: PipelineState, ports: Ports, seen: Scan) -> Iterator[None]:
    """The tests at the base run beside all else, till the run ends or a person cancels it.

    They are watched, too, where a tool that is to mend something learns from that.
    """
    tools = [
        bind(ports, name, Path(state.context.repo_path))
        for name in {one.finding.tool for one in seen.mendable}
    ]
    ahead = (warm_baseline, *((warm_traces,) if any(tool.learns for tool in tools) else ()))
    with home.cancellation(state.run_id).halting(ports.shell.halt):
        warming = [Thread(target=one, args=(state, ports), daemon=True) for one in ahead]
        for one in warming:
            one.start()
        try:
            yield
        finally:
            ports.shell.halt()
            for one in warming:
                one.join(timeout=5)  # another process may be running the same tests, and is not waited for


def _put_check(seen: Scan, *, as_json: bool) -> int:
    """What a run would mend, and the exit code."""
    if as_json:
        put_json(seen)
    else:
        console = out()
        for one in seen.mendable:
            console.print(text(finding_line(one)))
        stay = len(seen.findings) - len(seen.mendable)
        able = len(seen.mendable)
        console.print(f"`sparky fix` would mend {able} finding(s) at {seen.sha[:10]}; {stay} stay")
    return 1 if seen.mendable else 0


def _put_nothing(seen: Scan, state: PipelineState, reason: str, *, as_json: bool) -> None:
    """The result of a run that never had to start."""
    rest = tuple(left(one.finding, one.why).line for one in seen.findings)
    if as_json:
        end = End(outcome=Outcome.NOTHING_TO_DO, reason=reason)
        put_json(result_of(state.ended(end), rest))
    else:
        stay = f"; {len(rest)} finding(s) stay" if rest else ""
        out().print(f"[bold]nothing to do[/] at {seen.sha[:10]}: {text(reason)}{stay}")
        put_rest(rest)
