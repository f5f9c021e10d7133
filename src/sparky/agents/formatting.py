"""FORMATTING: layout and spellings without meaning, mended by ruff."""

import re

from sparky.agents.example import example
from sparky.domain.agent import Agent, Role, ToolFix
from sparky.domain.issue import Issue, Kind, Source

_LAYOUT = re.compile(
    r"\b(ruff|isort|(run|apply) black|pep ?8|code style|re-?format\w*|unformatted|trailing whitespace"
    r"|lines? (is |are )?too long|line length|import order|(un)?sort\w* imports|indentation|lint(ing)?"
    r"|format(ting)? (of |the |all |our )?(the )?(code|source|files?)|[EW]\d{3}|I001)\b",
    re.IGNORECASE,
)
_OUTPUT = re.compile(
    r"\bformatt\w+ of (?!((the|our|all|whole) )*(code|source|files?|imports?|modules?|tests?|\S+\.py|\S*/))"
    r"|\b(dates?|numbers?|currency|values?|strings?|messages?|output|tables?|markdown|json|time\w*) formatt",
    re.IGNORECASE,
)


def _bid(issue: Issue) -> tuple[float, str]:
    text = f"{issue.title}\n{issue.body}"
    if issue.source is Source.FINDINGS:
        return 0.95, "its findings are ruff's"
    if _OUTPUT.search(text):
        return 0.1, "it speaks of formatted output, not of source code"
    if _LAYOUT.search(text):
        return 0.85, "it speaks of the layout of source code, which ruff mends"
    if re.search(r"\bformatting\b", text, re.IGNORECASE):
        return 0.6, "it speaks of formatting"
    return 0.4, "its kind is FORMATTING, but it names nothing that ruff mends"


FORMATTING = Agent(
    name="formatting",
    role=Role.CODER,
    kinds=(Kind.FORMATTING,),
    description="Formats source code and sorts imports with ruff; removes spellings that say nothing.",
    works=ToolFix(
        tools=("ruff",),
        rules=(
            *("format", "I001", "E401", "E703", "E713", "E714", "W291", "W292", "W293", "W605", "F541"),
            *("UP004", "UP009", "UP010", "UP012", "UP015", "UP025", "UP034", "UP039"),
        ),
        unsafe=("I001",),
    ),
    bid=_bid,
    takes=(
        example("Fix the formatting in src/report.py", Kind.FORMATTING),
        example("Formatting of src/report.py and the whole code base", Kind.FORMATTING),
        example("Trailing whitespace and unsorted imports", Kind.FORMATTING),
        example("37 FORMATTING findings of ruff", Kind.FORMATTING, source=Source.FINDINGS),
    ),
    declines=(
        example("Formatting of currency values is wrong", Kind.FORMATTING),
        example("Dates: date formatting ignores the locale", Kind.FORMATTING),
    ),
)
