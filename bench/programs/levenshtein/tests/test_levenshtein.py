import pytest
from levenshtein import distance

WORDS = [("kitten", "sitting", 3), ("flaw", "lawn", 2), ("book", "back", 2)]


@pytest.mark.parametrize(("one", "other", "steps"), WORDS)
def test_words(one: str, other: str, steps: int) -> None:
    assert distance(one, other) == steps


def test_both_ways() -> None:
    there = distance("intention", "execution")
    assert there == 5
    assert there == distance("execution", "intention")


def test_empty() -> None:
    assert distance("", "abc") == 3
    assert distance("abc", "") == 3
