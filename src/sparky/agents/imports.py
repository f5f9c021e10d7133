"""IMPORT_ERROR: imports that are unused or made twice, removed by ruff, and re-exports, said to be such."""

import re

from sparky.agents.example import example
from sparky.domain.agent import Agent, Role, ToolFix
from sparky.domain.issue import Issue, Kind, Source

_REMOVABLE = re.compile(
    r"\b(unused|duplicated?|redundant|superfluous) imports?\b|\bF(401|811)\b", re.IGNORECASE
)
_RUN_TIME = re.compile(
    r"\b(circular|cyclic|missing|ImportError|ModuleNotFoundError|No module named|cannot import)\b",
    re.IGNORECASE,
)


def _bid(issue: Issue) -> tuple[float, str]:
    text = f"{issue.title}\n{issue.body}"
    if issue.source is Source.FINDINGS:
        return 0.95, "its findings are ruff's"
    if _RUN_TIME.search(text):
        return 0.1, "an import that fails when it runs is not mended by a rule"
    if _REMOVABLE.search(text):
        return 0.85, "it speaks of imports that can go, which ruff removes"
    return 0.4, "its kind is IMPORT_ERROR, but it names nothing that ruff mends"


IMPORTS = Agent(
    name="imports",
    role=Role.CODER,
    kinds=(Kind.IMPORT_ERROR,),
    description="Removes unused and repeated imports with ruff; in an __init__.py it marks re-exports.",
    works=ToolFix(tools=("ruff",), rules=("F401", "F403", "F811"), unsafe=("F403",)),
    bid=_bid,
    takes=(
        example("Remove unused imports", Kind.IMPORT_ERROR),
        example("12 IMPORT_ERROR findings of ruff", Kind.IMPORT_ERROR, source=Source.FINDINGS),
    ),
    declines=(
        example("Circular import between models and views", Kind.IMPORT_ERROR),
        example("ModuleNotFoundError when the tests start", Kind.IMPORT_ERROR),
    ),
)
