"""A small project with a fault of every kind, and what each detector is to say of it."""

FAULTS = {
    "pyproject.toml": (
        '[project]\nname = "shop"\nversion = "1"\nrequires-python = ">=3.10"\ndependencies = [\n'
        '    "click>=8",\n    "requests>=2",  # nobody knows why\n]\n\n'
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n\n'
        '[tool.setuptools]\npy-modules = ["shop"]\n'
    ),
    "README.md": "# Shop\n\nYou recieve what you order.\n",
    "shop.py": '''"""The shop, and what belongs to it."""

import hashlib

import click


def key(name: str) -> str:
    """The  key of a name, seperate for each."""
    return hashlib.md5(name.encode()).hexdigest()


def total(prices: list[int]) -> int:
    """The sum."""
    kept = []
    for price in prices:
        kept.append(price)
    result = sum(kept)
    return result


def amount(prices: list[int]) -> int:
    """The same, once more."""
    kept = []
    for price in prices:
        kept.append(price)
    result = sum(kept)
    return result


def names(orders: dict[str, int]) -> list[str]:
    """The names."""
    return list([name for name in orders])


def is_large(price: int, limit: int) -> bool:
    """Whether it is."""
    if price > 0:
        if limit > 0:
            return price > limit
    return False


def _old_key(name: str) -> str:
    return name


def greet(name="you"):
    click.echo(name)
''',
    "test_shop.py": '''"""Tests."""

import pytest

import shop


@pytest.mark.parametrize("prices, expected", [([1, 2], 3), ([], 0)])
def test_total(prices: list[int], expected: int) -> None:
    assert shop.total(prices) == shop.amount(prices) == expected


def test_key() -> None:
    assert len(shop.key("a")) == 32
    assert shop.names({"b": 1}) == ["b"]
    assert shop.is_large(3, 2)
''',
    "tangled.py": """def last(orders: list[list[int]]) -> int:
    found = 0
    for order in orders:
        for price in order:
            while price > found:
                for step in (1, 2):
                    if price % step or price > 9:
                        found += step
                    else:
                        found += 1
    return found
""",
    "stock/__init__.py": "from stock.goods import LIMIT\nfrom stock.names import *\n",
    "stock/goods.py": '"""Goods."""\n\nLIMIT = 3\n',
    "stock/names.py": '"""Names of goods."""\n\n__all__ = ("COFFEE", "TEA")\nCOFFEE, TEA = "coffee", "tea"\n',
    "till.py": '"""The till."""\n\nfrom stock import COFFEE, LIMIT\n\nGOODS = [COFFEE] * LIMIT\n',
}

REVIEWED = {
    "pyrefly.toml": "",
    "shop.py": '''"""The shop, where a type checker looks."""


class Shop:
    """One."""

    name: str = None

    def price(self, item: str) -> int:
        """What an item costs."""
        if item:
            return item
        return self.prices[item]


def ask(shop: Shop | None) -> str:
    """Its name."""
    shop.price(1)
    return shop.name + later
''',
}
"""A project that configures pyrefly."""
