from quicksort import quicksort


def test_sorts() -> None:
    assert quicksort([5, 3, 9, 4]) == [3, 4, 5, 9]


def test_keeps_equal_values() -> None:
    result = quicksort([7, 7, 2])
    assert result == [2, 7, 7]
    assert len(result) == 3


def test_nothing() -> None:
    assert quicksort([]) == []
