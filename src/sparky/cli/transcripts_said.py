"""`sparky transcripts feedback` and `show`: what was said, in words."""

from pathlib import Path

import click

from sparky.cli.output import as_json, put_json
from sparky.cli.terminal import out, text
from sparky.cli.transcripts_options import library, note_oddities, raw, wanted, which
from sparky.transcripts.library import leaves_of, turns
from sparky.transcripts.model import Feedback, FeedbackKind, Turn
from sparky.transcripts.redact import redact

_SHOWN = 2000
"""Characters of one turn that are shown; --json has them all."""


@click.command("feedback")
@which
@click.option(
    "--kind",
    "kinds",
    type=click.Choice([kind.value for kind in FeedbackKind]),
    multiple=True,
    help="Only this kind (may be given several times); default: all.",
)
@raw
@as_json
def verb_feedback(
    project: Path | None, session: str, since: float, kinds: tuple[str, ...], *, raw: bool, as_json: bool
) -> None:
    """Show what persons said, by time, and the tool call that it is about."""
    found = library()
    only = [FeedbackKind(kind) for kind in kinds]
    items = found.feedback(wanted(project, session, since), only, str if raw else redact)
    note_oddities(found)
    if as_json:
        put_json(items)
        return
    for item in items:
        _put_feedback(item)


def _put_feedback(item: Feedback) -> None:
    console = out()
    place = "/".join((item.session[:8], *item.agents))
    about = f"  [dim]about {text(item.call.name)} {text(item.call.target)[:120]}[/]" if item.call else ""
    console.print(f"[bold]{item.kind.value}[/]  {item.at}  {text(place)}{about}")
    for line in (item.text or (f"then: {item.reason}" if item.reason else "")).splitlines():
        console.print(f"  {text(line)}")


@click.command("show")
@click.argument("session", metavar="SESSION")
@click.option(
    "--agent", default="", metavar="ID", help="A sub-agent's conversation instead of the session's."
)
@raw
@as_json
def verb_show(session: str, agent: str, *, raw: bool, as_json: bool) -> None:
    """Show one session as a conversation. SESSION is its id or the start of it."""
    found = library()
    node = found.one(wanted(None, session, 0.0))
    leaf = next(
        (
            one
            for one in leaves_of(node)
            if one.head.agent.startswith(agent) and bool(agent) == bool(one.head.agent)
        ),
        None,
    )
    if leaf is None:
        names = ", ".join(one.head.agent for one in leaves_of(node) if one.head.agent)
        raise click.UsageError(f"{node.name} has no such transcript; its agents are: {names or '(none)'}")
    told = turns(leaf, str if raw else redact)
    if as_json:
        put_json(list(told))
        return
    for turn in told:
        _put_turn(turn)


def _put_turn(turn: Turn) -> None:
    console = out()
    if turn.call:
        console.print(f"  [cyan]{text(turn.call.name)}[/] {text(turn.call.target)[:200]}")
        return
    kind = f" ({turn.kind.value})" if turn.kind else ""
    shown = turn.text[:_SHOWN] if turn.by != "tool" else turn.text[:200]
    console.print(f"[bold]{turn.by}{kind}[/]  {turn.at}")
    for line in shown.splitlines():
        console.print(f"  {text(line)}")
