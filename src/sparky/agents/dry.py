"""DRY_VIOLATION: equal functions of a module: the later calls the first."""

from sparky.agents.example import example
from sparky.agents.specialist import by_rules
from sparky.domain.agent import Agent, Role, ToolFix
from sparky.domain.issue import Kind, Source

DRY = Agent(
    name="dry",
    role=Role.CODER,
    kinds=(Kind.DRY_VIOLATION,),
    description="Lets a function call the earlier one of its module that has the same body.",
    works=ToolFix(
        tools=("repeated",),
        rules=("repeated-function",),
    ),
    bid=by_rules(
        mends=("(?:identical|equal|same|duplicated?|repeated) (?:functions?|bod(?:y|ies))",),
        declines=(
            "across",
            "modules",
            "similar",
            "classes",
            "templates?",
            "packages?",
        ),
        tools="sparky's detector of equal functions",
    ),
    takes=(
        example("Duplicate functions in helpers.py", Kind.DRY_VIOLATION),
        example("Two functions with the same body", Kind.DRY_VIOLATION),
        example("3 DRY_VIOLATION findings", Kind.DRY_VIOLATION, source=Source.FINDINGS),
    ),
    declines=(
        example("Similar code across modules", Kind.DRY_VIOLATION),
        example("Duplicated classes in models and views", Kind.DRY_VIOLATION),
    ),
)
