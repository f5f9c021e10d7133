"""Deliverables are done in an order that honours what each needs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparky.domain.issue import Issue, Source
from sparky.domain.plan import Child, CircularPlanError, child_of, ordered


def child(name: str, *needs: str) -> Child:
    return Child(id=name, title=f"do {name}", issue=f"digest of {name}", needs=needs)


def names(*children: Child) -> list[str]:
    return [one.id for one in ordered(children)]


def test_without_needs_the_order_is_the_given_one() -> None:
    assert names(child("b"), child("a"), child("c")) == ["b", "a", "c"]


def test_what_is_needed_comes_first_and_the_rest_stays_where_it_is() -> None:
    assert names(child("a", "c"), child("b"), child("c")) == ["b", "c", "a"]


def test_what_is_needed_from_outside_of_the_plan_is_left_out() -> None:
    assert ordered([child("a", "99", "b"), child("b")]) == (child("b"), child("a", "b"))


def test_a_circle_is_named() -> None:
    with pytest.raises(CircularPlanError) as error:
        ordered([child("a", "b"), child("b", "c"), child("c", "a")])
    assert str(error.value) == "no order can be found: a needs b needs c needs a"


def test_numbers_are_one_however_they_are_spelled() -> None:
    issue = Issue(id="007A", key="k", title="t", source=Source.MARKDOWN, dependencies=("08", "PLAN"))
    assert child_of(issue, "d") == Child(id="7a", title="t", issue="d", needs=("8", "PLAN"))


@given(st.lists(st.tuples(st.integers(0, 9), st.sets(st.integers(0, 9))), unique_by=lambda pair: pair[0]))
def test_every_plan_has_an_order_or_a_circle(pairs: list[tuple[int, set[int]]]) -> None:
    children = [child(str(name), *sorted(map(str, needs))) for name, needs in pairs]
    try:
        plan = ordered(children)
    except CircularPlanError:
        return
    seen: set[str] = set()
    for one in plan:
        assert set(one.needs) <= seen
        seen.add(one.id)
    assert seen == {one.id for one in children}
