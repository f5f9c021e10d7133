import pytest
from newton import sqrt


def test_of_squares() -> None:
    assert sqrt(144.0) == pytest.approx(12.0, abs=1e-6)
    assert sqrt(2.25) == pytest.approx(1.5, abs=1e-6)


def test_of_two() -> None:
    assert abs(sqrt(2.0) - 1.41421356) < 1e-7


def test_of_what_is_negative() -> None:
    with pytest.raises(ValueError, match="negative"):
        sqrt(-1.0)
