"""`sparky transcripts list` and `tree`: what the index alone knows, put out without large libraries."""

from collections.abc import Iterator
from pathlib import Path

import click

from sparky.adapters.progress import one_line
from sparky.cli.output import as_json, put_json
from sparky.cli.transcripts_options import library, note_oddities, wanted, which
from sparky.transcripts.sessions import SessionLine
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
    rows = [("SESSION", "UPDATED", "STATE", "AGENTS", "SAID", "PROJECT"), *map(_cells, lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        click.secho(line, bold=number == 0)


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
    for node in nodes:
        for depth, one in _walk(node, 0):
            title = f"  {one_line(one.title)}" if one.title else ""
            state = f"{click.style(one.end.state.value, bold=True)}: {one_line(one.end.why)}"
            click.echo(f"{'  ' * depth}{one_line(one.name) or '(no session)'}{title}  {state}")


def _cells(one: SessionLine) -> tuple[str, ...]:
    said = ", ".join(f"{number} {kind}" for kind, number in sorted(one.said.items()))
    name = one_line(one.session)[:8] or "(none)"
    return name, one.updated, one.state.value, str(one.agents), said, one_line(one.project)


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
