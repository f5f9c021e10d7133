"""Square roots, by Newton."""


def sqrt(value: float, error: float = 1e-9) -> float:
    """The square root, to the given error. Raises ValueError for what is negative."""
    if value < 0:
        raise ValueError("negative")
    guess = max(value, 1.0)
    while abs(guess * guess - value) > error:
        guess = (guess + value / guess) / 2
    return guess
