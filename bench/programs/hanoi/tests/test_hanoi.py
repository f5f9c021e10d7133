from hanoi import moves


def test_one_disc() -> None:
    assert moves(1) == [("A", "C")]


def test_two_discs() -> None:
    assert moves(2) == [("A", "B"), ("A", "C"), ("B", "C")]


def test_how_many() -> None:
    assert len(moves(5)) == 31
    assert moves(0) == []
