from gcd import gcd


def test_of_two_numbers() -> None:
    assert gcd(48, 36) == 12
    assert gcd(17, 5) == 1


def test_of_zero() -> None:
    assert gcd(0, 9) == 9
    assert gcd(0, 0) == 0


def test_of_negative_numbers() -> None:
    assert gcd(-12, 18) == 6
