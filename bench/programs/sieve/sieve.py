"""Prime numbers, by Eratosthenes."""


def primes(limit: int) -> list[int]:
    """All primes up to the limit, rising. Raises ValueError below 0."""
    if limit < 0:
        raise ValueError(f"{limit} is below 0")
    marked: set[int] = set()
    found = []
    for number in range(2, limit + 1):
        if number not in marked:
            found.append(number)
            marked.update(range(number * number, limit + 1, number))
    return found
