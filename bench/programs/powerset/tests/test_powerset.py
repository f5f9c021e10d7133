from powerset import powerset


def test_of_two() -> None:
    assert powerset(["a", "b"]) == [[], ["a"], ["b"], ["a", "b"]]


def test_of_none() -> None:
    assert powerset([]) == [[]]


def test_how_many() -> None:
    subsets = powerset(["x", "y", "z", "w"])
    assert len(subsets) == 16
    assert ["x", "w"] in subsets
