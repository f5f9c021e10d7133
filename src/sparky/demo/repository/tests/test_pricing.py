from decimal import Decimal

from orders.pricing import discounted, total


def test_discount_is_taken_once():
    assert discounted(Decimal(200), 10) == Decimal(180)


def test_no_discount():
    assert discounted(Decimal(200), 0) == Decimal(200)


def test_total():
    assert total([(2, 5), (1, 3)]) == 13
