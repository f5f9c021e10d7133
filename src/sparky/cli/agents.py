"""`sparky agents`."""

from pathlib import Path

import click
from rich.table import Table

from sparky.adapters.git import find_repository
from sparky.adapters.shell import SystemShell
from sparky.agents.agent_md import AgentFileError, parse
from sparky.agents.registry import FOLDER, FOREIGN, Registry
from sparky.agents.table import check, overlaps, owner
from sparky.app.build import RUNNERS, read_agents
from sparky.cli.options import KindType, named_repository, repository
from sparky.cli.output import as_json, put_json, say
from sparky.cli.terminal import out
from sparky.domain.agent import ROUTED, Agent, Role, Session, ToolFix
from sparky.domain.errors import UsageError
from sparky.domain.issue import Kind
from sparky.environment import read_environment
from sparky.ports import NoRepositoryError
from sparky.tools.table import TOOLS

_TEMPLATE = """\
---
name: {name}
description: Say in a line what it is for.
kinds: [{kinds}]
role: {role}
# Below 200 it is asked before the coder; no two agents of a kind may share one.
priority: {priority}
---

Say here what the agent should know and do that no other agent does.

The issue, what was tried before, AGENTS.md and the rules that hold for all are told to it by sparky.
"""


@click.group("agents", invoke_without_command=True)
@click.option("--check", "checking", is_flag=True, help="Exit with 1 if a declaration is wrong.")
@repository
@as_json
@click.pass_context
def command(ctx: click.Context, repo: Path, *, checking: bool, as_json: bool) -> int:
    """List the agents, how they work, and the kinds that each one owns.

    Those of the repository are read from the checkout here; a run reads them from the commit where it starts.
    """
    if ctx.invoked_subcommand is not None:
        ctx.obj = repo
        return 0
    registry = _registry(repo)
    if as_json:
        put_json([_plain(agent, registry) for agent in registry.agents])
    else:
        _put(registry)
    return 1 if _say_faults(registry) and checking else 0


@command.command("check")
@repository
@as_json
@click.pass_obj
def verb_check(above: Path, repo: Path, *, as_json: bool) -> int:
    """Say what is wrong with the agents of the checkout, by file and line; exit with 1 if anything is."""
    registry = _registry(above / repo)
    if as_json:
        faults = _faults(registry)
        put_json({"agents": len(registry.agents), "faults": faults, "left_out": registry.notes})
        return 1 if faults else 0
    if _say_faults(registry):
        return 1
    click.echo(f"{len(registry.agents)} agents, nothing is wrong")
    return 0


@command.command("new")
@click.argument("name")
@click.option("-k", "--kind", "kinds", type=KindType(), multiple=True, help="A kind of issue that it takes.")
@click.option("--role", type=click.Choice([role.value for role in Role]), default=Role.CODER.value)
@repository
@as_json
@click.pass_obj
def verb_new(
    above: Path, name: str, kinds: tuple[Kind, ...], role: str, repo: Path, *, as_json: bool
) -> None:
    """Write the file of a new agent. Without a kind it takes the issues that name it."""
    top = named_repository(above / repo).top
    used = {agent.priority for agent in read_agents(_files(top)).agents}
    priority = next(number for number in range(110, 110 + len(used) + 1) if number not in used)
    said = ", ".join(kind.value for kind in kinds)
    text = _TEMPLATE.format(name=name, kinds=said, role=role, priority=priority)
    path = f"{FOLDER}/{name}.md"
    try:
        parse(text.encode(), path, runner=RUNNERS[0])
    except AgentFileError as error:
        raise UsageError(str(error)) from error
    if (top / path).exists():
        raise UsageError(f"{top / path} exists already")
    (top / path).parent.mkdir(parents=True, exist_ok=True)
    (top / path).write_text(text, encoding="utf-8")
    if as_json:
        put_json({"path": str(top / path)})
        return
    click.echo(
        f"wrote {top / path}; next: say in it what the agent does, `sparky agents check`, and commit it"
    )


def _registry(repo: Path) -> Registry:
    try:
        top = find_repository(SystemShell(read_environment().base), repo).top
    except NoRepositoryError:
        return read_agents({})
    return read_agents(_files(top))


def _files(top: Path) -> dict[str, bytes]:
    """The files of the checkout that declare agents: what a commit has, no link, directory or pipe."""
    found = (path for folder in (FOLDER, FOREIGN) for path in (top / folder).glob("*.md"))
    files = [path for path in found if path.is_file() and not path.is_symlink()]
    try:
        return {str(path.relative_to(top)): path.read_bytes() for path in files}
    except OSError as error:
        raise UsageError(f"{error.filename} can't be read: {error.strerror}; mend its mode") from error


def _faults(registry: Registry) -> tuple[str, ...]:
    return (*check(registry.agents, tuple(TOOLS), RUNNERS), *registry.faults)


def _say_faults(registry: Registry) -> bool:
    faults = _faults(registry)
    for note in registry.notes:
        say(f"left out: {note}")
    for warning in overlaps(registry.agents):
        say(f"warning: {warning}")
    for fault in faults:
        say(f"problem: {fault}")
    return bool(faults)


def _put(registry: Registry) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("AGENT", "ROLE", "PRIORITY", "WORKS BY", "OWNS", "ALSO TAKES"):
        table.add_column(name, overflow="fold")
    for agent in registry.agents:
        mine = _owned(agent, registry)
        also = ", ".join(kind.value for kind in agent.kinds if kind.value not in mine)
        also = also or (
            "" if mine else "what names it" if agent.role in ROUTED else "what is to be looked at"
        )
        row = (agent.name, agent.role.value, str(agent.priority), _works(agent), ", ".join(mine), also)
        table.add_row(*row)
    out().print(table)


def _plain(agent: Agent, registry: Registry) -> dict[str, object]:
    return {
        "name": agent.name,
        "description": agent.description,
        "role": agent.role,
        "priority": agent.priority,
        "works_by": _works(agent),
        "kinds": agent.kinds,
        "owns": _owned(agent, registry),
        "declared": agent.places.get("name"),
        "more": agent.more,
    }


def _owned(agent: Agent, registry: Registry) -> list[str]:
    return [kind.value for kind in Kind if owner(kind, registry.agents) is agent]


def _works(agent: Agent) -> str:
    match agent.works:
        case ToolFix(tools=tools):
            return ", ".join(tools)
        case Session(runner=runner, model=model):
            return f"a session ({runner}{f', {model}' if model else ''})"
