"""DEAD_CODE: what can be taken away without changing what the program does, removed by ruff and vulture."""

import re

from sparky.agents.example import example
from sparky.domain.agent import Agent, Role, ToolFix
from sparky.domain.issue import Issue, Kind, Source

_LOCAL = re.compile(
    r"\bunused (local )?variables?\b|\b(useless|unnecessary|needless) (pass|return|assignments?)\b|\bF841\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\b(unused|dead|unreachable) \w*\s?(agents?|class\w*|commands?|files?|functions?|methods?|modules?)\b",
    re.IGNORECASE,
)


def _bid(issue: Issue) -> tuple[float, str]:
    text = f"{issue.title}\n{issue.body}"
    if issue.source is Source.FINDINGS:
        return 0.95, "its findings are ruff's"
    if _WHOLE.search(text):
        return 0.1, "whether a whole function, class or file is used is not ruff's to say"
    if _LOCAL.search(text):
        return 0.85, "it speaks of unused locals or empty statements, which ruff removes"
    if re.search(r"\bdead code\b", text, re.IGNORECASE):
        return 0.6, "it speaks of dead code"
    return 0.4, "its kind is DEAD_CODE, but it names nothing that ruff mends"


DEAD_CODE = Agent(
    name="dead-code",
    role=Role.CODER,
    kinds=(Kind.DEAD_CODE,),
    description="Removes unused locals, empty statements, and private definitions that nothing names.",
    works=ToolFix(
        tools=("ruff", "vulture"),
        rules=("F504", "F522", "F523", "F841", "PIE790", "PLR1711", "TC005", "unused-private"),
        # ruff keeps the right side where it calls something; what may be lost is a comment beside the
        # assignment, which no test needs, and an attribute read for its effect, which tests do see.
        unsafe=("F841",),
    ),
    bid=_bid,
    takes=(
        example("Remove unused local variables", Kind.DEAD_CODE),
        example("Clean up dead code in parser.py", Kind.DEAD_CODE),
        example("4 DEAD_CODE findings of ruff", Kind.DEAD_CODE, source=Source.FINDINGS),
    ),
    declines=(
        example("Remove unused agent files", Kind.DEAD_CODE),
        example("Dead function in billing", Kind.DEAD_CODE),
    ),
)
