"""Anyone's agent held to the rules that sparky's own are held to."""

from collections.abc import Collection, Sequence

from sparky.agents.table import AGENTS, check, overlaps
from sparky.domain.agent import Agent
from sparky.stages.route import SCRIPTED
from sparky.tools.table import TOOLS


def check_agent(
    agent: Agent, beside: Sequence[Agent] = AGENTS, *, runners: Collection[str] = (SCRIPTED,)
) -> list[str]:
    """What is wrong with an agent's declaration beside others (sparky's own), for a person; empty: nothing.

    Looked at are its kinds, priority, tool or runner, its bids on what it takes and declines, and that it
    shows at least one of each. A claim that overlaps with another's is named, too.
    """
    others = [other for other in beside if other is not agent]
    known = set(check(others, tools=tuple(TOOLS), runners=runners, kinds=()))
    said = check([*others, agent], tools=tuple(TOOLS), runners=runners, kinds=())
    problems = [problem for problem in said if problem not in known]
    if problems:
        return problems
    problems += [warning for warning in overlaps([*others, agent]) if warning not in overlaps(others)]
    if not agent.takes or not agent.declines:
        problems.append(f"{agent.name}: it shows no issue that it {'declines' if agent.takes else 'takes'}")
    return problems
