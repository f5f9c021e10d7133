from collections.abc import Callable
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparky.fixing.bisect import largest_safe

Oracle = Callable[[tuple[int, ...]], bool]


class Tests:
    """Tests that cost: every run is counted, and what was green is remembered."""

    __test__ = False

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.runs = 0
        self.green: set[tuple[int, ...]] = {()}

    def __call__(self, units: tuple[int, ...]) -> bool:
        self.runs += 1
        if self.oracle(units):
            self.green.add(units)
        return units in self.green


def without(*bad: int) -> Oracle:
    return lambda units: not set(bad) & set(units)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 64, 100])
def test_one_culprit_is_found_in_about_log_n_runs_wherever_it_stands(size: int) -> None:
    for culprit in range(size):
        tests = Tests(without(culprit))
        assert largest_safe(range(size), tests) == (
            tuple(unit for unit in range(size) if unit != culprit),
            (culprit,),
        )
        assert tests.runs <= ceil(log2(size)) + 1


def test_of_two_that_are_red_only_together_the_later_goes() -> None:
    kept, culprits = largest_safe(range(8), lambda units: not {2, 5} <= set(units))
    assert (kept, culprits) == ((0, 1, 2, 3, 4, 6, 7), (5,))


def test_nothing_is_kept_where_every_unit_is_red() -> None:
    assert largest_safe("abc", lambda _: False) == ((), ("a", "b", "c"))


def test_nothing_is_asked_for_nothing() -> None:
    tests = Tests(without())
    assert (largest_safe((), tests), tests.runs) == (((), ()), 0)


def test_a_budget_that_is_used_up_says_red_and_leaves_what_was_shown_green() -> None:
    tests = Tests(without(1, 5, 9))
    kept, culprits = largest_safe(range(12), lambda units: tests.runs < 8 and tests(units))
    assert (kept, culprits) == ((0, 2, 3, 4), (1, 5, 6, 7, 8, 9, 10, 11))


@given(
    st.integers(1, 40).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1), min_size=1)))
)
def test_every_lone_culprit_is_found_and_nothing_else_goes(case: tuple[int, set[int]]) -> None:
    size, bad = case
    tests = Tests(without(*bad))
    kept, culprits = largest_safe(range(size), tests)
    assert (set(kept), set(culprits)) == (set(range(size)) - bad, bad)
    assert tests.runs <= len(bad) * (ceil(log2(size)) + 1)


CLASHES = st.lists(st.frozensets(st.integers(0, 11), min_size=1, max_size=3), min_size=1, max_size=5)


@given(CLASHES)
def test_with_clashes_the_answer_is_green_and_no_culprit_could_be_kept_beside_it(
    clashes: list[frozenset[int]],
) -> None:
    tests = Tests(lambda units: not any(clash <= set(units) for clash in clashes))
    kept, culprits = largest_safe(range(12), tests)
    assert kept in tests.green
    assert sorted((*kept, *culprits)) == list(range(12))
    assert not any(tests.oracle((*kept, culprit)) for culprit in culprits)


@given(st.sets(st.lists(st.integers(0, 7), unique=True).map(lambda units: tuple(sorted(units)))))
def test_whatever_the_tests_say_only_what_was_shown_green_is_kept(green: set[tuple[int, ...]]) -> None:
    tests = Tests(lambda units: units in green)
    kept, culprits = largest_safe(range(8), tests)
    assert kept in tests.green
    assert sorted((*kept, *culprits)) == list(range(8))
