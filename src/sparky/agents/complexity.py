"""COMPLEXITY: branches that collapse without changing what they do, by ruff."""

from sparky.agents.example import example
from sparky.agents.specialist import by_rules
from sparky.domain.agent import Agent, Role, ToolFix
from sparky.domain.issue import Kind, Source

COMPLEXITY = Agent(
    name="complexity",
    role=Role.CODER,
    kinds=(Kind.COMPLEXITY,),
    description="Collapses nested and needless branches with ruff; takes no function apart.",
    works=ToolFix(
        tools=("ruff",),
        rules=(
            *("RET505", "RET506", "RET507", "RET508", "SIM101", "SIM102", "SIM103", "SIM109"),
            *("SIM114", "SIM117", "SIM118", "SIM201", "SIM202", "SIM208", "SIM210", "SIM211"),
            *("SIM212", "SIM220", "SIM221", "SIM222", "SIM223", "SIM401", "SIM910", "SIM911"),
        ),
        unsafe=(
            *("RET505", "RET506", "RET507", "RET508", "SIM101", "SIM102", "SIM103", "SIM109"),
            *("SIM114", "SIM117", "SIM118", "SIM201", "SIM202", "SIM208", "SIM210", "SIM211"),
            *("SIM212", "SIM220", "SIM221", "SIM222", "SIM223", "SIM401"),
        ),
    ),
    bid=by_rules(
        mends=(
            *("nested (?:if|with)s?", "collapsible", "(?:needless|superfluous|useless) else"),
            *(r"SIM\d{3}", r"RET50\d", "guard clauses?"),
        ),
        declines=(
            *("split", "god (?:class|object)", "too (?:complex|long|many)", "C901"),
            *(r"take \w+ apart", "extract", "refactor"),
        ),
        tools="ruff",
    ),
    takes=(
        example("Collapse the nested ifs in parser.py", Kind.COMPLEXITY),
        example("Superfluous else after return", Kind.COMPLEXITY),
        example("3 COMPLEXITY findings", Kind.COMPLEXITY, source=Source.FINDINGS),
    ),
    declines=(
        example("Split the god class Billing", Kind.COMPLEXITY),
        example("parse() is too complex (C901)", Kind.COMPLEXITY),
    ),
)
