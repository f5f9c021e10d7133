"""`sparky export`."""

import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from sparky.app.read import RunNotFoundError
from sparky.cli.home import house
from sparky.cli.output import as_json, put_json, say
from sparky.cli.transcripts_options import library, raw, wanted
from sparky.domain.errors import UsageError
from sparky.domain.state import PipelineState
from sparky.transcripts.export import as_atif, as_markdown
from sparky.transcripts.library import Words, cleaned_turn, open_files, turns
from sparky.transcripts.model import Call, Turn
from sparky.transcripts.redact import redact
from sparky.transcripts.sessions import SessionNotFoundError, Wanted
from sparky.transcripts.tree import Node


@click.command("export")
@click.argument("name", metavar="RUN|SESSION|FILE")
@click.option(
    "--format", "form", type=click.Choice(["atif", "json", "md"]), default="json", help="Default: json."
)
@raw
@as_json
def command(name: str, form: str, *, raw: bool, as_json: bool) -> None:
    """Print a run of sparky's, a session or a transcript file in the words of others.

    json: the turns of each conversation; atif: a trajectory in the Agent Trajectory Interchange Format 1.7;
    md: Markdown. --json is --format json. RUN and SESSION are an id or the start of it.
    """
    words: Words = str if raw else redact
    exported = _export(name, "json" if as_json else form, words)
    if isinstance(exported, str):
        click.echo(exported)
    else:
        put_json(exported)


def _export(name: str, form: str, words: Words) -> object:
    if Path(name).is_file():
        with tempfile.TemporaryDirectory() as scratch:
            (node, *_) = open_files([Path(name)], say, Path(scratch)).trees(Wanted())
            return _session(node, form, words)
    try:
        run = house().find(name).run_id
    except RunNotFoundError as missing:
        try:
            return _session(library().one(wanted(None, name, 0.0)), form, words)
        except SessionNotFoundError as error:
            raise UsageError(f"{error}; as a run: {missing}; it is no file either") from error
    state = house().store.state(run)
    told = [cleaned_turn(turn, words) for turn in _run(state)]
    match form:
        case "atif":
            return as_atif(run, "sparky", told)
        case "md":
            return as_markdown(words(state.issue.title), told)
        case _:
            return {"run": run, "turns": told}


def _session(node: Node, form: str, words: Words) -> object:
    told = list(turns(node.leaf, words)) if node.leaf else []
    match form:
        case "atif":
            below = [_tree(child, words) for child in node.children]
            return as_atif(node.name, node.leaf.reader if node.leaf else "unknown", told, below)
        case "md":
            return as_markdown(node.name, told)
        case _:
            return {
                "session": node.name,
                "state": node.end.state,
                "turns": told,
                "agents": [_session(child, form, words) for child in node.children],
            }


def _tree(node: Node, words: Words) -> dict[str, Any]:
    told = list(turns(node.leaf, words)) if node.leaf else []
    below = [_tree(child, words) for child in node.children]
    return as_atif(node.name, node.leaf.reader if node.leaf else "unknown", told, below)


def _run(state: PipelineState) -> Iterator[Turn]:
    """A run as a conversation: the issue, then each attempt with the commands that sparky ran for it."""
    yield Turn(by="person", text=f"{state.issue.title}\n\n{state.issue.body}".strip())
    for number, attempt in enumerate(state.attempts, 1):
        said = f"{attempt.stage.value} {attempt.number}: {attempt.verdict.value}: {attempt.reason}"
        yield Turn(by="agent", text=said)
        for ordinal, seen in enumerate(attempt.evidence, 1):
            call_id, line = f"{number}.{ordinal}", shlex.join(seen.command)
            call = Call(name="shell", target=line)
            yield Turn(by="agent", call_id=call_id, call=call, input={"command": line})
            yield Turn(by="tool", call_id=call_id, text=f"exit code {seen.code}: {seen.note}")
