"""An issue taken apart: its deliverables as issues of their own, in an order that honours what they need."""

from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from sparky.domain.issue import Issue
from sparky.domain.reference import issue_number


class CircularPlanError(Exception):
    """Deliverables that wait for each other; the text names them in their circle."""


@dataclass(frozen=True, kw_only=True)
class Child:
    """One deliverable of a plan. `issue` is the digest of its Issue; `needs` are ids of the same plan."""

    id: str
    title: str
    issue: str
    needs: tuple[str, ...] = ()


def ordered(children: Sequence[Child]) -> tuple[Child, ...]:
    """The children, each after all that it needs, else as they were given; raises CircularPlanError.

    What a child needs that is not in the plan is left out of it.
    """
    there = {child.id: child for child in children}
    known = {child.id: tuple(need for need in child.needs if need in there) for child in children}
    try:
        TopologicalSorter(known).prepare()
    except CycleError as error:
        circle = " needs ".join(reversed(error.args[1]))
        raise CircularPlanError(f"no order can be found: {circle}") from error
    done: dict[str, Child] = {}
    while len(done) < len(there):
        free = next(i for i in there if i not in done and all(need in done for need in known[i]))
        done[free] = Child(id=free, title=there[free].title, issue=there[free].issue, needs=known[free])
    return tuple(done.values())


def child_of(issue: Issue, digest: str) -> Child:
    """An issue as a deliverable of a plan, by its number in one spelling; `digest` is where it is kept."""
    needs = tuple(_one_name(name) for name in issue.dependencies)
    return Child(id=_one_name(issue.id), title=issue.title, issue=digest, needs=needs)


def _one_name(name: str) -> str:
    return issue_number(name) or name
