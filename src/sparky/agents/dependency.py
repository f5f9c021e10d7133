"""DEPENDENCY: dependencies that nothing imports, taken out of pyproject.toml."""

from sparky.agents.example import example
from sparky.agents.specialist import by_rules
from sparky.domain.agent import Agent, Role, ToolFix
from sparky.domain.issue import Kind, Source

DEPENDENCY = Agent(
    name="dependency",
    role=Role.CODER,
    kinds=(Kind.DEPENDENCY,),
    description="Takes out of pyproject.toml what nothing imports, puts in what the requirements have.",
    works=ToolFix(
        tools=("deptry",),
        rules=("DEP001", "DEP002"),
    ),
    bid=by_rules(
        mends=(
            r"(?:unused|unneeded|superfluous|obsolete) (?:\w+ )?(?:dependenc(?:y|ies)|requirements?)",
            *("deptry", "DEP002"),
        ),
        declines=(
            *("upgrade", "update", "bump", "pin", "vulnerable", "outdated", "missing", "add"),
            *(r"CVE-\d+-\d+", "conflicts?"),
        ),
        tools="deptry",
    ),
    takes=(
        example("Remove unused dependencies", Kind.DEPENDENCY),
        example("deptry: DEP002 for requests", Kind.DEPENDENCY),
        example("3 DEPENDENCY findings", Kind.DEPENDENCY, source=Source.FINDINGS),
    ),
    declines=(
        example("Upgrade the outdated dependency on requests", Kind.DEPENDENCY),
        example("Add the missing dependency on yaml", Kind.DEPENDENCY),
    ),
)
