from orders.report import render


def test_csv():
    assert render(["a", "b"]) == "a,b"
