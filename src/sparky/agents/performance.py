"""PERFORMANCE: loops and calls that say the same with less work, rewritten by ruff."""

from sparky.agents.example import example
from sparky.agents.specialist import by_rules
from sparky.domain.agent import Agent, Role, ToolFix
from sparky.domain.issue import Kind, Source

PERFORMANCE = Agent(
    name="performance",
    role=Role.CODER,
    kinds=(Kind.PERFORMANCE,),
    description="Rewrites needless lists, copies, lookups and loops with ruff; never an algorithm.",
    works=ToolFix(
        tools=("ruff",),
        rules=(
            *("C400", "C401", "C402", "C403", "C404", "C405", "C406", "C409", "C410", "C411"),
            *("C413", "C414", "C416", "C417", "C418", "C419", "C420", "PERF101", "PERF102"),
            *("PERF401", "PERF403", "FURB122", "FURB129", "FURB132", "FURB136", "FURB157"),
            *("FURB161", "FURB163", "FURB166", "FURB167", "FURB168", "FURB169", "FURB181"),
            *("FURB187", "FURB188", "FURB192"),
        ),
        unsafe=(
            *("C400", "C401", "C402", "C403", "C404", "C405", "C406", "C409", "C410", "C411"),
            *("C413", "C414", "C416", "C417", "C418", "C419", "C420", "PERF101", "PERF102"),
            *("PERF401", "PERF403"),
        ),
    ),
    bid=by_rules(
        mends=(
            *("comprehensions?", r"(?:PERF|FURB)\d{3}", r"C4\d{2}"),
            "(?:needless|unnecessary|useless) (?:lists?|cop(?:y|ies)|generators?|calls?)",
        ),
        declines=(
            *(r"n\+1", "quer(?:y|ies)", "memory", "leaks?", "latency", "requests?", "seconds"),
            *("startup", "timeouts?", "cache", "algorithm"),
        ),
        tools="ruff",
    ),
    takes=(
        example("Unnecessary list comprehension in report.py", Kind.PERFORMANCE),
        example("Use comprehensions instead of loops that append", Kind.PERFORMANCE),
        example("3 PERFORMANCE findings", Kind.PERFORMANCE, source=Source.FINDINGS),
    ),
    declines=(
        example("N+1 queries on the order page", Kind.PERFORMANCE),
        example("Memory leak in the worker", Kind.PERFORMANCE),
    ),
)
