"""Write docs/handoffs.md from the handoff table, `domain/flow.py`."""

import sys
from collections.abc import Iterator
from pathlib import Path

from sparky.domain import moves
from sparky.domain.attempt import Stage, Strategy
from sparky.domain.flow import TABLE, Basis, Moment, Row
from sparky.domain.moves import CRITERIA, EXECUTE_LIMIT, TESTER_LIMIT, VISIT_LIMIT
from sparky.domain.state import Outcome

TARGET = Path(__file__).parent.parent / "docs" / "handoffs.md"

HEAD = f"""# The handoff table

Written by `python scripts/handoffs.py` from `domain/flow.py`, and checked in CI: this is what sparky does.

After each stage the first row that holds says what follows: a `STAGE` or an **end**.

* EXECUTE is tried at most {EXECUTE_LIMIT} times on one part in a segment, {TESTER_LIMIT} of these by the
  tester. A handover is no attempt.
  An agent that comes to just the same twice in a row is not asked a third time.
* Every other stage is visited at most {VISIT_LIMIT} times after one EXECUTE.
* What a segment has cost is looked at before an agent works; a budget that is used up is asked about.
* A person can cancel at any time, unless the change is merged.

"""


def render() -> str:
    """The page's text."""
    return "".join(
        (
            HEAD,
            *_table(),
            *_decisions(),
            "\n## What each stage has to reach\n\n",
            *_criteria(),
            "\n",
            *_diagram(),
        )
    )


def _table() -> Iterator[str]:
    yield "| after | when | then |\n|---|---|---|\n"
    for row in TABLE:
        leads = ", ".join(_word(one) for one in row.leads)
        yield f"| {_word(row.after)} | {row.when} | {leads} |\n"


def _decisions() -> Iterator[str]:
    """The rows that ask a person, take an issue apart, or have an agent try again; and the simpler ways."""
    yield "\n## The four decisions\n\n"
    yield "What each rests on, and how sure that is; `sparky show RUN` has figures and facts of a run.\n\n"
    yield "| decision | after | when | rests on |\n|---|---|---|---|\n"
    for name, rows in {"ask": _asking, "decompose": _apart, "retry": _again}.items():
        for row in filter(rows, TABLE):
            yield f"| {name} | {_word(row.after)} | {row.when} | {row.basis.value} |\n"
    for number, strategy in enumerate(Strategy, 1):
        simpler = f"| simplify | `EXECUTE` | it is attempt {number}: {strategy.value} "
        yield f"{simpler}| {Basis.SEEN.value} |\n" if number > 1 else ""


def _asking(row: Row) -> bool:
    return row.leads == (Outcome.BLOCKED,)


def _apart(row: Row) -> bool:
    return Stage.DECOMPOSE in row.leads


def _again(row: Row) -> bool:
    worked = row.after in {Stage.EXECUTE, Stage.REVIEW, Stage.TEST, Stage.VERIFY}
    return worked and Stage.EXECUTE in row.leads and row.then is not moves.next_part


def _word(one: Stage | Outcome | Moment) -> str:
    match one:
        case Stage():
            return f"`{one.name}`"
        case Outcome():
            return f"**{one.value}**"
        case Moment():
            return f"*{one.value}*"


def _criteria() -> Iterator[str]:
    for stage, criteria in CRITERIA.items():
        yield f"* `{stage.name}`: {'; '.join(criteria)}\n"


def _diagram() -> Iterator[str]:
    yield "## As a diagram\n\n```mermaid\nstateDiagram-v2\n"
    yield "    [*] --> ROUTE\n"
    edges = dict.fromkeys(
        (row.after.name, one.name if isinstance(one, Stage) else one.value)
        for row in TABLE
        if isinstance(row.after, Stage)
        for one in row.leads
    )
    yield from (f"    {source} --> {target}\n" for source, target in edges)
    yield from (f"    {outcome.value} --> [*]\n" for outcome in Outcome)
    yield "```\n"


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
    sys.stdout.write(f"wrote {TARGET.name}\n")
