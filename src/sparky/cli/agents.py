"""`sparky agents`."""

import click
from rich.table import Table

from sparky.agents.table import AGENTS, check, overlaps, owner
from sparky.cli.options import as_json, put_json, say
from sparky.cli.screen import out
from sparky.domain.agent import Agent, Session, ToolFix
from sparky.domain.issue import Kind
from sparky.stages.route import SCRIPTED
from sparky.tools.table import TOOLS


@click.command("agents")
@click.option("--check", "checking", is_flag=True, help="Exit with 1 if a declaration is wrong.")
@as_json
def command(*, checking: bool, as_json: bool) -> int:
    """List the agents, how they work, and the kinds that each one owns."""
    problems = check(AGENTS, tools=tuple(TOOLS), runners=(SCRIPTED,))
    for problem in problems:
        say(f"problem: {problem}")
    for warning in overlaps(AGENTS):
        say(f"warning: {warning}")
    if as_json:
        put_json([_plain(agent) for agent in AGENTS])
    else:
        _put()
    return 1 if checking and problems else 0


def _put() -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("AGENT", "PRIORITY", "WORKS BY", "OWNS", "ALSO TAKES"):
        table.add_column(name, overflow="fold")
    for agent in AGENTS:
        mine = _owned(agent)
        also = [kind.value for kind in agent.kinds if kind.value not in mine]
        table.add_row(agent.name, str(agent.priority), _works(agent), ", ".join(mine), ", ".join(also))
    out().print(table)


def _plain(agent: Agent) -> dict[str, object]:
    return {
        "name": agent.name,
        "description": agent.description,
        "role": agent.role,
        "priority": agent.priority,
        "works_by": _works(agent),
        "kinds": agent.kinds,
        "owns": _owned(agent),
    }


def _owned(agent: Agent) -> list[str]:
    return [kind.value for kind in Kind if owner(kind) is agent]


def _works(agent: Agent) -> str:
    match agent.works:
        case ToolFix(tools=tools):
            return ", ".join(tools)
        case Session(runner=runner):
            return f"a session ({runner})"
