from brackets import balanced


def test_balanced() -> None:
    assert balanced("(a[b]{c})")
    assert balanced("")


def test_not_balanced() -> None:
    assert not balanced("(]")
    assert not balanced("((")
    assert balanced("())") is False
