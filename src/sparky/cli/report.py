"""`sparky report`."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import click
from rich.table import Table

from sparky.adapters.git import checkout_at, find_repository
from sparky.adapters.reports import ReportsError, Shelf, add_report, open_folder, open_ref, read_at, read_file
from sparky.adapters.shell import SystemShell
from sparky.cli.options import repository
from sparky.cli.output import as_json, put_json, say
from sparky.cli.terminal import out, text
from sparky.domain.agent import Role
from sparky.domain.errors import UserError
from sparky.domain.report import FOLDER, Filed, in_order, latest, next_id, of_agent
from sparky.environment import read_environment
from sparky.ports import GitError
from sparky.reports.check import find_lacks
from sparky.reports.mine import mine, whose
from sparky.reports.own import read_any
from sparky.reports.plain import reading_view
from sparky.reports.reading import Reading

ROLES = ("coder", "tester", "reviewer", "documenter")

_folder = click.argument("folder", metavar="[DIR]", default=FOLDER)
_file = click.argument("file", metavar="FILE")
_agent = click.option(
    "--agent", required=True, help="Whose report: coding, testing, review, or any agent's name."
)
_issue = click.option("--issue", required=True, help="The number of the issue; 1 never means 12.")
_ref = click.option(
    "--ref", metavar="REF", help="Read the tree of this branch, tag or commit. Nothing is checked out."
)


class NoReportError(UserError):
    """There is no such report; the text says which there are."""


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where reports are read: the checkout, or the tree of a commit."""

    repo: Path
    ref: str | None

    def shelf(self, folder: str) -> Shelf:
        """The reports of a folder; with a ref of all folders, unless another than the usual is named."""
        shell = SystemShell(read_environment().base)
        if self.ref is not None:
            git = checkout_at(shell, find_repository(shell, self.repo).top)
            return open_ref(git, self.ref, "" if folder == FOLDER else folder)
        place = self.repo / folder
        try:
            return open_folder(place, checkout_at(shell, find_repository(shell, place).top))
        except GitError:  # outside of any repository the reports have no commits
            return open_folder(place)

    def text(self, file: str) -> str:
        """The text of a report."""
        if self.ref is None:
            return read_file(self.repo / file)
        shell = SystemShell(read_environment().base)
        return read_at(checkout_at(shell, find_repository(shell, self.repo).top), self.ref, file)


@click.group("report")
def command() -> None:
    """Read what agents left in reports: the newest, the next name, whose turn it is.

    Reports are files AGENT_Issue#NUMBER_Report_vVERSION.md; DIR is docs/reports if it is not given.
    """


def _at(function: Callable[..., Any]) -> Callable[..., Any]:
    return repository(_ref(as_json(function)))


@command.command("latest")
@_folder
@_agent
@_issue
@_at
def latest_command(
    folder: str, agent: str, issue: str, repo: Path, ref: str | None, *, as_json: bool
) -> None:
    """Name an agent's newest report on an issue: the highest version. Exits with 1 if there is none."""
    shelf = _Place(repo=repo, ref=ref).shelf(folder)
    found = latest(shelf.filed, agent, issue)
    _name_odd(shelf)
    if found is None:
        there = ", ".join(sorted({f"{one.id.agent} on {one.id.issue}" for one in shelf.filed})) or "none"
        raise NoReportError(f"no report of {agent} on issue {issue} in {folder}; there are: {there}")
    if as_json:
        put_json({"name": PurePosixPath(found.path).name, "version": found.id.version, "path": found.path})
    else:
        click.echo(found.path)


@command.command("next")
@_folder
@_agent
@_issue
@click.option(
    "--write", is_flag=True, help="Write standard input there. Never overwrites, whoever else writes."
)
@repository
@as_json
def next_command(folder: str, agent: str, issue: str, repo: Path, *, write: bool, as_json: bool) -> None:
    """Name an agent's next report on an issue: the highest version and one."""
    place = repo / folder
    if write:
        path = add_report(place, agent, issue, sys.stdin.read())
    else:
        filed = open_folder(place).filed if place.exists() else ()
        path = place / next_id(filed, agent, issue).name
    if as_json:
        put_json({"name": path.name, "path": str(path), "written": write})
    else:
        click.echo(path)


