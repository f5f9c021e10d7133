"""The bid of an agent that mends by rules: what it is sure of, and what only sounds like it."""

import re
import sys
from collections.abc import Callable, Iterable

from sparky.domain.issue import Issue, Source


def by_rules(
    *, mends: Iterable[str], declines: Iterable[str], tools: str
) -> Callable[[Issue], tuple[float, str]]:
    """A bid: 0.95 on findings, 0.1 where the text says what no rule mends, 0.85 where it says what one does.

    `mends` and `declines` are regular expressions, each for whole words in any case; the reasons name
    the `tools`.
    """
    sure, not_so = (
        re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])", re.IGNORECASE) for words in (mends, declines)
    )

    def bid(issue: Issue) -> tuple[float, str]:
        text = f"{issue.title}\n{issue.body}"
        if issue.source is Source.FINDINGS:
            return 0.95, f"its findings are those of {tools}"
        if said := not_so.search(text):
            return 0.1, f'"{said[0]}" is for a coding agent: no rule mends it'
        if said := sure.search(text):
            return 0.85, f'"{said[0]}" is what {tools} can mend'
        return 0.4, f"it names nothing that {tools} can mend"

    # A fault is told with the module of the agent, not with this one.
    bid.__module__ = sys._getframe(1).f_globals["__name__"]  # noqa: SLF001 - as `collections.namedtuple` does
    return bid
