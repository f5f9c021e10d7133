"""`sparky route`."""

from pathlib import Path

import click

from sparky.app.build import require_agents
from sparky.app.intake import base_of, context_of
from sparky.cli.errand import find_errand
from sparky.cli.options import place, repository, runner, script
from sparky.cli.output import as_json, put_json, say
from sparky.cli.terminal import out, text
from sparky.config import preferences
from sparky.stages.route import find_routes
from sparky.views import bid_line


@click.command("route")
@click.argument("issue", nargs=-1, required=True)
@repository
@script
@runner
@as_json
def command(
    issue: tuple[str, ...], repo: Path, script: Path | None, runner: str | None, *, as_json: bool
) -> int:
    """Show which agent an issue would go to, and every bid. Starts nothing.

    Exits with 3 if nobody bids enough.
    """
    errand = find_errand(place(repo), " ".join(issue))
    for warning in errand.warnings:
        say(f"warning: {warning}")
    there = errand.target
    registry = require_agents(there.house, context_of(there.found, base_of(there.found)))
    for note in registry.notes:
        say(f"left out: {note}")
    settings = there.settings
    sessions = any((script, runner, settings.script, settings.runner))
    wanted = preferences(settings).thresholds
    routes = find_routes(errand.issue, registry.agents, wanted, sessions=sessions)
    first = routes[0]
    if as_json:
        for left in first.left_out:
            say(f"left out: {left}")
        put_json(
            {
                "kind": first.kind,
                "kind_confidence": first.kind_confidence,
                "kind_reasons": first.kind_reasons,
                "agent": first.agent,
                "fallbacks": first.fallbacks,
                "bids": first.bids,
            }
        )
        return 0 if first.agent else 3
    console = out()
    console.print(f"[bold]{text(errand.issue.title)}[/]")
    console.print(f"{first.kind.value} ({first.kind_confidence:.2f}): {text('; '.join(first.kind_reasons))}")
    console.print(f"goes to [bold]{first.agent or 'nobody'}[/]")
    for bid in first.bids:
        console.print(f"  {text(bid_line(bid, first))}")
    for left in first.left_out:
        console.print(f"  left out: {text(left)}")
    return 0 if first.agent else 3