@command.command("parse")
@_file
@_at
def parse_command(file: str, repo: Path, ref: str | None, *, as_json: bool) -> None:
    """Show what is understood of a report, and the lines that are not."""
    reading = read_any(_Place(repo=repo, ref=ref).text(file))
    if as_json:
        put_json(reading_view(reading))
        return
    console = out()
    console.print(
        f"pipeline [bold]{reading.pipeline_status}[/], merge [bold]{reading.merge_decision.value}[/]"
    )
    for failure in reading.failures:
        console.print(f"  line {failure.line}: {text(failure.title or failure.root_cause)}")
    for item in reading.items:
        done = f" [dim]{item.answer.value}[/]" if item.answer else ""
        console.print(f"  {text(item.id)} for the {item.owner.value}: {text(item.text)}{done}")
    for one in reading.unread:
        console.print(f"  [yellow]line {one.line} is not understood:[/] {text(one.text)}")
    turn = whose(reading)
    who = turn.responsibility.value if turn.responsibility else "nobody"
    console.print(f"turn [bold]{who}[/] ({turn.confidence:.0%} sure): {text(turn.reason)}")


@command.command("mine")
@_file
@click.option("--role", type=click.Choice(ROLES), required=True, help="Whose items are wanted.")
@_at
def mine_command(file: str, role: str, repo: Path, ref: str | None, *, as_json: bool) -> None:
    """Say whether a report asks a role to act, and for what. Answers in reports beside it are heeded."""
    place = _Place(repo=repo, ref=ref)
    replies = [reply for reading in _answering(place, file) for reply in reading.replies]
    turn = mine(read_any(place.text(file)), Role(role), replies)
    if as_json:
        put_json(turn)
        return
    console = out()
    console.print(f"[bold]{'yes' if turn.should_act else 'no'}[/]: {text(turn.reason)}")
    for item in turn.items:
        console.print(
            f"  {text(item.id)} {text(item.text)}" + (f" [dim]{item.answer.value}[/]" if item.answer else "")
        )


@command.command("history")
@_folder
@_issue
@_at
def history_command(folder: str, issue: str, repo: Path, ref: str | None, *, as_json: bool) -> None:
    """List all reports on an issue in the order in which they were left."""
    shelf = _Place(repo=repo, ref=ref).shelf(folder)
    wanted = [one for one in in_order(shelf.filed) if one in of_agent(shelf.filed, one.id.agent, issue)]
    _name_odd(shelf)
    rows = [_history_row(one, read_any(shelf.read(one.path))) for one in wanted]
    if as_json:
        put_json(rows)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("REPORT", "COMMIT", "MERGE", "TURN", "WHY"):
        table.add_column(name, overflow="fold")
    for row in rows:
        commit = str(row["commit"])[:10] or "not committed"
        table.add_row(
            text(str(row["name"])),
            commit,
            str(row["merge_decision"]),
            str(row["turn"]),
            text(str(row["reason"])),
        )
    out().print(table if rows else f"no report on issue {text(issue)}")


@command.command("check")
@_file
@_at
def check_command(file: str, repo: Path, ref: str | None, *, as_json: bool) -> int:
    """Say what a report lacks, with lines. Exits with 1 if it lacks anything."""
    lacks = find_lacks(_Place(repo=repo, ref=ref).text(file), PurePosixPath(file).name)
    if as_json:
        put_json(lacks)
    for lack in () if as_json else lacks:
        click.echo(f"{file}:{lack.line}: {lack.text}")
    return 1 if lacks else 0


def _name_odd(shelf: Shelf) -> None:
    for odd in shelf.odd:
        say(f"warning: {odd.name} {odd.reason}; it is passed over")


def _answering(place: _Place, file: str) -> list[Reading]:
    """The reports in the same folder that say they answer this one."""
    path = PurePosixPath(file)
    try:
        shelf = place.shelf(path.parent.as_posix())
    except ReportsError:
        return []
    readings = (
        read_any(shelf.read(one.path)) for one in shelf.filed if PurePosixPath(one.path).name != path.name
    )
    return [reading for reading in readings if path.name in reading.answers]


def _history_row(one: Filed, reading: Reading) -> dict[str, object]:
    turn = whose(reading)
    return {
        "name": PurePosixPath(one.path).name,
        "agent": one.id.agent,
        "version": one.id.version,
        "path": one.path,
        "commit": one.commit,
        "merge_decision": reading.merge_decision.value,
        "turn": turn.responsibility.value if turn.responsibility else "nobody",
        "reason": turn.reason,
    }
