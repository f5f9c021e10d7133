"""The greatest common divisor, by Euclid."""


def gcd(a: int, b: int) -> int:
    """The greatest number that divides both; 0 if both are 0."""
    while b:
        a, b = b, a % b
    return abs(a)
