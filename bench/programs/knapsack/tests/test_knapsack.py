from knapsack import pack

ITEMS = [(12, 24), (7, 13), (11, 23), (8, 15), (9, 16)]


def test_the_best_of_five() -> None:
    assert pack(ITEMS, 26) == 51


def test_nothing_fits() -> None:
    assert pack([(5, 10)], 4) == 0


def test_every_item_is_packed_once() -> None:
    assert pack([(2, 3)], 10) == 3
    assert pack([(2, 3), (3, 4)], 5) == 7
