"""`sparky transcripts list` and `tree`: what the index alone knows."""

from collections.abc import Iterator
from pathlib import Path

import click
from rich.table import Table

from sparky.cli.options import as_json, put_json
from sparky.cli.screen import out, text
from sparky.cli.transcripts_options import library, note_oddities, wanted, which
from sparky.transcripts.tree import Node


@click.command("list")
@which
@as_json
def verb_list(project: Path | None, session: str, since: float, *, as_json: bool) -> None:
    """List sessions, the newest first: where, since when, how they ended, what was said."""
    found = library()
    lines = found.sessions(wanted(project, session, since))
    note_oddities(found)
    if as_json:
        put_json(lines)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("SESSION", "UPDATED", "STATE", "AGENTS", "SAID", "PROJECT"):
        table.add_column(name, overflow="fold", no_wrap=name in {"SESSION", "UPDATED"})
    for one in lines:
        said = ", ".join(f"{number} {kind}" for kind, number in sorted(one.said.items()))
        name = one.session[:8] or "(none)"
        table.add_row(name, one.updated, one.state.value, str(one.agents), said, text(one.project))
    out().print(table)


@click.command("tree")
@which
@as_json
def verb_tree(project: Path | None, session: str, since: float, *, as_json: bool) -> None:
    """Show sessions with their sub-agents at any depth, and how each of them ended."""
    found = library()
    nodes = found.trees(wanted(project, session, since))
    note_oddities(found)
    if as_json:
        put_json([_plain(node) for node in nodes])
        return
    console = out()
    for node in nodes:
        for depth, one in _walk(node, 0):
            title = f"  {text(one.title)}" if one.title else ""
            state = f"[bold]{one.end.state.value}[/]: {text(one.end.why)}"
            console.print(f"{'  ' * depth}{text(one.name) or '(no session)'}{title}  {state}")


def _walk(node: Node, depth: int) -> Iterator[tuple[int, Node]]:
    yield depth, node
    for child in node.children:
        yield from _walk(child, depth + 1)


def _plain(node: Node) -> dict[str, object]:
    return {
        "name": node.name,
        "title": node.title,
        "state": node.end.state,
        "why": node.end.why,
        "path": node.leaf.path if node.leaf else None,
        "reader": node.leaf.reader if node.leaf else None,
        "started": node.leaf.head.started if node.leaf else "",
        "call_id": node.leaf.head.call if node.leaf else "",
        "children": [_plain(child) for child in node.children],
    }
