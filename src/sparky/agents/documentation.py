"""DOCUMENTATION: typos in prose, and the form of docstrings."""

from sparky.agents.example import example
from sparky.agents.specialist import by_rules
from sparky.domain.agent import Agent, Role, ToolFix
from sparky.domain.issue import Kind, Source

DOCUMENTATION = Agent(
    name="documentation",
    role=Role.CODER,
    kinds=(Kind.DOCUMENTATION,),
    description="Corrects misspelt words in prose and the form of docstrings; never writes any.",
    works=ToolFix(
        tools=(
            "ruff",
            "typos",
        ),
        rules=(
            *("typo", "D200", "D201", "D202", "D204", "D207", "D208", "D209", "D210", "D211"),
            *("D300", "D403", "D410", "D411", "D412"),
        ),
        unsafe=(
            "D200",
            "D202",
            "D209",
            "D300",
        ),
    ),
    bid=by_rules(
        mends=(
            *("typos?", "misspel(?:t|led|lings?)", "spelling", r"D[23]\d{2}"),
            "docstring (?:style|form|format|quotes|whitespace)",
        ),
        declines=(
            *("missing docstrings?", "docstrings? (?:is|are) missing"),
            *("add (?:a |the )?(?:docs|docstrings?|documentation|readme)", "document", "write"),
            *("explain", "outdated"),
        ),
        tools="ruff and typos",
    ),
    takes=(
        example("Fix typos in the README", Kind.DOCUMENTATION),
        example("Docstring style: summary line has whitespace (D210)", Kind.DOCUMENTATION),
        example("3 DOCUMENTATION findings", Kind.DOCUMENTATION, source=Source.FINDINGS),
    ),
    declines=(
        example("Missing docstrings in billing", Kind.DOCUMENTATION),
        example("Document the retry policy", Kind.DOCUMENTATION),
    ),
)
