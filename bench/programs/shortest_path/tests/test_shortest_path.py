from shortest_path import shortest

GRAPH = {"a": {"b": 7, "c": 3}, "c": {"b": 1, "d": 8}, "b": {"d": 2}}


def test_the_detour_is_shorter() -> None:
    assert shortest(GRAPH, "a", "d") == 6
    assert shortest(GRAPH, "a", "b") == 4


def test_no_way() -> None:
    assert shortest(GRAPH, "d", "a") is None


def test_no_step() -> None:
    assert shortest(GRAPH, "a", "a") == 0
