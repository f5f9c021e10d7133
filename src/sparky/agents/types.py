"""TYPE_ERROR: annotations that mypy has nothing to say about, on functions that have none."""

from sparky.agents.example import example
from sparky.agents.specialist import by_rules
from sparky.domain.agent import Agent, Role, ToolFix
from sparky.domain.issue import Kind, Source

RULES = ("no-untyped-def", "var-annotated", "assignment", "attr-defined")

TYPES = Agent(
    name="types",
    role=Role.CODER,
    kinds=(Kind.TYPE_ERROR,),
    description="Annotates functions and variables: types that mypy and the tests bear out; never Any.",
    works=ToolFix(tools=("mypy",), rules=RULES, unsafe=RULES),
    bid=by_rules(
        mends=(
            "(?:missing|add) (?:return |parameter )?(?:types?|type (?:hints?|annotations?)|annotations?)",
            *("annotations? (?:is|are) missing", "untyped (?:functions?|defs?)", "no-untyped-def"),
            "not explicitly export",
        ),
        declines=(
            "(?:incompatible|wrong|unexpected|mismatch\\w*) (?:return |argument )?types?",
            *("union-attr", "arg-type", "return-value", "has no attribute", "protocols?", "generics?"),
        ),
        tools="mypy and pyrefly",
    ),
    takes=(
        example("Missing return type in billing.py", Kind.TYPE_ERROR),
        example("Add type hints to the parser", Kind.TYPE_ERROR),
        example('Module "shop" does not explicitly export attribute "Cart"', Kind.TYPE_ERROR),
        example("3 TYPE_ERROR findings", Kind.TYPE_ERROR, source=Source.FINDINGS),
    ),
    declines=(
        example("Incompatible types in assignment in cart.py", Kind.TYPE_ERROR),
        example("Item None has no attribute group [union-attr]", Kind.TYPE_ERROR),
    ),
)
