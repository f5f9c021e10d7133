import pytest
from sieve import primes


def test_up_to_a_limit() -> None:
    assert primes(12) == [2, 3, 5, 7, 11]


def test_the_limit_itself() -> None:
    assert primes(13) == [2, 3, 5, 7, 11, 13]


def test_none() -> None:
    assert primes(1) == []


def test_below_zero() -> None:
    with pytest.raises(ValueError, match="below 0"):
        primes(-3)
