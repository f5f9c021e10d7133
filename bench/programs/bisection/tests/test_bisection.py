import pytest
from bisection import find


@pytest.mark.parametrize(("wanted", "index"), [(3, 0), (8, 2), (21, 4), (5, 1)])
def test_every_value_is_found(wanted: int, index: int) -> None:
    assert find([3, 5, 8, 13, 21], wanted) == index


def test_what_is_not_there() -> None:
    assert find([3, 5, 8], 4) == -1
    assert find([], 4) == -1
