"""`sparky scan`."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click
from rich.table import Table

from sparky.app.build import left_out, ports_for
from sparky.app.intake import BY_DEFAULT, Scan, Sorted, base_of, context_of
from sparky.cli.options import kinds_option, paths_argument, place, repository
from sparky.cli.output import put_json, say
from sparky.cli.scope import changed_options, look, scope
from sparky.cli.terminal import out, text
from sparky.cli.waiting import waiting
from sparky.config import preferences
from sparky.domain.errors import UsageError
from sparky.domain.issue import Kind
from sparky.tools import sarif
from sparky.tools.table import TOOLS

_FORMATS = ("text", "json", "sarif")


@click.command("scan")
@paths_argument
@kinds_option
@click.option("--check", is_flag=True, help="Exit with 1 if an agent could mend anything.")
@click.option("-v", "--verbose", is_flag=True, help="One line for each finding.")
@changed_options
@repository
@click.option("--format", "form", type=click.Choice(_FORMATS), help="Default: text.")
@click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
def command(
    paths: tuple[str, ...],
    kinds: tuple[Kind, ...],
    repo: Path,
    *,
    check: bool,
    verbose: bool,
    changed: bool,
    since: str | None,
    form: str | None,
    as_json: bool,
) -> int:
    """Show what the detectors find at HEAD, and which agent would mend it. Changes nothing.

    A faulty agent is named, and left out: what is found is the same without it.
    PATHS limit it to some files or directories.
    """
    if as_json and form not in {None, "json"}:
        raise UsageError(f"--json and --format {form} ask for two formats: name one")
    here = place(repo)
    for warning in here.warnings:
        say(f"warning: {warning}")
    context = context_of(here.found, base_of(here.found))
    wanted = preferences(here.settings)
    ports = replace(ports_for(here.house, context, wanted), waiting=waiting())
    limits = scope(here, repo, ports.repository, paths, changed=changed, since=since)
    seen = look(ports, context, wanted, kinds or BY_DEFAULT, limits)
    faults = left_out(here.house, context)
    for fault in faults:
        say(f"warning: {fault}")
    for note in seen.notes:
        say(f"note: {note}")
    if as_json or form == "json":
        put_json(replace(seen, notes=(*faults, *seen.notes)))
    elif form == "sarif":
        put_json(sarif.render(seen.findings, TOOLS, seen.sha))
    else:
        _put(seen, verbose=verbose)
    return 1 if check and seen.mendable else 0


def finding_line(one: Sorted) -> str:
    """A finding as compilers write it, and what becomes of it."""
    where = one.finding.location
    fate = f"mended by {one.agent}" if one.agent else one.why or "no agent mends it"
    place = f"{where.path}:{where.line or 1}:{where.column or 1}"
    return f"{place} {one.finding.rule} {one.finding.message}  [{fate}]"


def rows(findings: Iterable[Sorted]) -> list[tuple[str, ...]]:
    """One row for each kind and rule, sorted: both, how many, who mends it, how many stay, the first why."""
    groups: dict[tuple[str, str], list[Sorted]] = {}
    for one in findings:
        groups.setdefault((one.finding.kind.value, one.finding.rule), []).append(one)
    table: list[tuple[str, ...]] = []
    for (kind, rule), these in sorted(groups.items()):
        stay = [one for one in these if one.agent is None]
        by = next((one.agent for one in these if one.agent), "")
        why = stay[0].why if stay else ""
        table.append((kind, rule, str(len(these)), by, str(len(stay) or ""), why))
    return table


def _put(seen: Scan, *, verbose: bool) -> None:
    console = out()
    if verbose:
        for one in seen.findings:
            console.print(text(finding_line(one)))
        console.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("KIND", "RULE", "FOUND", "MENDED BY", "LEFT", "WHY"):
        table.add_column(name, justify="right" if name in {"FOUND", "LEFT"} else "left", overflow="fold")
    for *words, why in rows(seen.findings):
        table.add_row(*words, text(why))
    if seen.findings:
        console.print(table)
    total, able = len(seen.findings), len(seen.mendable)
    console.print(f"\n{total} finding(s) at {seen.sha[:10]}; `sparky fix` would mend {able}")
